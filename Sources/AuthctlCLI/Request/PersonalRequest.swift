import LoginCore
import LoginHTTP
import LoginStores
import Secrets

/// A request of the person's own: sent at once with the session that is there, and once more, the same, after a login if its
/// answer means that there was none.
struct PersonalRequest {
    let invocation: Invocation
    let gate: Gate
    let request: HTTPRequest
    let body: RequestBody
    let output: AnswerOutput

    /// - Returns: the code of an answer that was handed on.
    func run() throws(LoginError) -> ExitCode {
        let first = body.isRepeatable ? try gate.enterUnverified() : try gate.enter()
        let relayed = try send(first)
        let judgement = try judge(relayed, first)
        switch judgement {
        case .passed:
            try keep(relayed, first)
            return try end(relayed)
        case .forbidden: return try end(relayed, as: .forbidden(Refusal(status: relayed.response.status)))
        case .loggedOut, .undecided: break
        }
        guard let second = try enterAgain(first, relayed, wasRefused: judgement == .loggedOut) else {
            return try end(relayed, as: .forbidden(Refusal(status: relayed.response.status)))
        }
        invocation.say(
            "authctl: \(gate.profile.name): there is a session again, and the same request is sent once more"
        )
        let again = try send(second)
        let last = try judge(again, second)
        if last == .passed { try keep(again, second) }
        return try end(again, after: last)
    }

    private func send(_ passage: Gate.Passage) throws(LoginError) -> Service.Relayed {
        var request = request
        switch body.content {
        case .none: request.passage = Passage(sink: output)
        case .kept(let bytes):
            request.body = bytes
            request.passage = Passage(sink: output)
        case .streamed(let source, _):
            guard source.rewind() else { throw .failure(.bodyNotRepeatable) }
            request.passage = Passage(source: source, sink: output)
        }
        return try passage.run.service.relay(request, with: passage.session, username: passage.username)
    }

    /// Cookies that an answer has renewed. What a refusal sets is nobody's session.
    private func keep(_ relayed: Service.Relayed, _ passage: Gate.Passage) throws(LoginError) {
        guard relayed.session != passage.session, relayed.response.status < 400 else { return }
        try passage.keeper.approve(Login(identity: passage.identity, session: relayed.session), .renewal)
    }

    private func judge(_ relayed: Service.Relayed, _ passage: Gate.Passage) throws(LoginError) -> RelayJudgement {
        let held = output.heldBody()
        if held == nil && output.isShown && !relayed.response.status.isRefusal { return .passed }
        return try passage.run.service.judge(relayed, body: held)
    }

    /// - Returns: nothing if verify says that the session is good.
    private func enterAgain(
        _ first: Gate.Passage, _ relayed: Service.Relayed, wasRefused: Bool
    ) throws(LoginError) -> Gate.Passage? {
        do throws(LoginError) {
            if wasRefused {
                invocation.say("authctl: \(gate.profile.name): the server does not know the session any more")
            }
            let second = try gate.enter(after: wasRefused ? first.session : nil)
            if !wasRefused, second.session == first.session { return nil }
            guard body.isRepeatable else { throw .failure(.bodyNotRepeatable) }
            // What was shown already cannot be taken back, and two answers are none.
            guard !output.isShown else { throw .loginRequired(LoginNeed(why: .sessionRefused)) }
            return second
        } catch {
            try output.release()
            try output.finish()
            throw error
        }
    }

    private func end(_ relayed: Service.Relayed, after judgement: RelayJudgement) throws(LoginError) -> ExitCode {
        switch judgement {
        case .passed: try end(relayed)
        case .forbidden, .undecided: try end(relayed, as: .forbidden(Refusal(status: relayed.response.status)))
        case .loggedOut: try end(relayed, as: .loginRequired(LoginNeed(why: .sessionRefused)))
        }
    }

    /// Hands the answer on, whatever its status.
    private func end(_ relayed: Service.Relayed, as error: LoginError? = nil) throws(LoginError) -> ExitCode {
        try output.release()
        try output.finish()
        if let error { throw error }
        let status = relayed.response.status
        if status == 429 || status == 503 {
            throw .busy(BusyFault(status: status, retryAfter: relayed.response.retryAfter, words: nil))
        }
        if status >= 400 { throw .http(status: status) }
        return .ok
    }
}

extension RequestBody {
    /// Whether it can be sent once more.
    var isRepeatable: Bool {
        switch content {
        case .none, .kept: true
        case .streamed(_, let isRepeatable): isRepeatable
        }
    }
}

extension Int {
    /// 401 or 403.
    fileprivate var isRefusal: Bool { self == 401 || self == 403 }
}
