import ArgumentParser
import LoginCore
import LoginStores

/// `authctl profile …`
struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "The profiles, without editing a file by hand.",
        subcommands: [
            ProfileListCommand.self, ProfileShowCommand.self, ProfileAddCommand.self, ProfileDefaultCommand.self,
            ProfileRemoveCommand.self,
        ])
}

/// `authctl profile list`
struct ProfileListCommand: WorldCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all profiles.")

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let standard = try invocation.defaultProfile()
        var rows: [ProfileRow] = []
        var firstFault: LoginError?
        for name in invocation.profiles.names {
            let isMade = if case .made = invocation.profiles.source(of: name) { true } else { false }
            do throws(LoginError) {
                let profile = try invocation.profile(named: name)
                rows.append(ProfileRow(profile, isDefault: name == standard, isMade: isMade))
            } catch {
                rows.append(ProfileRow(faulty: name, isDefault: name == standard, isMade: isMade))
                invocation.world.streams.say("authctl: \(error.message(about: Topic(profile: name)).what)")
                firstFault = firstFault ?? error
            }
        }
        if printsJSON {
            try invocation.world.streams.result(json: rows)
        } else if rows.isEmpty {
            invocation.say("There is no profile yet. Log in with a URL: authctl login https://HOST/PATH")
        } else {
            try invocation.world.streams.result(Self.table(rows))
        }
        return firstFault?.exitCode ?? .ok
    }

    private static func table(_ rows: [ProfileRow]) -> String {
        var table = Table(headings: ["PROFILE", "URL", "METHOD", "FROM"])
        table.rows = rows.map { row in
            [
                SafeText.escaped(row.name) + (row.isDefault ? " (default)" : ""),
                row.url.map { SafeText.escaped($0) } ?? "?",
                row.method ?? "?", row.source,
            ]
        }
        return table.text
    }
}

private struct ProfileRow: Encodable {
    let name: String
    let url: String?
    let method: String?
    let isDefault: Bool
    /// `config.toml`, or `authctl` for those that it made.
    let source: String

    init(_ profile: Profile, isDefault: Bool, isMade: Bool) {
        name = profile.name
        url = profile.url
        method = profile.methods.map(\.rawValue).joined(separator: ", ")
        self.isDefault = isDefault
        source = isMade ? "authctl" : "config.toml"
    }

    init(faulty name: String, isDefault: Bool, isMade: Bool) {
        self.name = name
        url = nil
        method = nil
        self.isDefault = isDefault
        source = isMade ? "authctl" : "config.toml"
    }
}

/// `authctl profile default [NAME]`
struct ProfileDefaultCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "default", abstract: "Print or choose the profile that is meant where none is named.")

    @Argument(help: "The profile.")
    var name: String?

    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        guard let name else {
            let name = try invocation.defaultProfile()
            if printsJSON {
                try invocation.world.streams.result(json: ["default": name])
            } else {
                if let name {
                    try invocation.world.streams.result(name)
                } else {
                    invocation.say("No profile is the default.")
                }
            }
            return .ok
        }
        let profile = try invocation.profile(named: name)
        if let configured = invocation.profiles.defaults.profile, configured != name {
            throw .usage(
                .badConfig(
                    file: invocation.paths.configFile, path: "default", line: nil,
                    problem: "says '\(configured)', which goes before every other choice; change it there"))
        }
        try Invocation.fromStore { () throws(StoreFault) in
            _ = try invocation.book.update { $0.defaultProfile = profile.name }
        }
        invocation.say("The default profile is now \(profile.name).")
        if printsJSON { try invocation.world.streams.result(json: ["default": profile.name]) }
        return .ok
    }
}

/// `authctl profile remove NAME`
struct ProfileRemoveCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete a profile that authctl made; those of config.toml belong to you.")

    @Argument(help: "The profile.")
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
            try ProfileFolder(path: invocation.paths.madeProfiles).remove("\(name).toml")
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
