import Secrets

/// A login on its way through the requests of its profile.
struct StepsInProgress: PartialLogin {
    /// The response tells whose the ticket is.
    var credential: Credential
    /// The number of the request that is sent next.
    var next = 0
    /// Whether the response to the request before it asked for a second factor.
    var isGuarded = false
    /// The server's words about that.
    var words: String?
    /// Found last.
    var token: Token?
    /// The difference of the clocks, if it makes the token look expired.
    var clockDifference: ClockDifference?
    /// All that hold by now.
    var cookies: [Cookie] = []
    /// The cookies that were sent with the last request.
    var formerCookies: [Cookie] = []
    /// The last page.
    var visit: PageVisit?
    /// The last response, where it was a page.
    var page: ResponsePage?
}

/// The login requests of a profile, which give a session for a credential.
struct RequestSequence {
    let client: ServiceClient
    let clock: WallClock
    /// Whether every request carries the credential, by HTTP authentication or in the handshake: a refusal may
    /// then mean a missing permission.
    let carriesCredential: Bool

    /// Sends one request after the other, until a person is needed or all have been answered.
    /// - Parameters:
    ///   - code: for the request that is sent next.
    ///   - way: how the requests go out; plainly unless said.
    func take(
        _ begun: StepsInProgress, code: Secret?, by way: ServiceClient.Way? = nil
    ) throws(LoginFault) -> OpeningStep {
        var steps = begun, code = code, last: ParsedResponse?
        let rules = client.profile.loginSteps
        while steps.next < rules.count {
            let rule = rules[steps.next]
            if steps.isSkipped(in: client.profile) {
                steps.next += 1
                continue
            }
            let takesCode = rule.slots.contains(.code)
            if steps.isGuarded, takesCode, code == nil { return .needsCode(words: steps.words, steps) }
            if rule.slots.contains(.password) {
                try AnonymousCheck(client: client).sendWithCookies(of: rules.prefix(steps.next), steps.cookies)
            }
            let begun = clock.now()
            let facts = try send(rule, &steps, code: takesCode ? code : nil, by: way)
            switch client.judge(facts, by: rule.response, at: .login) {
            case .accepted:
                try note(facts, rule.response, in: &steps)
                if let page = rule.opens { try client.open(page) }
                (steps.isGuarded, code) = (false, nil)
                (steps.next, last) = (steps.next + 1, facts)
            case .needsSecondFactor(let words):
                if takesCode, code != nil { return .refused(Refusal(status: facts.status, words: words)) }
                try note(facts, rule.response, in: &steps)
                (steps.isGuarded, steps.words) = (true, words)
                // The same request once more has to have a place for the code.
                guard steps.next + 1 < rules.count || takesCode else {
                    throw .secondFactor(.notDescribed(words: words))
                }
                if steps.next + 1 < rules.count { steps.next += 1 }
            case .pending:
                let took = max(clock.now() - begun, 0)
                return .pending(seconds: rule.response.interval, took: Int(clamping: took), steps)
            case .refused(let refusal):
                if isForVerify(facts, rule, steps) {
                    try note(facts, rule.response, in: &steps)
                    return .opened(try opened(steps, after: facts, despite: refusal))
                }
                return try refused(refusal, at: rule, steps, hasSentCode: takesCode && code != nil)
            case .forbidden(let refusal): throw .forbidden(refusal)
            case .unclear(let error): throw error
            }
        }
        guard let last else { throw .failure(.unexpectedEvent("a login without a request")) }
        return .opened(try opened(steps, after: last))
    }

    private func send(
        _ rule: RequestRule, _ steps: inout StepsInProgress, code: Secret?, by way: ServiceClient.Way? = nil
    ) throws(LoginFault) -> ParsedResponse {
        let values = SlotValues(
            username: steps.credential.username, password: steps.credential.password, token: steps.token?.value,
            cookies: steps.cookies, code: code)
        let reply = try client.send(
            rule, values, session: nil, carrying: steps.cookies, from: steps.page,
            readingPage: wantsPage(after: steps), by: way)
        steps.formerCookies = reply.visit?.cookies ?? steps.cookies
        steps.visit = reply.visit ?? steps.visit
        steps.page = reply.page
        // The server's words may repeat what this very answer hands out.
        client.hide(whatIsIn: reply.facts, by: rule.response)
        return reply.facts
    }

    /// Whether the next step sends a form that the response to this one may have.
    private func wantsPage(after steps: StepsInProgress) -> Bool {
        let rules = client.profile.loginSteps
        guard steps.next + 1 < rules.count, case .form = rules[steps.next + 1].content else { return false }
        return rules[steps.next + 1].page == nil
    }

    /// Whether verify may overrule this refusal: some services show the form of the login to whoever is logged in, too. Verify is known
    /// to refuse anonymous clients by then.
    private func isForVerify(_ facts: ParsedResponse, _ rule: RequestRule, _ steps: StepsInProgress) -> Bool {
        let sent = client.profile.sessionRule
        return facts.status != 401 && facts.showsLogin(rule.response, .login)
            && steps.next + 1 == client.profile.loginSteps.count && !steps.isGuarded
            && client.profile.verify != nil && sent.cookies && !sent.slots.contains(.token)
    }

    /// A refusal is about the credential once a step has carried it.
    private func refused(
        _ refusal: Refusal, at rule: RequestRule, _ steps: StepsInProgress, hasSentCode: Bool
    ) throws(LoginFault) -> OpeningStep {
        if hasSentCode { return .refused(refusal) }
        if steps.isGuarded { throw .secondFactor(.refused(refusal)) }
        let rules = client.profile.loginSteps
        // A later step may look at what became of it, where its profile says how.
        let looksBack =
            rule.response.refused != nil && rules.prefix(steps.next).contains { $0.slots.contains(.password) }
        guard carriesCredential || rule.slots.contains(.password) || rules.count == 1 || looksBack else {
            throw .failure(.unexpectedStatus(refusal.status, step: Step.login.rawValue, words: refusal.words))
        }
        return .refused(carriesCredential ? refusal.ambiguous(true, steps.credential) : refusal)
    }

    /// The last token that was found counts, and cookies add up.
    private func note(
        _ facts: ParsedResponse, _ rule: ResponseRule, in steps: inout StepsInProgress
    ) throws(LoginFault) {
        steps.cookies = facts.response.cookies
        try client.take(rule, from: facts, keepingOld: false)
        guard let place = rule.token, facts.token(at: place) != nil else { return }
        try readToken(facts, rule, in: &steps)
    }

    private func readToken(
        _ facts: ParsedResponse, _ rule: ResponseRule, in steps: inout StepsInProgress
    ) throws(LoginFault) {
        let found = try TokenReader(client: client, clock: clock)
            .token(facts, rule, at: .login, replacing: steps.token)
        (steps.token, steps.clockDifference) = (found.token, found.clockDifference)
    }

    /// The session that the steps have left.
    /// - Parameter refusal: what the last response says unless verify says otherwise; `nil` if it refused nothing.
    private func opened(
        _ last: StepsInProgress, after facts: ParsedResponse, despite refusal: Refusal? = nil
    ) throws(LoginFault) -> OpenedLogin {
        var steps = last
        let rule = client.profile.loginSteps[client.profile.loginSteps.count - 1].response
        let session: Session
        let sent = client.profile.sessionRule
        if sent.cookies, !sent.slots.contains(.token) {
            let end = rule.expiry.flatMap { _ in
                ExpiryReader(now: clock.now()).expiry(facts, rule, token: Secret(""))
            }
            session = .cookies(ending(steps.cookies, at: end))
        } else {
            if steps.token == nil { try readToken(facts, client.profile.loginResponse ?? rule, in: &steps) }
            guard let token = steps.token else { throw client.lacking }
            session = .token(sent.cookies ? token.with(steps.cookies) : token)
        }
        let verdict = facts.verdict(
            hasToken: steps.token != nil, loginPaths: try client.loginPaths(), former: steps.formerCookies,
            anonymous: steps.visit == nil ? Set((client.anonymousCookies ?? []).map(\.name)) : [])
        if case .loginResponse = client.profile.proof { try checkProof(facts, session, verdict, after: steps.visit) }
        return OpenedLogin(
            credential: steps.credential, session: session, verdict: refusal.map { .askedAgain($0) } ?? verdict,
            redirect: facts.response.redirect,
            visit: steps.visit, clockDifference: steps.clockDifference)
    }

    /// Applies the expiry of a login's response to its cookies. One in the past means a wrong clock.
    private func ending(_ cookies: [Cookie], at end: Int64?) -> [Cookie] {
        guard let end, end > clock.now() else { return cookies }
        return cookies.map { CookieRecord.ending($0, at: end) }
    }

    /// Where there is nothing else to ask, a page may be that of a refusal, and sets cookies of its own before anybody has logged in. By HTTP
    /// authentication it is known to refuse anonymous clients.
    private func checkProof(
        _ facts: ParsedResponse, _ session: Session, _ verdict: LoginVerdict, after visit: PageVisit?
    ) throws(LoginFault) {
        let isCookies = if case .cookies = session { true } else { false }
        if !facts.isSuccess {
            if isCookies, verdict == .accepted { return }
            let path = facts.response.redirect?.target.withoutQuery ?? ""
            // Shown, it may be cut within the secret, and is not recognised any more.
            let target = client.hidden.stand(in: path) ? "…" : path
            throw .usage(
                .unprovenLogin(
                    "the response to login is a redirect (status \(facts.status)) to \(SafeText.quoted(target)), which proves a login only "
                        + "if it leads away from the login page and sets a new cookie"))
        }
        guard isCookies else { return }
        if !carriesCredential, facts.response.showsPage {
            throw .usage(
                .unprovenLogin(
                    "the response to login is a page (status \(facts.status)), which does not prove a login"))
        }
        if session.cookies.haveValues(of: visit?.cookies ?? []) {
            throw .usage(
                .unprovenLogin("the response to login set no new cookie, so it does not prove a login"))
        }
    }
}

extension HTTPResponse {
    /// Whether it is a page for a person, and not data that is only called one.
    fileprivate var showsPage: Bool { isPage && !body.isEmpty && looseJSON == nil }
}

extension StepsInProgress {
    /// Whether the next request is for a second factor that was not wanted.
    fileprivate func isSkipped(in profile: Profile) -> Bool {
        next > 0 && !isGuarded && profile.loginSteps[next - 1].response.secondFactor != nil
    }
}

/// Keeps the values of a response for later requests, as `take` names them.
extension ServiceClient {
    /// Keeps values of a response for later requests. A missing one is reported by the request that uses it.
    /// - Parameter keepingOld: whether a response that says nothing of it leaves what there was.
    func take(_ rule: ResponseRule, from facts: ParsedResponse, keepingOld: Bool) throws(LoginFault) {
        for taken in rule.taken {
            if !keepingOld { extraSecrets[.taken(taken.name)] = nil }
            guard let value = facts.value(at: taken.place) else { continue }
            guard value.isHeaderSafe else {
                throw .network(.brokenResponse("what is to be {\(taken.name)} contains a control character"))
            }
            extraSecrets[.taken(taken.name)] = value
        }
    }

    /// Takes note of what a response hands out, before anything that it says is shown.
    func hide(whatIsIn facts: ParsedResponse, by rule: ResponseRule) {
        let places = [rule.token, rule.refreshToken].compactMap { $0 }
        // A short one is a number or a name as a rule, which any text of the server may hold.
        let taken = rule.taken.compactMap { facts.value(at: $0.place) }.filter { $0.count >= 8 }
        hide(places.map { facts.value(at: $0) } + facts.response.cookies.map(\.value) + taken)
    }

    /// The slot values of a request that carries `session`.
    func values(_ session: Session, username: String) -> SlotValues {
        var values = SlotValues(session, username: username, extraSecrets)
        values.csrf = csrf
        return values
    }
}
