public import LoginCore
public import Secrets

/// Where a profile's requests go.
public struct ServiceEndpoint: Equatable, Sendable {
    /// What every secret of the profile is bound to.
    public let origin: Origin
    /// Origin and base path, without a slash at the end; every path of the profile is appended to it.
    public let base: String

    /// - Parameter base: has to be on `origin`; nothing is checked here.
    public init(origin: Origin, base: String) {
        self.origin = origin
        self.base = base
    }
}

/// One service as a profile describes it: puts the profile's requests together, sends them, and reads the answers by
/// the profile's rules.
///
/// It judges nothing by itself: `ParsedResponse.judged` does, and whether to go on is `LoginFlow`'s decision.
public final class Service: Authenticator {
    /// What a caller may add to a profile.
    public struct Options: Sendable {
        /// Seconds that a token is asked to live.
        public var ttl: Int?
        /// The method that worked before: a weaker offer is refused.
        public var pinnedMethod: AuthenticationMethod?
        /// A password was given: no ticket takes its place.
        public var hasPassword: Bool
        /// Whom the login is for, if that is known: another one's ticket is not used.
        public var username: String?

        /// What verify answered before the login of this account.
        public var anonymousResponse: AnonymousResponse?

        /// Without arguments, a login with whatever credential is found, by whatever method the profile accepts.
        public init(
            ttl: Int? = nil, pinnedMethod: AuthenticationMethod? = nil, hasPassword: Bool = false,
            username: String? = nil, anonymousResponse: AnonymousResponse? = nil
        ) {
            self.anonymousResponse = anonymousResponse
            self.ttl = ttl
            self.pinnedMethod = pinnedMethod
            self.hasPassword = hasPassword
            self.username = username
        }
    }

    let profile: Profile
    let endpoint: ServiceEndpoint
    let options: Options
    let clock: WallClock
    let transport: any Transport
    let tickets: TicketCache
    /// The same way without the client certificate, where that alone is the proof.
    let anonymous: (any Transport)?
    /// What the server asked for, once it was asked.
    public internal(set) var protectionSpace: ProtectionSpace?
    /// What verify answers without a login: found out by `prepare`, else remembered.
    public internal(set) var anonymousResponse: AnonymousResponse?
    /// The challenge of Digest in hand, with how often it was answered.
    var digest: DigestSession?
    /// Whether the last answer showed that the server took the credential for good, whatever its status.
    var isProven = false
    /// Is told how each answer was judged.
    public var observer: ((Evidence) -> Void)?
    /// Everything secret that was sent or received: what the server says is not shown where it repeats any of it.
    var hidden = RepeatedSecrets()
    /// What goes along with every request: `hold`.
    private var extraSecrets: [CredentialField: Secret] = [:]
    /// Whether the session of the last login is carried by cookies that the page before it had set.
    public private(set) var keepsAnonymousSession = false
    /// Why the last token looks as if it were past its end, where the clocks are the reason.
    public internal(set) var clockDifference: ClockDifference?
    /// What the last page left.
    private(set) var lastVisit: PageVisit?

    /// Asks nothing yet.
    /// - Parameter anonymous: the way without the client certificate; nothing unless that alone is the proof.
    public init(
        profile: Profile, endpoint: ServiceEndpoint, transport: any Transport, clock: WallClock,
        tickets: TicketCache, options: Options = Options(), anonymous: (any Transport)? = nil
    ) {
        self.profile = profile
        self.endpoint = endpoint
        self.transport = transport
        self.clock = clock
        self.tickets = tickets
        self.options = options
        self.anonymous = anonymous
        anonymousResponse = options.anonymousResponse
    }

    public func hold(_ extraSecrets: [CredentialField: Secret]) {
        self.extraSecrets = extraSecrets
        hidden.add(extraSecrets.values.map { $0 })
    }

    public func begin(_ credential: Credential, code: Secret?) throws(LoginError) -> LoginStep {
        hold(credential.extraSecrets)
        hidden.add([credential.secret, code], username: credential.username ?? "")
        return try shielded { () throws(LoginError) in
            try check(credential)
            if protectionSpace == nil { _ = try prepare() }
            let credential = try withPrincipal(credential)
            lastVisit = nil
            if profile.loginSteps.isEmpty {
                return .accepted(try confirmed(try ownSession(of: credential), credential))
            }
            return try take(StepsInProgress(credential: credential), code: profile.asksCodeAtOnce ? code : nil)
        }
    }

    public func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginError) -> LoginStep {
        guard let steps = partial as? StepsInProgress else {
            throw .failure(.unexpectedEvent("a login of another service was gone on with"))
        }
        hidden.add([code])
        return try shielded { () throws(LoginError) in try take(steps, code: code) }
    }

    /// A login whose session the verify endpoint confirms.
    func confirmed(_ session: Session, _ credential: Credential) throws(LoginError) -> Login {
        let visit = lastVisit
        let login = try confirm(session, username: credential.username ?? "", afterLogin: true)
        keepsAnonymousSession = visit.map { login.session.isCarried(by: $0.cookies) } ?? false
        return Login(
            identity: login.identity, session: login.session, credential: keepsCredential ? credential : nil,
            extraSecrets: extraSecrets,
            anonymousResponse: anonymousResponse,
            space: try verifiedSpace(of: session, username: login.identity.username))
    }

    /// Whether the credential stays beside the session that it earned.
    private var keepsCredential: Bool {
        switch profile.kind {
        case .challenge, .exchange, .certificate:
            profile.settings.keepPassword && !profile.sessionRule.isCredential
        case .pasted: false
        }
    }

    public func verify(_ session: Session, username: String) throws(LoginError) -> Login {
        try shielded { () throws(LoginError) in try confirm(session, username: username, afterLogin: false) }
    }

    /// Sends one of the profile's requests and opens its answer.
    /// - Parameters:
    ///   - answer: the rules by which the answer is read; those of the request unless said.
    ///   - cookies: of the steps before it.
    func send(
        _ rule: RequestRule, _ values: SlotValues, session: Session?, credential: Credential? = nil,
        readBy answer: ResponseRule? = nil, over other: (any Transport)? = nil, carrying cookies: [Cookie] = []
    ) throws(LoginError) -> ParsedResponse {
        var values = values
        values.ttl = options.ttl
        isProven = false
        values.extraSecrets = extraSecrets
        let visit = try visitPage(of: rule, values, session, carrying: cookies)
        lastVisit = visit ?? lastVisit
        if let visit { values.take(from: visit) }
        var request: HTTPRequest
        do throws(FillFault) {
            request = try rule.request(base: endpoint.base, values)
            request.cookies = cookies
            if let session { try request.attach(session, profile.sessionRule, values) }
            if let visit { request.follow(visit) }
            if session != nil { request.comeFromBrowser(profile.sessionRule, at: endpoint.origin) }
        } catch {
            throw error.asLoginError
        }
        request.hidden = hidden
        let response: HTTPResponse
        if let credential = credential ?? session?.credential {
            response = try send(request, with: credential)
        } else {
            response = try (other ?? transport).send(request)
        }
        let json = (answer ?? rule.response).readsJSON ? try response.json() : nil
        return ParsedResponse(
            response: response, json: json, origin: endpoint.origin, isProven: isProven,
            wrote: !RequestRule.onlyReads(request.method))
    }
}
