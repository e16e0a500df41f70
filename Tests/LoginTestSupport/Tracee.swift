import CProcess
import Foundation

/// A process that stops where a test wants to look at it (ptrace(2)): before and after every system call, or when it is
/// about to end and its memory is still there.
///
/// All calls have to come from the thread that made it, and nobody else may wait for the process.
final class Tracee {
    /// Where it stopped.
    enum Stop: Equatable {
        /// Before a system call, or after one.
        case call
        /// On its way out, by itself or by a signal.
        case ending
        case ended(Ending)
    }

    /// ptrace(2), the numbers of Linux.
    private enum Request {
        static let resume: Int32 = 7, resumeToCall: Int32 = 24, seize: Int32 = 0x4206
        static let markCalls: UInt = 1, stopAtEnd: UInt = 0x40, killWithUs: UInt = 0x10_0000
        static let endEvent: Int32 = 6, stopEvent: Int32 = 128
    }

    let pid: Int32
    private let terminal: Pty?
    private let call: @convention(c) (Int32, Int32, UInt, UInt) -> Int
    private var hasEnded = false

    /// Starts a program without a terminal, stopped before its first instruction.
    /// - Parameters:
    ///   - input: what it finds on its stdin; at most what a pipe holds.
    ///   - output: where its stdout and stderr go; by default nowhere.
    convenience init(_ spec: ChildSpec, input: [UInt8] = [], output: Int32 = -1) throws {
        var ends: [Int32] = [-1, -1]
        guard cprocess_pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        _ = write(ends[1], input, input.count)
        close(ends[1])
        defer { close(ends[0]) }
        let words = ["-c", "kill -STOP $$; exec \"$@\"", "sh", spec.path] + spec.arguments
        var held = ChildSpec("/bin/sh", words, environment: spec.environment, directory: spec.directory)
        held.descriptors = [ends[0], output, output]
        var pid: Int32 = 0, status: Int32 = 0
        let problem = held.withC { cprocess_spawn_detached($0, &pid) }
        guard problem == 0, waitpid(pid, &status, WUNTRACED) == pid else {
            throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EINVAL)
        }
        try self.init(pid: pid, terminal: nil)
        kill(pid, SIGCONT)
    }

    /// Looks on from now on while a program on a terminal runs; only `next` may wait for it afterwards.
    convenience init(_ terminal: Pty) throws {
        try self.init(pid: terminal.child.pid, terminal: terminal)
    }

    private init(pid: Int32, terminal: Pty?) throws {
        guard let address = dlsym(nil, "ptrace") else { throw POSIXError(.ENOSYS) }
        // Variadic in C, which Swift cannot call; on the machines of Linux the arguments lie where these do.
        call = unsafeBitCast(address, to: (@convention(c) (Int32, Int32, UInt, UInt) -> Int).self)
        self.pid = pid
        self.terminal = terminal
        let options = Request.markCalls | Request.stopAtEnd | Request.killWithUs
        guard call(Request.seize, pid, 0, options) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
        isHeld = terminal == nil
    }

    deinit {
        guard !hasEnded else { return }
        kill(pid, SIGKILL)
        while case .some = try? next() {}
    }

    /// Whether it waits for us to let it go on.
    private var isHeld: Bool

    /// Lets it run to the next stop; nothing after the end.
    /// - Parameter atCalls: whether to stop at system calls, too.
    func next(atCalls: Bool = false, within seconds: Double = 120) throws -> Stop? {
        if hasEnded { return nil }
        let deadline = Date(timeIntervalSinceNow: seconds)
        var status: Int32 = 0, signal: UInt = 0
        if isFirst { isFirst = false } else if isHeld { resume(atCalls, signal) }
        while true {
            let got = waitpid(pid, &status, WNOHANG | Self.allThreads)
            if got == 0 {
                terminal?.watch(milliseconds: 1)
                if terminal == nil { usleep(20) }
                guard deadline.timeIntervalSinceNow > 0 else {
                    throw DeadlineExceeded(waitingFor: "a stop of \(pid)", seen: terminal?.text ?? "")
                }
                continue
            }
            guard got == pid else { throw POSIXError(.ECHILD) }
            isHeld = status & 0xFF == 0x7F
            guard isHeld else {
                hasEnded = true
                return .ended(Ending(waitStatus: status))
            }
            let number = (status >> 8) & 0xFF, event = status >> 16
            if event == Request.endEvent { return .ending }
            if number == SIGTRAP | 0x80 { return .call }
            // A signal is passed on; a stop by our own seizing is none.
            signal = event == Request.stopEvent ? 0 : UInt(number)
            resume(atCalls, signal)
        }
    }

    private var isFirst = true
    /// `__WALL` of waitpid(2), which Swift does not see.
    private static let allThreads: Int32 = 0x4000_0000

    private func resume(_ atCalls: Bool, _ signal: UInt) {
        _ = call(atCalls ? Request.resumeToCall : Request.resume, pid, 0, signal)
    }

    /// Ends it where it stands, as `kill -9` does.
    func killNow() throws -> Ending {
        kill(pid, SIGKILL)
        while let stop = try next() {
            if case .ended(let ending) = stop { return ending }
        }
        return .signalled(SIGKILL)
    }
}
