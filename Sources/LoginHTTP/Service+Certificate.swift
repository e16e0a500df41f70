public import LoginCore

extension Service {
    public func trust(_ exception: TrustedCertificate) {
        transport.trust(exception)
        anonymous?.trust(exception)
    }

    /// Asks what is guarded without the client certificate that is the proof. It has to refuse: in the handshake, or
    /// by a status.
    func prepare(
        over anonymous: any Transport, asking rule: RequestRule, at step: Step
    ) throws(LoginError) -> ProtectionSpace {
        let space = ProtectionSpace(origin: endpoint.origin, method: .certificate)
        anonymousResponse = nil
        let facts: ParsedResponse
        do throws(LoginError) {
            facts = try send(rule.anonymous, SlotValues(), session: nil, over: anonymous)
        } catch .untrusted(.clientCertificate) {
            return space
        } catch .network(.connectionLost) {
            // A reset may overtake the alert that says why: whoever gets no answer without a certificate was not let in.
            return space
        } catch .network(.handshakeLost) {
            return space
        }
        defer { noteAnonymous(facts, at: step) }
        switch judge(facts, by: rule.response, at: step) {
        case .accepted where step == .verify || facts.isSuccess:
            throw .usage(.verifyProvesNothing(url: guardedURL))
        case .unclear(.busy(let fault)):
            throw .busy(fault)
        case .accepted, .refused, .forbidden, .needsSecondFactor, .pending, .unclear:
            return space
        }
    }
}
