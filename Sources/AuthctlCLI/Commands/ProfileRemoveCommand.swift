import ArgumentParser
import LoginCore
import LoginStores

/// `authctl profile remove NAME`
struct ProfileRemoveCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete a profile that authctl made; those of config.toml belong to you.")

    @Argument(help: "The profile.", completion: .profiles)
    var name: String

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        switch invocation.profiles.source(of: name) {
        case nil:
            throw .usage(.unknownProfile(name: name, near: invocation.profiles.names.nearest(to: name)))
        case .config(let file):
            throw .usage(
                .badConfig(
                    file: file, path: "profiles.\(name)", line: nil,
                    problem: "this file belongs to you and is never rewritten; delete the profile there"))
        case .made:
            invocation.topic = Topic(profile: name)
        }
        let accounts = try invocation.document().profile(name)?.accounts ?? []
        guard accounts.isEmpty else {
            throw .usage(.other("it still has logins; first: authctl logout \(name) --all"))
        }
        try Invocation.fromStore { () throws(StoreFault) in
            try invocation.world.profileFolder(invocation.paths.madeProfiles).remove("\(name).toml")
            _ = try invocation.book.update { document in
                document.profiles.removeAll { $0.name == name }
                if document.lastProfile == name { document.lastProfile = nil }
                if document.defaultProfile == name { document.defaultProfile = nil }
            }
        }
        invocation.say("Removed the profile \(SafeText.escaped(name)).")
        if printsJSON { try invocation.world.streams.result(json: ["removed": name]) }
        return .ok
    }
}
