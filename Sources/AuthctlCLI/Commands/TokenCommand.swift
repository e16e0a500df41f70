import ArgumentParser
import Glibc
import LoginKit
import Secrets

/// `authctl token [PROFILE]`
struct TokenCommand: PlainCommand, ReportingCommand, OptionList {
    static let outline = CommandConfiguration(
        commandName: "token",
        abstract: "Print the session's token, never an expired one.",
        discussion: """
            Basic and cookies have no token; use --as headers, header or curl, and for cookies also cookies, a file \
            for wget, curl and yt-dlp, or playwright.

            Examples:
              authctl token wiki --min-ttl 300
              authctl token wiki --as headers
              authctl token wiki --as playwright >state.json
            """)

    @Argument(help: "The profile.")
    var profile: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Print the session as another program takes it.", valueName: "form"))
    var form: SessionForm?

    @Flag(help: "Print the whole header; the same as --as header.")
    var header = false

    @Flag(help: "Ask the service first whether the session is still valid.")
    var verify = false

    @Option(
        help: ArgumentHelp(
            "Minimum remaining lifetime; refresh the token if it has less. (default: 0)", valueName: "seconds"))
    var minTtl: Int?

    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    var options: KeyValuePairs<String, Any> {
        [
            "_profile": _profile, "_form": _form, "_header": _header, "_verify": _verify, "_minTtl": _minTtl,
            "_json": _json, "_global": _global,
        ]
    }

    mutating func validate() throws {
        if header, let form, form != .header {
            throw ValidationError("--header is short for --as header; leave out one of the two.")
        }
        if header { form = .header }
        // Clients run this as a helper, without a terminal of its own (kubectl's interactiveMode: Never).
        if form == .headers || form == .execCredential { global.noPrompt = true }
        guard (0...31_536_000).contains(minTtl ?? 0) else {
            throw ValidationError("--min-ttl must be from 0 to 31536000 seconds.")
        }
        if json, let form, form != .header {
            throw ValidationError("--as \(form.rawValue) has no other JSON; leave out --json.")
        }
    }

    func perform(_ invocation: Invocation) throws(LoginFault) {
        let profile = try invocation.context.selection.profile(profile)
        let source = SessionProvider(
            unattended: invocation.context, profile, minimum: Int64(minTtl ?? 0), asksServer: verify, form: form)
        let (session, username) = try source.session()
        if verify { invocation.context.person.sayIfUnverifiable(profile) }
        let secret: Secret
        switch form {
        case nil: secret = try Self.token(session)
        case .header, .headers:
            // A header for one request alone cannot be printed for others.
            if let name = profile.sessionRule.fetchedHeaders.first {
                let command = ShellCommand("authctl", "exec", "-P", profile.name, "--serve", "--", "COMMAND")
                invocation.say(
                    "authctl: without \(name), whose value is fetched for each request; to have it sent: \(command)")
            }
            let fields = try Self.fields(session, profile, username, try source.taken(username))
            secret = form == .header ? fields.lines : try fields.object()
        case .execCredential:
            let credential = try ExecCredential(
                token: try Self.token(session), expires: session.expires,
                environment: invocation.context.dependencies.environment)
            try invocation.streams.result(json: credential)
            return
        case .curl:
            // A token that goes into bodies alone is not in the configuration.
            if case .token = session {
                _ = try Self.fields(session, profile, username, try source.taken(username))
            }
            let (run, attachment) = try source.attachment(of: session, username: username)
            secret = try CurlConfig(run: run, session: session, attachment: attachment, cookieFile: nil).text()
        case .cookies, .playwright:
            guard case .cookies(let all) = session else { throw .usage(.hasNoCookies) }
            let now = invocation.context.dependencies.clock.now()
            let cookies = all.filter { $0.expires ?? .max > now }
            try warn(of: profile, username, try source.taken(username), invocation)
            if form == .playwright { return try invocation.streams.result(json: try StorageState(cookies)) }
            secret = try CookieFile.text(of: cookies)
        }
        if printsJSON {
            // A `String`, because that is what JSON is made of; it lives as long as the line takes to be printed.
            var report = ["profile": JSONValue.string(profile.name), "username": .string(username)]
            report[form == nil ? "token" : "header"] = .string(secret.unprotectedText)
            report["expires"] = session.expires.map { .integer($0) }
            try invocation.streams.result(json: report)
        } else {
            let isTerminal = invocation.context.dependencies.isTerminal(STDOUT_FILENO)
            try invocation.streams.result(secret, isTerminal: isTerminal)
        }
    }

    /// Says what whoever has the cookies can do, and what else the service wants to see with them.
    private func warn(
        of profile: Profile, _ username: String, _ taken: [CredentialField: Secret], _ invocation: Invocation
    ) throws(LoginFault) {
        let person = invocation.context.person
        person.warn("warning: \(profile.name): these cookies are the session: whoever has them is logged in as you")
        let account = try invocation.context.record(of: profile)?.account(named: username)
        if account?.bindsToDevice == true { person.warn(DeviceBinding.warning(of: profile.name)) }
        guard let name = profile.settings.userAgent ?? taken[.userAgent]?.unprotectedText else { return }
        person.say("\(profile.name): they are to be sent with the User-Agent \(SafeText.quoted(name))")
    }

    private static func fields(
        _ session: Session, _ profile: Profile, _ username: String, _ taken: [CredentialField: Secret]
    ) throws(LoginFault) -> [HTTPRequestField] {
        let fields: [HTTPRequestField]
        do {
            fields = try profile.sessionRule.headerFields(session, SlotValues(session, username: username, taken))
        } catch .missing(let slot) {
            throw .usage("the session has no {\(slot.name)}, which a header of the profile needs")
        } catch {
            throw .failure(.sessionFitsNoHeader)
        }
        guard !fields.isEmpty else {
            throw .usage(
                "the session of this profile is not sent in a header; it has no other form than exec-credential")
        }
        return fields
    }

    private static func token(_ session: Session) throws(LoginFault) -> Secret {
        switch session {
        case .token(let token): return token.value
        case .credential: throw .usage(.tokenHasOnlyHeader(method: .basic))
        case .cookies: throw .usage(.tokenHasOnlyHeader(method: .cookie))
        }
    }
}

extension SessionForm: ExpressibleByArgument {}

extension [HTTPRequestField] {
    /// A JSON object of the fields, as header helpers print it.
    /// - Throws: `usage` for two fields with one name, since not every header may have a list (RFC 9110, section 5.3).
    fileprivate func object() throws(LoginFault) -> Secret {
        guard Set(map { $0.name.lowercased() }).count == count else {
            throw .usage("the session has two headers with one name, which JSON cannot have; use --as header")
        }
        var text = SecretBuilder(limit: 8 * RequestRule.bodyLimit)
        for field in self {
            text.append("\(text.count == 0 ? "{" : ", ")\"\(field.name)\": \"")
            text.append(field.value, .json)
            text.append("\"")
        }
        text.append("}")
        guard let object = text.finish(), object.isUTF8 else { throw .failure(.sessionFitsNoHeader) }
        return object
    }
}
