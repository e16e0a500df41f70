import ArgumentParser
import LoginCore
import LoginStores

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
