import Secrets

// The login of a URL whose form is all that is known of the service: which request proves it is seen after it.
extension Service {
    /// Looks for a place that answers the fresh session in another way than an anonymous client, and takes it for verify.
    /// - Returns: the login with the cookies that hold by then; `nil` if no place was found.
    /// - Throws: `rejected` where the login led back to its own form.
    func search(after opened: OpenedLogin) throws(LoginFault) -> OpenedLogin? {
        var opened = opened
        var search = try search(opened.redirect)
        var ledBack: Refusal?, lastResort: (place: GuardedPlace, anonymous: [PageLook])?
        while result.searchRequests + 2 <= VerifySearch.mostRequests, let candidate = search.next() {
            if repeatsSecret(candidate.target) { continue }
            let rule = RequestRule(method: "GET", path: Template(literal: candidate.target))
            result.searchRequests += 1
            let loggedIn = try look(rule, with: opened.session)
            opened.session = client.refreshed(opened.session, by: loggedIn.response)
            if let page = loggedIn.look.page {
                if page.asksForCode { throw .secondFactor(.notDescribed(words: nil)) }
                search.add(page, of: candidate)
                result.logout = result.logout ?? page.logout
            }
            result.searchRequests += 1
            let anonymous = try look(rule, with: nil, by: client.anonymously)
            var looks = [anonymous.look]
            if !client.cookiesBeforeLogin.isEmpty {
                result.searchRequests += 1
                looks.append(
                    try look(rule, with: nil, carrying: client.cookiesBeforeLogin, by: client.anonymously).look)
            }
            guard
                let place = candidate.place(
                    loggedIn: loggedIn.look, anonymous: looks, username: opened.credential.username ?? "")
            else {
                if opened.isLedBack(to: candidate, loggedIn.look, looks, asking: profile.loginSteps.last) {
                    ledBack = Refusal(status: loggedIn.response.status)
                }
                if opened.verdict == .ledBack, loggedIn.look.isOpen {
                    let username = opened.credential.username ?? ""
                    result.usernamePlace = loggedIn.look.facts.place(of: username, missingIn: anonymous.look.facts)
                }
                if loggedIn.look.wantsNothing, looks.allSatisfy(\.isOpen) {
                    result.openTarget = result.openTarget ?? candidate.target
                }
                if candidate.target == profile.verify?.path.source {
                    result.hasMoreLinks = loggedIn.look.hasMoreLinks(than: looks, loginPaths: try client.loginPaths())
                }
                if let redirect = loggedIn.response.redirect { search.add(redirect, namedBy: candidate.namedBy) }
                if lastResort == nil,
                    let place = candidate.placeThatSendsOn(loggedIn: loggedIn.look, anonymous: looks)
                {
                    lastResort = (place, looks)
                }
                continue
            }
            take(place, looks)
            return opened
        }
        if let ledBack { throw .rejected(ledBack) }
        guard let lastResort else { return nil }
        take(lastResort.place, lastResort.anonymous)
        return opened
    }

    /// Whether the page to which the login led asks for the code of a second factor, after a good password.
    func leadsToCode(_ opened: OpenedLogin) throws(LoginFault) -> Bool {
        var pages = try search(opened.redirect)
        let base = endpoint.base.dropFirst(endpoint.origin.description.count)
        guard !options.findsVerify, let target = pages.next()?.target, target.hasPrefix(base), !repeatsSecret(target)
        else { return false }
        let rule = RequestRule(method: "GET", path: Template(literal: String(target.dropFirst(base.count))))
        do {
            return try look(rule, with: opened.session).look.page?.asksForCode ?? false
        } catch .cancelled {
            throw .cancelled
        } catch {
            // What verify has said holds without it.
            return false
        }
    }

    private func search(_ redirect: Redirect?) throws(LoginFault) -> VerifySearch {
        VerifySearch(
            on: endpoint.origin, after: redirect, asked: profile.verify?.path.source ?? "",
            loginPaths: try client.loginPaths())
    }

    /// Whether the page of the form, all that verify had to ask, shows a person by now, or leads to where nobody is told of a failure: to
    /// a page above it, or as an accepted login did to one that is open to everybody.
    func loginPageShowsPerson(after opened: OpenedLogin) throws(LoginFault) -> Bool {
        if result.showsPerson { return true }
        if try isPastForm { return true }
        guard let target = result.verifyLeadsTo, target.origin == endpoint.origin else { return false }
        return try search(nil).wasKnown(target.target.withoutQuery)
            || opened.verdict == .accepted && target.target.withoutSession == result.openTarget
    }

    /// Whether the place that was found shows a person, or stands above the login's page, as `/hub/` of JupyterHub does. Where the given
    /// URL has said that nobody is logged in, a name alone may be that of somebody who is told so.
    func foundPageTells(despiteRefusal hasRefused: Bool) throws(LoginFault) -> Bool {
        if result.logout != nil || result.showsLogout || result.usernamePlace != nil && !hasRefused {
            return true
        }
        guard let target = result.verifyPlace?.target else { return false }
        return try search(nil).wasKnown(target)
    }

    /// Whether verify has sent the session on to where people log in.
    var verifyLeadsToLogin: Bool {
        get throws(LoginFault) {
            guard let path = result.verifyLeadsTo?.target.withoutQuery else { return false }
            return try client.loginPaths().contains { path.isLogin(of: $0) }
        }
    }

    /// Whether the page of a form without a user name has become another one, while cookies that anybody can have still get the form: whom no
    /// name tells, nothing else does.
    var isPastForm: Bool {
        get throws(LoginFault) {
            guard result.isPastForm, !profile.fields.contains(.username), try verifiesByLoginPage,
                let anonymousResponse
            else { return false }
            return !anonymousResponse.withCookies.isEmpty && anonymousResponse.all.allSatisfy(\.isRefusedByRule)
        }
    }

    /// Looks for the logout where a browser would be by now: at the pages to which the login and verify led.
    /// - Returns: the login with the cookies that hold by then.
    func withLogout(_ step: LoginStep, after opened: OpenedLogin) throws(LoginFault) -> LoginStep {
        guard options.findsVerify, profile.logout == nil, case .accepted(var login) = step else { return step }
        var pages = try search(opened.redirect)
        if let verifyLeadsTo = result.verifyLeadsTo {
            pages.add(verifyLeadsTo, namedBy: profile.verify?.path.source ?? "")
        }
        while result.logout == nil, result.searchRequests < VerifySearch.mostRequests, let page = pages.next() {
            if repeatsSecret(page.target) { continue }
            result.searchRequests += 1
            let rule = RequestRule(method: "GET", path: Template(literal: page.target))
            do {
                let seen = try look(rule, with: login.session)
                guard seen.look.facts.status < 300 else { continue }
                result.logout = seen.look.page?.logout
                login.session = client.refreshed(login.session, by: seen.response)
            } catch .cancelled {
                throw .cancelled
            } catch {
                // The login is made; what else a page may show is no reason to lose it.
                break
            }
        }
        return .accepted(login)
    }

    /// - Parameter anonymous: the looks of anonymous clients, the one without cookies first.
    private func take(_ place: GuardedPlace, _ anonymous: [PageLook]) {
        result.verifyPlace = place
        client.profile.proof = .verify(place.verify)
        client.anonymousResponse = place.verify.response.anonymousResponse(of: anonymous)
    }

    /// Of a response that is too long, what was read is looked at.
    private func look(
        _ rule: RequestRule, with session: Session?, carrying cookies: [Cookie] = [], by way: ServiceClient.Way? = nil
    ) throws(LoginFault) -> (look: PageLook, response: HTTPResponse) {
        let response = try client.send(rule, SlotValues(), session: session, carrying: cookies, by: way).facts.response
        return (try look(at: response, of: rule), response)
    }

    /// A response with all that rules can look into, and its page.
    private func look(at response: HTTPResponse, of rule: RequestRule) throws(LoginFault) -> PageLook {
        let page = client.readable(response, at: endpoint.base + rule.path.source)
        let facts = ParsedResponse(
            response: response, json: response.isPage ? nil : response.looseJSON, html: page?.body,
            origin: endpoint.origin, wrote: false,
            asksAgain: try page.map { (page) throws(LoginFault) in try client.offersLogin(page.page) } ?? false)
        return PageLook(facts, page?.page, loginPaths: try client.loginPaths())
    }

    /// Notes where verify's response repeats the name that was typed, and the way out that its page shows.
    func noteFindings(_ username: String, in facts: ParsedResponse, of verify: RequestRule) {
        guard facts.status < 300 else { return }
        do {
            let look = try look(at: facts.response, of: verify)
            result.logout = result.logout ?? look.page?.logout
            (result.showsLogout, result.linksToLogin) = (look.page?.showsLogout ?? false, look.linksToLogin)
            // Instead of its form, a failed login may show a CAPTCHA.
            let isPastForm = look.isPastForm(loginPaths: try client.loginPaths())
            result.isPastForm = isPastForm && (look.wantsNothing || result.hasMoreLinks)
            if verify.response.username == nil { result.usernamePlace = look.facts.place(of: username, missingIn: nil) }
        } catch {
            result.usernamePlace = nil
        }
    }
}

extension OpenedLogin {
    /// Whether a login that may have been refused led to a page with its form, as many services answer a wrong password: by a
    /// redirect instead of the page itself. A page that shows the person and does not refuse may have the form for another reason.
    fileprivate func isLedBack(
        to candidate: VerifySearch.Candidate, _ loggedIn: PageLook, _ anonymous: [PageLook], asking login: RequestRule?
    ) -> Bool {
        guard verdict == .undecided || verdict == .ledBack, redirect?.target.withoutSession == candidate.target,
            let page = loggedIn.page, let login
        else {
            return false
        }
        guard page.asksAgain(login) else { return false }
        return loggedIn.facts.response.isRefusal
            || !loggedIn.names(credential.username ?? "", missingIn: anonymous[0])
                && !loggedIn.showsLogout(missingIn: anonymous)
    }
}
