import ArgumentParser
import LoginKit

/// `authctl trust …`
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Manage accepted certificates that do not verify.",
        discussion: """
            Examples:
              authctl trust list
              authctl trust remove https://wiki.example:8443
            """,
        subcommands: [TrustListCommand.self, TrustRemoveCommand.self])
}

/// `authctl trust list`
struct TrustListCommand: BasicCommand, PlainCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "list", abstract: "List the accepted certificates with their origins and faults.",
        discussion: """
            Examples:
              authctl trust list
            """,
        aliases: ["ls"])

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    func perform(_ invocation: Invocation) throws(LoginFault) {
        let rows = try invocation.context.document().trusted.map { TrustRow($0) }.sorted { $0.origin < $1.origin }
        if printsJSON {
            try invocation.streams.result(json: rows)
        } else if rows.isEmpty {
            invocation.say("No certificates have been accepted.")
        } else {
            let cells = rows.map {
                [$0.origin, $0.reasons.joined(separator: ", "), $0.fingerprint].map { StyledText($0) }
            }
            try invocation.streams.result(Table(headings: ["ORIGIN", "ACCEPTED FAULTS", "FINGERPRINT"], rows: cells))
        }
    }
}

private struct TrustRow: Encodable {
    let origin: String
    let fingerprint: String
    let reasons: [String]

    init(_ exception: TrustedCertificate) {
        origin = exception.origin.description
        fingerprint = exception.fingerprint.description
        reasons = exception.reasons.map(\.rawValue)
    }
}

/// `authctl trust remove ORIGIN|PROFILE`
struct TrustRemoveCommand: BasicCommand, PlainCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "remove", abstract: "Remove the accepted certificate of an origin or a profile.",
        discussion: """
            Examples:
              authctl trust remove wiki
              authctl trust remove https://wiki.example:8443
            """)

    @Argument(help: ArgumentHelp("A profile, or an origin such as https://HOST:PORT.", valueName: "origin"))
    var origin: String

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    func perform(_ invocation: Invocation) throws(LoginFault) {
        let trusted = try invocation.context.document().trusted.map(\.origin)
        // As 'trust list' has it, without a look at any parser.
        var found = trusted.first { $0.description == self.origin }
        if found == nil { found = try named(invocation.context) }
        guard let origin = found, trusted.contains(origin) else {
            let known = trusted.map(\.description).sorted().joined(separator: ", ")
            throw .usage(
                "no certificate was accepted for \(SafeText.quoted(SuppliedURL(self.origin).withoutUserInformation))"
                    + (known.isEmpty ? "" : ", only for: \(known)"))
        }
        _ = try fromStore(try invocation.context.registry.update { $0.distrust(origin) })
        invocation.say("The certificate of \(origin) is no longer trusted.")
        if printsJSON { try invocation.streams.result(json: ["removed": origin.description]) }
    }

    private func named(_ context: LoginContext) throws(LoginFault) -> Origin {
        guard context.profiles.source(of: origin) != nil else { return try URLParser.parsed(origin).origin }
        return try context.connections.endpoint(try context.profile(named: origin)).origin
    }
}
