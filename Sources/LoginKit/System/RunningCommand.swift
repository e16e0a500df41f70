import Glibc
import LoginCore
import Secrets

/// A program that was started without a shell, with its standard output in a pipe and the terminal's standard error.
final class RunningCommand {
    private let program: ChildProgram
    private let output: Int32

    /// - Throws: `loginRequired` with status 127 where there is no such program.
    init(_ words: [String], isCode: Bool) throws(LoginFault) {
        let pipe: PipeEnds
        do throws(ChildProgram.StartFailure) {
            pipe = try PipeEnds()
        } catch {
            throw .failure(.system(call: "pipe2", errno: error.errno))
        }
        output = pipe.reading
        defer { close(pipe.writing) }
        do throws(ChildProgram.StartFailure) {
            program = try ChildProgram(words, output: pipe.writing)
        } catch {
            close(pipe.reading)
            throw .loginRequired(LoginNeed(why: .passwordCommandFailed(status: 127, isCode: isCode)))
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
    /// - Returns: its status as a shell would show it; `nil` if it had to be ended.
    package func end(by deadline: ContinuousClock.Instant) -> Int32? {
        close(output)
        return program.end(by: deadline)
    }
}
