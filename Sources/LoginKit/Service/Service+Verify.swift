extension Service {
    /// In bytes: what goes on is kept, and shown in tables.
    private static let longestName = 16 << 10

    /// Has the verify endpoint confirm a session: the only proof of a login, where the service has such an endpoint. Where it has
    /// none, nothing is known against a session that is not past its end.
    ///
    /// What the response itself sets may be another account's, so verify is asked once more: with the new session whether that is the same
    /// user's, or, where it names nobody, with the old one whether the service has ended that. Else the session stays as it was. What the
    /// second response sets is taken unasked: a service that rotates would lead to questions without end.
    func confirm(_ session: Session, username: String, afterLogin: Bool) throws(LoginFault) -> Login {
        let login = try ask(session, username: username, afterLogin: afterLogin)
        let newest = provable(login.session, after: session, username: username)
        func accepted(_ session: Session) -> Login {
            Login(identity: login.identity, session: session, extraSecrets: login.extraSecrets)
        }
        if newest.hasValues(of: session) { return accepted(newest) }
        let isNamed = login.identity.serverName != nil
        do {
            let next = try ask(isNamed ? newest : session, username: username, afterLogin: false)
            let other = RefreshOwner(named: next.identity.serverName).otherPerson(than: login.identity)
            result.otherUser = other ?? result.otherUser
            guard isNamed, next.identity.serverName != nil, other == nil else { return accepted(session) }
            return accepted(provable(next.session, after: newest, username: username))
        } catch .rejected where !isNamed {
            // What is left of a session that lost a cookie may be none.
            if !newest.cookies.lostNames(from: session.cookies).isEmpty {
                _ = try ask(newest, username: username, afterLogin: false)
            }
            return accepted(newest)
        } catch {
            return accepted(session)
        }
    }

    /// A session that a response has changed, without the changes that verify cannot prove, since its request does not carry the cookie.
    /// - Parameter isFree: whether a cookie of this name may change unproved.
    func provable(
        _ session: Session, after former: Session, username: String, unless isFree: (String) -> Bool = { _ in false }
    ) -> Session {
        guard let verify = profile.verify, session.cookies != former.cookies else { return session }
        let path = path(of: verify, former, username)
        var session = session
        session.cookies = session.cookies.proved(byRequestTo: path, after: former.cookies, unless: isFree)
        return session
    }

    /// The path that a request of verify with this session goes to.
    private func path(of verify: RequestRule, _ session: Session, _ username: String) -> String {
        let url = try? verify.url(base: endpoint.base, client.values(session, username: username))
        return url.flatMap { try? URLParser.parsed($0).path } ?? "/"
    }

    /// Whether a request to verify tells whose session it is.
    private func carries(_ session: Session, in verify: RequestRule, _ username: String) -> Bool {
        guard case .cookies(let cookies) = session, verify.slots.isEmpty,
            profile.sessionRule.slots(for: verify.method).isEmpty
        else { return true }
        let path = path(of: verify, session, username)
        return cookies.contains { CookieRecord.isSent($0, to: path) }
    }

    private func ask(_ session: Session, username: String, afterLogin: Bool) throws(LoginFault) -> Login {
        client.hide(session.secrets, username: username)
        guard let verify = profile.verify else {
            if !afterLogin, clock.isOver(session.expires) { throw .rejected(.pastEnd) }
            return Login(
                identity: Identity(username: username, serverName: nil), session: session, extraSecrets: takenForLater)
        }
        let facts = try send(verify, with: session, username: username).facts
        result.verifyLeadsTo = facts.response.redirect
        result.allowedMethods = facts.response.values(of: "Allow")
        result.verifyShowsForm = facts.asksAgain
        switch client.judge(facts, by: verify.response, at: .verify) {
        case .accepted:
            // Whose request carries nothing is anybody; a place that was searched for has been seen without the session just now.
            guard !afterLogin || options.findsVerify || carries(session, in: verify, username) else {
                throw .rejected(Refusal(status: facts.status, doubt: .unproven))
            }
            // Where no name speaks for a fresh login, what made-up cookies get is asked for.
            if afterLogin, verify.response.username == nil, case .cookies(let cookies) = session {
                try AnonymousCheck(client: client).sendWithMadeUp(cookies, verify)
            }
        case .refused(let refusal):
            var refusal = refusal.ambiguous(afterLogin || profile.traits.authenticatesRequests, session.credential)
            // A verify that was changed since the login has not accepted it yet.
            let isChanged = !afterLogin && options.lastAccepted != nil && acceptedVerify == nil
            if isChanged, refusal.doubt == nil { refusal.doubt = .unproven }
            refusal.isAsAtLastLogin = acceptedVerify?.anonymous?.includes(facts) ?? false
            throw .rejected(refusal)
        case .forbidden(let refusal): throw .forbidden(refusal)
        case .needsSecondFactor(let words):
            let takesCode = profile.loginSteps.contains { $0.slots.contains(.code) }
            throw .secondFactor(takesCode ? .required(words: words) : .notDescribed(words: words))
        case .pending:
            throw .secondFactor(.required(words: nil))
        case .unclear where afterLogin && options.learns && profile.traits.asksForGrant && facts.mayBeLoggedIn:
            result.loggedInStatus = facts.status
        case .unclear(let error): throw error
        }
        if afterLogin, DeviceBinding.isTold(by: facts.response.headers.map(\.name)) { result.bindsToDevice = true }
        if afterLogin, options.findsVerify {
            noteFindings(username, in: facts, of: verify)
            // The rules that were found name what anonymous clients get, and not what may come of a refusal.
            if facts.asksAgain, result.usernamePlace == nil { throw .rejected(Refusal(status: facts.status)) }
        }
        var found = verify.response.username.flatMap { session.name(at: $0) ?? facts.name(at: $0) }
        if afterLogin, options.learns, profile.traits.asksForGrant, verify.response.username == nil {
            (result.usernamePlace, found) = facts.response.userinfoName
        }
        let refreshed = client.refreshed(session, by: facts.response)
        result.changedByVerify.formUnion(refreshed.cookies.changedNames(from: session.cookies))
        guard found?.utf8.count ?? 0 <= Self.longestName else {
            throw .network(.brokenResponse("the user name in it is longer than \(Self.longestName) bytes"))
        }
        return Login(
            identity: Identity(username: accountName(typed: username, found), serverName: found), session: refreshed,
            extraSecrets: takenForLater)
    }
}

extension Service {
    /// Whether a session is a password that goes out by Basic, as the request before did.
    func sendsBasic(_ session: Session) throws(LoginFault) -> Bool {
        guard let credential = session.credential, credential.password != nil else { return false }
        return try loginMethod.authenticationMethod(for: credential) == .basic
    }

    /// A pasted token has no typed name: the account goes by the server's.
    private func accountName(typed username: String, _ serverName: String?) -> String {
        (profile.traits.takesToken || profile.opensPage) && username.isEmpty ? serverName ?? "" : username
    }
}

extension ParsedResponse {
    /// Whether a service that answers 401 without a token may mean that this one is good, and that the request was not its usual one.
    fileprivate var mayBeLoggedIn: Bool { (400..<500).contains(status) && ![401, 403, 408, 429].contains(status) }
}

extension HTTPResponse {
    /// The name in what looks like userinfo (OpenID Connect Core 1.0, section 5.3.2), and its place: the first of these claims that people
    /// would know themselves by, else the opaque `sub`.
    fileprivate var userinfoName: (place: Place?, name: String?) {
        guard case .object(let members)? = looseJSON, members["sub"] != nil else { return (nil, nil) }
        for claim in ["preferred_username", "email", "sub"] {
            if case .string(let name)? = members[claim], !name.isEmpty { return (Place("/\(claim)"), name) }
        }
        return (nil, nil)
    }
}

extension Session {
    /// The user name, if only the id_token of the grant names it.
    fileprivate func name(at place: Place?) -> String? {
        if case .identityToken? = place { terms?.name } else { nil }
    }
}

extension Refusal {
    /// The refusal that a server would give for an expired session.
    fileprivate static let pastEnd = Refusal(status: 401)
}
