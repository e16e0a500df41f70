package import LoginCore
package import Secrets

/// A program that prints a password, or the code of a second factor: run without a shell, with the terminal's standard error.
package struct PasswordCommand {
    /// How long it may take, in seconds: it may ask a person for the passphrase of a key.
    package static let patience = 60

    package let words: [String]
    private let patience: Int
    private let isCode: Bool

    package init(words: [String], patience: Int = Self.patience, isCode: Bool = false) {
        self.words = words
        self.patience = patience
        self.isCode = isCode
    }

    /// - Parameter line: split into words at blanks; quotes hold words together.
    package init(line: String, patience: Int = Self.patience, isCode: Bool = false) throws(LoginError) {
        guard let words = Self.words(line) else { throw Self.fault("a quote is not closed", isCode) }
        self.init(words: words, patience: patience, isCode: isCode)
    }

    /// - Parameter isCancelled: whether nobody waits for it any more; it is ended then.
    /// - Returns: the first line of what it prints.
    /// - Throws: `loginRequired` with the status of a command that fails, or for one that takes too long; `usage` for
    ///   more than a secret may hold.
    package func run(isCancelled: (@Sendable () -> Bool)? = nil) throws(LoginError) -> Secret {
        guard !words.isEmpty else { throw Self.fault("it is empty", isCode) }
        let deadline = ContinuousClock.now + .seconds(patience)
        let command = try RunningCommand(words, isCode: isCode)
        let secret: Secret
        do throws(SecretFile.Problem) {
            secret = try command.firstLine(until: deadline, isCancelled: isCancelled ?? { false })
        } catch {
            // Nothing that it may still print is of use.
            _ = command.end(by: .now)
            if error == .tookTooLong { throw slow }
            throw Self.fault(error.words, isCode)
        }
        if isCancelled?() == true {
            _ = command.end(by: .now)
            throw .cancelled
        }
        guard let status = command.end(by: deadline) else { throw slow }
        guard status == 0 else {
            throw .loginRequired(LoginNeed(why: .passwordCommandFailed(status: status, isCode: isCode)))
        }
        return secret
    }

    private var slow: LoginError {
        .loginRequired(LoginNeed(why: .passwordCommandTookTooLong(seconds: patience, isCode: isCode)))
    }

    private static func fault(_ problem: String, _ isCode: Bool) -> LoginError {
        .usage(.badValue(option: isCode ? "otp-command" : "password-command", problem: problem))
    }

    /// The words of a line: blanks separate them, single and double quotes hold them together, nothing else means
    /// anything.
    /// - Returns: `nil` if a quote is not closed.
    package static func words(_ line: String) -> [String]? {
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
