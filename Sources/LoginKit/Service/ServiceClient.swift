import Secrets

/// Sends the requests of one profile: fills in their templates, fetches the page that one has to come from, attaches the session,
/// and opens the response.
///
/// How a credential is sent is for the login to say (`Way`), and what a response means is for `ParsedResponse.judged`.
final class ServiceClient {
    /// Changes where the login of a URL finds a better verify request.
    var profile: Profile
    let endpoint: ServiceEndpoint
    /// The protection space, once the server was asked.
    var space: ProtectionSpace?
    let transport: any Transport
    /// A transport without the client certificate, if that alone is the proof.
    let anonymousTransport: (any Transport)?
    /// Seconds that a token is asked to live.
    let ttl: Int?
    /// Is told how each response was judged.
    var observer: ((Evidence) -> Void)?
    /// Shows a person the page where they approve a login.
    var opener: ((_ url: String, _ origins: [String]) throws(LoginFault) -> Void)?
    /// The response of verify without a login: found out before a login, else remembered.
    var anonymousResponse: AnonymousResponse?
    /// The service's challenge for a token of an authorization server, to a request without a login.
    var bearerChallenge: AuthenticateChallenge?
    /// The cookies that the last request without a login was answered with; `nil` if none was sent.
    var anonymousCookies: [Cookie]?
    /// The cookies that anybody gets before a login.
    var cookiesBeforeLogin: [Cookie] = []
    /// The field for a password on a page that verify has answered without a login, as if there were one.
    var anonymousPasswordField: String?
    /// Everything secret that was sent or received: what the server says is not shown where it repeats any of it.
    var hidden = RepeatedSecrets()
    /// The secrets that are sent with every request.
    var extraSecrets: [CredentialField: Secret] = [:]
    /// For `{csrf}`, once it is known; is sent with the session.
    var csrf: Secret?
    /// The cookies that came with it.
    var csrfCookies: [Cookie] = []
    /// The cookies that hold after each response, noted during a logout, which may set others at each of its steps.
    var noted: [[Cookie]]?

    /// The sessions that the service has handed out to this login; `nil` where there is no login.
    var handover: Handover?

    /// The largest body of a person's own request that is held, in bytes. A longer response is theirs to read, whatever its status.
    static let heldLimit = 1 << 20

    /// Sends a request, with a credential or without.
    typealias Way = (HTTPRequest) throws(LoginFault) -> Sent

    /// The result of a request.
    struct Sent {
        let response: HTTPResponse
        /// Whether it showed that the server took the credential for good, whatever its status.
        var isProven = false
        /// Whether a password was sent, by HTTP authentication.
        var carriedPassword = false
    }

    /// The response to one of the profile's requests.
    struct Reply {
        let facts: ParsedResponse
        /// The page before the request, if there was one.
        let visit: PageVisit?
        /// The response as a page, if it was read as one.
        let page: ResponsePage?
        /// Where the request went.
        let url: String
    }

    init(
        profile: Profile, endpoint: ServiceEndpoint, transport: any Transport, anonymousTransport: (any Transport)?,
        ttl: Int?, anonymousResponse: AnonymousResponse?
    ) {
        self.profile = profile
        self.endpoint = endpoint
        self.transport = transport
        self.anonymousTransport = anonymousTransport
        self.ttl = ttl
        self.anonymousResponse = anonymousResponse
    }

    func hold(_ extraSecrets: [CredentialField: Secret]) {
        self.extraSecrets = extraSecrets
        hide(extraSecrets.values.map { $0 })
    }

    func trust(_ exception: TrustedCertificate) {
        transport.trust(exception)
        anonymousTransport?.trust(exception)
    }

    func hide(_ secrets: [Secret?], username: String = "") {
        hidden.add(secrets, username: username)
    }

    func hide(_ secrets: RepeatedSecrets) { hidden.add(secrets) }

    /// Has a fault repeat nothing of what is hidden by then.
    func hiding<Result>(_ body: () throws(LoginFault) -> Result) throws(LoginFault) -> Result {
        do { return try body() } catch { throw error.without(hidden) }
    }

    /// The way of a request that carries no credential.
    func plainly(_ request: HTTPRequest) throws(LoginFault) -> Sent {
        let response = try transport.send(request)
        noted?.append(response.cookies)
        return Sent(response: response)
    }

    /// The way of an anonymous client, who has no client certificate either where that is the proof.
    func anonymously(_ request: HTTPRequest) throws(LoginFault) -> Sent {
        Sent(response: try (anonymousTransport ?? transport).send(request))
    }

    /// Sends one of the profile's requests.
    /// - Parameters:
    ///   - answer: the rules by which the response is read; those of the request unless said.
    ///   - cookies: of the login's requests before it.
    ///   - form: the page that the request before it was answered with.
    ///   - readingPage: whether the response is to be read as a page even where its rules do not ask for that.
    ///   - way: how it goes out; plainly unless said.
    ///   - settle: returns which of the cookies that a page before the request leaves go out with it; all unless said.
    func send(
        _ rule: RequestRule, _ values: SlotValues, session: Session?, readBy answer: ResponseRule? = nil,
        carrying cookies: [Cookie] = [], from form: ResponsePage? = nil, readingPage: Bool = false, by way: Way? = nil,
        settle: ([Cookie]) throws(LoginFault) -> [Cookie] = { $0 }
    ) throws(LoginFault) -> Reply {
        var values = values
        values.ttl = ttl
        values.extraSecrets = extraSecrets
        values.csrf = session == nil ? nil : csrf
        var visit = try visitPage(of: rule, values, session, carrying: cookies)
        if visit == nil { visit = try form?.visit(by: rule, values, at: endpoint, carrying: cookies) }
        if let cookies = visit?.cookies { visit?.cookies = try settle(cookies) }
        if let visit { values.take(from: visit) }
        var request = try filled(rule, values, session, cookies, visit)
        let reader = Reading(
            rule: answer ?? rule.response, told: session == nil ? nil : profile.sessionRule.csrf,
            request: rule, wantsPage: readingPage, looksForLogin: profile.looksForLogin(in: rule))
        request.bodyNeed = reader.bodyNeed
        let sent = if let way { try way(request) } else { try plainly(request) }
        let reply = try read(sent, to: request, by: reader, after: visit)
        if profile.loginSteps.contains(rule) { try checkAddress(of: rule, reply, former: request.cookies) }
        return rule.followsRedirects ? try following(reply, by: reader) : reply
    }

    private func filled(
        _ rule: RequestRule, _ values: SlotValues, _ session: Session?, _ cookies: [Cookie], _ visit: PageVisit?
    ) throws(LoginFault) -> HTTPRequest {
        var request = try naming(try rule.request(base: endpoint.base, values))
        request.cookies = cookies
        if let session {
            try naming(try request.attach(session, profile.sessionRule, values))
            // What verify accepts has to be the session's own.
            let slots = rule.slots.union(profile.sessionRule.slots(for: rule.method))
            if rule != profile.verify { attachCSRFCookies(to: &request, with: slots) }
        }
        if let visit { request.follow(visit) }
        if let link = visit?.link { request.url = endpoint.origin.description + link }
        if session != nil { request.comeFromBrowser(profile.sessionRule, at: endpoint.origin) }
        request.hidden = hidden
        return request
    }

    /// Sends the cookies along that came with the value of `{csrf}`, where a request has that and the session has none: services bind one
    /// to the other.
    func attachCSRFCookies(to request: inout HTTPRequest, with slots: Set<Template.Slot>) {
        if slots.contains(.csrf), !profile.sessionRule.cookies { request.cookies = csrfCookies }
    }

    /// Rethrows the fault of a template as `fromTemplate`, and names the place where the login's response lacks a value.
    private func naming<Result>(
        _ body: @autoclosure () throws(FillFault) -> Result
    ) throws(LoginFault) -> Result {
        do {
            return try body()
        } catch .missing(.taken(let name)) {
            let place = profile.place(ofTaken: name) ?? "{\(name)}"
            throw .failure(.missingInResponse(place: place, step: Step.login.rawValue))
        } catch {
            throw error.asLoginFault
        }
    }

    /// Reads a response as the profile has it, and tells the observer.
    /// - Parameter withCookies: whether the request had no more than the cookies that anybody gets before a login.
    func judge(
        _ facts: ParsedResponse, by rule: ResponseRule, at step: Step, withCookies: Bool = false
    ) -> Judgement {
        let evidence = facts.evidence(by: rule, at: step, anonymous: anonymousResponse, withCookies: withCookies)
            .without(hidden)
        observer?(evidence)
        return evidence.judgement
    }

    /// The URL of the verify endpoint, else of the login request, for messages: as the profile writes it.
    var guardedURL: String {
        endpoint.base + ((profile.verify ?? profile.login)?.path.shown ?? "/")
    }

    /// The URL at which a person begins to log in in a browser: the profile's own, else that of verify, which leads anonymous
    /// clients to the login by itself.
    var windowURL: String { profile.windowPage.map { endpoint.base + $0 } ?? guardedURL }

    /// The error for a credential that was not given.
    var lacking: LoginFault { .loginRequired(LoginNeed(why: .nothingStored, missing: profile.fields)) }
}

extension ServiceClient {
    /// The session with the cookies that hold after an answer, since a server may refresh them each time. Those that do not
    /// tell their end keep the one that the login told.
    func refreshed(_ session: Session, by response: HTTPResponse) -> Session {
        if case .token(let token) = session, profile.sessionRule.cookies { return .token(token.with(response.cookies)) }
        guard case .cookies(let before) = session else { return session }
        guard profile.loginResponse?.expiry != nil else { return .cookies(response.cookies) }
        return .cookies(
            response.cookies.map { cookie in
                let end = before.first { $0.name == cookie.name }?.expires
                return cookie.expires == nil ? end.map { CookieRecord.ending(cookie, at: $0) } ?? cookie : cookie
            })
    }
}

extension ServiceClient {
    /// Has a person go to a page, by the URL that a response of the login has given.
    func open(_ page: RequestRule.OpenedPage) throws(LoginFault) {
        guard let opener else { throw lacking }
        let values = SlotValues(extraSecrets: extraSecrets)
        try opener(try naming(try page.url.filled(values, .header)).unprotectedText, page.origins)
    }
}

// What shows whether a login led anywhere: its pages, and whether the response is its form again.
extension ServiceClient {
    /// A page that nothing depends on: one that cannot be read shows no form.
    func readable(_ response: HTTPResponse, at url: String) -> ResponsePage? {
        try? ResponsePage(response, at: url)
    }

    /// Whether a page has the form of the profile's login.
    func offersLogin(_ page: LoginPage) throws(LoginFault) -> Bool {
        let paths = try loginPaths()
        return profile.loginSteps.contains { page.offersLogin($0, at: paths) }
    }

    /// Where people log in: a page of the profile's, and its login request.
    func loginPaths() throws(LoginFault) -> [String] {
        var urls = profile.loginSteps.compactMap(\.page).map { endpoint.base + $0 }
        for step in profile.loginSteps {
            urls.append(try fromTemplate(try step.anonymous.url(base: endpoint.base, SlotValues())))
        }
        var paths: [String] = []
        for url in urls { paths.append(try URLParser.parsed(url).path) }
        return paths
    }
}

extension ServiceClient {
    /// The rules by which a response is read.
    struct Reading {
        let rule: ResponseRule
        /// The rule for the CSRF token of the next request, which any response to a session may bring.
        let told: CSRFRule?
        let request: RequestRule
        /// Whether it is read as a page even where the rules do not ask for that.
        let wantsPage: Bool
        /// Whether it may show the form of the profile's login.
        let looksForLogin: Bool

        /// How much of the body it needs.
        var bodyNeed: BodyNeed {
            if wants(\.readsBody) { return .rules }
            return wantsPage ? .page : looksForLogin ? .loginForm : .head
        }

        func wants(_ kind: KeyPath<ResponseRule, Bool>) -> Bool {
            rule[keyPath: kind] || told.map { !$0.stale.isEmpty && $0.response[keyPath: kind] } == true
        }
    }

    func read(
        _ sent: Sent, to request: HTTPRequest, by reading: Reading, after visit: PageVisit?
    ) throws(LoginFault) -> Reply {
        let rule = reading.request, response = sent.response, readsHTML = reading.wants(\.readsHTML)
        var page = reading.wantsPage || readsHTML ? try ResponsePage(response, at: request.url) : nil
        if page == nil, reading.looksForLogin, response.judgesPasswords { page = readable(response, at: request.url) }
        let asksAgain = try page.map { (page) throws(LoginFault) in
            rule.slots.contains(.password)
                ? page.asksAgain(rule) : reading.looksForLogin ? try offersLogin(page.page) : false
        }
        let facts = ParsedResponse(
            response: response, json: reading.wants(\.readsJSON) ? try json(of: response) : nil,
            html: readsHTML ? page?.body : nil, xml: reading.wants(\.readsXML) ? try response.xml() : nil,
            origin: endpoint.origin, isProven: sent.isProven,
            wrote: !RequestRule.onlyReads(request.method), asksAgain: asksAgain ?? false,
            asksForCode: page?.page.asksForCode ?? false,
            leadsToLogin: try leadsToLogin(response, of: rule), sentPassword: sent.carriedPassword)
        return Reply(facts: facts, visit: rule.page == nil ? nil : visit, page: page, url: request.url)
    }

    /// Whether a response to another request than the login's leads to the login.
    private func leadsToLogin(_ response: HTTPResponse, of rule: RequestRule) throws(LoginFault) -> Bool {
        guard response.isRedirect, let redirect = response.redirect, redirect.fault == nil,
            redirect.origin == endpoint.origin, !profile.loginSteps.contains(rule)
        else { return false }
        return try loginPaths().contains { redirect.target.withoutQuery.isLogin(of: $0) }
    }

    /// The body of a success must be read beyond doubt. Another status says enough by itself.
    private func json(of response: HTTPResponse) throws(LoginFault) -> JSONValue? {
        (200..<300).contains(response.status) ? try response.json() : response.looseJSON
    }

    /// Whether the address of a login has moved, and not led back to a page that asks for the password again.
    /// - Throws: `usage` for a login that has moved, `untrusted(otherOrigin)`.
    private func checkAddress(of rule: RequestRule, _ reply: Reply, former: [Cookie]) throws(LoginFault) {
        let anonymous = reply.visit == nil ? Set((anonymousCookies ?? []).map(\.name)) : []
        let url = try URLParser.parsed(reply.url)
        guard let moved = reply.facts.moved(from: url, by: rule.response, former: former, anonymous: anonymous) else {
            return
        }
        guard let origin = moved.origin, origin == url.origin else {
            throw .untrusted(.otherOrigin(target: moved.origin?.description ?? moved.url))
        }
        var request = HTTPRequest(page: try URLParser.parsed(moved.url))
        (request.cookies, request.hidden) = (reply.facts.response.cookies, hidden)
        let response = try plainly(request).response
        let page = readable(response, at: moved.url)?.page
        let fields = page?.fields ?? [], paths = try loginPaths()
        let leadsBack = response.redirect.map { redirect in
            paths.contains { redirect.target.withoutQuery.isLogin(of: $0) }
        }
        if leadsBack == true || fields.contains(where: { $0.type == "password" }) { return }
        let new = rule.pathWithOtherSlash
        throw .usage(
            "the login has moved to \(SafeText.quoted(new.path)) (status \(reply.facts.status)); your password was not checked",
            next: "change the profile: \(new.line)")
    }

    /// Follows redirects on the origin by GET, with the cookies that hold by then, until a response says what its rules look for.
    /// A redirect that would send the body again (307, 308) is judged like any response.
    func following(_ first: Reply, by reading: Reading) throws(LoginFault) -> Reply {
        var reply = first
        for _ in 0..<Self.mostRedirects {
            let rule = reading.rule, facts = reply.facts
            let isJudged = [rule.refused, rule.forbidden, rule.secondFactor, rule.pending].contains {
                facts.matches(any: $0 ?? [])
            }
            guard [301, 302, 303].contains(facts.status), !isJudged, let redirect = facts.response.redirect,
                redirect.fault == nil, redirect.origin == endpoint.origin
            else { return reply }
            var request = HTTPRequest(method: "GET", url: redirect.url)
            (request.cookies, request.hidden, request.bodyNeed) = (facts.response.cookies, hidden, reading.bodyNeed)
            reply = try read(try plainly(request), to: request, by: reading, after: first.visit)
        }
        throw .network(.redirectLoop(limit: Self.mostRedirects))
    }

    private static let mostRedirects = 5
}

extension Profile {
    /// Whether the response to one of the requests may be the form of the login. A step before the password may show it for the first
    /// time.
    fileprivate func looksForLogin(in rule: RequestRule) -> Bool {
        rule.slots.contains(.password)
            || RequestRule.onlyReads(rule.method) && hasLoginForm && !loginSteps.contains(rule)
    }
}

extension HTTPResponse {
    /// The body; `nil` also for what is no clear JSON, which then has no place that a rule could name.
    var looseJSON: JSONValue? {
        try? json()
    }
}
