package import LoginCore
package import Secrets

/// A program that prints a password, or the code of a second factor: run without a shell, with the terminal's standard error.
package struct PasswordCommand {
    /// The time limit, in seconds: it may ask a person for the passphrase of a key.
    package static let patience = 60

    let words: [String]
    private let patience: Int
    private let isCode: Bool

    package init(words: [String], patience: Int = Self.patience, isCode: Bool = false) {
        self.words = words
        self.patience = patience
        self.isCode = isCode
    }

    /// - Parameter line: split into words at blanks; quotes hold words together.
    init(line: String, patience: Int = Self.patience, isCode: Bool = false) throws(LoginFault) {
        guard let words = CommandWords.split(line) else { throw Self.fault("a quote is not closed", isCode) }
        self.init(words: words, patience: patience, isCode: isCode)
    }

    /// - Parameter isCancelled: returns true once the caller has cancelled; the command is then ended.
    /// - Returns: the first line of what it prints.
    /// - Throws: `loginRequired` with the status of a command that fails, or for one that takes too long; `usage` for
    ///   more than a secret may hold.
    package func run(isCancelled: (@Sendable () -> Bool)? = nil) throws(LoginFault) -> Secret {
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

    private var slow: LoginFault {
        .loginRequired(LoginNeed(why: .passwordCommandTookTooLong(seconds: patience, isCode: isCode)))
    }

    private static func fault(_ problem: String, _ isCode: Bool) -> LoginFault {
        .usage(.badValue(option: isCode ? "otp-command" : "password-command", problem: problem))
    }
}
