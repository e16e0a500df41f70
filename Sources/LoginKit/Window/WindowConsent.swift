import Secrets

/// Has the person log in in a window of a browser, and takes the session once verify accepts it.
final class WindowConsent: ConsentSource {
    private let run: LoginRun
    private let dialogue: (AuthorizationSettings) -> any WindowDialogue
    private let origin: Origin
    private var watch = WindowWatch()
    /// Verify accepts the session, and the account lacks a permission.
    private var lastFault: LoginFault?
    private var hasTriedUserAgent = false

    /// Milliseconds between two looks at the cookies.
    private static let pause = 150

    /// - Parameter dialogue: with the person.
    init(_ run: LoginRun, _ dialogue: @escaping (AuthorizationSettings) -> any WindowDialogue) {
        (self.run, self.dialogue) = (run, dialogue)
        origin = run.endpoint.origin
    }

    var mayAsk: Bool { run.mayAsk }

    func credential(_ asked: [CredentialField: Secret]) throws(LoginFault) -> Credential {
        let window = dialogue(try run.consentSettings())
        defer { window.end() }
        let patience = run.request.policy.patience
        try window.open(
            run.service.client.windowURL, taking: run.profile.takesHeader.map { TakenHeader(name: $0, origin: origin) })
        let start = window.now()
        while true {
            let left = patience * 1000 - (window.now() - start)
            guard left > 0 else { throw lastFault ?? .promptExpired(seconds: patience) }
            let changed = try changes(in: window, secondsLeft: (left + 999) / 1000)
            for url in changed where isOurs(url) { watch.pageCameUp(url, at: window.now()) }
            guard window.pages.contains(where: isOurs) else { continue }
            let cookies = try window.cookies(for: run.service.client.guardedURL, host: origin.host)
            let values = cookies.map(\.value) + (window.headerValue.map { [$0] } ?? [])
            guard watch.tries(values, at: window.now()), let login = try login(by: cookies, in: window) else {
                continue
            }
            return Credential(
                username: run.request.username, .copied(CopiedSession(login)),
                extraSecrets: asked.merging(login.extraSecrets) { $1 })
        }
    }

    /// A closed window says why the last session was no good.
    private func changes(in window: any WindowDialogue, secondsLeft: Int) throws(LoginFault) -> [String] {
        do {
            return try window.changedPages(milliseconds: Self.pause, secondsLeft: secondsLeft)
        } catch .failure(.browser(.closed)) {
            throw lastFault ?? .failure(.browser(.closed))
        }
    }

    private func isOurs(_ url: String) -> Bool { (try? URLParser.parsed(url).origin) == origin }

    /// The login with these cookies: of the service's own host if they are enough, else with those of the domains above it, where
    /// the profile or the person allows that. Where nothing happens for a while, the service may want the browser's own name, too.
    private func login(by cookies: [WindowCookie], in window: any WindowDialogue) throws(LoginFault) -> Login? {
        let own = cookies.filter { !$0.isOfParent(of: origin.host) }
        let mayWant = watch.isLate && !run.profile.settings.takesUserAgent && !hasTriedUserAgent
        if mayWant { hasTriedUserAgent = true }
        for userAgent in run.profile.settings.takesUserAgent
            ? [window.userAgent] : mayWant ? [nil, window.userAgent] : [nil]
        {
            if let login = try accepted(own, window.headerValue, userAgent) {
                if mayWant, userAgent != nil { run.context.person.say(WindowWords.userAgent) }
                return login
            }
            guard own.count < cookies.count, let login = try accepted(cookies, window.headerValue, userAgent) else {
                continue
            }
            guard !run.profile.settings.parentCookies else { return login }
            let domains = Set(cookies.filter { $0.isOfParent(of: origin.host) }.map { String($0.domain.dropFirst()) })
            guard try window.agree(toCookiesOf: domains.sorted(), host: origin.host) else {
                throw .untrusted(
                    "the service accepts this login only with cookies of \(SafeText.list(domains.sorted())), which may open other "
                        + "sites there; they were not kept",
                    next: "to keep them, set parent-cookies = true in the profile, and log in again: \(.login)")
            }
            return login
        }
        return nil
    }

    /// - Returns: nothing where verify does not accept them, or cannot judge now.
    private func accepted(
        _ cookies: [WindowCookie], _ header: Secret?, _ userAgent: String?
    ) throws(LoginFault) -> Login? {
        guard let session = session(cookies, header) else { return nil }
        let more = userAgent.map { [CredentialField.userAgent: Secret($0)] } ?? [:]
        let credential = Credential(
            username: run.request.username, .copied(CopiedSession(session)), extraSecrets: more)
        do {
            guard case .accepted(let login) = try run.service.begin(credential, code: nil) else { return nil }
            run.service.note(login.session, of: login.identity.username, isConfirmed: true)
            return login
        } catch {
            switch error {
            case .forbidden: lastFault = error
            case .untrusted(.otherOrigin): lastFault = nil
            case .cancelled, .untrusted: throw error
            // A refusal, a redirect and a busy server mean the same: not yet.
            default: lastFault = nil
            }
        }
        return nil
    }

    /// Returns the session that the profile sends; `nil` if the window does not have it yet.
    private func session(_ found: [WindowCookie], _ header: Secret?) -> Session? {
        let cookies = found.map {
            CookieRecord.cookie(
                $0.name, $0.value, expires: $0.expires, domain: $0.domain, path: $0.path, isSecure: $0.isSecure,
                isHTTPOnly: $0.isHTTPOnly)
        }
        guard let name = run.profile.takesHeader else { return cookies.isEmpty ? nil : .cookies(cookies) }
        guard let header else { return nil }
        let request = CopiedRequest(header: name, header)
        var rule = run.profile.sessionRule
        rule.cookies = false
        let session = try? request.session(by: rule, expires: JSONWebToken.end) { [origin] in
            CookieRecord.cookie($0, $1, for: origin)
        }
        guard run.profile.sessionRule.cookies, case .token(let token)? = session else { return session }
        return .token(token.with(cookies))
    }
}

/// A person logs in in a browser, and the session is taken from there: nothing is exchanged here.
final class WindowLogin: LoginMethod {
    let client: ServiceClient

    init(_ parts: LoginMethodParts) {
        client = parts.client
    }

    func findSpace(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        try AnonymousCheck(client: client).space(.browser, isKnown: false)
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep { throw client.lacking }

    func authenticationMethod(for credential: Credential) -> AuthenticationMethod { .browser }
}
