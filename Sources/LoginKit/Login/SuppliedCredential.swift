import Glibc
import Secrets

/// A password that was given, not asked for: by option, then by variable, then by the profile's command.
package struct SuppliedCredential {
    /// Where it is to be had from.
    package enum Source: Equatable {
        case standardInput
        case file(String, option: String = "--password-file")
        case variable
        case command(String)
    }

    let source: Source
    let allowsBlank: Bool
    /// The name for its option, its variable and messages.
    var field = CredentialField.password
    /// The time limit for reading it, in seconds.
    var patience = PasswordCommand.patience

    /// - Parameter warn: is told of a file that is not safe.
    /// - Throws: `usage` for a secret of several lines or an empty one, `loginRequired` for a command that fails.
    func secret(_ dependencies: Dependencies, warn: (String) -> Void = { _ in }) throws(LoginFault) -> Secret {
        let secret = try read(dependencies, warn).withoutByteOrderMark
        if secret.isEmpty && !allowsBlank {
            let remedy = field == .password ? "; --blank-password allows that" : ""
            let problem = "the \(field.shownName) is blank\(remedy)"
            throw .usage(.badValue(option: name, problem: problem))
        }
        guard secret.isUTF8 else { throw .usage(.invalidUTF8(field)) }
        return secret
    }

    private func read(_ dependencies: Dependencies, _ warn: (String) -> Void) throws(LoginFault) -> Secret {
        switch source {
        case .variable:
            let supplied =
                (field == .code ? dependencies.environment.code : dependencies.environment.password) ?? Secret("")
            return try fromFile { () throws(SecretFile.Problem) in try SecretFile.soleLine(of: supplied) }
        case .command(let line):
            return try PasswordCommand(line: line, patience: patience, field: field).run(
                isCancelled: dependencies.isCancelled)
        case .standardInput:
            // Typed there, it would be seen.
            guard !dependencies.isTerminal(STDIN_FILENO) else {
                throw .usage(
                    .badValue(option: name, problem: "standard input is a terminal; pipe the \(field.name) in"))
            }
            return try fromFile { () throws(SecretFile.Problem) in
                try SecretFile.read(STDIN_FILENO, waiting: InputWait(descriptor: STDIN_FILENO, deadline: deadline))
            }
        case .file(let path, _):
            return try fromFile { () throws(SecretFile.Problem) in
                try SecretFile.read(path: path, until: deadline) { warn(warning(of: path, mode: $0)) }
            }
        }
    }

    private var deadline: ContinuousClock.Instant { .now + .seconds(patience) }

    private func fromFile(_ read: () throws(SecretFile.Problem) -> Secret) throws(LoginFault) -> Secret {
        do {
            return try read()
        } catch {
            throw .usage(.badValue(option: name, problem: error.words))
        }
    }

    private func warning(of path: String, mode: UInt32) -> String {
        "warning: \(name): other users have access to it (mode \(String(mode, radix: 8))); "
            + "run: \(ShellCommand("chmod", "600", path))"
    }

    /// The option, the variable or the key that names it.
    var name: String {
        switch source {
        case .standardInput: field == .code ? "--otp-stdin" : "--password-stdin"
        case .file(let path, let option): "\(option) \(SafeText.quoted(path))"
        case .variable: field == .code ? "AUTHCTL_OTP" : "AUTHCTL_PASSWORD"
        case .command: PasswordCommand.option(of: field)
        }
    }
}

extension LoginContext {
    /// Reads a password that was given, and notes where it came from, for messages about a wrong one.
    func password(from source: SuppliedCredential.Source, allowsBlank: Bool) throws(LoginFault) -> Secret {
        let supplied = SuppliedCredential(source: source, allowsBlank: allowsBlank)
        topic.passwordSource = supplied.name
        return try supplied.secret(dependencies) { person.warnOnce($0) }
    }
}
