import LoginCore
import Secrets

/// One request of a command on its way: out with the session, and once more, the same, with a refreshed one if the answer means
/// that there was none.
struct ServedRequest {
    let call: ServerCall
    let session: ServedSession
    package let service: Service
    let profile: Profile
    package let endpoint: ServiceEndpoint
    let headers: ServedHeaders

    /// What it is made of, and how far it has come.
    private final class Round {
        var message: HTTPRequest
        var source: ServedSource?
        let answer: ServedResponse
        package let output: ResponseOutput

        init(_ message: HTTPRequest, _ answer: ServedResponse, _ output: ResponseOutput) {
            (self.message, self.answer, self.output) = (message, answer, output)
        }
    }

    func relay(_ answer: ServedResponse) throws(LoginFault) {
        var lent = try telling { () throws(LoginFault) in try session.current() }
        let round = try prepared(answer)
        let attachment = try first(round, lent)
        var flow = RelayFlow(sending: attachment, canVerify: profile.verify != nil)
        var relayed = try send(attachment, round, lent)
        var effect = flow.handle(.answered(try judge(relayed, round, lent)))
        while true {
            switch effect {
            case .verify:
                guard let isKnown = attempt({ () throws(LoginFault) in try known(lent, relayed) }) else {
                    return try handOn(round)
                }
                effect = flow.handle(.verified(isKnown: isKnown))
            case .enter:
                guard let next = attempt({ () throws(LoginFault) in try session.refreshed(after: lent) }) else {
                    return try handOn(round)
                }
                lent = next
                effect = flow.handle(.entered(sendsAhead: try sendsAhead(round, lent)))
            case .send(let attachment):
                // What has gone by cannot be sent again: the command gets the refusal, its next request the new session.
                guard !round.output.isShown, round.source?.rewind() ?? true else { return try handOn(round) }
                relayed = try send(attachment, round, lent)
                effect = flow.handle(.answered(try judge(relayed, round, lent)))
            case .finish(let ending):
                return try finish(round, ending, relayed, lent)
            }
        }
    }

    /// What a refusal sets is nobody's session.
    private func finish(
        _ round: Round, _ ending: RelayFlow.Ending, _ relayed: Service.Relayed, _ lent: ServedSession.Lent
    ) throws(LoginFault) {
        try handOn(round)
        if ending == .answered, relayed.response.status < 400 { session.note(relayed.session, of: lent) }
    }

    private func prepared(_ answer: ServedResponse) throws(LoginFault) -> Round {
        let output = ResponseOutput(answer, includesHead: false, progress: nil, mayConcern: profile.mayConcern)
        var message = HTTPRequest(
            method: call.head.method, url: endpoint.origin.description + call.target,
            headers: headers.sent(call.head.fields))
        // libcurl's own, which the command has not asked for.
        if !call.head.fields.contains(where: { $0.hasName("Accept") }) { message.withoutHeaders.append("Accept") }
        let round = Round(message, answer, output)
        guard call.head.contentLength != 0, call.head.method != "HEAD" else { return round }
        let isShort = call.head.contentLength.map { $0 <= ServedSource.limit } ?? false
        if isShort || !profile.sessionRule.form.isEmpty || !profile.sessionRule.json.isEmpty {
            round.message.body = try ServedSource.all(of: call.body)
        } else {
            round.source = ServedSource(call.body, count: call.head.contentLength)
        }
        return round
    }

    /// Whether the session is sent from the beginning; a long body is not sent only to be refused.
    private func first(_ round: Round, _ lent: ServedSession.Lent) throws(LoginFault) -> RelayFlow.Attachment {
        if try sendsAhead(round, lent) { return .session(isConfirmed: false) }
        guard round.source != nil else { return .withheld(isConfirmed: false) }
        let fields = round.message.headers.filter { !$0.name.lowercased().hasPrefix("content-") }
        let probe = HTTPRequest(method: "HEAD", url: round.message.url, headers: fields)
        let judgement = try service.judge(
            try service.relay(probe, with: nil, username: ""), body: nil, space: lent.space)
        return judgement == .passed ? .withheld(isConfirmed: false) : .session(isConfirmed: false)
    }

    private func sendsAhead(_ round: Round, _ lent: ServedSession.Lent) throws(LoginFault) -> Bool {
        try service.mayBeSentAhead(lent.session, to: round.message.url, in: lent.space)
    }

    private func send(
        _ attachment: RelayFlow.Attachment, _ round: Round, _ lent: ServedSession.Lent
    ) throws(LoginFault) -> Service.Relayed {
        var going: Session?
        if case .session = attachment { going = lent.session }
        service.hold(lent.extraSecrets)
        round.answer.hidden = lent.hidden
        var request = round.message
        let bodies = StreamedBodies(source: round.source, sink: round.output)
        // What is copied on at once should still be in the processor's cache.
        bodies.pieceSize = 256 << 10
        request.streamedBodies = bodies
        let relayed = try service.relay(request, with: going, username: lent.username)
        guard !round.output.isShown, try service.learnsCSRF(from: relayed, body: round.output.heldBody()),
            round.source?.rewind() ?? true
        else { return relayed }
        return try service.relay(request, with: relayed.session ?? going, username: lent.username)
    }

    private func judge(
        _ relayed: Service.Relayed, _ round: Round, _ lent: ServedSession.Lent
    ) throws(LoginFault) -> RelayJudgement {
        let held = round.output.heldBody()
        let status = relayed.response.status
        if held == nil, round.output.isShown, status != 401, status != 403 { return .passed }
        return try service.judge(relayed, body: held, space: lent.space)
    }

    private func known(_ lent: ServedSession.Lent, _ relayed: Service.Relayed) throws(LoginFault) -> Bool {
        try session.isKnown(lent, refreshed: relayed.session)
    }

    /// A step after which the answer that there is goes to the command, if it fails.
    private func attempt<Result>(_ step: () throws(LoginFault) -> Result) -> Result? {
        do throws(LoginFault) {
            return try telling(step)
        } catch {
            return nil
        }
    }

    private func telling<Result>(_ step: () throws(LoginFault) -> Result) throws(LoginFault) -> Result {
        do throws(LoginFault) {
            return try step()
        } catch {
            session.tell(error)
            throw error
        }
    }

    private func handOn(_ round: Round) throws(LoginFault) {
        try round.output.release()
        try round.output.finish()
    }
}
