import ArgumentParser
import LoginKit

/// `authctl profile list`
struct ProfileListCommand: BasicCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "list", abstract: "List all profiles.",
        discussion: """
            Examples:
              authctl profile list
              authctl profile list --json
            """, aliases: ["ls"])

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let standard = try invocation.context.selection.defaultProfile()
        var rows: [ProfileRow] = []
        var firstFault: LoginFault?
        for name in invocation.context.profiles.names {
            let isMade = if case .made = invocation.context.profiles.source(of: name) { true } else { false }
            var row = ProfileRow(name: name, isDefault: name == standard, source: isMade ? "authctl" : "config.toml")
            do {
                let profile = try invocation.context.profile(named: name)
                row.shownURL = try shown(profile)
                row.url = profile.url
                row.method = profile.methods.map(\.rawValue).joined(separator: ", ")
            } catch {
                invocation.streams.say("authctl: \(error.message(about: ErrorContext(profile: name)).what)")
                firstFault = firstFault ?? error
            }
            rows.append(row)
        }
        if printsJSON {
            try invocation.streams.result(json: rows)
        } else if rows.isEmpty {
            invocation.say("There is no profile yet. Log in with a URL: authctl login https://HOST/PATH")
        } else {
            try invocation.streams.result(Self.table(rows))
        }
        return firstFault?.exitCode ?? .ok
    }

    /// The URL, and beside a host in other letters the name that is asked for: letters of two scripts may look alike.
    private func shown(_ profile: Profile) throws(LoginFault) -> String {
        let isPlain = profile.url.utf8.allSatisfy { $0 < 0x80 }
        return try SafeText.escaped(profile.url) + (isPlain ? "" : " (\(URLParser.parsed(profile.url).origin))")
    }

    private static func table(_ rows: [ProfileRow]) -> Table {
        let cells: [[StyledText]] = rows.map { row in
            let name = SafeText.escaped(row.name)
            return [
                row.isDefault ? "\(name, .bold) (default)" : StyledText(name), StyledText(row.shownURL ?? "?"),
                StyledText(row.method ?? "?"), StyledText(row.source),
            ]
        }
        return Table(headings: ["PROFILE", "URL", "METHOD", "FROM"], rows: cells)
    }
}

private struct ProfileRow: Encodable {
    let name: String
    /// `nil`, as are the method and the shown URL, for a profile that cannot be read.
    var url: String?
    var method: String?
    let isDefault: Bool
    /// `config.toml`, or `authctl` for those that it made.
    let source: String
    /// For people.
    var shownURL: String?

    private enum CodingKeys: String, CodingKey {
        case name, url, method, isDefault, source
    }
}
