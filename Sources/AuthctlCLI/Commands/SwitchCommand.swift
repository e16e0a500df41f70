import ArgumentParser
import LoginKit

/// `authctl switch [PROFILE] USER`
struct SwitchCommand: PlainCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "switch", abstract: "Switch to another account of a profile.",
        usage: "authctl switch [<profile>] [<user>]",
        discussion: """
            Without a user name, it lists the accounts and asks for one.

            Examples:
              authctl switch
              authctl switch ben
              authctl switch wiki ben
            """)
    static let mayAsk = true

    @Argument(help: "The profile, if needed, and the user name.")
    var names: [String] = []

    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        let count = names.count + (global.username == nil ? 0 : 1)
        guard count <= 2 else { throw ValidationError("Name a user, or a profile and a user.") }
    }

    func perform(_ invocation: Invocation) throws(LoginFault) {
        // `-u` is the user as well.
        let words = names + (invocation.options.username.map { [$0] } ?? [])
        let (profile, named) = try meaning(of: words, invocation.context)
        let username = if let named { named } else { try chosen(of: profile, invocation.context) }
        if username.utf8.contains(UInt8(ascii: ":")), profile.traits.authenticatesRequests {
            throw .usage(.usernameHasColon)
        }
        let account = try activate(username, of: profile, invocation)
        invocation.say(
            "The active account of \(profile.name) is now \(SafeText.name(account.identity.displayName)).")
        if printsJSON {
            try invocation.streams.result(json: ["profile": profile.name, "username": account.username])
        }
    }

    /// One word is a user, or else the name of a profile.
    private func meaning(
        of words: [String], _ context: LoginContext
    ) throws(LoginFault) -> (Profile, username: String?) {
        if words.count == 2 { return (try context.selection.profile(words[0]), words[1]) }
        if let word = words.first, names.first == word, context.options.profile == nil,
            context.profiles.source(of: word) != nil, try !isAccount(word, context)
        {
            return (try context.profile(named: word), nil)
        }
        return (try context.selection.profile(nil), words.first)
    }

    /// Tells whether the profile that is meant without a name has such an account.
    private func isAccount(_ word: String, _ context: LoginContext) throws(LoginFault) -> Bool {
        do {
            let profile = try context.selection.profile(nil)
            return try context.record(of: profile)?.account(named: word) != nil
        } catch .usage(.profileNotNamed) {
            return false
        }
    }

    /// Asks the person to choose one of the profile's accounts.
    private func chosen(of profile: Profile, _ context: LoginContext) throws(LoginFault) -> String {
        guard let record = try context.record(of: profile), !record.accounts.isEmpty else {
            throw .loginRequired(LoginNeed(why: .nothingStored))
        }
        let accounts = record.accounts.filter { $0.origin == record.origin }
        guard context.person.mayBeAsked else {
            let known = accounts.map { SafeText.escaped($0.identity.displayName) }.joined(separator: ", ")
            let command = ShellCommand("authctl", "switch", profile.name)
            throw .usage("no account was named; \(profile.name) has: \(known); use: \(command) USER")
        }
        let names = accounts.map { account in
            let isActive = record.activeUsername.map { account.username.isSame(as: $0) } ?? false
            return SafeText.escaped(account.identity.displayName) + (isActive ? " (active)" : "")
        }
        return accounts[try context.person.dialogue.choose("Accounts of \(profile.name):", among: names)].username
    }

    /// Looks the account up and makes it active in one step, so that it cannot log out in between. Accounts of a former origin
    /// are none of the profile's.
    private func activate(
        _ username: String, of profile: Profile, _ invocation: Invocation
    ) throws(LoginFault) -> AccountRecord {
        let origin = try invocation.context.record(of: profile)?.origin
        var known: [String] = []
        var found: AccountRecord?
        _ = try fromStore(
            try invocation.context.registry.update { document in
                guard let record = document.profile(profile.name), record.origin == origin else { return }
                known = record.usernames
                found = record.account(named: username)
                guard let found else { return }
                document.updateProfile(profile.name, url: record.url, origin: record.origin) {
                    $0.activeUsername = found.username
                }
            })
        guard let found else {
            let names = known.map { SafeText.quoted($0) }.joined(separator: ", ")
            let others = known.isEmpty ? "" : "its accounts: \(names); "
            throw .usage(
                "profile \(profile.name) has no account \(SafeText.quoted(username))",
                next: "\(others)to log in: \(ShellCommand("authctl", "login", profile.name, "-u", username))")
        }
        return found
    }
}
