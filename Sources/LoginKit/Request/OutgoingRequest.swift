package import LoginCore
import Secrets

/// A request of the person's own on its way: sent once or more, and its answer handed on.
package struct OutgoingRequest {
    let context: LoginContext
    /// The profile's name, for what is said.
    let profile: String
    let message: HTTPRequest
    package let body: RequestContent
    package let output: ResponseOutput

    package init(
        context: LoginContext, profile: String, message: HTTPRequest, body: RequestContent, output: ResponseOutput
    ) {
        (self.context, self.profile, self.message) = (context, profile, message)
        (self.body, self.output) = (body, output)
    }

    /// Says something about it, unless the person wants quiet.
    package func say(_ text: String) { context.say("\(profile): \(text)") }

    /// - Parameter session: `nil` if none is sent.
    package func send(
        over service: Service, with session: Session?, username: String
    ) throws(LoginFault) -> Service.Relayed {
        let relayed = try sendOnce(over: service, with: session, username: username)
        guard !output.isShown, try service.learnsCSRF(from: relayed, body: output.heldBody()) else { return relayed }
        // Without the value the service has done nothing: this is the same request, not another one.
        guard body.isRepeatable else {
            try handOn()
            throw .failure(.bodyNotRepeatable)
        }
        return try sendOnce(over: service, with: relayed.session ?? session, username: username)
    }

    private func sendOnce(
        over service: Service, with session: Session?, username: String
    ) throws(LoginFault) -> Service.Relayed {
        var request = message
        switch body {
        case .none: request.streamedBodies = StreamedBodies(sink: output)
        case .kept(let bytes):
            request.body = bytes
            request.streamedBodies = StreamedBodies(sink: output)
        case .streamed(let source, _):
            guard source.rewind() else { throw .failure(.bodyNotRepeatable) }
            request.streamedBodies = StreamedBodies(source: source, sink: output)
        }
        do throws(LoginFault) {
            return try service.relay(request, with: session, username: username)
        } catch {
            if output.isShown, case .network = error { say("the response above is incomplete") }
            throw error
        }
    }

    /// Asks as an anonymous client for the head alone, so that a long body is not sent only to be refused.
    func probe(over service: Service, space: VerifiedSpace?) throws(LoginFault) -> RelayJudgement {
        let headers = message.headers.filter { !$0.name.lowercased().hasPrefix("content-") }
        let head = HTTPRequest(method: "HEAD", url: message.url, headers: headers)
        let relayed = try service.relay(head, with: nil, username: "")
        return try service.judge(relayed, body: nil, space: space)
    }

    /// What the answer says about the session.
    func judge(
        _ relayed: Service.Relayed, by service: Service, space: VerifiedSpace?
    ) throws(LoginFault) -> RelayJudgement {
        let held = output.heldBody()
        if held == nil && output.isShown && !relayed.response.status.isRefusal { return .passed }
        return try service.judge(relayed, body: held, space: space)
    }

    /// Stores cookies that an answer has refreshed.
    func keep(_ session: Session?, _ authenticated: SessionProvider.AuthenticatedSession) {
        guard let session, session != authenticated.session else { return }
        do throws(LoginFault) {
            try authenticated.keeper.approve(Login(identity: authenticated.identity, session: session), .refresh)
        } catch {
            context.warn(
                """
                warning: \(profile): the refreshed session was not stored: \
                \(error.message(about: context.topic).what)
                """)
        }
    }

    /// Hands on what is held of the answer.
    package func handOn() throws(LoginFault) {
        try output.release()
        try output.finish()
    }
}

extension Int {
    /// 401 or 403.
    fileprivate var isRefusal: Bool { self == 401 || self == 403 }
}
