extension CredentialField {
    /// In a sentence.
    var shownName: String {
        switch self {
        case .username, .password, .token, .passphrase, .code, .taken: name
        case .secret(let label): SafeText.quoted(label, limit: 60)
        }
    }

    /// The command that prints it, in a sentence.
    var commandName: String {
        switch self {
        case .code: "otp command"
        case .secret: "command for \(shownName)"
        case .username, .password, .token, .passphrase, .taken: "password command"
        }
    }

    /// The label of a prompt.
    var label: String {
        switch self {
        case .username: "User name"
        case .password: "Password"
        case .token: "Token"
        case .passphrase: "Passphrase of the certificate's key"
        case .secret(let label): SafeText.escaped(label, limit: 60)
        case .code: "Code (empty for none)"
        case .taken(let name): name
        }
    }

    /// Every way to give it without a terminal.
    /// - Parameter byVariable: whether a variable is one of them.
    func waysToGive(byVariable: Bool) -> String {
        switch self {
        case .username: "-u NAME" + (byVariable ? ", AUTHCTL_USERNAME" : "")
        case .password, .token:
            "--password-stdin, --password-file FILE, --password-command CMD"
                + (byVariable ? ", AUTHCTL_PASSWORD_FILE, AUTHCTL_PASSWORD" : "")
        case .passphrase, .secret(""): "asked for once, at a terminal"
        case .secret(let label):
            "--secret-file \(ShellCommand.quoted("\(label)=FILE")), --secret-command \(ShellCommand.quoted("\(label)=CMD"))"
        case .code: SecondFactorFault.waysToGive
        case .taken: "handed out by the login"
        }
    }
}
