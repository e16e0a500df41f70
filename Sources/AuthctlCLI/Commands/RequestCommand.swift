import ArgumentParser
import Glibc
import LoginCore
import LoginHTTP

/// `authctl request METHOD URL`
struct RequestCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send one request with the session attached.",
        discussion: """
            If the answer means 'logged out', the session is renewed or somebody logs in, and the same request is sent \
            once more.
            """)
    static let mayAsk = true

    @Argument(help: "The verb, such as GET or POST.")
    var method: String

    @Argument(help: ArgumentHelp("A path of the profile, or a URL on its origin.", valueName: "url"))
    var url: String

    @OptionGroup var request: RequestOptions
    @OptionGroup(title: "Options of a login that becomes necessary") var login: LoginOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { false }

    func validate() throws {
        if login.passwordStdin, !request.readsStandardInput.isEmpty {
            throw ValidationError("Standard input holds either the password or the body.")
        }
        if login.continueWithout || login.name != nil {
            throw ValidationError("--continue-without and --name are options of login alone.")
        }
    }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let profile = try invocation.selectProfile(forRequestTo: url)
        let gate = try Gate(invocation, profile, login)
        let endpoint = try invocation.endpoint(gate.profile)
        let body = try RequestBody(request, patience: invocation.patience(gate.profile))
        let headers = try RequestHeaders(
            request.header, defaults: body.defaultHeaders, taken: gate.profile.sessionRule.ownHeaders)
        var message = HTTPRequest(
            method: method, url: try invocation.requestURL(url, endpoint), headers: headers.fields)
        message.withoutHeaders = headers.removed
        let writer = try invocation.bodyWriter(path: request.output, gate.profile)
        let output = AnswerOutput(
            writer, includesHead: request.include, progress: invocation.transferProgress(of: writer),
            mayConcern: gate.profile.proof.rules.mayConcern)
        return try PersonalRequest(
            invocation: invocation, gate: gate, request: message, body: body, output: output
        ).run()
    }
}

extension Invocation {
    fileprivate func bodyWriter(path: String?, _ profile: Profile) throws(LoginError) -> BodyWriter {
        try BodyWriter(
            world.streams, path: path, isTerminal: world.isTerminal(STDOUT_FILENO), patience: patience(profile))
    }

    /// How long one wait for a pipe may take, in seconds: as long as the request.
    fileprivate func patience(_ profile: Profile) -> Int {
        options.timeout ?? profile.settings.timeout ?? TransportSettings.longestTransfer
    }

    /// Only for a terminal that the answer does not go to, and that may have a line that moves.
    fileprivate func transferProgress(of writer: BodyWriter) -> TransferProgress? {
        guard !writer.isShownOnTerminal, !options.quiet, world.isTerminal(STDERR_FILENO),
            world.environment.allowsMovement
        else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return TransferProgress(world.streams, columns: isKnown ? Int(size.ws_col) : 80)
    }
}
