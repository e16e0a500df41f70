import LoginCore
import Secrets

/// Sends the requests of one profile: fills in their templates, fetches the page that one has to come from, attaches the session,
/// and opens the response.
///
/// How a credential is sent is for the login to say (`Way`), and what a response means is for `ParsedResponse.judged`.
final class ServiceClient {
    /// Changes where the login of a URL finds a better verify request.
    var profile: Profile
    package let endpoint: ServiceEndpoint
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
    /// The cookies that the last request without a login was answered with; `nil` if none was sent.
    var anonymousCookies: [Cookie]?
    /// The cookies that anybody gets before a login.
    var cookiesBeforeLogin: [Cookie] = []
    /// The field for a password on a page that verify has answered without a login, as if there were one.
    var anonymousPasswordField: String?
    /// Everything secret that was sent or received: what the server says is not shown where it repeats any of it.
    private(set) var hidden = RepeatedSecrets()
    /// The secrets that are sent with every request.
    var extraSecrets: [CredentialField: Secret] = [:]
    /// For `{csrf}`, once it is known; is sent with the session.
    var csrf: Secret?
    /// The cookies that hold after each response, noted during a logout, which may set others at each of its steps.
    var noted: [[Cookie]]?

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

    /// The way of a request that carries no credential.
    func plainly(_ request: HTTPRequest) throws(LoginFault) -> Sent {
        Sent(response: try exchange(request))
    }

    /// Sends over the client's own transport.
    func exchange(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        let response = try transport.send(request)
        noted?.append(response.cookies)
        return response
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
    func send(
        _ rule: RequestRule, _ values: SlotValues, session: Session?, readBy answer: ResponseRule? = nil,
        carrying cookies: [Cookie] = [], from form: ResponsePage? = nil, readingPage: Bool = false, by way: Way
    ) throws(LoginFault) -> Reply {
        var values = values
        values.ttl = ttl
        values.extraSecrets = extraSecrets
        values.csrf = session == nil ? nil : csrf
        var visit = try visitPage(of: rule, values, session, carrying: cookies)
        if visit == nil { visit = try form?.visit(by: rule, values, at: endpoint, carrying: cookies) }
        if let visit { values.take(from: visit) }
        let request = try filled(rule, values, session, cookies, visit)
        let reader = Reading(
            rule: answer ?? rule.response, told: session == nil ? nil : profile.sessionRule.csrf,
            request: rule, wantsPage: readingPage)
        let reply = try read(try way(request), to: request, by: reader, after: visit)
        return rule.followsRedirects ? try following(reply, by: reader) : reply
    }

    private func filled(
        _ rule: RequestRule, _ values: SlotValues, _ session: Session?, _ cookies: [Cookie], _ visit: PageVisit?
    ) throws(LoginFault) -> HTTPRequest {
        do throws(FillFault) {
            var request = try rule.request(base: endpoint.base, values)
            request.cookies = cookies
            if let session { try request.attach(session, profile.sessionRule, values) }
            if let visit { request.follow(visit) }
            if let link = visit?.link { request.url = endpoint.origin.description + link }
            if session != nil { request.comeFromBrowser(profile.sessionRule, at: endpoint.origin) }
            request.hidden = hidden
            return request
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

    /// Also hides `secrets` for the time of `body`: each response may bring others, and a long run would gather them all.
    func shielded<Result>(
        _ secrets: [Secret?], username: String, _ body: () throws(LoginFault) -> Result
    ) throws(LoginFault) -> Result {
        let before = hidden
        defer { hidden = before }
        hide(secrets, username: username)
        return try shielded(body)
    }

    /// Removes the secrets of this run from errors.
    func shielded<Result>(_ body: () throws(LoginFault) -> Result) throws(LoginFault) -> Result {
        do throws(LoginFault) {
            return try body()
        } catch {
            throw error.without(hidden)
        }
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
