import ArgumentParser
import LoginKit

/// `authctl request [METHOD] URL`
struct RequestCommand: InvokedCommand {
    static let outline = CommandConfiguration(
        commandName: "request",
        abstract: "Send one request with the session.",
        usage: "authctl request [<options>] [<method>] <url>",
        discussion: """
            The default method is GET. If the response means 'logged out', the session is refreshed, or authctl logs in, \
            and the same request is sent again. If nobody has ever logged in, GET and HEAD are first sent without a \
            login.

            Login options, used if a login is needed: authctl login --help

            Examples:
              authctl request https://wiki.example/api/pages
              authctl request -P wiki POST /api/pages --json '{"title": "News"}'
              authctl request -P wiki /api/export -o export.zip
            """)
    static let mayAsk = true

    @Argument(help: ArgumentHelp("The method, such as POST (default: GET).", valueName: "method"))
    var first: String?

    @Argument(help: ArgumentHelp("A path of the profile, or a URL on its origin.", valueName: "url"))
    var second: String?

    @Flag(help: "Send no session and do not log in, whatever the response.")
    var anonymous = false

    @OptionGroup var request: RequestOptions
    /// Told by the help of login.
    @OptionGroup(visibility: .hidden) var login: LoginOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard let first else { throw ValidationError("A URL is missing.") }
        if second == nil, !first.isEmpty, first.allSatisfy({ $0.isASCII && $0.isUppercase }) {
            throw ValidationError("A URL is missing after \(first).")
        }
        if second == nil, request.hasBody {
            throw ValidationError("A body needs a method, for example: authctl request POST URL")
        }
        if request.page != nil, method != "POST" {
            throw ValidationError(
                "--page needs POST, for example: authctl request --page /edit POST /save -d text=hello")
        }
        if login.attempt.passwordStdin, !request.readsStandardInput.isEmpty {
            throw ValidationError("Standard input can be either the password or the body.")
        }
        if anonymous, login.attempt.namesPassword || global.username != nil {
            throw ValidationError("--anonymous cannot be used with a user name or a password.")
        }
    }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        try checkWords { invocation.context.profiles.source(of: $0) != nil }
        if anonymous { return try runAnonymously(invocation) }
        let provider = try invocation.provider(try invocation.context.selection.profile(forRequestTo: url), login)
        let outgoing = try OutgoingRequest(
            invocation, provider.profile, request, method: method, url: url,
            mayConcern: provider.profile.mayConcern)
        let request = UserRequest(provider: provider, outgoing: outgoing)
        return try outgoing.code(of: try request.exchange(isLast: true).response)
    }

    /// Sends it without a session and without a login, whatever the response.
    private func runAnonymously(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let profile = try login.request.applied(
            to: try invocation.context.selection.profile(forAnonymousRequestTo: url))
        let outgoing = try OutgoingRequest(
            invocation, profile, request, method: method, url: url, mayConcern: { _ in false })
        let service = try invocation.context.connections.anonymousService(
            profile, fingerprint: login.request.policy.trust.fingerprint)
        defer { outgoing.output.close() }
        let relayed = try outgoing.send(over: service, with: nil, username: "")
        try outgoing.handOn()
        return try outgoing.code(of: relayed.response)
    }
}
