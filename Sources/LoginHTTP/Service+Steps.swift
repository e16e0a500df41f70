import LoginCore
import Secrets

/// A login on its way through the requests of its profile.
struct StepsInProgress: PartialLogin {
    let credential: Credential
    /// The number of the request that is sent next.
    var next = 0
    /// Whether the request before it was answered with a wish for a second factor.
    var isGuarded = false
    /// The server's words about that.
    var words: String?
    /// Found last.
    var token: Token?
    /// All that hold by now.
    var cookies: [Cookie] = []
}

extension Service {
    /// Sends one request after the other, until a person is needed or all have been answered.
    /// - Parameter code: for the request that is sent next.
    func take(_ begun: StepsInProgress, code: Secret?) throws(LoginError) -> LoginStep {
        var steps = begun, code = code, last: ParsedResponse?
        while steps.next < profile.loginSteps.count {
            let rule = profile.loginSteps[steps.next]
            if steps.isSkipped(in: profile) {
                steps.next += 1
                continue
            }
            let takesCode = rule.slots.contains(.code)
            if steps.isGuarded, takesCode, code == nil { return .needsCode(words: steps.words, steps) }
            let facts = try send(rule, steps, code: takesCode ? code : nil)
            switch judge(facts, by: rule.response, at: .login) {
            case .accepted:
                try steps.note(facts, self, rule.response)
                (steps.isGuarded, code) = (false, nil)
                (steps.next, last) = (steps.next + 1, facts)
            case .needsSecondFactor(let words):
                if takesCode, code != nil { return .refused(Refusal(status: facts.status, words: words)) }
                try steps.note(facts, self, rule.response)
                (steps.isGuarded, steps.words) = (true, words)
                // The same request once more has to have a place for the code.
                guard steps.next + 1 < profile.loginSteps.count || takesCode else {
                    throw .secondFactor(.notDescribed(words: words))
                }
                if steps.next + 1 < profile.loginSteps.count { steps.next += 1 }
            case .pending:
                return .pending(seconds: rule.response.interval, steps)
            case .refused(let refusal):
                return try refused(refusal, at: rule, steps, hasSentCode: takesCode && code != nil)
            case .forbidden(let refusal):
                throw .forbidden(refusal)
            case .unclear(let error):
                throw error
            }
        }
        guard let last else { throw .failure(.unexpectedEvent("a login without a request")) }
        return .accepted(try open(steps, after: last))
    }

    private func send(
        _ rule: RequestRule, _ steps: StepsInProgress, code: Secret?
    ) throws(LoginError) -> ParsedResponse {
        var values = SlotValues()
        values.username = steps.credential.username
        values.password = password(in: steps.credential)
        values.code = code
        values.token = steps.token?.value
        values.cookies = steps.cookies
        let facts = try send(
            rule, values, session: nil, credential: carried(steps.credential), carrying: steps.cookies)
        // The server's words may repeat what this very answer hands out.
        hidden.add([rule.response.token.flatMap { facts.secret(at: $0) }] + facts.response.cookies.map(\.value))
        return facts
    }

    /// Only the refusal of a step that carries the credential is about the credential.
    private func refused(
        _ refusal: Refusal, at rule: RequestRule, _ steps: StepsInProgress, hasSentCode: Bool
    ) throws(LoginError) -> LoginStep {
        if hasSentCode { return .refused(refusal) }
        if steps.isGuarded { throw .secondFactor(.refused(refusal)) }
        let carried = carried(steps.credential)
        guard carried != nil || rule.slots.contains(.password) || profile.loginSteps.count == 1 else {
            throw .failure(.unexpectedStatus(refusal.status, step: Step.login.rawValue, words: refusal.words))
        }
        return .refused(carried.map { refusal.ambiguous(true, $0) } ?? refusal)
    }

    /// The credential where HTTP authentication carries it, or the handshake does.
    private func carried(_ credential: Credential) -> Credential? {
        switch profile.kind {
        case .challenge, .certificate: credential
        case .exchange, .pasted: nil
        }
    }

    /// The session that the steps have left, confirmed.
    private func open(_ steps: StepsInProgress, after facts: ParsedResponse) throws(LoginError) -> Login {
        let rule = profile.loginSteps[profile.loginSteps.count - 1].response
        let session: Session
        if profile.sessionRule.cookies {
            session = .cookies(ending(steps.cookies, at: rule.expiry.flatMap { _ in expiry(facts, rule) }))
        } else if let token = steps.token {
            session = .token(token)
        } else {
            session = .token(try token(facts, profile.loginResponse ?? rule))
        }
        if case .loginResponse = profile.proof { try checkProof(facts, session) }
        return try confirmed(session, steps.credential)
    }
}

extension StepsInProgress {
    /// Whether the next request is for a second factor that was not wanted.
    fileprivate func isSkipped(in profile: Profile) -> Bool {
        next > 0 && !isGuarded && profile.loginSteps[next - 1].response.secondFactor != nil
    }

    /// The last token that was found counts, and cookies add up.
    fileprivate mutating func note(
        _ facts: ParsedResponse, _ service: Service, _ rule: ResponseRule
    ) throws(LoginError) {
        cookies = facts.response.cookies
        guard let place = rule.token, let value = facts.secret(at: place), !value.isEmpty else { return }
        token = try service.token(facts, rule, replacing: token)
    }
}
