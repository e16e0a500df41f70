import Glibc
import Secrets

/// A program that prints a password, the code of a second factor or another secret: run without a shell, with the terminal's standard error.
package struct PasswordCommand {
    /// The time limit, in seconds: it may ask a person for the passphrase of a key.
    package static let patience = 60

    let words: [String]
    private let patience: Int
    private let field: CredentialField

    package init(words: [String], patience: Int = Self.patience, field: CredentialField = .password) {
        self.words = words
        self.patience = patience
        self.field = field
    }

    /// - Parameter line: split into words at blanks; quotes hold words together.
    init(line: String, patience: Int = Self.patience, field: CredentialField = .password) throws(LoginFault) {
        guard let words = CommandWords.split(line) else { throw Self.fault("a quote is not closed", field) }
        self.init(words: words, patience: patience, field: field)
    }

    /// - Parameter isCancelled: returns true once the caller has cancelled; the command is then ended.
    /// - Returns: the first line of what it prints.
    /// - Throws: `loginRequired` with the status of a command that fails, or for one that takes too long; `usage` for
    ///   more than a secret may hold.
    package func run(isCancelled: (@Sendable () -> Bool)? = nil) throws(LoginFault) -> Secret {
        guard !words.isEmpty else { throw Self.fault("it is empty", field) }
        let deadline = ContinuousClock.now + .seconds(patience)
        let command = try RunningCommand(words, field: field)
        let secret: Secret
        do {
            secret = try command.firstLine(until: deadline, isCancelled: isCancelled ?? { false })
        } catch {
            // Nothing that it may still print is of use.
            _ = command.end(by: .now)
            if error == .tookTooLong { throw slow }
            throw Self.fault(error.words, field)
        }
        if isCancelled?() == true {
            _ = command.end(by: .now)
            throw .cancelled
        }
        guard let status = command.end(by: deadline) else { throw slow }
        guard status == 0 else {
            throw .loginRequired(LoginNeed(why: .passwordCommandFailed(status: status, field: field)))
        }
        return secret
    }

    private var slow: LoginFault {
        .loginRequired(LoginNeed(why: .passwordCommandTookTooLong(seconds: patience, field: field)))
    }

    /// The option, or the key of a profile, that names such a command.
    static func option(of field: CredentialField) -> String {
        switch field {
        case .code: "otp-command"
        case .secret: "--secret-command"
        case .username, .password, .token, .passphrase, .taken: "password-command"
        }
    }

    private static func fault(_ problem: String, _ field: CredentialField) -> LoginFault {
        .usage(.badValue(option: option(of: field), problem: problem))
    }
}

/// A program that was started without a shell, with its standard output in a pipe and the terminal's standard error.
final class RunningCommand {
    private let program: ChildProgram
    private let output: Int32

    /// - Throws: `loginRequired` with status 127 where there is no such program.
    init(_ words: [String], field: CredentialField) throws(LoginFault) {
        let pipe: PipeEnds
        do {
            pipe = try PipeEnds()
        } catch {
            throw .failure(.system(call: "pipe2", errno: error.errno))
        }
        output = pipe.reading
        defer { close(pipe.writing) }
        do {
            program = try ChildProgram(words, output: pipe.writing)
        } catch {
            close(pipe.reading)
            throw .loginRequired(LoginNeed(why: .passwordCommandFailed(status: 127, field: field)))
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
    func end(by deadline: ContinuousClock.Instant) -> Int32? {
        close(output)
        return program.end(by: deadline)
    }
}

/// The words of a command that a person wrote in one line, for a program that is started without a shell.
enum CommandWords {
    /// Blanks separate words, single and double quotes hold them together, nothing else means anything.
    /// - Returns: `nil` if a quote is not closed.
    static func split(_ line: String) -> [String]? {
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
        return quote != nil ? nil : words + (word.map { [$0] } ?? [])
    }
}
