import CProcess
import Glibc

extension ChildProgram {
    /// The program could not be started.
    struct StartFailure: Error, Equatable {
        /// The error of the call that failed.
        let errno: Int32
    }

    /// Starts a program beside authctl: on its terminal, where Ctrl-C reaches it, with its standard error, and with
    /// nothing to read.
    /// - Parameters:
    ///   - words: the program, which is looked for in `PATH` unless a slash is in its name, and its arguments.
    ///   - output: its standard output.
    convenience init(_ words: [String], output: Int32) throws(StartFailure) {
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
        // A thread of Swift's own pool has every signal blocked, and what it starts could not be ended.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var child = pid_t()
        let problem = withCStrings(words.map { Array($0.utf8CString) }) { arguments in
            ProgramEnvironment.inherited().withPointers { environment in
                posix_spawnp(&child, words[0], &actions, &attributes, arguments, environment)
            }
        }
        guard problem == 0 else { throw StartFailure(errno: problem) }
        self.init(process: child, leadsGroup: false)
    }

    /// Starts a program apart from authctl: in a session of its own without a terminal, with every signal at its default
    /// and none blocked, and with three descriptors and no more.
    /// - Parameters:
    ///   - path: absolute.
    ///   - argument: its only one.
    convenience init(
        detached path: String, argument: String, environment: ProgramEnvironment, input: Int32, output: Int32,
        errors: Int32
    ) throws(StartFailure) {
        try self.init(
            detached: path, words: [path, argument], environment: environment, descriptors: (input, output, errors))
    }

    /// Starts any program with /dev/null as its three descriptors.
    /// - Parameter words: the program, which is looked for in `PATH` unless a slash is in its name, and its arguments.
    convenience init(detached words: [String], environment: ProgramEnvironment) throws(StartFailure) {
        guard let name = words.first else { throw StartFailure(errno: ENOENT) }
        let found = try ProgramSearch.path(of: name)
        try self.init(detached: found, words: words, environment: environment, descriptors: (-1, -1, -1))
    }

    /// Starts any program as above, with its 0 to 2, and a channel at its 3 and 4.
    convenience init(
        detached path: String, words: [String], environment: ProgramEnvironment, errors: Int32,
        channel: (reads: Int32, writes: Int32)
    ) throws(StartFailure) {
        try self.init(
            detached: path, words: words, environment: environment, descriptors: (-1, -1, errors),
            channel: (channel.reads, channel.writes))
    }

    private convenience init(
        detached path: String, words: [String], environment: ProgramEnvironment, descriptors: (Int32, Int32, Int32),
        channel: (Int32, Int32) = (-1, -1)
    ) throws(StartFailure) {
        var pid = pid_t()
        let problem = withCStrings(([path] + words).map { Array($0.utf8CString) }) { texts in
            environment.withPointers { environment in
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
