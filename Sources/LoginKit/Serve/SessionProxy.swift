import Glibc
import Secrets

/// The loopback address of an `exec --serve`: what a command sends there goes on to the profile's origin with the session, which
/// the command never holds.
package final class SessionProxy: @unchecked Sendable {
    private let session: ServedSession
    private let run: LoginRun
    private let headers: ServedHeaders
    private let review: RequestReview
    private let services = ServedServices<ServerCall> { $0.isAbandoned() }
    private let server: LoopbackServer

    /// Says, before anybody logs in, that there cannot be such an address.
    package static func check() throws(LoginFault) { try LoopbackServer.check() }

    /// Listens; nobody is asked on this terminal any more.
    /// - Parameter seconds: how long the address is there; `nil` for as long as the command.
    package init(
        _ provider: SessionProvider, _ authenticated: AccountSession,
        at place: ServePlace = .port, for seconds: Int? = nil, limits: ServeLimits = ServeLimits()
    ) throws(LoginFault) {
        run = authenticated.run
        provider.context.person.whenWarned = { [log = limits.log] in log?.warned($0) }
        session = ServedSession(provider.unattended(), authenticated)
        server = try LoopbackServer(place, for: seconds)
        headers = ServedHeaders(
            root: server.gate.root, origin: run.endpoint.origin, rule: run.profile.sessionRule,
            hasUserAgent: run.profile.settings.userAgent != nil)
        review = RequestReview(limits, headers, run.endpoint.origin)
        for warning in limits.rules.warnings(about: run.profile, forMCP: false) {
            provider.context.person.warn(warning)
        }
    }

    /// Answers from now on, until `stop`.
    package func start() throws(LoginFault) { try server.start(self) }

    /// Where the profile's `url` is for the command, with a slash at the end.
    package var url: String {
        server.gate.root + run.endpoint.base.dropFirst(run.endpoint.origin.description.count) + "/"
    }

    /// The path of the Unix socket; `nil` at a port.
    package var socketPath: String? { server.path }

    /// Takes a connection of this user to the service's own origin.
    /// - Parameter isClear: whether it goes on without TLS.
    func add(_ connection: Int32, isClear: Bool) { server.add(connection, isClear: isClear) }

    /// The requests and the broken handshakes of such connections so far.
    var seen: LoopbackServer.Seen { server.seen }

    /// Closes the address and all connections; what was refreshed is stored.
    /// - Returns: the session that there is at last.
    @discardableResult
    package func stop() -> AccountSession {
        server.stop()
        services.close()
        return session.close()
    }

    /// Answers a request, on a thread of its own: `begin`, `write` and `end`.
    /// - Parameter opens: for WebSocket's protocol, on the connection's thread.
    /// - Returns: what goes on in that protocol; `nil` if `call` was answered instead, and is over.
    func answer(_ call: ServerCall, opens: Bool = false) -> ServedWebSocket? {
        let answer = ServedResponse(call, headers)
        let result = review.review(call) { session.knownSecrets }
        if let objection = result.objection {
            answer.refuse(review.refusal(objection, call.head.judgedMethod, call.target))
        } else {
            do {
                let place = try services.place(for: call, of: session)
                var opened: ServedRequest.Opened?
                defer { if opened == nil { services.giveBack(place) } }
                let request = ServedRequest(
                    call: call, session: session, service: place.service, profile: run.profile,
                    endpoint: run.endpoint, headers: headers, mayProbe: result.mayProbe,
                    mayShowPlain: result.mayShowPlain)
                if opens { opened = try request.open(answer) } else { try request.relay(answer) }
                if let opened {
                    return ServedWebSocket(opened) { [self] counts in
                        services.giveBack(place)
                        result.note?.end(101, sent: counts.sent, received: counts.received)
                    }
                }
            } catch {
                answer.explain(error, ErrorContext(profile: run.profile.name, origin: run.endpoint.origin))
            }
        }
        call.end(isWhole: answer.isWhole)
        result.note?.end(answer, of: call)
        return nil
    }

    /// The response to a client that was turned away.
    func response(to head: ServedHead, _ refusal: ServeGate.Refusal) -> (type: String, text: String) {
        let place = server.gate.folder
        guard refusal == .badTarget, head.target.hasPrefix(place),
            let text = review.refuseTarget(of: head, String(head.target.dropFirst(place.count)), session.knownSecrets)
        else { return ("text/plain; charset=utf-8", "authctl: \(refusal.words)\n") }
        return (RefusedRequest.type, text)
    }
}
