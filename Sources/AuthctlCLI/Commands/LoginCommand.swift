import ArgumentParser
import LoginKit

/// `authctl login [PROFILE or URL]`
struct LoginCommand: PlainCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "login",
        abstract: "Log in and store the login.",
        discussion: """
            If the server still accepts a stored login, nothing is asked. A URL needs no profile: it is requested with \
            the login, and a successful login makes a profile of it. So does the name of a preset.

            Examples:
              authctl login https://wiki.example/api/me
              authctl login github
              authctl login wiki -u ann --persist session
              authctl login wiki -u ann --password-stdin <password.txt
            """)
    static let mayAsk = true

    @Argument(
        help: ArgumentHelp("A profile, a preset, or a URL that requires a login.", valueName: "profile-or-url"))
    var target: String?

    @Option(help: ArgumentHelp("The service's URL, for a preset that has none.", valueName: "url"))
    var url: String?

    @Flag(help: "Log in again, even if a session exists.")
    var force = false

    @Flag(help: "Explain each request, response and rule on standard error.")
    var explain = false

    @Option(help: ArgumentHelp("Name for the new profile.", valueName: "name"))
    var name: String?

    @Flag(help: "Take the session from a request that was copied in a browser (Copy as cURL).")
    var paste = false

    @Flag(help: "Take the password from ~/.netrc, once.")
    var netrc = false

    @Option(help: ArgumentHelp("Take the password from this netrc file, once.", valueName: "file"), completion: .file())
    var netrcFile: String?

    @OptionGroup var login: LoginOptions
    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        let ways = [paste, netrc, netrcFile != nil, login.attempt.namesPassword].count { $0 }
        guard ways < 2 else {
            throw ValidationError("--paste, --netrc, --netrc-file and the --password options exclude each other.")
        }
    }

    func perform(_ invocation: Invocation) throws(LoginFault) {
        invocation.context.person.patience = login.attempt.patience
        invocation.loginOptions =
            login.words + optionWords([("--name", name), ("--url", url)]) + (force ? ["--force"] : [])
        let explained = explain ? ExplainedLogin(invocation) : nil
        do throws(LoginFault) {
            let target = try invocation.context.selection.target(target, request: request)
            if paste, target.isNew, target.profile.sessionRule.isCredential {
                let problem = "needs a profile, which says how a session is sent and verified"
                throw .usage(.badValue(option: "--paste", problem: problem))
            }
            do {
                try logIn(invocation, target, explained)
            } catch .oauth(.noServer) where target.isFound, .oauth(.metadata(.notFound)) where target.isFound {
                // Neither the service nor its origin names one.
                invocation.say(
                    "No authorization server was found for this URL; make a token at the service, and paste it.")
                try logIn(invocation, target.withPastedToken, explained)
            }
        } catch {
            throw explained?.end(error) ?? error
        }
        explained?.say()
    }

    private var request: LoginRequest {
        var request = login.request
        (request.name, request.url) = (name, url)
        request.policy.force = force || login.attempt.scope != nil
        return request
    }

    private func logIn(
        _ invocation: Invocation, _ target: LoginTarget, _ explained: ExplainedLogin?
    ) throws(LoginFault) {
        explained?.profile = target.profile
        let request = try given(invocation, target.profile).resolved(for: target, in: invocation.context)
        sayIfUnread(invocation, target.profile, request)
        let run = try LoginRun(invocation.context, target.profile, request)
        explained?.watch(run)
        let generation = ProfileGeneration(target, run)
        let identity = try run.run { (login, approval) throws(LoginFault) in
            try generation.writeProfile(for: login, approval)
        }.identity
        let method = run.service.protectionSpace?.method
        if run.wasThere { try generation.remember(method) }
        try report(invocation, generation.run, identity, method, wasThere: run.wasThere)
        if target.isNew, !run.keepsNothing { sayNext(invocation, generation, isMCP: target.profile.mcp != nil) }
    }

    /// Says where the new profile is, and what to do with it.
    private func sayNext(
        _ invocation: Invocation, _ generation: ProfileGeneration, isMCP: Bool
    ) {
        let name = generation.run.profile.name
        if isMCP { return invocation.say("For an MCP client: \(ShellCommand("authctl", "mcp", name))") }
        let context = invocation.context, origin = generation.run.endpoint.origin
        // The URL alone would not say which profile is meant.
        let isAlone = context.profiles.names.allSatisfy {
            $0 == name || (try? context.selection.origin(of: $0)) != origin
        }
        let request = ["authctl", "request", generation.firstURL] + (isAlone ? [] : ["-P", name])
        invocation.say("Saved as the profile \(SafeText.escaped(name)). Next: \(ShellCommand(request))")
    }

    /// The request, with what this command alone takes a login from.
    private func given(_ invocation: Invocation, _ profile: Profile) throws(LoginFault) -> LoginRequest {
        var request = request
        if netrc { request.netrc = try NetrcFile.path(invocation.context.paths) }
        request.netrc = netrcFile ?? request.netrc
        if paste { request.copied = try CopiedLogin(invocation.context, profile).read() }
        // What is given is to be tried, whatever is stored.
        if paste || request.netrc != nil { request.policy.force = true }
        return request
    }

    /// Says that piped input is not read: whoever pipes a password in would not expect a prompt at the terminal.
    private func sayIfUnread(_ invocation: Invocation, _ profile: Profile, _ request: LoginRequest) {
        let context = invocation.context
        guard request.supplied == nil, request.codeSource != .standardInput, context.person.mayBeAsked,
            profile.fields.contains(.password) || profile.fields.contains(.token),
            context.dependencies.isInputPiped()
        else { return }
        let secret = profile.fields.contains(.token) ? "token" : "password"
        invocation.say("Standard input is not read; to take the \(secret) from it, add --password-stdin")
    }

    private func report(
        _ invocation: Invocation, _ run: LoginRun, _ identity: Identity, _ method: AuthenticationMethod?, wasThere: Bool
    ) throws(LoginFault) {
        // What the registry may still know of an earlier login is not where this one is kept.
        let record =
            try wasThere || !run.keepsNothing
            ? fromStore(try run.keeper.account(of: identity)) : nil
        let name = SafeText.name(identity.displayName)
        let who: StyledText = name.isEmpty ? "." : " as \(name, .bold)."
        let verb = wasThere ? "Already logged in to" : "Logged in to"
        invocation.say(
            styled: "\(isGood: true)\(verb) \(run.profile.name, .bold) (\(run.endpoint.origin))" + who)
        if wasThere {
            let other = ShellCommand("authctl", "login", run.profile.name, "-u", "NAME")
            let asOther = run.profile.fields.contains(.username) ? "To log in as somebody else: \(other). " : ""
            let again = ShellCommand("authctl", "login", run.profile.name, "--force")
            invocation.say("\(asOther)To log in again: \(again)")
            invocation.context.person.sayIfUnverifiable(run.profile)
        } else {
            invocation.sayWhereKept(record, run)
            if let entry = run.request.netrcEntry {
                invocation.say(
                    "You can delete line \(entry.line) of \(SafeText.escaped(entry.path)), unless other programs use that entry."
                )
            }
        }
        guard printsJSON else { return }
        let terms = run.profile.oauth == nil ? nil : try run.keeper.fill().session?.terms
        let texts = [
            "profile": run.profile.name, "origin": run.endpoint.origin.description, "username": identity.displayName,
            "method": method?.rawValue, "store": record?.store.description, "issuer": terms?.issuer,
            // As it was granted.
            "scope": terms?.scope,
        ]
        var report = texts.compactMapValues { $0.map { JSONValue.string($0) } }
        report["expires"] = record?.expires.map { .integer($0) }
        report["alreadyLoggedIn"] = .bool(wasThere)
        try invocation.streams.result(json: report)
    }
}
