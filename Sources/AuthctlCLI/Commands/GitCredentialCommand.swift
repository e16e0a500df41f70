import ArgumentParser
import LoginKit

/// `authctl git-credential get|store|erase`, which git runs.
struct GitCredentialCommand: PlainCommand {
    static let outline = CommandConfiguration(
        commandName: "git-credential",
        abstract: "Credential helper for git.",
        discussion: """
            It never asks, and works only for the exact origin of a profile with a login.

            Examples:
              git config --global credential.https://git.example.helper '!authctl git-credential'
            """)

    @Argument(
        help: ArgumentHelp("get, store or erase.", valueName: "action"),
        completion: .list(GitHelper.Verb.allCases.map(\.rawValue)))
    var action: String

    @Option(name: .profile, help: .profile) var profile: String?
    @Option(name: .username, help: .username) var username: String?
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all(profile: profile, username: username) }

    /// Another program waits for the answer, and may have the terminal.
    static let mayUnlock = false

    func perform(_ invocation: Invocation) throws(LoginFault) {
        // A later git may have further actions, which a helper is to pass over.
        guard let method = GitHelper.Verb(rawValue: action) else { return }
        try GitHelper(invocation: invocation).answer(method)
    }
}
