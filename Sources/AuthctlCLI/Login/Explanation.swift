import LoginKit

/// Explains in sentences why a login works or not. It holds no secret, so a person can send it to others.
struct Explanation: Encodable {
    struct Step: Encodable {
        let asked: String?
        let answer: String?
        let rule: String?
    }

    var profile: String?
    var url: String?
    /// The stored login.
    var login: String?
    /// The issuer and the scope of the grant.
    var granted: String?
    /// The facts about the identity of this machine, or the error from reading it; `nil` for a profile without one.
    var identity: String?
    var steps: [Step] = []
    /// The source of the user name.
    var name: String?
    /// `nil` where the message of the command says it.
    var conclusion: String?
    var details: [String] = []
    var next: String?
    var username: String?
    var exit = ExitCode.ok {
        didSet { code = exit.name }
    }
    private(set) var code = ExitCode.ok.name

    init(_ profile: Profile?) {
        self.profile = profile?.name
        // A person may have written a password in it.
        url = profile.flatMap { try? URLParser.parsed($0.url) }.map { "\($0.origin)\($0.path == "/" ? "" : $0.path)" }
    }

    /// The findings of the requests.
    mutating func take(_ walk: LoginTranscript, of profile: Profile?) {
        for step in walk.steps {
            let rule = step.evidence?.reason(by: profile?.rules(at: step.evidence?.step))
            let exchanges = TracedExchange.list(step.exchange)
            if exchanges.isEmpty, rule != nil { steps.append(Step(asked: nil, answer: nil, rule: rule)) }
            for (number, exchange) in exchanges.enumerated() {
                let isLast = number == exchanges.count - 1
                steps.append(Step(asked: exchange.asked, answer: exchange.answer, rule: isLast ? rule : nil))
            }
        }
    }

    mutating func end(_ error: LoginFault, about topic: ErrorContext) {
        let message = error.conclusion(about: topic)
        (conclusion, details, exit) = (message.what + ".", message.details, error.exitCode)
        next = message.next.isEmpty ? nil : message.next
    }

    /// For a person.
    var text: String {
        var lines: [(label: String, text: String?)] = [
            ("Profile", profile.map { $0 + (url.map { " (\($0))" } ?? "") + "." })
        ]
        lines += [("Login", login), ("Granted", granted), ("Identity", identity)]
        for step in steps { lines += [("Asked", step.asked), ("Answer", step.answer), ("Rule", step.rule)] }
        if steps.isEmpty { lines.append(("Asked", "nothing; no request was sent.")) }
        lines += [("Name", name), ("So", conclusion)] + details.map { ("", $0) } + [("Next", next)]
        return lines.compactMap { line in
            line.text.map { SafeText.escaped("\(line.label.isEmpty ? " " : line.label + ":") \($0)", limit: 4000) }
        }.joined(separator: "\n")
    }
}

extension Profile {
    /// The rules for the response to one of its requests; `nil` for a request without rules of its own.
    fileprivate func rules(at step: LoginKit.Step?) -> ResponseRule? {
        switch step {
        case .verify: verify?.response
        case .login: loginSteps.count == 1 ? login?.response : nil
        case .refresh: refresh?.response
        case .logout: logout?.response
        case .page, nil: nil
        }
    }
}

/// A request and its response, as sentences made of the lines of the trace: they show nothing that `-v` does not show.
struct TracedExchange {
    private var request: [String] = []
    private var response: [String] = []

    /// Headers that say nothing to a person who asks for help.
    private static let usual = ["accept", "user-agent", "content-length"]
    /// The headers of a response that say why it is what it is.
    private static let telling = ["www-authenticate", "proxy-authenticate", "retry-after"]

    /// The exchanges of a trace, in their order.
    static func list(_ lines: [String]) -> [TracedExchange] {
        lines.reduce(into: []) { list, line in
            let text = String(line.dropFirst(2))
            if line.hasPrefix("> "), list.isEmpty || text.beginsRequest { list.append(TracedExchange()) }
            guard !list.isEmpty else { return }
            if line.hasPrefix("> ") { list[list.count - 1].request.append(text) }
            if line.hasPrefix("< ") { list[list.count - 1].response.append(text) }
        }
    }

    /// The request: method, URL, the names of the headers, whether there is a body.
    var asked: String {
        let shown = request.dropFirst().filter { !Self.usual.contains($0.headerName) }
        let headers = shown.filter { $0.headerName != "" }.joined(separator: ", ")
        // Not its size, which is as good as the length of the password to whoever knows the profile.
        let body = shown.contains { $0.headerName == "" } ? "a body" : nil
        let parts = [headers.isEmpty ? nil : headers, body].compactMap { $0 }.joined(separator: ", and ")
        return (request.first ?? "") + (parts.isEmpty ? "" : " with \(parts)") + "."
    }

    /// The response: status, type and size, and the headers that say why.
    var answer: String {
        guard let status = response.first else { return "none." }
        let type = response.first { $0.headerName == "content-type" }.map { SafeText.line($0.headerValue, limit: 100) }
        let size = response.last { $0.headerName == "" && $0 != status }
        let cookies = response.filter { $0.hasPrefix("Cookie: ") }.map {
            "sets the cookie\($0.dropFirst("Cookie".count))"
        }
        let why = response.filter { Self.telling.contains($0.headerName) }
            .map { SafeText.line($0, limit: 300) }
        return ([status, type, size].compactMap { $0 } + why + cookies).joined(separator: ", ") + "."
    }
}

extension String {
    /// Whether a line of a request is its first one: `GET https://HOST/`.
    fileprivate var beginsRequest: Bool {
        let words = split(separator: " ", maxSplits: 1)
        return words.count == 2 && words[0].last != ":" && words[1].contains("://")
    }

    /// In small letters; empty where the line is no header.
    fileprivate var headerName: String {
        guard let colon = firstIndex(of: ":"), !beginsRequest else { return "" }
        return self[..<colon].lowercased()
    }

    fileprivate var headerValue: String {
        String(self[(firstIndex(of: ":").map(index(after:)) ?? startIndex)...].drop { $0 == " " })
    }
}

/// `login --explain`: what was sent, answered and decided, on standard error once the login has ended, before its message.
final class ExplainedLogin {
    private let invocation: Invocation
    private let walk = LoginTranscript(beginsAnonymously: false)
    /// Once it is known.
    var profile: Profile?

    init(_ invocation: Invocation) {
        self.invocation = invocation
        invocation.trace(into: walk)
    }

    func watch(_ run: LoginRun) {
        run.service.observer = { [walk] in walk.add($0) }
    }

    func say() {
        var explanation = Explanation(profile)
        explanation.take(walk, of: profile)
        invocation.streams.say(explanation.text)
    }

    /// - Returns: the error as it can be shown to others, too.
    func end(_ error: LoginFault) -> LoginFault {
        walk.stop(error)
        say()
        return error.withoutQueries
    }
}

/// Describes a stored login in sentences, without its secret.
struct ExplainedAccount {
    let account: AccountRecord
    let clock: WallClock

    /// - Parameter stored: `nil` if it was not read.
    func login(_ stored: StoredLogin?) -> String {
        let name = account.username.isEmpty ? "" : " \(SafeText.name(account.username))"
        if account.isNewer { return "account\(name), written by a newer authctl." }
        let passed = clock.seconds(since: account.savedAt)
        let age = passed < 0 ? "" : " \(Duration.inWords(passed)) ago"
        let extras: String? =
            account.passwordRefused
            ? "the server refused the password before"
            : account.keepsPassword ? "the password is stored, too" : nil
        let parts = [kind(stored), end, refresh(stored), extras].compactMap { $0 }
        return "account\(name), stored in '\(account.store)'\(age): \(parts.joined(separator: "; "))."
    }

    /// The issuer and the scope of the grant.
    func granted(_ stored: StoredLogin) -> String? {
        guard let terms = stored.session?.terms else { return nil }
        let scope = terms.scope.map { ", for the scope \(SafeText.quoted($0))" } ?? ""
        let server = (terms.issuer ?? terms.tokenEndpoint).prefix { $0 != "?" }
        return "by \(SafeText.line(String(server)))\(scope)."
    }

    private func kind(_ stored: StoredLogin?) -> String {
        if let stored, stored.session == nil, stored.credential == nil, !account.passwordRefused {
            return "the store has nothing of it that can be used"
        }
        return switch account.kind {
        case .basic, .digest: "user name and password"
        case .token: "a token"
        case .cookies: "session cookies"
        case .ticket: "a Kerberos ticket, which is kept elsewhere"
        case .certificate: "a client certificate"
        }
    }

    private var end: String? {
        account.expires.map {
            clock.isOver($0)
                ? "expired \(Duration.inWords(clock.seconds(since: $0))) ago"
                : "expires in \(Duration.inWords(clock.seconds(until: $0)))"
        }
    }

    private func refresh(_ stored: StoredLogin?) -> String? {
        guard case .token(let token) = stored?.session else { return nil }
        return token.refreshToken == nil
            ? "no refresh token" : "a refresh token, by which it is refreshed when it expires"
    }
}

/// `whoami --explain`: the explanation is the result, however the check ends.
struct ExplainedWhoami {
    let invocation: Invocation
    let profile: Profile
    private let walk = LoginTranscript(beginsAnonymously: false)

    /// - Returns: the code that it would be without an explanation.
    func tell(printsJSON: Bool) throws(LoginFault) -> ExitCode {
        var explanation = Explanation(profile)
        invocation.trace(into: walk)
        do {
            try explain(&explanation)
        } catch {
            walk.stop(error)
            explanation.end(error, about: invocation.typedTopic)
        }
        explanation.take(walk, of: profile)
        if printsJSON {
            try invocation.streams.result(json: explanation)
        } else {
            try invocation.streams.result(sentences: explanation.text)
        }
        return explanation.exit
    }

    private func explain(_ explanation: inout Explanation) throws(LoginFault) {
        explanation.login = try invocation.whatIsStored(of: profile)
        let run = try invocation.context.accounts.verifyingRun(profile)
        run.service.observer = { walk.add($0) }
        if run.request.supplied != nil {
            explanation.login = "supplied by the environment for this command; what is stored is not used."
        } else {
            let stored = try run.keeper.fill()
            if let account = run.keeper.filledRecord {
                let sentences = ExplainedAccount(account: account, clock: invocation.context.dependencies.clock)
                explanation.login = sentences.login(stored)
                explanation.granted = sentences.granted(stored)
            }
        }
        do {
            explanation.identity = try run.identityFacts()
        } catch {
            // What is stored may be good without it.
            explanation.identity = error.message().what + "."
        }
        let identity = try run.verifiedIdentity()
        let isRepeated = run.service.repeatsSecret(identity.displayName)
        let name = isRepeated ? "…" : identity.displayName
        explanation.name = origin(of: identity)
        explanation.username = name
        let who = name.isEmpty ? "" : " as \(SafeText.name(name))"
        explanation.conclusion =
            profile.verify == nil
            ? "a login\(who) is stored; nobody knows whether the service accepts it."
            : "logged in\(who)."
    }

    private func origin(of identity: Identity) -> String {
        let none = identity.displayName.isEmpty ? "none was typed at login" : nil
        guard let verify = profile.verify else {
            return "\(none ?? "as stored"); the profile has no verify request, so the service was not asked."
        }
        guard let place = verify.response.username, identity.serverName != nil else {
            return "\(none ?? "as typed at login"); verify has no 'username', so the service does not say it."
        }
        return "'username' of verify, \(SafeText.quoted("\(place)")), is there."
    }
}

extension Invocation {
    /// Keeps what is sent and answered, beside what -v does with it.
    func trace(into walk: LoginTranscript) {
        let shown = context.trace
        context.trace = {
            walk.add($0)
            shown?($0)
        }
    }

    /// As far as it is known without a store, and where that was looked up.
    fileprivate func whatIsStored(of profile: Profile) throws(LoginFault) -> String {
        let record = try context.record(of: profile)
        let name = context.username(for: profile)
        if let account = name.map({ record?.account(named: $0) }) ?? record?.activeAccount {
            return ExplainedAccount(account: account, clock: context.dependencies.clock).login(nil)
        }
        let whose = name.map { "no account \(SafeText.quoted($0))" } ?? "no active account"
        return "none; \(whose) of this profile is in \(SafeText.quoted(registry))."
    }

    /// The path of the account registry, with `~` for the home folder.
    private var registry: String {
        let file = "\(context.paths.stateFolder)/\(AccountRegistry.fileName)"
        guard let home = context.paths.home, file.hasPrefix("\(home)/") else { return file }
        return "~\(file.dropFirst(home.count))"
    }
}
