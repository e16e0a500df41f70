import Secrets
import Synchronization

/// Sends requests to the service with the login of all calls.
final class MCPTransport: Sendable {
    private let login: MCPLogin
    private let services = ServedServices<MCPCall> { $0.isOver }
    private let values = Mutex<[String: Secret]>([:])

    private static let (mostRedirects, mostValues) = (5, 100)

    init(_ login: MCPLogin) {
        self.login = login
    }

    /// Sends one request with the session, and follows the redirects that keep its method. What comes after the answer does not matter.
    /// - Parameter seconds: that its transfer may take; `nil` if only the call itself ends it.
    func send(
        _ method: String, _ headers: [(name: String, value: String)], _ call: MCPCall, _ reply: MCPReply,
        within seconds: Int? = nil
    ) throws(LoginFault) {
        do throws(LoginFault) {
            if call.isOver { throw .cancelled }
            let server = try login.server(), session = try login.current()
            let place = try services.place(for: call, of: session)
            defer {
                call.note(reply)
                services.giveBack(place)
            }
            var message = HTTPRequest(
                method: method, url: server.url,
                headers: headers.map { .init(name: $0.name, value: secret($0.value)) })
            message.limit = seconds
            // A profile's timeout is for requests that do not wait for a tool.
            if seconds == nil { message.leastTime = TransportSettings.longestTransfer }
            for _ in 0...Self.mostRedirects {
                if call.isOver { throw .cancelled }
                guard let next = try transfer(message, call, reply, to: server, with: session, over: place.service)
                else { return }
                message.url = next
            }
            throw .network(.redirectLoop(limit: Self.mostRedirects))
        } catch {
            if call.isAnswered { return }
            var error = error
            // The protocol posts everything, and most of it can be sent again.
            if call.message.isIdempotent, case .network(.unanswered(let reason)) = error { error = .network(reason) }
            // On a connection that was kept, the fault names the time for a new one.
            if let seconds, case .network(.timedOut) = error { throw .network(.timedOut(seconds: seconds)) }
            throw error
        }
    }

    /// - Returns: where the service redirects it to; `nil` once the response was handed on.
    private func transfer(
        _ message: HTTPRequest, _ call: MCPCall, _ reply: MCPReply, to server: MCPLogin.Server,
        with session: ServedSession, over service: Service
    ) throws(LoginFault) -> String? {
        let output = ResponseOutput(reply, includesHead: false, progress: nil) { head in
            // An event stream says nothing of the login, and has to be heard as it comes.
            !head.isEventStream && server.provider.profile.mayConcern(head)
        }
        var outgoing = OutgoingRequest(
            message: message,
            body: message.method == "POST" ? .streamed(MCPBody(call.message.text), isRepeatable: true) : .none,
            output: output)
        (outgoing.mayProbe, outgoing.pieceSize) = (false, 64 << 10)
        let lent = try session.lend()
        // Refreshing may have taken its time.
        guard call.begin() else { throw .cancelled }
        let outcome = try session.send(outgoing, with: lent, over: service) { reply.hidden = $0 }
        let response = outcome.relayed.response
        if (300..<400).contains(response.status), let redirect = response.redirect {
            if let fault = redirect.fault { throw fault }
            if redirect.origin == server.origin, [307, 308].contains(response.status) { return redirect.url }
            let other = reply.hidden.stand(in: redirect.url) ? "another URL" : SafeText.quoted(redirect.url)
            throw .failure(
                """
                the server answered with a redirect (status \(response.status)) to \(other), which is not followed; if you trust it, \
                make it the profile's mcp or url
                """)
        }
        if outcome.ending == .forbidden, let scope = response.missingScope(of: lent.session),
            !reply.hidden.stand(in: scope)
        {
            throw .forbidden(Refusal(status: response.status, scope: scope))
        }
        if case .otherRealm(let realm) = outcome.ending { throw outgoing.otherRealm(realm, than: lent.space) }
        try outgoing.handOn()
        session.settle()
        return nil
    }

    /// Caches header values: most repeat in every call, and each `Secret` costs guarded pages.
    private func secret(_ value: String) -> Secret {
        // Locked memory is for secrets, and there is not much of it.
        if value.utf8.count > 256 { return Secret(value) }
        return values.withLock { values in
            if let known = values[value] { return known }
            if values.count >= Self.mostValues { values = [:] }
            let new = Secret(value)
            values[value] = new
            return new
        }
    }
}
