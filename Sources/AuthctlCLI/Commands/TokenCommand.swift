import ArgumentParser
import Glibc
import LoginKit
import Secrets

/// `authctl token [PROFILE]`
struct TokenCommand: InvokedCommand, ReportingCommand, OptionList {
    static let outline = CommandConfiguration(
        commandName: "token",
        abstract: "Print the session's token, never an expired one.",
        discussion: """
            Basic and cookies have no token; use --header to print the header line.

            Examples:
              authctl token wiki --min-ttl 300
              authctl token wiki --header
            """)

    @Argument(help: "The profile.")
    var profile: String?

    @Flag(help: "Print the whole header, one or more lines.")
    var header = false

    @Flag(help: "Ask the service first whether the session is still valid.")
    var verify = false

    @Option(
        help: ArgumentHelp(
            "Minimum remaining lifetime; refresh the token if it has less. (default: 0)", valueName: "seconds"))
    var minTtl: Int?

    @Option(
        help: ArgumentHelp(
            "Print an ExecCredential for kubectl, in the version that it asks for; --exec-credential=v1beta1 says one.",
            valueName: "version"))
    var execCredential: ExecCredential.Version?

    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    var options: KeyValuePairs<String, Any> {
        [
            "_profile": _profile, "_header": _header, "_verify": _verify, "_minTtl": _minTtl,
            "_execCredential": _execCredential, "_json": _json, "_global": _global,
        ]
    }

    mutating func validate() throws {
        // kubectl runs this as a plugin, without a terminal of its own (interactiveMode: Never).
        if execCredential != nil { global.noPrompt = true }
        guard (0...31_536_000).contains(minTtl ?? 0) else {
            throw ValidationError("--min-ttl must be from 0 to 31536000 seconds.")
        }
        if execCredential != nil, header || json {
            throw ValidationError("--exec-credential prints one form alone: leave out --header and --json.")
        }
    }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let profile = try invocation.context.selectProfile(profile)
        let source = TokenSource(
            context: invocation.context, profile: profile, minimum: Int64(minTtl ?? 0), asksServer: verify,
            wantsHeader: header)
        let (session, username) = try source.session()
        let taken = try source.taken(username)
        if verify { invocation.context.sayIfUnverifiable(profile) }
        // A header for one request alone cannot be printed for others.
        if header, let name = profile.sessionRule.fetchedHeaders.first {
            let command = ShellCommand("authctl", "exec", "-P", profile.name, "--serve", "--", "COMMAND")
            invocation.say(
                "authctl: without \(name), whose value is fetched for each request; to have it sent: \(command)")
        }
        if let execCredential {
            let environment = invocation.context.dependencies.environment
            let credential = ExecCredential(
                version: try execCredential.asked(by: environment), token: try Self.token(session),
                expires: session.expires)
            try invocation.streams.result(json: credential)
            return .ok
        }
        let secret = header ? try Self.line(session, profile, username, taken) : try Self.token(session)
        if printsJSON {
            let text = secret.unprotectedText
            try invocation.streams.result(
                json: TokenReport(
                    profile: profile.name, username: username, token: header ? nil : text, header: header ? text : nil,
                    expires: session.expires))
        } else {
            let isTerminal = invocation.context.dependencies.isTerminal(STDOUT_FILENO)
            try invocation.streams.result(secret, isTerminal: isTerminal)
        }
        return .ok
    }

    private static func line(
        _ session: Session, _ profile: Profile, _ username: String, _ taken: [CredentialField: Secret]
    ) throws(LoginFault) -> Secret {
        let line: Secret?
        do {
            line = try profile.sessionRule.headerLines(session, SlotValues(session, username: username, taken))
        } catch .missing(let slot) {
            throw .usage(.other("the session has no {\(slot.name)}, which a header of the profile needs"))
        } catch {
            throw .failure(.sessionFitsNoHeader)
        }
        guard let line else { throw .usage(.other("the session of this profile is not sent in a header")) }
        return line
    }

    private static func token(_ session: Session) throws(LoginFault) -> Secret {
        switch session {
        case .token(let token): return token.value
        case .credential: throw .usage(.tokenHasOnlyHeader(method: .basic))
        case .cookies: throw .usage(.tokenHasOnlyHeader(method: .cookie))
        }
    }
}

/// The output of `token --json`. The token is a `String` here because that is what JSON is made of; it lives as long as
/// the line takes to be printed.
private struct TokenReport: Encodable {
    let profile: String
    let username: String
    let token: String?
    let header: String?
    let expires: Int64?
}
