import ArgumentParser
import LoginCore
import LoginStores

/// `authctl switch [PROFILE] USER`
struct SwitchCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch", abstract: "Make another account of a profile the active one.",
        usage: "authctl switch [<profile>] <user>")

    @Argument(help: "The profile, unless it is clear, and the user name.", completion: .profiles)
    var names: [String] = []

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func validate() throws {
        let count = names.count + (global.username == nil ? 0 : 1)
        guard (1...2).contains(count) else { throw ValidationError("Name a user, or a profile and a user.") }
    }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        // `-u` is the user as well.
        let words = names + (invocation.options.username.map { [$0] } ?? [])
        let profile = try invocation.selectProfile(words.count == 2 ? words[0] : nil)
        let username = words[words.count - 1]
        if username.utf8.contains(UInt8(ascii: ":")), profile.answersChallenges { throw .usage(.usernameHasColon) }
        let record = try invocation.document().profile(profile.name)
        guard let record, let account = record.account(named: username) else {
            throw .usage(
                .unknownAccount(
                    profile: profile.name, username: username, known: record?.accounts.map(\.username) ?? []))
        }
        try Invocation.fromStore { () throws(StoreFault) in
            _ = try invocation.book.update { document in
                document.updateProfile(profile.name, url: record.url, origin: record.origin) {
                    $0.activeUsername = account.username
                }
            }
        }
        invocation.say(
            "The active account of \(profile.name) is now \(SafeText.escaped(account.identity.displayName)).")
        if printsJSON {
            try invocation.world.streams.result(json: ["profile": profile.name, "username": account.username])
        }
        return .ok
    }
}
