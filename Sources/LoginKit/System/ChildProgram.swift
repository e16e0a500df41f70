import CProcess
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
    func end(by deadline: ContinuousClock.Instant) -> Int32? {
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

extension ChildProgram {
    /// The program could not be started.
    struct StartFailure: Error, Equatable {
        /// The error of the call that failed.
        let errno: Int32
    }

    /// Starts a program beside authctl: on its terminal, where Ctrl-C reaches it, with its standard error.
    /// - Parameters:
    ///   - words: the program, which is looked for in `PATH` unless a slash is in its name, and its arguments.
    ///   - input: its standard input; `nil` for nothing to read.
    ///   - output: its standard output.
    convenience init(
        _ words: [String], _ environment: ProgramEnvironment = .inherited(), input: Int32? = nil, output: Int32
    ) throws(StartFailure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
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
        // A thread of Swift's own pool has every signal blocked, and what it starts could not be ended.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var child = pid_t()
        let problem = withCStrings(words.map { Array($0.utf8CString) }) { arguments in
            withCStrings(environment.entries) { environment in
                posix_spawnp(&child, words[0], &actions, &attributes, arguments, environment)
            }
        }
        guard problem == 0 else { throw StartFailure(errno: problem) }
        self.init(process: child, leadsGroup: false)
    }

    /// Starts any program with /dev/null as its three descriptors.
    /// - Parameter words: the program, which is looked for in `PATH` unless a slash is in its name, and its arguments.
    convenience init(detached words: [String], environment: ProgramEnvironment) throws(StartFailure) {
        guard let name = words.first else { throw StartFailure(errno: ENOENT) }
        let found = try ProgramSearch.path(of: name)
        try self.init(detached: found, words: words, environment: environment, descriptors: (-1, -1, -1))
    }

    /// Starts a program apart from authctl: in a session of its own without a terminal, with every signal at its default
    /// and none blocked, and with these descriptors and no more.
    /// - Parameters:
    ///   - path: absolute.
    ///   - words: its name and its arguments.
    ///   - descriptors: its 0 to 2; -1 for /dev/null.
    ///   - channel: its 3 and 4, to read from and to write to; -1 for none.
    convenience init(
        detached path: String, words: [String], environment: ProgramEnvironment, descriptors: (Int32, Int32, Int32),
        channel: (Int32, Int32) = (-1, -1)
    ) throws(StartFailure) {
        var pid = pid_t()
        let problem = withCStrings(([path] + words).map { Array($0.utf8CString) }) { texts in
            withCStrings(environment.entries) { environment in
                var child = cprocess_child()
                child.path = UnsafePointer(texts[0])
                child.arguments = texts + 1
                child.environment = environment
                child.descriptors = descriptors
                child.channel = channel
                return cprocess_spawn_detached(&child, &pid)
            }
        }
        guard problem == 0 else { throw StartFailure(errno: problem) }
        self.init(process: pid, leadsGroup: true)
    }
}

/// A pipe of which no program inherits an end by chance: another thread may start one between two calls.
struct PipeEnds {
    let reading: Int32
    let writing: Int32

    /// Whoever makes it closes both ends.
    init() throws(ChildProgram.StartFailure) {
        var ends: [Int32] = [0, 0]
        guard cprocess_pipe(&ends) == 0 else { throw ChildProgram.StartFailure(errno: Glibc.errno) }
        (reading, writing) = (ends[0], ends[1])
    }
}

/// Looks a program up as execvp(3) does: in `PATH`, unless a slash is in its name.
enum ProgramSearch {
    /// - Returns: a path with a slash in it.
    static func path(of name: String) throws(ChildProgram.StartFailure) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let problem = cprocess_find_program(name, &path, path.count)
        guard problem == 0 else { throw ChildProgram.StartFailure(errno: problem) }
        return path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? name }
    }
}
