import ArgumentParser

/// A variable that authctl reads, or several of a kind. authctl(1) has the same ones in the same order, and begins with the
/// same sentence.
struct EnvironmentVariables {
    let names: [String]
    let meaning: String

    static let all = [
        Self(["AUTHCTL_CONFIG"], "As --config."),
        Self(["AUTHCTL_PROFILE"], "As -P."),
        Self(["AUTHCTL_VERIFY_URL"], "The URL for authctl login, if it has no argument."),
        Self(
            ["AUTHCTL_USERNAME", "AUTHCTL_PASSWORD", "AUTHCTL_PASSWORD_FILE"],
            "The user name, the password, or a file with the password on one line."),
        Self(["AUTHCTL_OTP"], "The code of a second factor, for the same profile."),
        Self(
            ["AUTHCTL_METHOD", "AUTHCTL_STORE", "AUTHCTL_PERSIST", "AUTHCTL_PROXY", "AUTHCTL_CA_FILE"],
            "As the options --method, --store, --persist, --proxy and --ca-file of authctl-login(1)."),
        Self(
            ["AUTHCTL_STORE_PASSPHRASE_FILE"],
            "A file with the passphrase of the encrypted store on one line, closed to other users."),
        Self(["AUTHCTL_NO_PROMPT"], "Anything but 0 means --no-prompt."),
        Self(
            ["AUTHCTL_MASK"],
            "Shown for each character of a password at the prompt; an empty value shows nothing."),
        Self(["BROWSER"], "The program for browser logins, as --browser of authctl-login(1)."),
        Self(
            ["KRB5CCNAME", "KRB5_CONFIG"],
            "The Kerberos ticket cache and configuration for negotiate; see kerberos(7)."),
        Self(["NO_COLOR", "TERM"], "No colors if the first is set or the second is dumb; see STREAMS."),
        Self(
            ["XDG_CONFIG_HOME", "XDG_STATE_HOME"],
            "Parent folders of the configuration and the state, see FILES; by default ~/.config and ~/.local/state."),
    ]

    private init(_ names: [String], _ meaning: String) {
        (self.names, self.meaning) = (names, meaning)
    }
}

/// `authctl help environment`: ENVIRONMENT of authctl(1) in short.
struct EnvironmentHelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "environment",
        abstract: "The environment variables; see man authctl.",
        discussion: table,
        shouldDisplay: false)

    func run() throws {
        throw CleanExit.helpRequest(self)
    }

    private static var table: String {
        var table = "An option overrides its variable, and a variable overrides the configuration.\n\n\n"
        for variables in EnvironmentVariables.all {
            table += lines(variables.names.joined(separator: ", "), margin: "  ")
            table += lines(variables.meaning, margin: "      ")
        }
        return table
    }

    /// In lines that fit into 80 columns: the parser would begin the second one at the left edge.
    private static func lines(_ text: String, margin: String) -> String {
        var lines = "", line = margin
        for word in text.split(separator: " ") {
            if line.utf8.count + word.utf8.count > 78 {
                lines += line + "\n"
                line = margin
            }
            line += line == margin ? word : " " + word
        }
        return lines + line + "\n"
    }
}
