import Glibc
import LoginCore
import Secrets

/// A program that was started without a shell, with its standard output in a pipe and the terminal's standard error.
final class RunningCommand {
    private let process: pid_t
    private let output: Int32
    /// As a shell would show it; nothing while it runs.
    private var status: Int32?

    /// How long a program that was asked to end may take, before it is killed.
    private static let grace = Duration.seconds(2)

    /// - Throws: `loginRequired` with status 127 where there is no such program.
    init(_ words: [String]) throws(LoginError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .failure(.system(call: "pipe", errno: errno)) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = ends[0]
        defer { close(ends[1]) }
        do throws(LoginError) {
            process = try Self.spawn(words, output: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
    }

    /// The first line of what it prints. What else holds the pipe open, once the program itself has ended, is not
    /// waited for.
    func firstLine(until deadline: ContinuousClock.Instant) throws(SecretFile.Problem) -> Secret {
        let wait = InputWait(descriptor: output, deadline: deadline, isOver: { self.hasEnded() })
        return try SecretFile.read(output, firstLineOnly: true, waiting: wait)
    }

    /// Closes the pipe and waits for the end; at the deadline the program is asked to end, then killed.
    /// - Returns: its status as a shell would show it; nothing if it had to be ended.
    func end(by deadline: ContinuousClock.Instant) -> Int32? {
        close(output)
        if waitForEnd(until: deadline) { return status }
        kill(process, SIGTERM)
        if !waitForEnd(until: .now + Self.grace) {
            kill(process, SIGKILL)
            _ = waitForEnd(until: .now + Self.grace)
        }
        return nil
    }

    private func waitForEnd(until deadline: ContinuousClock.Instant) -> Bool {
        var nap: useconds_t = 500
        while !hasEnded() {
            guard ContinuousClock.now < deadline else { return false }
            usleep(nap)
            nap = min(nap * 2, 50_000)
        }
        return true
    }

    private func hasEnded() -> Bool {
        if status != nil { return true }
        var raw: Int32 = 0
        let found = waitpid(process, &raw, WNOHANG)
        if found == 0 || (found < 0 && errno == EINTR) { return false }
        let signal = raw & 0x7f
        status = found < 0 ? 127 : signal == 0 ? (raw >> 8) & 0xff : 128 + signal
        return true
    }

    private static func spawn(_ words: [String], output: Int32) throws(LoginError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // authctl ignores these; what it starts must not.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        sigaddset(&defaults, SIGXFSZ)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        let status = posix_spawnp(&child, words[0], &actions, &attributes, &arguments, environ)
        guard status == 0 else { throw .loginRequired(LoginNeed(why: .passwordCommandFailed(status: 127))) }
        return child
    }
}
