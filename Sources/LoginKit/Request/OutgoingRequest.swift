package import LoginCore
import Secrets

/// A request of the person's own on its way: sent once or more, and its answer handed on.
package struct OutgoingRequest {
    let message: HTTPRequest
    package let body: RequestContent
    package let output: ResponseOutput
    /// The URL of the page whose form is sent; `nil` for a request that comes from no page.
    let page: String?
    /// Says something about it, unless the person wants quiet.
    package let say: (String) -> Void
    /// The size of the pieces in which a body is copied, in bytes; `nil` for the usual.
    var pieceSize: Int?
    /// Whether the head may be sent ahead of a long body, see `probe`.
    var mayProbe = true

    package init(
        message: HTTPRequest, body: RequestContent, output: ResponseOutput, page: String? = nil,
        say: @escaping (String) -> Void = { _ in }
    ) {
        (self.message, self.body, self.output, self.page, self.say) = (message, body, output, page, say)
    }

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
        var bodies = StreamedBodies(sink: output)
        switch body {
        case .none: break
        case .kept(let bytes): request.body = bytes
        case .streamed(let source, _):
            guard source.rewind() else { throw .failure(.bodyNotRepeatable) }
            bodies = StreamedBodies(source: source, sink: output)
        }
        var session = session
        if let page { session = try service.fill(&request, fromPage: page, with: session, username: username) }
        if let pieceSize { bodies.pieceSize = pieceSize }
        request.streamedBodies = bodies
        do throws(LoginFault) {
            return try service.relay(request, with: session, username: username)
        } catch {
            if output.isShown, case .network = error { sayIncomplete() }
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

    /// Judges what the response says about the session.
    func judge(
        _ relayed: Service.Relayed, by service: Service, space: VerifiedSpace?
    ) throws(LoginFault) -> RelayJudgement {
        let held = output.heldBody()
        if held == nil && output.isShown && !relayed.response.isRefusal { return .passed }
        return try service.judge(relayed, body: held, space: space)
    }

    /// Whether a session is sent before the server has asked for it.
    func sendsAhead(_ carried: CarriedSession) throws(LoginFault) -> Bool {
        guard let session = carried.session else { return true }
        for url in [page, message.url].compactMap(\.self) {
            guard try carried.service.mayBeSentAhead(session, to: url, in: carried.space) else { return false }
        }
        return true
    }

    /// Refuses to send it once more where that cannot be.
    func checkRepeatable() throws(LoginFault) {
        // What was shown already cannot be taken back, and two answers are none.
        guard !output.isShown else { throw .loginRequired(LoginNeed(why: .sessionRefused)) }
        guard body.isRepeatable else { throw .failure(.bodyNotRepeatable) }
    }

    /// The server wants a login to another realm than the one of the session.
    func otherRealm(_ realm: String, than space: VerifiedSpace?) -> LoginFault {
        let url = String(message.url.prefix { $0 != "?" })
        return .loginRequired(LoginNeed(why: .otherRealm(realm, of: url, login: space?.realm ?? "")))
    }

    /// Hands on what is held of the answer.
    package func handOn() throws(LoginFault) {
        try output.release()
        if output.isCut { sayIncomplete() }
        try output.finish()
    }

    private func sayIncomplete() { say("the response above is incomplete") }
}
