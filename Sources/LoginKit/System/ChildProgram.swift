import Glibc

/// A program that was started without a shell, and has to be waited for.
///
/// One thread waits: there is no SIGCHLD handler, and other children are left alone.
final class ChildProgram {
    let process: pid_t
    /// Whether it leads a session, and so a group of its own, which is ended with it.
    private let leadsGroup: Bool
    private var status: Int32?

    /// The time that a program gets to end before it is killed.
    private static let grace = Duration.seconds(2)

    init(process: pid_t, leadsGroup: Bool) {
        self.process = process
        self.leadsGroup = leadsGroup
    }

    /// Whether it has ended; does not wait.
    func hasEnded() -> Bool {
        if status != nil { return true }
        var raw: Int32 = 0
        let found = waitpid(process, &raw, WNOHANG)
        if found == 0 || (found < 0 && errno == EINTR) { return false }
        let signal = raw & 0x7f
        status = found < 0 ? 127 : signal == 0 ? (raw >> 8) & 0xff : 128 + signal
        return true
    }

    /// Waits for the end. At the deadline the program is asked to end, then killed.
    /// - Returns: its status as a shell would show it; `nil` if it had to be ended.
    package func end(by deadline: ContinuousClock.Instant) -> Int32? {
        if wait(until: deadline, for: hasEnded) { return status }
        let target = leadsGroup ? -process : process
        kill(target, SIGTERM)
        _ = wait(until: .now + Self.grace, for: isEnding)
        // Also where it has obeyed, since others of its group may not have; it is not reaped yet, so that the number is
        // still its own.
        kill(target, SIGKILL)
        _ = wait(until: .now + Self.grace, for: hasEnded)
        return nil
    }

    /// Waits for the end for a while, and lets it go on afterwards.
    /// - Parameter isEnough: returns true once the output is no longer needed.
    /// - Returns: its status as a shell would show it; `nil` if it has not ended.
    func status(by deadline: ContinuousClock.Instant, unless isEnough: () -> Bool) -> Int32? {
        _ = wait(until: deadline, for: { hasEnded() || isEnough() })
        return status
    }

    /// Whether it has ended; it is not reaped.
    private func isEnding() -> Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == SIGCHLD
    }

    private func wait(until deadline: ContinuousClock.Instant, for condition: () -> Bool) -> Bool {
        var nap: useconds_t = 500
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            usleep(nap)
            nap = min(nap * 2, 50_000)
        }
        return true
    }
}
