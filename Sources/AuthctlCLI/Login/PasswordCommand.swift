import Glibc
import LoginCore
import Secrets

/// A program that prints a password: run without a shell, with the terminal's standard error.
struct PasswordCommand {
    let words: [String]

    init(words: [String]) {
        self.words = words
    }

    /// - Parameter line: split into words at blanks; quotes hold words together.
    init(line: String) throws(LoginError) {
        words = try Self.words(line)
    }

    /// - Returns: the first line of what it prints.
    /// - Throws: `loginRequired` with the status of a command that fails.
    func run() throws(LoginError) -> Secret {
        guard !words.isEmpty else { throw .usage(.badValue(option: "password-command", problem: "it is empty")) }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .failure(.system(call: "pipe", errno: errno)) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child: pid_t
        do {
            defer { close(ends[1]) }
            child = try Self.spawn(words, output: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        defer { close(ends[0]) }
        let answer: Secret
        do throws(SecretFile.Problem) {
            answer = try SecretFile.read(ends[0], firstLineOnly: true)
        } catch {
            // It would wait for ever for somebody to read the rest.
            kill(child, SIGKILL)
            _ = Self.wait(for: child)
            throw .usage(.badValue(option: "password-command", problem: error.words))
        }
        let status = Self.wait(for: child)
        guard status == 0 else { throw .loginRequired(LoginNeed(why: .passwordCommandFailed(status: status))) }
        return answer
    }

    /// The words of a line: blanks separate them, single and double quotes hold them together, nothing else means
    /// anything.
    static func words(_ line: String) throws(LoginError) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            switch (quote, character) {
            case (let open?, _) where character == open: quote = nil
            case (_?, _): word = (word ?? "") + String(character)
            case (nil, "'"), (nil, "\""):
                quote = character
                word = word ?? ""
            case (nil, " "), (nil, "\t"):
                if let finished = word { words.append(finished) }
                word = nil
            case (nil, _): word = (word ?? "") + String(character)
            }
        }
        if quote != nil { throw .usage(.badValue(option: "password-command", problem: "a quote is not closed")) }
        return words + (word.map { [$0] } ?? [])
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
        // authctl ignores SIGPIPE; what it starts must not.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        let status = posix_spawnp(&child, words[0], &actions, &attributes, &arguments, environ)
        guard status == 0 else { throw .loginRequired(LoginNeed(why: .passwordCommandFailed(status: 127))) }
        return child
    }

    private static func wait(for child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return 127 }
        }
        // Of a program that a signal ended, the number that a shell would show.
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}
