import ArgumentParser
import LoginCore
import LoginKit

/// `authctl trust list`
struct TrustListCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "list", abstract: "List the accepted certificates with their origins and faults.",
        discussion: """
            Examples:
              authctl trust list
            """,
        aliases: ["ls"])

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all() }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let rows = try invocation.context.document().trusted.map { TrustRow($0) }.sorted { $0.origin < $1.origin }
        if printsJSON {
            try invocation.streams.result(json: rows)
        } else if rows.isEmpty {
            invocation.say("No certificates have been accepted.")
        } else {
            var table = Table(headings: ["ORIGIN", "ACCEPTED FAULTS", "FINGERPRINT"])
            for row in rows {
                table.add([
                    StyledText(row.origin), StyledText(row.reasons.joined(separator: ", ")),
                    StyledText(row.fingerprint),
                ])
            }
            try invocation.streams.result(table)
        }
        return .ok
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
