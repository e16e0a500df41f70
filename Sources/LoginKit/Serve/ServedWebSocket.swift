import CProcess
import Glibc
import Secrets

/// A WebSocket of a command: opened at the service with the session, and once more with a refreshed one.
final class ServedWebSocket: @unchecked Sendable {
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

    /// - Parameters:
    ///   - socket: of the client; it is closed by others.
    ///   - beginning: what the client has sent already.
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
            lent = try session.lend(after: lent)
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
        service.owner = lent.identity
        let request = HTTPRequest(
            method: "GET", url: endpoint.origin.description + call.target, headers: headers.sent(call.head.fields))
        return try service.openTunnel(request, to: "websocket", with: lent.session, username: lent.identity.username)
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

/// Carries bytes between a client's socket and a tunnel, both ways at once, until either ends.
struct StreamPump: ~Copyable {
    private let socket: Int32
    private let tunnel: any Tunnel
    private var out: Buffer
    private var back: Buffer
    private var isEnding = false
    /// The bytes that went to the tunnel, and those that went to the client.
    private(set) var sent: Int64 = 0, received: Int64 = 0

    /// Bytes on their way in one direction.
    private struct Buffer: ~Copyable {
        static let size = 64 << 10
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        var pending = 0..<0

        var waiting: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[pending]) }

        deinit {
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
            bytes.deallocate()
        }
    }

    /// - Parameter beginning: what the client has sent already.
    init(_ socket: Int32, _ tunnel: any Tunnel) {
        (self.socket, self.tunnel) = (socket, tunnel)
        out = Buffer()
        back = Buffer()
    }

    /// - Parameters:
    ///   - beginning: what the client has sent already.
    ///   - isOver: asked a few times a second.
    mutating func run(beginning: UnsafeRawBufferPointer, unless isOver: () -> Bool) {
        var rest = beginning
        do {
            while !isOver() {
                if out.pending.isEmpty, !rest.isEmpty {
                    let count = min(rest.count, out.bytes.count)
                    out.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
                    out.pending = 0..<count
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
                let hasMoved = try step()
                if isEnding, back.pending.isEmpty { return }
                if !hasMoved { wait() }
            }
        } catch {
            // Either end is gone, and so is the other with it.
        }
    }

    /// - Returns: whether any bytes have moved.
    private mutating func step() throws(LoginFault) -> Bool {
        var hasMoved = false
        if back.pending.isEmpty, !isEnding, let count = try tunnel.receive(into: back.bytes) {
            (back.pending, isEnding, hasMoved) = (0..<count, count == 0, true)
        }
        if !back.pending.isEmpty {
            let sent = send(socket, back.waiting.baseAddress, back.waiting.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            if sent < 0, errno != EAGAIN, errno != EINTR { throw .cancelled }
            if sent > 0 {
                (back.pending, hasMoved) = (back.pending.lowerBound + sent..<back.pending.upperBound, true)
                received += Int64(sent)
            }
        }
        if out.pending.isEmpty {
            let got = recv(socket, out.bytes.baseAddress, out.bytes.count, Int32(MSG_DONTWAIT))
            if got == 0 || got < 0 && errno != EAGAIN && errno != EINTR { throw .cancelled }
            if got > 0 { (out.pending, hasMoved) = (0..<got, true) }
        }
        if !out.pending.isEmpty {
            let sent = try tunnel.send(out.waiting)
            if sent > 0 {
                (out.pending, hasMoved) = (out.pending.lowerBound + sent..<out.pending.upperBound, true)
                self.sent += Int64(sent)
            }
        }
        return hasMoved
    }

    private func wait() {
        let client = (out.pending.isEmpty ? POLLIN : 0) | (back.pending.isEmpty ? 0 : POLLOUT)
        let server = (back.pending.isEmpty ? POLLIN : 0) | (out.pending.isEmpty ? 0 : POLLOUT)
        var looks = [
            pollfd(fd: socket, events: Int16(client), revents: 0),
            pollfd(fd: tunnel.descriptor, events: Int16(server), revents: 0),
        ]
        poll(&looks, 2, 250)
    }
}
