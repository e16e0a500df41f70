// Confirms a login by the verify request, after the login's own requests.
extension Service {
    /// Confirms a login by verify. A 'logged out' there is a refusal only if the login's own response allows for one.
    func confirmed(_ opened: OpenedLogin) throws(LoginFault) -> LoginStep {
        if case .askedAgain(let refusal) = opened.verdict {
            return verifyProvesNothing ? .refused(refusal) : try confirmed(opened, despite: refusal)
        }
        // A login page may end the session of whoever asks for it: PostfixAdmin's does. And it may lack its form for another reason than
        // a login, such as a CAPTCHA after a wrong password.
        let isGuess = try verifiesByLoginPage, searchesFirst = verifyProvesNothing || isGuess
        if searchesFirst, let step = try searched(after: opened) { return step }
        if verifyProvesNothing {
            return .unconfirmed(
                UnconfirmedLogin(
                    response: opened.verdict.response, url: client.guardedURL))
        }
        do {
            let login = try verified(opened)
            guard isGuess, try !loginPageShowsPerson(after: opened) else { return .accepted(login) }
            return .unconfirmed(
                UnconfirmedLogin(
                    response: .undecided, url: client.guardedURL, leadsTo: result.verifyLeadsTo.flatMap(shownPath)))
        } catch .rejected(var refusal) {
            if try leadsToCode(opened) { throw .secondFactor(.notDescribed(words: nil)) }
            var response = verdict(of: opened).unconfirmed(
                by: refusal, hasAccepted: acceptedVerify != nil, isGrant: profile.traits.earnsGrant)
            // A page that greets the person has the form for another reason.
            if response == nil, options.findsVerify, result.showsPerson { response = .undecided }
            guard profile.verify != nil, let response else {
                refusal.doubt = nil
                throw .rejected(refusal)
            }
            let undecided = unconfirmed(refusal, response)
            // Where the URL that was given answers the session as it answers anybody, another page has to show the person, or be one at which
            // nobody is told of a failure.
            let leadsToLogin = try verifyLeadsToLogin, hasRefused = refusal.doubt == nil || leadsToLogin
            if !searchesFirst, let step = try searched(after: opened), try foundPageTells(despiteRefusal: hasRefused) {
                return step
            }
            return undecided
        } catch .failure(.redirected(let step, let status, let target)) {
            if mayBeProvedElsewhere { return try confirmedElsewhere(opened, status) }
            // Whoever is logged in is redirected from there, as from many front pages.
            let leadsToLogin = try verifyLeadsToLogin
            if step == Step.verify.rawValue, !searchesFirst, let step = try searched(after: opened),
                leadsToLogin ? try foundPageTells(despiteRefusal: true) : true
            {
                return step
            }
            throw .failure(.redirected(step: step, status: status, target: target))
        } catch .failure(.unexpectedStatus(let status, _, _))
            where status != 408 && mayBeProvedElsewhere
        {
            return try confirmedElsewhere(opened, status)
        }
    }

    /// A login that led to verify, which shows its form, has led back to it.
    private func verdict(of opened: OpenedLogin) -> LoginVerdict {
        let isLedBack = result.verifyShowsForm && opened.redirect?.target.withoutSession == profile.verify?.path.source
        return opened.verdict == .undecided && isLedBack ? .ledBack : opened.verdict
    }

    private func unconfirmed(_ refusal: Refusal, _ response: UnconfirmedLogin.Response) -> LoginStep {
        .unconfirmed(
            UnconfirmedLogin(
                response: response, url: client.guardedURL, refusal: refusal,
                anonymousStatus: anonymousResponse?.status, leadsTo: result.verifyLeadsTo.flatMap(shownPath)))
    }

    /// Whether another request than a GET of a URL may prove a login there, with a password or a pasted token.
    private var mayBeProvedElsewhere: Bool {
        options.learns && (profile.traits.answersChallenges || profile.kind == .pasted)
    }

    /// Looks elsewhere for the proof of a login that the given URL answers with a status that proves nothing: each place is asked once
    /// without the password, and once with it.
    private func confirmedElsewhere(_ opened: OpenedLogin, _ status: Int) throws(LoginFault) -> LoginStep {
        let undecided = unconfirmed(Refusal(status: status, doubt: .unproven), .undecided)
        let given = (profile.proof, client.anonymousResponse, client.anonymousCookies),
            places = otherPlaces(after: status)
        defer {
            if result.otherVerify == nil {
                (client.profile.proof, client.anonymousResponse, client.anonymousCookies) = given
            }
        }
        for verify in places {
            client.profile.proof = .verify(verify)
            do {
                _ = try AnonymousCheck(client: client).send(verify, at: .verify)
                let login = try verified(opened)
                result.otherVerify = verify
                return .accepted(login)
            } catch .rejected(let refusal) where refusal.doubt == nil && asksAlike(given.1, anonymousResponse) {
                throw .rejected(refusal)
            } catch .rejected, .failure, .usage, .untrusted(.otherOrigin) {
                continue
            }
        }
        return undecided
    }

    /// Whether a place asks for the password of which the given URL has asked anybody.
    private func asksAlike(_ given: AnonymousResponse?, _ place: AnonymousResponse?) -> Bool {
        guard given?.status == 401, let asked = given?.challenges else { return true }
        return place?.challenges.map { $0.contains(where: asked.contains) } ?? true
    }

    /// The requests that may prove a login where a GET of the URL does not: of a redirect's target, and by a safe method that the URL may
    /// take (RFC 9110, section 9.2.1), or the first message of an MCP client.
    private func otherPlaces(after status: Int) -> [RequestRule] {
        guard let verify = profile.verify else { return [] }
        if let redirect = result.verifyLeadsTo, redirect.fault == nil, redirect.origin == endpoint.origin {
            let target = redirect.target
            return [RequestRule(method: "GET", path: Template(literal: target))]
                + (target.isMCPPath ? [.initializingMCP(at: target)] : [])
        }
        if let mcp = profile.mcp ?? verify.mcpPath { return [.initializingMCP(at: mcp)] }
        guard status == 405 || status == 501 else { return [] }
        let allowed = result.allowedMethods.joined(separator: ",").uppercased()
        let methods = ["HEAD", "OPTIONS", "PROPFIND"].filter { allowed.isEmpty || allowed.contains($0) }
        return methods.map { method in
            var rule = RequestRule(method: method, path: verify.path)
            if method == "PROPFIND" { rule.headers = [HeaderRule(name: "Depth", value: Template(literal: "0"))] }
            return rule
        }
    }

    /// Confirms a login that showed its form again: refused unless verify accepts it.
    private func confirmed(_ opened: OpenedLogin, despite refusal: Refusal) throws(LoginFault) -> LoginStep {
        do {
            return .accepted(try verified(opened))
        } catch .rejected, .failure, .untrusted(.otherOrigin) {
            return .refused(refusal)
        } catch .forbidden(let found) where found.doubt == .forbidden {
            return .refused(refusal)
        }
    }

    /// Confirms the login by a verify request that is found now; `nil` if none may be looked for or was found.
    private func searched(after opened: OpenedLogin) throws(LoginFault) -> LoginStep? {
        guard options.findsVerify, let found = try search(after: opened) else { return nil }
        return .accepted(try verified(found))
    }

    /// Whether the verify request is only the page of the login.
    var verifiesByLoginPage: Bool {
        get throws(LoginFault) {
            guard options.findsVerify, let verify = profile.verify else { return false }
            let path = try URLParser.parsed(endpoint.base + verify.path.source).path
            return try client.loginPaths().contains(path)
        }
    }

    /// Where a response leads, without a query that may hold a secret.
    private func shownPath(_ redirect: Redirect) -> String? {
        let target = redirect.origin == endpoint.origin ? redirect.target : redirect.url
        let path = String(target.prefix { $0 != "?" && $0 != "#" })
        return path.isEmpty || repeatsSecret(path) ? nil : path
    }

    /// Asks verify, and returns the login with what it found.
    private func verified(_ opened: OpenedLogin) throws(LoginFault) -> Login {
        result.clockDifference = opened.clockDifference
        let login = try confirm(opened.session, username: opened.credential.username ?? "", afterLogin: true)
        // After a login that led back to its own page, a verify that was guessed has to show the person; so has one that links to a login.
        if options.findsVerify, result.verifyPlace == nil, !result.showsPerson,
            opened.verdict == .ledBack || result.linksToLogin, try !isPastForm
        {
            throw .rejected(Refusal(status: 200, doubt: .unproven))
        }
        let isBrowsers = if case .copied = opened.credential.kind { true } else { false }
        result.keepsAnonymousSession = opened.visit.map { login.session.isCarried(by: $0.cookies) } ?? false
        return Login(
            identity: login.identity, session: login.session,
            credential: keepsCredential && opened.credential.password != nil ? opened.credential : nil,
            extraSecrets: client.extraSecrets.asked.merging(takenForLater) { $1 }, anonymousResponse: anonymousResponse,
            accepted: profile.verify.map { AcceptedVerify(request: $0.fingerprint, anonymous: anonymousResponse) },
            space: try verifiedSpace(of: opened.session, username: login.identity.username),
            bindsToDevice: isBrowsers && result.bindsToDevice)
    }

    /// Whether the credential stays beside the session that it earned.
    private var keepsCredential: Bool {
        !profile.traits.takesToken && profile.settings.keepPassword && !profile.sessionRule.isCredential
    }
}
