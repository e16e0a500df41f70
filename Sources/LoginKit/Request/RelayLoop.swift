import Secrets

/// The session of a request, and the service that sends it.
struct CarriedSession {
    let service: Service
    /// `nil` for an anonymous request.
    var session: Session?
    var username = ""
    /// Where the login was verified, as far as that is known.
    var space: VerifiedSpace?
    /// Whether the server has confirmed it a moment ago, so that another login would be answered the same.
    var isConfirmed = false
}

extension AccountSession {
    /// As a request is sent with it.
    var carried: CarriedSession {
        CarriedSession(
            service: run.service, session: session, username: username, space: space,
            isConfirmed: isFresh && session.isPassword)
    }
}

/// Lends a request its sessions: the person's own login does, and `exec --serve` for many requests at once.
protocol SessionLender {
    /// Whether a certificate that does not verify may wait for the login after the request, which asks about it.
    var mayAsk: Bool { get }

    /// The session for the first try.
    mutating func lend() throws(LoginFault) -> CarriedSession

    /// Asks the server whether it still accepts the session; `relayed` is its response, where one came.
    mutating func isKnown(after relayed: Service.Relayed?) throws(LoginFault) -> Bool

    /// Returns another session than the one that the server has refused.
    /// - Parameters:
    ///   - relayed: the response that refused it; `nil` where an anonymous client was shown a certificate that does not verify.
    ///   - missing: why nothing was sent, where the session may have ended.
    mutating func lendAnother(
        after relayed: Service.Relayed?, missing: LoginFault?
    ) throws(LoginFault) -> CarriedSession
}

/// Sends a request with a session, and once more with another one if the response means that there was none, as `RelayFlow`
/// decides.
struct RelayLoop<Lender: SessionLender> {
    let request: OutgoingRequest
    var lender: Lender
    private var relayed: Service.Relayed?
    /// The reason why nothing was sent: there is no value for `{csrf}`, no form, or another session, as for an anonymous client.
    private var missing: LoginFault?

    /// Sends no request.
    init(_ request: OutgoingRequest, _ lender: Lender) {
        (self.request, self.lender) = (request, lender)
    }

    /// The last response, which is still to be handed on, and its meaning.
    struct Outcome {
        let relayed: Service.Relayed
        let ending: RelayFlow.Ending
        /// The session that went with the request.
        let attachment: RelayFlow.Attachment

        /// The session that the response has refreshed; `nil` after a refusal, which only sets an anonymous one.
        var refreshed: Session? {
            ending == .answered && relayed.response.status < 400 ? relayed.session : nil
        }
    }

    /// - Throws: whatever kept the request from being sent once more; the response that there is was handed on by then.
    mutating func run() throws(LoginFault) -> Outcome {
        var carried = try lender.lend()
        var attachment = try firstAttachment(of: carried)
        // Without a verify endpoint the rules decide alone.
        var flow = RelayFlow(sending: attachment, canVerify: carried.service.profile.verify != nil)
        var effect = flow.handle(.answered(try send(attachment, carried)))
        while true {
            switch effect {
            case .verify:
                let isKnown = try orHandOn { (loop) throws(LoginFault) in
                    try loop.lender.isKnown(after: loop.relayed)
                }
                effect = flow.handle(.verified(isKnown: isKnown))
            case .enter:
                carried = try orHandOn { (loop) throws(LoginFault) in
                    try loop.lender.lendAnother(after: loop.relayed, missing: loop.missing)
                }
                effect = flow.handle(.entered(sendsAhead: try request.sendsAhead(carried)))
            case .send(let next):
                try orHandOn { (loop) throws(LoginFault) in try loop.request.checkRepeatable() }
                attachment = next
                effect = flow.handle(.answered(try send(next, carried)))
            case .finish(let ending):
                guard let relayed, ending != .lost else {
                    throw missing ?? .failure(.unexpectedEvent("a request that is over"))
                }
                return Outcome(relayed: relayed, ending: ending, attachment: attachment)
            }
        }
    }

    /// Whether the session is sent from the beginning. A long body is not sent only to be refused.
    private func firstAttachment(of carried: CarriedSession) throws(LoginFault) -> RelayFlow.Attachment {
        guard carried.session != nil else { return .nothing }
        if try request.sendsAhead(carried) { return .session(isConfirmed: carried.isConfirmed) }
        guard request.body.isLong, request.mayProbe else { return .withheld(isConfirmed: carried.isConfirmed) }
        switch try request.probe(over: carried.service, space: carried.space) {
        case .otherRealm(let realm): throw request.otherRealm(realm, than: carried.space)
        case .passed: return .withheld(isConfirmed: carried.isConfirmed)
        case .loggedOut, .forbidden, .undecided, .likeAnonymous, .refusedPassword:
            return .session(isConfirmed: carried.isConfirmed)
        }
    }

    private mutating func send(
        _ attachment: RelayFlow.Attachment, _ carried: CarriedSession
    ) throws(LoginFault) -> RelayJudgement {
        (relayed, missing) = (nil, nil)
        var session: Session?
        if case .session = attachment { session = carried.session }
        do {
            let relayed = try request.send(over: carried.service, with: session, username: carried.username)
            self.relayed = relayed
            if attachment == .nothing { request.say("sent without a login") }
            return try request.judge(relayed, by: carried.service, space: carried.space)
        } catch .failure(.noCSRF(let place)) where session != nil {
            missing = .failure(.noCSRF(place))
        } catch .failure(.noSuchForm(let page, let fields, let found)) where attachment != .nothing {
            missing = .failure(.noSuchForm(page: page, fields: fields, found: found))
        } catch .usage(.sessionChanged(by: nil)) where session != nil {
            // Services begin an anonymous session in the place of one that has ended.
            missing = .usage(.sessionChanged(by: nil))
        } catch .untrusted(.certificate) where attachment == .nothing && lender.mayAsk {
            // The login that follows asks about it.
        }
        return .undecided
    }

    /// Runs a step. If that fails, the response that there is goes to whoever sent the request.
    private mutating func orHandOn<Result>(
        _ step: (inout Self) throws(LoginFault) -> Result
    ) throws(LoginFault) -> Result {
        do {
            return try step(&self)
        } catch {
            try request.handOn()
            throw error
        }
    }
}
