import ChildPrograms
import Glibc
import LoginCore
import Secrets

/// A program that was started without a shell, with its standard output in a pipe and the terminal's standard error.
final class RunningCommand {
    private let program: ChildProgram
    private let output: Int32

    /// - Throws: `loginRequired` with status 127 where there is no such program.
    init(_ words: [String]) throws(LoginError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .failure(.system(call: "pipe", errno: errno)) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = ends[0]
        defer { close(ends[1]) }
        do throws(ChildProgram.StartFailure) {
            program = try ChildProgram(words, output: ends[1])
        } catch {
            close(ends[0])
            throw .loginRequired(LoginNeed(why: .passwordCommandFailed(status: 127)))
        }
    }

    /// The first line of what it prints. What else holds the pipe open, once the program itself has ended, is not
    /// waited for.
    func firstLine(
        until deadline: ContinuousClock.Instant, isCancelled: @escaping () -> Bool
    ) throws(SecretFile.Problem) -> Secret {
        let wait = InputWait(
            descriptor: output, deadline: deadline, isOver: { isCancelled() || self.program.hasEnded() })
        return try SecretFile.read(output, firstLineOnly: true, waiting: wait)
    }

    /// Closes the pipe and waits for the end; at the deadline the program is asked to end, then killed.
    /// - Returns: its status as a shell would show it; nothing if it had to be ended.
    func end(by deadline: ContinuousClock.Instant) -> Int32? {
        close(output)
        return program.end(by: deadline)
    }
}
