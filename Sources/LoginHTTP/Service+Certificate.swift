public import LoginCore

extension Service {
    public func trust(_ exception: TrustException) {
        transport.trust(exception)
        stranger?.trust(exception)
    }

    /// Asks what is guarded without the client certificate that is the proof. It has to refuse: in the handshake, or
    /// by a status.
    func prepare(
        over stranger: any Transport, asking rule: RequestRule, at step: Step
    ) throws(LoginError) -> ProtectionSpace {
        let space = ProtectionSpace(origin: endpoint.origin, method: .certificate)
        anonymousAnswer = nil
        let facts: AnswerFacts
        do throws(LoginError) {
            facts = try send(rule.fromStranger, SlotValues(), session: nil, over: stranger)
        } catch .untrusted(.clientCertificate) {
            return space
        } catch .network(.connectionLost) {
            // A reset may overtake the alert that says why: whoever gets no answer without a certificate was not let in.
            return space
        } catch .network(.handshakeLost) {
            return space
        }
        defer { noteAnonymous(facts, at: step) }
        switch judge(facts, by: rule.answer, at: step) {
        case .accepted where step == .verify || facts.isSuccess:
            throw .usage(.verifyProvesNothing(url: guardedURL))
        case .unclear(.busy(let fault)):
            throw .busy(fault)
        case .accepted, .refused, .forbidden, .unclear:
            return space
        }
    }
}
