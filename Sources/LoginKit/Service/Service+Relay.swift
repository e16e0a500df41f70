import Secrets

extension Service {
    /// The response to a request of the person's own.
    package struct Relayed {
        /// With an empty body: that went to the request's sink. Only the refusal of another protocol may have one.
        package let response: HTTPResponse
        /// The session with what the answer refreshed in it; `nil` if none was sent.
        let session: Session?
        /// Whether the answer itself proves that the server knows the credential.
        let isProven: Bool
        /// Whether a password was sent, by HTTP authentication.
        let carriedPassword: Bool
        /// Where the request went.
        let url: String

        init(_ sent: ServiceClient.Sent, with session: Session?, at url: String) {
            (response, self.session, self.url) = (sent.response, session, url)
            (isProven, carriedPassword) = (sent.isProven, sent.carriedPassword)
        }
    }

    /// Sends a request of the person's own with the session attached; its bodies pass through.
    ///
    /// Once: of an answer that means 'logged out' only the caller can tell what is to follow.
    /// - Parameter session: `nil` for an anonymous request, or for a password that waits for the server's challenge.
    func relay(
        _ request: HTTPRequest, with session: Session?, username: String
    ) throws(LoginFault) -> Relayed {
        // Each response may bring others, and a long run would gather them all.
        let before = client.hidden
        defer { client.hidden = before }
        client.hide(session?.secrets ?? [], username: username)
        return try client.hiding { () throws(LoginFault) in
            var request = request
            if request.streamedBodies?.source != nil, session != nil, profile.sessionRule.adds(to: request) {
                throw .usage("the session adds to this body, which is too long for that; at most 1 MiB is held")
            }
            guard let former = session else {
                request.hidden = client.hidden
                return Relayed(try client.anonymously(request), with: nil, at: request.url)
            }
            let slots = profile.sessionRule.slots(forOwn: request)
            let session = try fetchingCSRF(for: slots, former, username)
            request.hidden = client.hidden
            let values = client.values(session, username: username)
            try fromTemplate(try request.attach(session, profile.sessionRule, values))
            client.attachCSRFCookies(to: &request, with: slots)
            request.body = try fromTemplate(try profile.sessionRule.adding(to: request, values))
            request.comeFromBrowser(profile.sessionRule, at: endpoint.origin)
            guard let credential = session.credential else {
                let sent = try client.plainly(request)
                return Relayed(sent, with: client.refreshed(session, by: sent.response), at: request.url)
            }
            let sent = try loginMethod.send(request, with: credential, answersOtherRealms: false)
            return Relayed(sent, with: session, at: request.url)
        }
    }

    /// Whether a session may be sent with a request before the server has asked for it. A password of Basic is shown to no other
    /// part of the server than the one that verified it (RFC 7617, section 2.2).
    /// - Parameter space: where that was; `nil` if it is not known, as of the logins of former releases.
    func mayBeSentAhead(_ session: Session, to url: String, in space: VerifiedSpace?) throws(LoginFault) -> Bool {
        guard let space, try sendsBasic(session) else { return true }
        return space.covers(path: try URLParser.parsed(url).path)
    }

    /// Judges what a response says about the session.
    /// - Parameters:
    ///   - body: as much as there is of it; `nil` if it was too long to be held.
    ///   - space: where the login was verified, as far as that is known.
    func judge(
        _ relayed: Relayed, body: Secret?, space: VerifiedSpace? = nil
    ) throws(LoginFault) -> RelayJudgement {
        try parsed(relayed, body, by: profile.proof.rules)
            .relayed(
                by: profile.proof,
                in: RelayContext(
                    space: space, carriedPassword: relayed.carriedPassword, loginPaths: try client.loginPaths(),
                    anonymous: anonymousResponse))
    }

    /// Opens an answer as far as `rules` look into it.
    func parsed(_ relayed: Relayed, _ body: Secret?, by rules: ResponseRule) throws(LoginFault) -> ParsedResponse {
        let response = relayed.response
        // The client has its own way with it; what is judged is what it means. What cannot be decoded is as good as too long.
        let body = body.flatMap {
            try? ContentCoding(response.headers).decoded($0, limit: ServiceClient.heldLimit)
        }
        let whole = HTTPResponse(
            status: response.status, headers: response.headers, body: body ?? Secret(""), cookies: response.cookies,
            redirect: response.redirect)
        // Without a session it may be a page for everybody that has the form at its top.
        let looksForLogin = relayed.session != nil && profile.hasLoginForm && profile.verify != nil
        let page = looksForLogin ? client.readable(whole, at: relayed.url) : nil
        return ParsedResponse(
            response: whole, json: rules.readsJSON ? try whole.json() : nil,
            html: rules.readsHTML ? try ResponsePage(whole, at: endpoint.base)?.body : nil,
            xml: rules.readsXML ? try whole.xml() : nil, origin: endpoint.origin, isProven: relayed.isProven,
            asksAgain: try page.map { (page) throws(LoginFault) in try client.offersLogin(page.page) } ?? false)
    }

    /// The protection space of a login by HTTP authentication, for later requests.
    func verifiedSpace(of session: Session, username: String) throws(LoginFault) -> VerifiedSpace? {
        guard profile.traits.answersChallenges, let rule = profile.verify ?? profile.login else { return nil }
        var values = client.values(session, username: username)
        values.ttl = options.ttl
        let url = try fromTemplate(try rule.url(base: endpoint.base, values))
        return VerifiedSpace(realm: protectionSpace?.realm, path: try URLParser.parsed(url).path)
    }
}

extension Service {
    /// All that is sent with a request that writes, for a program that sends requests of its own.
    package struct Attachment {
        /// Its headers, cookies and pair of user name and password.
        package let request: HTTPRequest
        /// The method by which the credential is sent where it is the session, or a token takes its place (Basic); else `nil`.
        package let method: AuthenticationMethod?
    }

    /// - Throws: as `relay`, without a request to the server unless that has still to say which method it wants. For whoever
    ///   answers its challenges by themselves, the method that worked at the login is enough.
    package func attachment(of session: Session, username: String) throws(LoginFault) -> Attachment {
        var request = HTTPRequest(method: "POST", url: endpoint.base)
        let slots = profile.sessionRule.slots(for: request.method)
        let session = try fetchingCSRF(for: slots, session, username)
        try fromTemplate(
            try request.attach(session, profile.sessionRule, client.values(session, username: username)))
        client.attachCSRFCookies(to: &request, with: slots)
        request.comeFromBrowser(profile.sessionRule, at: endpoint.origin)
        guard case .credential(let credential) = session else {
            return Attachment(request: request, method: request.basic == nil ? nil : .basic)
        }
        let answersByItself = credential.password != nil && options.pinnedMethod == .digest
        let method = answersByItself ? .digest : try loginMethod.authenticationMethod(for: credential)
        if method == .basic || method == .digest { request.basic = credential.pair }
        return Attachment(request: request, method: method)
    }
}

extension Service {
    /// Whether a request may log in another account: one that writes, or has the method of the profile's login, to a path with the last
    /// segment of the login's in it. Services read `//login`, `/login%20` and `/x/..;/login` in many ways, and a question more costs little.
    func mayLogIn(_ request: HTTPRequest) throws(LoginFault) -> Bool {
        let logsIn = { (step: RequestRule) in step.method == request.method && step.slots.contains(.password) }
        guard !RequestRule.onlyReads(request.method) || profile.loginSteps.contains(where: logsIn) else { return false }
        let logins = try client.loginPaths()
        guard !logins.isEmpty else { return false }
        let path = try URLParser.parsed(request.url).path.readPath
        return logins.contains { login in
            login.readPath.split(separator: "/").last.map { path.contains($0) } ?? true
        }
    }
}

extension String {
    /// Decoded twice, as some services do.
    fileprivate var readPath: String { lookedUpPath.lookedUpPath }
}
