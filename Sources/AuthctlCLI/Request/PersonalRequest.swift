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
        defer { output.close() }
        var admission = body.isRepeatable ? try gate.enterUnverified() : try gate.enter()
        var relayed = try send(admission)
        var flow = RelayFlow()
        var effect = flow.handle(.answered(try judge(relayed, admission)))
        while true {
            switch effect {
            case .verify:
                let isKnown = try holdingAnswer { () throws(LoginError) in try isVerified(admission, after: relayed) }
                effect = flow.handle(.verified(isKnown: isKnown))
            case .enter:
                admission = try holdingAnswer { () throws(LoginError) in try enterAgain(admission) }
                effect = flow.handle(.entered)
            case .sendAgain:
                invocation.say(
                    "authctl: \(gate.profile.name): there is a session again, and the same request is sent once more")
                relayed = try send(admission)
                effect = flow.handle(.answered(try judge(relayed, admission)))
            case .finish(let ending):
                return try finish(relayed, admission, ending)
            }
        }
    }

    private func send(_ admission: Gate.Admission) throws(LoginError) -> Service.Relayed {
        var request = request
        switch body.content {
        case .none: request.streamedBodies = StreamedBodies(sink: output)
        case .kept(let bytes):
            request.body = bytes
            request.streamedBodies = StreamedBodies(sink: output)
        case .streamed(let source, _):
            guard source.rewind() else { throw .failure(.bodyNotRepeatable) }
            request.streamedBodies = StreamedBodies(source: source, sink: output)
        }
        do throws(LoginError) {
            return try admission.run.service.relay(request, with: admission.session, username: admission.username)
        } catch {
            output.close()
            if output.isShown, case .network = error {
                invocation.say("authctl: \(gate.profile.name): what there is of the answer is incomplete")
            }
            throw error
        }
    }

    private func judge(_ relayed: Service.Relayed, _ admission: Gate.Admission) throws(LoginError) -> RelayJudgement {
        let held = output.heldBody()
        if held == nil && output.isShown && !relayed.response.status.isRefusal { return .passed }
        return try admission.run.service.judge(relayed, body: held)
    }

    /// Asks the server once whether it still knows the session: what it has refused is then forbidden, whoever is logged in.
    /// Where the answer itself has set cookies, they are asked about first: the session may be good for one answer only.
    private func isVerified(_ admission: Gate.Admission, after relayed: Service.Relayed) throws(LoginError) -> Bool {
        let isRenewed = relayed.session != admission.session
        for session in (isRenewed ? [relayed.session] : []) + [admission.session] {
            do throws(LoginError) {
                let login = try admission.run.service.verify(session, username: admission.username)
                keep(login.session, admission)
                return true
            } catch .rejected {
                continue
            }
        }
        return false
    }

    private func enterAgain(_ first: Gate.Admission) throws(LoginError) -> Gate.Admission {
        invocation.say("authctl: \(gate.profile.name): the server does not know the session any more")
        let second = try gate.enter(after: first.session)
        guard body.isRepeatable else { throw .failure(.bodyNotRepeatable) }
        // What was shown already cannot be taken back, and two answers are none.
        guard !output.isShown else { throw .loginRequired(LoginNeed(why: .sessionRefused)) }
        return second
    }

    /// Whatever goes wrong before the request is sent once more, the answer that there is goes to the person.
    private func holdingAnswer<Result>(_ step: () throws(LoginError) -> Result) throws(LoginError) -> Result {
        do throws(LoginError) {
            return try step()
        } catch {
            try handOn()
            throw error
        }
    }

    private func handOn() throws(LoginError) {
        try output.release()
        try output.finish()
    }

    /// Hands the answer on, whatever it means, and keeps what it has renewed.
    private func finish(
        _ relayed: Service.Relayed, _ admission: Gate.Admission, _ ending: RelayFlow.Ending
    ) throws(LoginError) -> ExitCode {
        let status = relayed.response.status
        // What a refusal sets is nobody's session. And what was asked for is done: a store that fails then is no reason
        // for another code, after which a script would ask for it twice.
        defer { if ending == .answered, status < 400 { keep(relayed.session, admission) } }
        try handOn()
        if let redirect = relayed.response.redirect, (300..<400).contains(status) {
            let target = redirect.url.prefix { $0 != "?" && $0 != "#" }
            invocation.say(
                "authctl: \(gate.profile.name): the answer is a redirect to \(SafeText.quoted(String(target))), which is not followed"
            )
        }
        switch ending {
        case .answered where status == 429 || status == 503:
            throw .busy(BusyFault(status: status, retryAfter: relayed.response.retryAfter, words: nil))
        case .answered where status >= 400: throw .http(status: status)
        case .answered: return .ok
        case .forbidden: throw .forbidden(Refusal(status: status))
        case .lost: throw .failure(.unexpectedEvent("a request that is over"))
        }
    }

    /// Cookies that an answer has renewed.
    private func keep(_ session: Session, _ admission: Gate.Admission) {
        guard session != admission.session else { return }
        do throws(LoginError) {
            try admission.keeper.approve(Login(identity: admission.identity, session: session), .renewal)
        } catch {
            invocation.world.streams.say(
                """
                authctl: warning: \(gate.profile.name): the session that the answer renewed is not kept: \
                \(error.message(about: invocation.topic).what)
                """)
        }
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
