package import LoginCore
package import Secrets

/// A program that prints a password: run without a shell, with the terminal's standard error.
package struct PasswordCommand {
    /// How long it may take, in seconds: it may ask a person for the passphrase of a key.
    package static let patience = 60

    package let words: [String]
    private let patience: Int

    package init(words: [String], patience: Int = Self.patience) {
        self.words = words
        self.patience = patience
    }

    /// - Parameter line: split into words at blanks; quotes hold words together.
    package init(line: String, patience: Int = Self.patience) throws(LoginError) {
        self.init(words: try Self.words(line), patience: patience)
    }

    /// - Parameter isCancelled: whether nobody waits for it any more; it is ended then.
    /// - Returns: the first line of what it prints.
    /// - Throws: `loginRequired` with the status of a command that fails, or for one that takes too long; `usage` for
    ///   more than a secret may hold.
    package func run(isCancelled: (@Sendable () -> Bool)? = nil) throws(LoginError) -> Secret {
        guard !words.isEmpty else { throw .usage(.badValue(option: "password-command", problem: "it is empty")) }
        let deadline = ContinuousClock.now + .seconds(patience)
        let command = try RunningCommand(words)
        let secret: Secret
        do throws(SecretFile.Problem) {
            secret = try command.firstLine(until: deadline, isCancelled: isCancelled ?? { false })
        } catch {
            // Nothing that it may still print is of use.
            _ = command.end(by: .now)
            if error == .tookTooLong { throw slow }
            throw .usage(.badValue(option: "password-command", problem: error.words))
        }
        if isCancelled?() == true {
            _ = command.end(by: .now)
            throw .cancelled
        }
        guard let status = command.end(by: deadline) else { throw slow }
        guard status == 0 else { throw .loginRequired(LoginNeed(why: .passwordCommandFailed(status: status))) }
        return secret
    }

    private var slow: LoginError { .loginRequired(LoginNeed(why: .passwordCommandTookTooLong(seconds: patience))) }

    /// The words of a line: blanks separate them, single and double quotes hold them together, nothing else means
    /// anything.
    package static func words(_ line: String) throws(LoginError) -> [String] {
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
}
