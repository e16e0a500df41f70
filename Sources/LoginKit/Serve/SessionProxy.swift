import Glibc
package import LoginCore
import Secrets

/// The loopback address of an `exec --serve`: what a command sends there goes on to the profile's origin with the session, which
/// the command never holds.
package final class SessionProxy: ServerHandler, @unchecked Sendable {
    private let session: ServedSession
    private let run: LoginRun
    private let headers: ServedHeaders
    private let review: RequestReview
    private let monitor = Monitor()
    private var idle: [Worker] = []
    /// The largest number of idle workers whose connections are kept.
    private static let mostIdle = 16
    private let server: LoopbackServer

    /// A service that one request at a time uses; its connections are kept for the next.
    private final class Worker: @unchecked Sendable {
        /// The request that it works for.
        var call: ServerCall?
        var service: Service?

        /// Only ever asked by the thread that runs a transfer.
        var isCancelled: Bool { call?.isAbandoned() ?? false }
    }

    /// Says, before anybody logs in, that there cannot be such an address.
    package static func check() throws(LoginFault) {
        do throws(ServerFault) {
            try LoopbackServer.check()
        } catch {
            throw error.asLoginFault
        }
    }

    /// Listens; nobody is asked on this terminal any more.
    /// - Parameter seconds: how long the address is there; `nil` for as long as the command.
    package init(
        _ provider: SessionProvider, _ authenticated: SessionProvider.AuthenticatedSession,
        at place: ServePlace = .port, for seconds: Int? = nil, limits: ServeLimits = ServeLimits()
    ) throws(LoginFault) {
        run = authenticated.run
        provider.context.whenWarned = { [log = limits.log] in log?.warned($0) }
        session = ServedSession(provider.unattended(), authenticated)
        server = try LoopbackServer(place, for: seconds)
        headers = ServedHeaders(
            root: server.provider.root, origin: run.endpoint.origin, rule: run.profile.sessionRule,
            hasUserAgent: run.profile.settings.userAgent != nil)
        review = RequestReview(limits, headers, run.endpoint.origin)
    }

    /// Answers from now on, until `stop`.
    package func start() throws(LoginFault) {
        do throws(ServerFault) {
            try server.start(self)
        } catch {
            throw error.asLoginFault
        }
    }

    /// Where the profile's `url` is for the command, with a slash at the end.
    package var url: String {
        server.provider.root + run.endpoint.base.dropFirst(run.endpoint.origin.description.count) + "/"
    }

    /// The path of the Unix socket; `nil` at a port.
    package var socketPath: String? { server.path }

    /// Closes the address and all connections; what was refreshed is stored.
    /// - Returns: the session that there is at last.
    @discardableResult
    package func stop() -> Session {
        server.stop()
        idle = []
        return session.close()
    }

    func answer(_ call: ServerCall) {
        _ = serve(call) { (request, answer) throws(LoginFault) in
            try request.relay(answer)
            return nil
        }
    }

    package func open(_ call: ServerCall) -> (any ServedStream)? {
        serve(call) { (request, answer) throws(LoginFault) in try request.open(answer) }
    }

    /// Lends a request what it goes out by, and ends the call, unless that goes on as what `work` has opened.
    private func serve(
        _ call: ServerCall, _ work: (ServedRequest, ServedResponse) throws(LoginFault) -> ServedRequest.Opened?
    ) -> ServedWebSocket? {
        let answer = ServedResponse(call, headers)
        let result = review.review(call) { session.knownSecrets }
        if let objection = result.objection {
            answer.refuse(review.refusal(objection, call.head.judgedMethod, call.target))
            call.end(isWhole: answer.isWhole)
            result.note?.end(answer, of: call)
            return nil
        }
        do throws(LoginFault) {
            let worker = try worker(for: call)
            var opened: ServedRequest.Opened?
            defer { if opened == nil { giveBack(worker) } }
            if let service = worker.service {
                let request = ServedRequest(
                    call: call, session: session, service: service, profile: run.profile, endpoint: run.endpoint,
                    headers: headers, mayProbe: result.mayProbe, mayShowPlain: result.mayShowPlain)
                opened = try work(request, answer)
            }
            if let opened {
                return ServedWebSocket(opened) { [self] counts in
                    giveBack(worker)
                    result.note?.end(101, sent: counts.sent, received: counts.received)
                }
            }
        } catch {
            answer.explain(error, ErrorContext(profile: run.profile.name, origin: run.endpoint.origin))
        }
        call.end(isWhole: answer.isWhole)
        result.note?.end(answer, of: call)
        return nil
    }

    func response(to head: ServedHead, _ refused: ServeRefused) -> (type: String, text: String) {
        let place = server.provider.root.dropFirst("http://\(server.provider.authority)".count)
        guard refused.reason == .badTarget, head.target.hasPrefix(place),
            let text = review.refuseTarget(of: head, String(head.target.dropFirst(place.count)), session.knownSecrets)
        else { return ("text/plain; charset=utf-8", "authctl: \(refused.reason.words)\n") }
        return (RefusedRequest.type, text)
    }

    private func worker(for call: ServerCall) throws(LoginFault) -> Worker {
        try monitor.locked { () throws(LoginFault) in
            if let worker = idle.popLast() {
                worker.call = call
                return worker
            }
            let worker = Worker()
            worker.call = call
            worker.service = try run.serviceBeside { [unowned worker] in worker.isCancelled }
            return worker
        }
    }

    private func giveBack(_ worker: Worker) {
        monitor.locked {
            worker.call = nil
            if idle.count < Self.mostIdle { idle.append(worker) }
        }
    }
}

extension SessionProvider {
    /// The same for what comes while a command has the terminal: nobody is asked, and what was given has been tried.
    func unattended() -> SessionProvider {
        context.leaveTerminal()
        var provider = self
        provider.request.policy.mayAsk = false
        provider.request.policy.trust.mayAsk = false
        (provider.request.supplied, provider.request.policy.hasSuppliedCredential) = (nil, false)
        provider.request.showsNotice = false
        return provider
    }
}

extension SessionProvider.AuthenticatedSession {
    /// The session of a login that is not kept.
    package static func unkept(_ run: LoginRun, _ session: Session, username: String, _ identity: Identity) -> Self {
        Self(
            run: run, keeper: SessionHolder(run, mayGoWithoutStore: true), session: session, username: username,
            identity: identity, space: nil, isFresh: true)
    }

    /// The same login with another session, of which nothing was said by responses.
    func replaced(by session: Session) -> Self {
        Self(
            run: run, keeper: keeper, session: session, username: username, identity: identity, space: space,
            isFresh: isFresh)
    }

    /// Whether a store has the session, so that it is refreshed there.
    package var isKept: Bool { keeper.hasStore && !run.keepsNothing }
}

extension LoginRun {
    /// A service for requests beside those of this run, since each is used by one thread. A transfer may stand still for as
    /// long as somebody waits for it.
    func serviceBeside(isCancelled: @escaping @Sendable () -> Bool) throws(LoginFault) -> Service {
        var settings = try context.transportSettings(profile, for: endpoint.origin)
        settings.identity = beside.identity
        settings.stallTime = TransportSettings.longestTransfer
        settings.isCancelled = isCancelled
        var options = beside.options
        options.pinnedMethod = service.protectionSpace?.method ?? options.pinnedMethod
        return context.dependencies.service(profile, endpoint, settings, options)
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
    package mutating func run(beginning: UnsafeRawBufferPointer, unless isOver: () -> Bool) {
        var rest = beginning
        do throws(LoginFault) {
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
