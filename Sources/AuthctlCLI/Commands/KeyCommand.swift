import ArgumentParser
import LoginKit

/// `authctl key …`
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Make the keys with which machines prove who they are.",
        discussion: """
            Examples:
              authctl key new ~/.config/authctl/nightly.pem
            """,
        subcommands: [KeyNewCommand.self])
}

/// `authctl key new FILE`
struct KeyNewCommand: PlainCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "new", abstract: "Make a private key, and print the public one for the authorization server.",
        discussion: """
            The file is readable by you alone. A profile names it as 'key-file', with client-auth = "private-key-jwt".

            Examples:
              authctl key new ~/.config/authctl/nightly.pem
              authctl key new nightly.pem --alg EdDSA
            """)

    @Argument(help: "The file, which must not exist yet.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "The algorithm of its signatures: \(SigningKey.algorithms.joined(separator: ", ")).", valueName: "name"))
    var alg = "ES256"

    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all(noPrompt: true) }

    /// The output of `--json`.
    private struct Report: Encodable {
        let file: String
        let jwk: SigningKey.PublicKey
        let thumbprint: String
    }

    func perform(_ invocation: Invocation) throws(LoginFault) {
        guard SigningKey.algorithms.contains(alg) else {
            let problem = "there is no \(SafeText.quoted(alg)) here; it is one of "
            throw .usage(.badValue(option: "--alg", problem: problem + SigningKey.algorithms.joined(separator: ", ")))
        }
        let path = try fromUsage(try Paths.absolute(file))
        let jwk = try SigningKey.create(alg, at: path)
        if printsJSON {
            try invocation.streams.result(json: Report(file: path, jwk: jwk, thumbprint: jwk.kid))
            return
        }
        invocation.say(
            """
            The private key is in \(SafeText.escaped(path)); register the public one, which follows, at the authorization server.
            Its thumbprint (RFC 7638) is \(jwk.kid).
            """)
        try invocation.streams.result(json: jwk)
    }
}
