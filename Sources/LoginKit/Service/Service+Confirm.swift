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
                    response: opened.verdict == .accepted ? .tookPassword : .undecided, url: client.guardedURL))
        }
        do {
            let login = try verified(opened)
            guard isGuess, try !loginPageShowsPerson(after: opened) else { return .accepted(login) }
            return .unconfirmed(
                UnconfirmedLogin(
                    response: .undecided, url: client.guardedURL, leadsTo: result.verifyLeadsTo.flatMap(shownPath)))
        } catch .rejected(let refusal) {
            if try leadsToCode(opened) { throw .secondFactor(.notDescribed(words: nil)) }
            let response = opened.verdict.unconfirmed(
                by: refusal, provesLogins: options.verifyProvesLogins,
                isToken: profile.traits.earnsGrant)
            guard profile.verify != nil, let response else { throw .rejected(refusal) }
            if !searchesFirst, let step = try searched(after: opened) { return step }
            return .unconfirmed(
                UnconfirmedLogin(
                    response: response, url: client.guardedURL, leadsTo: result.verifyLeadsTo.flatMap(shownPath)))
        } catch .failure(.redirected(let step, let status, let target)) {
            // Whoever is logged in is redirected from there, as from many front pages.
            if step == Step.verify.rawValue, !searchesFirst, let step = try searched(after: opened) { return step }
            throw .failure(.redirected(step: step, status: status, target: target))
        }
    }

    /// Confirms a login that showed its form again: refused unless verify accepts it.
    private func confirmed(_ opened: OpenedLogin, despite refusal: Refusal) throws(LoginFault) -> LoginStep {
        do {
            return .accepted(try verified(opened))
        } catch .rejected, .failure, .untrusted(.otherOrigin) {
            return .refused(refusal)
        } catch .forbidden(let found) where found.mayMeanLoggedOut {
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
        // If verify leads back to the page of the login, it has to name the user.
        let isUnnamed =
            result.unnamedPlace != nil || options.findsVerify && result.verifyPlace == nil && !result.showsPerson
        if isUnnamed, try !isPastForm, opened.verdict == .undecided, let target = opened.redirect?.target,
            try client.loginPaths().contains(where: { target.withoutQuery.isLogin(of: $0) })
        {
            throw .rejected(Refusal(status: 200, missingName: result.unnamedPlace?.description))
        }
        result.keepsAnonymousSession = opened.visit.map { login.session.isCarried(by: $0.cookies) } ?? false
        return Login(
            identity: login.identity, session: login.session,
            credential: keepsCredential && opened.credential.password != nil ? opened.credential : nil,
            extraSecrets: client.extraSecrets.asked.merging(takenForLater) { $1 }, anonymousResponse: anonymousResponse,
            space: try verifiedSpace(of: opened.session, username: login.identity.username))
    }

    /// Whether the credential stays beside the session that it earned.
    private var keepsCredential: Bool {
        !profile.traits.takesToken && profile.settings.keepPassword && !profile.sessionRule.isCredential
    }
}
