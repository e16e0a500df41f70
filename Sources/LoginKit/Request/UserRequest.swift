package import LoginCore
import Secrets

/// A request of the person's own: sent at once with the session that is there, and once more, the same, after a login if its
/// answer means that there was none.
package struct UserRequest {
    let provider: SessionProvider
    let outgoing: OutgoingRequest

    /// An answer, as far as one came, and who it is for.
    private struct Round {
        /// `nil` for an anonymous request.
        var authenticated: SessionProvider.AuthenticatedSession?
        /// The service that sent the request and parses its response.
        var service: Service?
        /// Nothing where an anonymous client was shown a certificate that does not verify: a login asks about that.
        var relayed: Service.Relayed?
        /// Why nothing was sent: there is no value for `{csrf}`, as for an anonymous client.
        var missing: LoginFault?
        var attachment = RelayFlow.Attachment.nothing
    }

    private let former: SessionProvider.AuthenticatedSession?

    /// - Parameter former: the session of the request before.
    package init(
        provider: SessionProvider, outgoing: OutgoingRequest, after former: SessionProvider.AuthenticatedSession? = nil
    ) {
        self.provider = provider
        self.outgoing = outgoing
        self.former = former
    }

    /// - Returns: the head of the answer, which was handed on whatever its status.
    package func run() throws(LoginFault) -> HTTPResponse { try exchange().response }

    /// Like `run`, and returns the session for the next request.
    func exchange() throws(LoginFault) -> (response: HTTPResponse, authenticated: SessionProvider.AuthenticatedSession?)
    {
        defer { outgoing.output.close() }
        var round = Round()
        let attachment = try first(&round)
        var flow = RelayFlow(sending: attachment, canVerify: provider.profile.verify != nil)
        try send(attachment, &round)
        var effect = flow.handle(.answered(try judge(round)))
        while true {
            switch effect {
            case .verify:
                let isKnown = try holdingAnswer { () throws(LoginFault) in try isVerified(round) }
                effect = flow.handle(.verified(isKnown: isKnown))
            case .enter:
                let authenticated = try holdingAnswer { () throws(LoginFault) in try enterAgain(after: round) }
                (round.authenticated, round.service) = (authenticated, authenticated.run.service)
                effect = flow.handle(.entered(sendsAhead: try authenticated.sendsAhead(to: outgoing.message.url)))
            case .send(let attachment):
                try holdingAnswer { () throws(LoginFault) in try checkRepeatable() }
                try send(attachment, &round)
                effect = flow.handle(.answered(try judge(round)))
            case .finish(let ending):
                return (try finish(round, ending), round.authenticated?.refreshed)
            }
        }
    }

    /// Gets the session for the request, unless it goes out anonymously.
    private func first(_ round: inout Round) throws(LoginFault) -> RelayFlow.Attachment {
        if let former, !provider.context.dependencies.clock.isOver(former.session.expires) {
            return try goAhead(former, &round)
        }
        let isRepeatable = outgoing.body.isRepeatable
        if isRepeatable, try provider.maySendWithoutLogin(outgoing.message.method) {
            round.service = try provider.anonymousService()
            return .nothing
        }
        return try goAhead(isRepeatable ? try provider.enterUnverified() : try provider.enter(), &round)
    }

    /// Whether the session is sent from the beginning.
    private func goAhead(_ authenticated: SessionProvider.AuthenticatedSession, _ round: inout Round) throws(LoginFault)
        -> RelayFlow.Attachment
    {
        (round.authenticated, round.service) = (authenticated, authenticated.run.service)
        let isConfirmed = authenticated.isFresh && authenticated.session.isPassword
        if try authenticated.sendsAhead(to: outgoing.message.url) { return .session(isConfirmed: isConfirmed) }
        guard outgoing.body.isLong else { return .withheld(isConfirmed: isConfirmed) }
        let judgement = try outgoing.probe(over: authenticated.run.service, space: authenticated.space)
        if case .otherRealm(let realm) = judgement { throw otherRealm(realm, authenticated) }
        return judgement == .passed ? .withheld(isConfirmed: isConfirmed) : .session(isConfirmed: isConfirmed)
    }

    private func send(_ attachment: RelayFlow.Attachment, _ round: inout Round) throws(LoginFault) {
        guard let service = round.service else { throw Self.lost }
        let username = round.authenticated?.username ?? ""
        (round.attachment, round.missing) = (attachment, nil)
        switch attachment {
        case .session:
            do throws(LoginFault) {
                round.relayed = try outgoing.send(over: service, with: round.authenticated?.session, username: username)
            } catch .failure(.noCSRF(let place)) {
                (round.relayed, round.missing) = (nil, .failure(.noCSRF(place)))
            }
        case .withheld:
            round.relayed = try outgoing.send(over: service, with: nil, username: username)
        case .nothing:
            do throws(LoginFault) {
                round.relayed = try outgoing.send(over: service, with: nil, username: username)
                outgoing.say("sent without a login")
            } catch .untrusted(.certificate) where provider.context.mayAsk {
                round.relayed = nil
            }
        }
    }

    private func judge(_ round: Round) throws(LoginFault) -> RelayJudgement {
        guard let service = round.service, let relayed = round.relayed else { return .undecided }
        return try outgoing.judge(relayed, by: service, space: round.authenticated?.space)
    }

    /// Asks the server once whether it still accepts the session; if so, the refusal means forbidden.
    /// Where the answer itself has set cookies, they are asked about first: the session may be good for one answer only.
    private func isVerified(_ round: Round) throws(LoginFault) -> Bool {
        guard let authenticated = round.authenticated else { return false }
        let refreshed = round.relayed?.session.flatMap { $0 == authenticated.session ? nil : $0 }
        for session in [refreshed, authenticated.session].compactMap({ $0 }) {
            do throws(LoginFault) {
                let login = try authenticated.run.service.verify(session, username: authenticated.username)
                outgoing.keep(login.session, authenticated)
                return true
            } catch .rejected {
                continue
            }
        }
        return false
    }

    private func enterAgain(after round: Round) throws(LoginFault) -> SessionProvider.AuthenticatedSession {
        if let relayed = round.relayed {
            outgoing.context.topic.done.append(.requestSent(status: relayed.response.status))
        }
        if round.relayed != nil || round.missing != nil {
            outgoing.say(round.authenticated?.session.refusal ?? "the server requires a login for this")
        }
        let authenticated = try provider.enter(after: round.authenticated?.session)
        let sending = round.missing == nil ? "sending the same request again" : "sending the request"
        outgoing.say("\(sending) with the new session")
        return authenticated
    }

    private func checkRepeatable() throws(LoginFault) {
        guard outgoing.body.isRepeatable else { throw .failure(.bodyNotRepeatable) }
        // What was shown already cannot be taken back, and two answers are none.
        guard !outgoing.output.isShown else { throw .loginRequired(LoginNeed(why: .sessionRefused)) }
    }

    /// Whatever goes wrong before the request is sent once more, the answer that there is goes to the person.
    private func holdingAnswer<Result>(_ step: () throws(LoginFault) -> Result) throws(LoginFault) -> Result {
        do throws(LoginFault) {
            return try step()
        } catch {
            try outgoing.handOn()
            throw error
        }
    }

    /// Hands the answer on, whatever it means, and keeps what it has refreshed.
    private func finish(_ round: Round, _ ending: RelayFlow.Ending) throws(LoginFault) -> HTTPResponse {
        guard let relayed = round.relayed else { throw round.missing ?? Self.lost }
        let status = relayed.response.status
        // What a refusal sets is nobody's session. And what was asked for is done: a store that fails then is no reason
        // for another code, after which a script would ask for it twice.
        defer {
            if ending == .answered, status < 400, let authenticated = round.authenticated {
                outgoing.keep(relayed.session, authenticated)
            }
        }
        try outgoing.handOn()
        if ending == .answered, case .withheld = round.attachment {
            outgoing.say("sent without the password: the server did not ask for it there")
        }
        switch ending {
        case .answered: return relayed.response
        case .forbidden:
            outgoing.context.topic.isForgeable = provider.profile.sessionRule.isForgeable(outgoing.message.method)
            let scope = round.authenticated.flatMap { relayed.response.missingScope(of: $0.session) }
            throw .forbidden(Refusal(status: status, scope: scope))
        case .otherRealm(let realm): throw otherRealm(realm, round.authenticated)
        case .lost: throw Self.lost
        }
    }

    private static let lost = LoginFault.failure(.unexpectedEvent("a request that is over"))

    private func otherRealm(_ realm: String, _ authenticated: SessionProvider.AuthenticatedSession?) -> LoginFault {
        let url = String(outgoing.message.url.prefix { $0 != "?" })
        return .loginRequired(LoginNeed(why: .otherRealm(realm, of: url, login: authenticated?.space?.realm ?? "")))
    }
}
