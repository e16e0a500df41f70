package import LoginCore
import Secrets

/// A request of the person's own: sent at once with the session that is there, and once more, the same, after a login if its
/// answer means that there was none.
package struct UserRequest {
    let gate: Gate
    let outgoing: OutgoingRequest

    /// An answer, as far as one came, and who it is for.
    private struct Round {
        /// Nothing for a stranger.
        var admission: Gate.Admission?
        /// That it went out by, and that reads its answer.
        var service: Service?
        /// Nothing where a stranger was shown a certificate that does not verify: a login asks about that.
        var relayed: Service.Relayed?
        /// Why nothing was sent: there is no value for `{csrf}`, as for a stranger.
        var missing: LoginError?
        var luggage = RelayFlow.Luggage.nothing
    }

    private let former: Gate.Admission?

    /// - Parameter former: whom the gate has let in already.
    package init(gate: Gate, outgoing: OutgoingRequest, after former: Gate.Admission? = nil) {
        self.gate = gate
        self.outgoing = outgoing
        self.former = former
    }

    /// - Returns: the head of the answer, which was handed on whatever its status.
    package func run() throws(LoginError) -> HTTPResponse { try exchange().response }

    /// The same, with whom the gate has let in by then.
    func exchange() throws(LoginError) -> (response: HTTPResponse, admission: Gate.Admission?) {
        defer { outgoing.output.close() }
        var round = Round()
        let luggage = try first(&round)
        var flow = RelayFlow(sending: luggage, canVerify: gate.profile.verify != nil)
        try send(luggage, &round)
        var effect = flow.handle(.answered(try judge(round)))
        while true {
            switch effect {
            case .verify:
                let isKnown = try holdingAnswer { () throws(LoginError) in try isVerified(round) }
                effect = flow.handle(.verified(isKnown: isKnown))
            case .enter:
                let admission = try holdingAnswer { () throws(LoginError) in try enterAgain(after: round) }
                (round.admission, round.service) = (admission, admission.run.service)
                effect = flow.handle(.entered(sendsAhead: try admission.sendsAhead(to: outgoing.message.url)))
            case .send(let luggage):
                try holdingAnswer { () throws(LoginError) in try checkRepeatable() }
                try send(luggage, &round)
                effect = flow.handle(.answered(try judge(round)))
            case .finish(let ending):
                return (try finish(round, ending), round.admission?.renewed)
            }
        }
    }

    /// Lets in whom the request goes out for, if not for a stranger.
    private func first(_ round: inout Round) throws(LoginError) -> RelayFlow.Luggage {
        if let former, !gate.context.world.clock.isOver(former.session.expires) {
            return try goAhead(former, &round)
        }
        let isRepeatable = outgoing.body.isRepeatable
        if isRepeatable, try gate.maySendWithoutLogin(outgoing.message.method) {
            round.service = try gate.anonymousService()
            return .nothing
        }
        return try goAhead(isRepeatable ? try gate.enterUnverified() : try gate.enter(), &round)
    }

    /// Whether the session goes along from the beginning.
    private func goAhead(_ admission: Gate.Admission, _ round: inout Round) throws(LoginError) -> RelayFlow.Luggage {
        (round.admission, round.service) = (admission, admission.run.service)
        let isConfirmed = admission.isFresh && admission.session.isPassword
        if try admission.sendsAhead(to: outgoing.message.url) { return .session(isConfirmed: isConfirmed) }
        guard outgoing.body.isLong else { return .withheld(isConfirmed: isConfirmed) }
        let judgement = try outgoing.probe(over: admission.run.service, space: admission.space)
        if case .otherRealm(let realm) = judgement { throw otherRealm(realm, admission) }
        return judgement == .passed ? .withheld(isConfirmed: isConfirmed) : .session(isConfirmed: isConfirmed)
    }

    private func send(_ luggage: RelayFlow.Luggage, _ round: inout Round) throws(LoginError) {
        guard let service = round.service else { throw Self.lost }
        let username = round.admission?.username ?? ""
        (round.luggage, round.missing) = (luggage, nil)
        switch luggage {
        case .session:
            do throws(LoginError) {
                round.relayed = try outgoing.send(over: service, with: round.admission?.session, username: username)
            } catch .failure(.noCSRF(let place)) {
                (round.relayed, round.missing) = (nil, .failure(.noCSRF(place)))
            }
        case .withheld:
            round.relayed = try outgoing.send(over: service, with: nil, username: username)
        case .nothing:
            do throws(LoginError) {
                round.relayed = try outgoing.send(over: service, with: nil, username: username)
                outgoing.say("sent without a login")
            } catch .untrusted(.certificate) where gate.context.mayAsk {
                round.relayed = nil
            }
        }
    }

    private func judge(_ round: Round) throws(LoginError) -> RelayJudgement {
        guard let service = round.service, let relayed = round.relayed else { return .undecided }
        return try outgoing.judge(relayed, by: service, space: round.admission?.space)
    }

    /// Asks the server once whether it still knows the session: what it has refused is then forbidden, whoever is logged in.
    /// Where the answer itself has set cookies, they are asked about first: the session may be good for one answer only.
    private func isVerified(_ round: Round) throws(LoginError) -> Bool {
        guard let admission = round.admission else { return false }
        let refreshed = round.relayed?.session.flatMap { $0 == admission.session ? nil : $0 }
        for session in [refreshed, admission.session].compactMap({ $0 }) {
            do throws(LoginError) {
                let login = try admission.run.service.verify(session, username: admission.username)
                outgoing.keep(login.session, admission)
                return true
            } catch .rejected {
                continue
            }
        }
        return false
    }

    private func enterAgain(after round: Round) throws(LoginError) -> Gate.Admission {
        if let relayed = round.relayed {
            outgoing.context.topic.done.append(.requestSent(status: relayed.response.status))
        }
        if round.relayed != nil || round.missing != nil {
            outgoing.say(round.admission?.session.refusal ?? "the server requires a login for this")
        }
        let admission = try gate.enter(after: round.admission?.session)
        let sending = round.missing == nil ? "sending the same request again" : "sending the request"
        outgoing.say("\(sending) with the new session")
        return admission
    }

    private func checkRepeatable() throws(LoginError) {
        guard outgoing.body.isRepeatable else { throw .failure(.bodyNotRepeatable) }
        // What was shown already cannot be taken back, and two answers are none.
        guard !outgoing.output.isShown else { throw .loginRequired(LoginNeed(why: .sessionRefused)) }
    }

    /// Whatever goes wrong before the request is sent once more, the answer that there is goes to the person.
    private func holdingAnswer<Result>(_ step: () throws(LoginError) -> Result) throws(LoginError) -> Result {
        do throws(LoginError) {
            return try step()
        } catch {
            try outgoing.handOn()
            throw error
        }
    }

    /// Hands the answer on, whatever it means, and keeps what it has renewed.
    private func finish(_ round: Round, _ ending: RelayFlow.Ending) throws(LoginError) -> HTTPResponse {
        guard let relayed = round.relayed else { throw round.missing ?? Self.lost }
        let status = relayed.response.status
        // What a refusal sets is nobody's session. And what was asked for is done: a store that fails then is no reason
        // for another code, after which a script would ask for it twice.
        defer {
            if ending == .answered, status < 400, let admission = round.admission {
                outgoing.keep(relayed.session, admission)
            }
        }
        try outgoing.handOn()
        if ending == .answered, case .withheld = round.luggage {
            outgoing.say("sent without the password: the server did not ask for it there")
        }
        switch ending {
        case .answered: return relayed.response
        case .forbidden:
            outgoing.context.topic.isForgeable = gate.profile.sessionRule.isForgeable(outgoing.message.method)
            let scope = round.admission.flatMap { relayed.response.missingScope(of: $0.session) }
            throw .forbidden(Refusal(status: status, scope: scope))
        case .otherRealm(let realm): throw otherRealm(realm, round.admission)
        case .lost: throw Self.lost
        }
    }

    private static let lost = LoginError.failure(.unexpectedEvent("a request that is over"))

    private func otherRealm(_ realm: String, _ admission: Gate.Admission?) -> LoginError {
        let url = String(outgoing.message.url.prefix { $0 != "?" })
        return .loginRequired(LoginNeed(why: .otherRealm(realm, of: url, login: admission?.space?.realm ?? "")))
    }
}
