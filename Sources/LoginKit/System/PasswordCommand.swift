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
        let (program, output) = try started()
        let secret: Secret
        do {
            defer { close(output) }
            // What else holds the pipe open, once the program itself has ended, is not waited for.
            let wait = InputWait(
                descriptor: output, deadline: deadline, isOver: { isCancelled?() == true || program.hasEnded() })
            secret = try SecretFile.read(output, firstLineOnly: true, waiting: wait)
        } catch {
            // Nothing that it may still print is of use.
            _ = program.end(by: .now)
            if error == .tookTooLong { throw slow }
            throw Self.fault(error.words, field)
        }
        if isCancelled?() == true {
            _ = program.end(by: .now)
            throw .cancelled
        }
        guard let status = program.end(by: deadline) else { throw slow }
        guard status == 0 else { throw failure(status) }
        return secret
    }

    /// Starts the program with its standard output in a pipe, whose other end the caller closes.
    private func started() throws(LoginFault) -> (ChildProgram, output: Int32) {
        let pipe: PipeEnds
        do {
            pipe = try PipeEnds()
        } catch {
            throw .failure(.system(call: "pipe2", errno: error.errno))
        }
        defer { close(pipe.writing) }
        do {
            return (try ChildProgram(words, output: pipe.writing), pipe.reading)
        } catch {
            close(pipe.reading)
            throw failure(127)
        }
    }

    private func failure(_ status: Int32) -> LoginFault {
        .loginRequired(LoginNeed(why: .passwordCommandFailed(status: status, field: field)))
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
