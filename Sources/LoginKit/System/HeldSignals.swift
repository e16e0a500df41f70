import CProcess
import Glibc

/// Holds back the signals that would end this process, so that a program that Ctrl-C does not reach is ended first: else
/// it would go on, and what it asks would stand on the terminal that the shell has taken back.
final class HeldSignals {
    private static let numbers = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

    /// The signals that were blocked before.
    private var before = sigset_t()
    /// Readable once a signal has come, for use in poll(2); -1 if the system has no such descriptor.
    private(set) var descriptor: Int32 = -1

    /// Holds them back from now on.
    init() {
        var held = sigset_t()
        sigemptyset(&held)
        // The first signal of a hold ends nothing, so the program may go on, too.
        let isHolding = cprocess_holds_signals() != 0
        if !isHolding { for number in Self.numbers { sigaddset(&held, number) } }
        pthread_sigmask(SIG_BLOCK, &held, &before)
        if !isHolding { descriptor = cprocess_signal_descriptor(&held) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether one has come.
    var arePending: Bool {
        var pending = sigset_t()
        guard sigpending(&pending) == 0 else { return false }
        return Self.numbers.contains { sigismember(&before, $0) == 0 && sigismember(&pending, $0) == 1 }
    }

    /// Whether the caller has cancelled, or a signal has come that is held back.
    static func orPending(_ isCancelled: (@Sendable () -> Bool)?) -> @Sendable () -> Bool {
        {
            var pending = sigset_t()
            guard isCancelled?() != true else { return true }
            return sigpending(&pending) == 0 && numbers.contains { sigismember(&pending, $0) == 1 }
        }
    }

    /// Lets them through: one that has come takes effect now.
    func release() {
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

/// Postpones the signals that would end this process, for 5 seconds at most; a second one ends it at once. Calls nest.
enum SignalHold {
    /// - Parameter notice: what is written to standard error when a signal is postponed, if that is a terminal.
    static func begin(_ notice: String?) {
        if let notice { cprocess_hold_signals(notice) } else { cprocess_hold_signals(nil) }
    }

    /// Dies of the signal that was postponed, if there is one.
    static func end() { cprocess_release_signals() }

    /// Whether a signal has been postponed.
    static var isPending: Bool { cprocess_kept_signal() != 0 }

    /// Ends every hold that there is: what is under way has had its time.
    static func endAll() {
        while cprocess_holds_signals() != 0 { end() }
    }
}
