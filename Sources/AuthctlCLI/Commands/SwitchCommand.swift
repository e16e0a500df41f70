import ArgumentParser
import LoginCore
import LoginKit
import LoginStores

/// `authctl switch [PROFILE] USER`
struct SwitchCommand: WorldCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "switch", abstract: "Switch to another account of a profile.",
        usage: "authctl switch [<profile>] <user>",
        discussion: """
            Examples:
              authctl switch ben
              authctl switch wiki ben
            """)

    @Argument(help: "The profile, if needed, and the user name.")
    var names: [String] = []

    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        let count = names.count + (global.username == nil ? 0 : 1)
        guard (1...2).contains(count) else { throw ValidationError("Name a user, or a profile and a user.") }
    }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        // `-u` is the user as well.
        let words = names + (invocation.options.username.map { [$0] } ?? [])
        let profile = try invocation.context.selectProfile(words.count == 2 ? words[0] : nil)
        let username = words[words.count - 1]
        if username.utf8.contains(UInt8(ascii: ":")), profile.kind.endsNameAtColon { throw .usage(.usernameHasColon) }
        let account = try activate(username, of: profile, invocation)
        invocation.say(
            "The active account of \(profile.name) is now \(SafeText.name(account.identity.displayName)).")
        if printsJSON {
            try invocation.streams.result(json: ["profile": profile.name, "username": account.username])
        }
        return .ok
    }

    /// Looked up and made active in one step, so that nobody is active who has just logged out. Accounts of a former origin
    /// are none of the profile's.
    private func activate(
        _ username: String, of profile: Profile, _ invocation: Invocation
    ) throws(LoginError) -> AccountRecord {
        let origin = try invocation.context.record(of: profile)?.origin
        var known: [String] = []
        var found: AccountRecord?
        _ = try fromStore(
            try invocation.context.book.update { document in
                guard let record = document.profile(profile.name), record.origin == origin else { return }
                known = record.usernames
                found = record.account(named: username)
                guard let found else { return }
                document.updateProfile(profile.name, url: record.url, origin: record.origin) {
                    $0.activeUsername = found.username
                }
            })
        guard let found else {
            throw .usage(.unknownAccount(profile: profile.name, username: username, known: known))
        }
        return found
    }
}
