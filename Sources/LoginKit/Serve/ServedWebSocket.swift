import LoginCore
import Secrets

/// A WebSocket of a command: opened at the service with the session, and once more with a refreshed one.
final class ServedWebSocket: ServedStream, @unchecked Sendable {
    let fields: [HTTPResponseField]
    private let tunnel: any Tunnel
    /// The bytes that went to the service, and those that came back.
    typealias Counts = (sent: Int64, received: Int64)
    private var counts: Counts = (0, 0)
    /// Gives back what the connection uses.
    private let done: @Sendable (Counts) -> Void

    init(_ opened: ServedRequest.Opened, done: @escaping @Sendable (Counts) -> Void) {
        (fields, tunnel, self.done) = (opened.fields, opened.tunnel, done)
    }

    deinit {
        done(counts)
    }

    func run(_ socket: Int32, beginning: UnsafeRawBufferPointer, unless isOver: () -> Bool) {
        var pump = StreamPump(socket, tunnel)
        pump.run(beginning: beginning, unless: isOver)
        counts = (pump.sent, pump.received)
    }
}

extension ServedRequest {
    /// A protocol that the service has switched to.
    typealias Opened = (fields: [HTTPResponseField], tunnel: any Tunnel)

    /// - Returns: `nil` if the service does not go on in that protocol: then the call is answered.
    func open(_ answer: ServedResponse) throws(LoginFault) -> Opened? {
        var lent = try session.current()
        var (relayed, tunnel) = try ask(lent)
        if tunnel == nil, try isLoggedOut(relayed, lent) {
            let former = lent
            lent = try session.telling { () throws(LoginFault) in try session.refreshed(after: former) }
            (relayed, tunnel) = try ask(lent)
        }
        let head = relayed.response
        guard let tunnel else {
            answer.hidden = lent.hidden
            let isWhole = mayShowPlain && head.contentLength == Int64(head.body.count)
            try answer.begin(
                HTTPResponse(status: head.status, headers: isWhole ? head.headers : head.headers.withoutBody))
            // Nobody reads it before this thread does: it is shorter than what the call has room for.
            if isWhole { try head.body.withUnsafeBytes { (bytes) throws(LoginFault) in try answer.write(bytes) } }
            try answer.finish()
            return nil
        }
        let fields = headers.returned(head.headers) { lent.hidden.stand(in: $0) }
        return (fields + [HTTPResponseField(name: "Upgrade", value: "websocket")], tunnel)
    }

    private func ask(
        _ lent: ServedSession.Lent
    ) throws(LoginFault) -> (relayed: Service.Relayed, tunnel: (any Tunnel)?) {
        service.hold(lent.extraSecrets)
        let request = HTTPRequest(
            method: "GET", url: endpoint.origin.description + call.target, headers: headers.sent(call.head.fields))
        return try service.openTunnel(request, to: "websocket", with: lent.session, username: lent.username)
    }

    private func isLoggedOut(_ relayed: Service.Relayed, _ lent: ServedSession.Lent) throws(LoginFault) -> Bool {
        let body = relayed.response.body
        switch try service.judge(relayed, body: body.isEmpty ? nil : body, space: lent.space) {
        case .loggedOut, .undecided, .likeAnonymous:
            if profile.verify == nil { return true }
            return try !session.isKnown(lent, refreshed: nil)
        case .passed, .forbidden, .refusedPassword, .otherRealm: return false
        }
    }
}

extension [HTTPResponseField] {
    /// The body of a refusal that does not tell how long it is, or is very long, is not read.
    fileprivate var withoutBody: [HTTPResponseField] {
        filter { !["content-length", "content-type", "content-encoding"].contains($0.name.lowercased()) }
            + [HTTPResponseField(name: "Content-Length", value: "0")]
    }
}
