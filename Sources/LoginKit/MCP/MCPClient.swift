import Glibc
import Secrets
import Synchronization

/// A client of the Streamable HTTP transport: sends messages with the login, and hands on what the service says.
final class MCPClient: @unchecked Sendable {
    /// A session of the revisions of 2025.
    private struct Session {
        /// Counts the sessions; a lost one is begun anew.
        var number = 0
        var id: String?
        var version: String?
        /// What it was begun with.
        var initialize: MCPMessage?, initialized: MCPMessage?
        /// The GET on which the service says what nobody has asked for; `nil` if there is none now.
        var listener: MCPCall?
        /// Whether the service may have one.
        var hasListener = true
    }

    /// A service that one request at a time uses; its connections are kept for the next.
    private final class Worker: @unchecked Sendable {
        /// The request that it works for.
        var call: MCPCall?
        var service: Service?

        /// Only ever asked by the thread that runs a transfer.
        var isCancelled: Bool { call?.isOver ?? false }
    }

    private let login: MCPLogin
    private let output: MCPOutput
    /// Gives up the calls that were sent before this session.
    private let lose: @Sendable (Int) -> Void
    private let session = Mutex(Session())
    /// The headers that tools want, by their names.
    private let tools = Mutex<[String: MCPToolHeaders]>([:])
    private let recovery = Monitor()
    private let monitor = Monitor()
    private var idle: [Worker] = []
    private let threads = CountedThreads()

    private static let (mostIdle, mostRedirects, mostFailures, mostPages) = (16, 5, 2, 1000)
    /// The time in which a login that is made elsewhere is waited for.
    private static let loginPatience = Duration.seconds(20)
    /// Milliseconds before a stream is taken up again, unless the service says so.
    private static let pause = 1000

    init(_ login: MCPLogin, _ output: MCPOutput, lose: @escaping @Sendable (Int) -> Void) {
        (self.login, self.output, self.lose) = (login, output, lose)
    }

    /// Sends a message, unless that is refused, and sees to it that a request is answered.
    func serve(_ call: MCPCall) {
        let end = ContinuousClock.now + (call.message.isFirst ? Self.loginPatience : .zero)
        var verdict: MCPReview.Verdict?
        defer { verdict?.note?.end(call.status, sent: Int64(call.message.text.count), received: call.received) }
        while true {
            do throws(LoginFault) {
                let review = try login.server().review
                if verdict == nil {
                    try review.listTools(for: call.message) { () throws(LoginFault) in try listTools(for: call) }
                    verdict = review.review(call, account: login.account, hidden: login.knownSecrets)
                }
                if let refusal = verdict?.refusal { return answer(call, refusal) }
                return try exchange(call)
            } catch {
                if call.isAnswered { return }
                if case .loginRequired = error, login.hasChanged(until: end, unless: { call.isOver }) { continue }
                return answer(call, MCPError(call.isLost ? Self.lostCall : error, login.topic))
            }
        }
    }

    private static let lostCall = LoginFault.failure(
        .other("the service has ended the session in which this call was made; it may have been carried out"))

    private func answer(_ call: MCPCall, _ error: MCPError) {
        guard let id = call.message.id else { return login.warn(error.message) }
        if call.answer() { output.send(error.answer(to: id)) }
    }

    // MARK: One message

    private func exchange(_ call: MCPCall) throws(LoginFault) {
        let message = call.message
        var (reply, current) = try post(call)
        if current.id != nil, isLost(reply, message) {
            call.belong(to: nil)
            try recover(after: current.number)
            reply = try post(call).reply
        }
        if reply.refusal?.lacksHeaders == true ? call.needHeaders() : call.needsHeaders {
            try listTools(for: call)
            reply = try post(call).reply
        }
        guard let id = message.id else {
            if reply.status >= 300 { throw fault(of: reply) }
            if message.method == "notifications/initialized", !message.isModern {
                session.withLock { $0.initialized = message }
            }
            return listen()
        }
        listen()
        if call.isAnswered { return }
        if let refusal = reply.refusal {
            let isOwn = refusal.kind == .answer(id, isError: true)
            if call.answer() { output.send(isOwn ? refusal.text : refusal.error(for: id)) }
        } else {
            throw fault(of: reply)
        }
    }

    /// Posts a message, and takes up the response if it is a stream that has ended before the answer.
    /// - Returns: the last response, and the session in which it was posted.
    private func post(_ call: MCPCall) throws(LoginFault) -> (reply: MCPReply, current: Session) {
        let message = call.message, current = session.withLock { $0 }
        call.belong(to: message.isModern || message.method == "initialize" ? nil : current.number)
        let reply = MCPReply { [self] message, reply in pass(message, reply, for: call) }
        var headers = message.headers(session: current.id, settled: current.version)
        if message.isModern, message.method == "tools/call", let tool = tools.withLock({ $0[message.subject ?? ""] }) {
            headers += tool.headers(in: message)
        }
        // Nobody waits for more than the head.
        if message.id == nil { reply.whenBegun = { _ = call.answer() } }
        do throws(LoginFault) {
            try send("POST", headers, message.text, call, reply)
        } catch {
            guard case .network = error, canResume(call, reply) else { throw error }
        }
        if canResume(call, reply) { try resume(call, reply, in: current) }
        return (reply, current)
    }

    private func canResume(_ call: MCPCall, _ reply: MCPReply) -> Bool {
        call.message.id != nil && !call.message.isModern && !call.isAnswered && reply.events.lastID != nil
    }

    private func resume(_ call: MCPCall, _ first: MCPReply, in current: Session) throws(LoginFault) {
        var events = first.events, failures = 0, fault: LoginFault?
        while failures < Self.mostFailures, let last = events.lastID {
            pause(events.retry, call)
            let reply = MCPReply(after: events) { [self] message, reply in pass(message, reply, for: call) }
            fault = nil
            do throws(LoginFault) {
                try get(call, reply, in: current)
            } catch {
                guard case .network = error else { throw error }
                fault = error
            }
            if call.isAnswered { return }
            let isGood = reply.isStream && (fault == nil || reply.events.lastID != last)
            failures = isGood ? 0 : failures + 1
            if reply.isStream { events = reply.events }
        }
        throw fault ?? .network(.connectionLost)
    }

    /// Reads a stream, from where the one before has ended.
    private func get(_ call: MCPCall, _ reply: MCPReply, in current: Session) throws(LoginFault) {
        var headers =
            [("Accept", MCPMessage.accepted)] + MCPMessage.headers(session: current.id, settled: current.version)
        if let last = reply.events.lastID { headers.append(("Last-Event-ID", last)) }
        try send("GET", headers, nil, call, reply)
    }

    private func pass(_ message: MCPMessage, _ reply: MCPReply, for call: MCPCall) {
        guard case .answer(let id, let isError) = message.kind else { return emit(message) }
        guard let own = call.message.id, id == own || id == nil && isError else { return }
        if message.lacksHeaders, call.needHeaders() { return }
        guard call.answer(with: message) else { return }
        if call.message.method == "initialize", !isError { begin(call.message, reply.session, message.version) }
        if call.origin != nil { return }
        output.send(id == nil ? message.error(for: own) : shown(message, to: call.message))
    }

    /// Hands on what the service says by itself.
    private func emit(_ message: MCPMessage) {
        login.heard(message)
        output.send(message.text)
    }

    /// The text of an answer, without what the client may not see, and without tools that cannot be called; their headers are
    /// remembered.
    private func shown(_ answer: MCPMessage, to request: MCPMessage) -> [UInt8] {
        login.shown(answer, to: request, unless: remember)
    }

    /// - Returns: whether the tool can be called.
    private func remember(_ tool: JSONValue) -> Bool {
        guard let headers = MCPToolHeaders(schema: tool.member("inputSchema")) else { return false }
        if let name = tool.member("name")?.string { tools.withLock { $0[name] = headers } }
        return true
    }

    /// Reads the list of all tools on behalf of a call: their headers, and which of them only read.
    /// - Returns: the names of those.
    @discardableResult
    private func listTools(for call: MCPCall) throws(LoginFault) -> Set<String> {
        var cursor: [UInt8]?, reading: Set<String> = [], others: Set<String> = []
        for _ in 0..<Self.mostPages {
            guard let request = call.message.listing(after: cursor, id: "authctl-\(RequestNote.newID())") else { break }
            let page = MCPCall(request, for: call)
            try exchange(page)
            guard let list = page.kept, case .answer(_, isError: false) = list.kind else {
                throw .failure(.other("the service does not list its tools"))
            }
            _ = list.text(without: "tools") { tool in
                if let name = tool.member("name")?.string {
                    let isReading = tool.member("annotations")?.member("readOnlyHint") == .bool(true)
                    if isReading { reading.insert(name) } else { others.insert(name) }
                }
                return remember(tool)
            }
            cursor = list.member("nextCursor", at: ["result"]).flatMap { $0.first == UInt8(ascii: "\"") ? $0 : nil }
            if cursor == nil { break }
        }
        return reading.subtracting(others)
    }

    /// The fault of a response without an answer.
    private func fault(of reply: MCPReply) -> LoginFault {
        guard reply.status >= 300 else {
            return .failure(.other("the service has ended its response without an answer"))
        }
        if [401, 403].contains(reply.status) { return .forbidden(Refusal(status: reply.status, words: reply.words)) }
        return .failure(.other("the server answered with status \(reply.status)\(SafeText.said(reply.words))"))
    }

    /// Sends a message that is no client's; what comes after its answer does not matter.
    private func tell(
        _ message: MCPMessage, _ call: MCPCall, _ reply: MCPReply, session: String?, settled: String?
    ) throws(LoginFault) {
        do throws(LoginFault) {
            try send("POST", message.headers(session: session, settled: settled), message.text, call, reply)
        } catch {
            guard call.isAnswered else { throw error }
        }
    }

    // MARK: Sessions of 2025

    private func begin(_ initialize: MCPMessage, _ id: String?, _ version: String?) {
        session.withLock {
            $0.listener?.cancel()
            $0 = Session(number: $0.number + 1, id: id, version: version, initialize: initialize)
        }
    }

    /// Whether the response means that the service does not know the session any more.
    private func isLost(_ reply: MCPReply, _ message: MCPMessage) -> Bool {
        guard reply.status == 404, !message.isModern, message.method != "initialize" else { return false }
        // An error of this very request is its answer.
        return message.id.map { reply.refusal?.kind != .answer($0, isError: true) } ?? true
    }

    /// Begins a lost session anew, once for all that need it.
    private func recover(after number: Int) throws(LoginFault) {
        try recovery.locked { () throws(LoginFault) in
            let old = session.withLock { $0 }
            guard old.number == number, let initialize = old.initialize else { return }
            lose(number + 1)
            let call = MCPCall(initialize)
            var begun: (id: String?, version: String?)?
            let reply = MCPReply { message, reply in
                guard case .answer(_, isError: false) = message.kind, call.answer() else { return }
                begun = (reply.session, message.version)
            }
            try tell(initialize, call, reply, session: nil, settled: nil)
            guard let begun else { throw fault(of: reply) }
            guard begun.version == old.version else {
                throw .network(.brokenResponse("the service has begun a new session with another protocol version"))
            }
            if let initialized = old.initialized {
                let call = MCPCall(initialized), reply = MCPReply { _, _ in }
                reply.whenBegun = { _ = call.answer() }
                try tell(initialized, call, reply, session: begun.id, settled: begun.version)
            }
            session.withLock {
                $0.listener?.cancel()
                ($0.number, $0.id, $0.listener, $0.hasListener) = (number + 1, begun.id, nil, true)
            }
            listen()
        }
    }

    /// Listens, unless that is so already, to what the service says without being asked.
    private func listen() {
        let found: (call: MCPCall, current: Session)? = session.withLock {
            guard let initialized = $0.initialized, $0.hasListener, $0.listener == nil else { return nil }
            let call = MCPCall(initialized)
            $0.listener = call
            return (call, $0)
        }
        guard let (call, current) = found else { return }
        let isStarted = threads.start { [self] in
            let isGone = listen(call, in: current)
            session.withLock {
                guard $0.listener === call else { return }
                ($0.listener, $0.hasListener) = (nil, !isGone)
            }
        }
        if !isStarted { session.withLock { $0.listener = nil } }
    }

    /// - Returns: whether the service has nothing to say.
    private func listen(_ call: MCPCall, in current: Session) -> Bool {
        var events = MCPEventStream(), failures = 0
        while failures < Self.mostFailures, !call.isOver {
            let reply = MCPReply(after: events) { [self] message, _ in
                if case .answer = message.kind { return }
                emit(message)
            }
            do throws(LoginFault) {
                try get(call, reply, in: current)
            } catch {
                guard case .network = error else { return false }
            }
            // At 409 the service still has the stream before.
            if (200..<500).contains(reply.status), !reply.isStream, reply.status != 409 { return true }
            failures = reply.isStream ? 0 : failures + 1
            if reply.isStream { events = reply.events }
            pause(events.retry, call)
        }
        return false
    }

    private func pause(_ milliseconds: Int?, _ call: MCPCall) {
        let end = ContinuousClock.now + .milliseconds(milliseconds ?? Self.pause)
        while ContinuousClock.now < end, !call.isOver { usleep(20_000) }
    }

    /// Ends the session at the service, in a second at most.
    func end() {
        let last = session.withLock {
            $0.listener?.cancel()
            $0.hasListener = false
            return $0
        }
        if last.id != nil, let initialize = last.initialize {
            let call = MCPCall(initialize), deleting = CountedThreads()
            _ = deleting.start { [self] in
                let headers = MCPMessage.headers(session: last.id, settled: last.version)
                try? send("DELETE", headers, nil, call, MCPReply { _, _ in })
            }
            let end = ContinuousClock.now + .seconds(1)
            while deleting.count > 0, ContinuousClock.now < end { usleep(5000) }
            call.cancel()
        }
        let end = ContinuousClock.now + .seconds(1)
        while threads.count > 0, ContinuousClock.now < end { usleep(5000) }
    }

    // MARK: HTTP

    /// Sends one request with the session, and follows the redirects that keep its method.
    private func send(
        _ method: String, _ headers: [(name: String, value: String)], _ body: [UInt8]?, _ call: MCPCall,
        _ reply: MCPReply
    ) throws(LoginFault) {
        let server = try login.server(), session = try login.current()
        let worker = try worker(for: call, of: session)
        defer {
            call.note(reply)
            giveBack(worker)
        }
        guard let service = worker.service else { return }
        var target = server.url
        for _ in 0...Self.mostRedirects {
            if call.isOver { throw .cancelled }
            var message = HTTPRequest(
                method: method, url: target, headers: headers.map { .init(name: $0.name, value: Secret($0.value)) })
            if method == "DELETE" { message.limit = 1 }
            var outgoing = OutgoingRequest(
                message: message, body: body.map { .streamed(MCPBody($0), isRepeatable: true) } ?? .none,
                output: ResponseOutput(
                    reply, includesHead: false, progress: nil, mayConcern: server.provider.profile.mayConcern))
            (outgoing.mayProbe, outgoing.pieceSize) = (false, 64 << 10)
            let lent = try session.lend()
            let outcome = try session.send(outgoing, with: lent, over: service) { reply.hidden = $0 }
            let response = outcome.relayed.response
            if (300..<400).contains(response.status), let redirect = response.redirect {
                guard redirect.fault == nil, redirect.origin == server.endpoint.origin,
                    [307, 308].contains(response.status)
                else {
                    let words =
                        "the server answered with a redirect (status \(response.status)) to \(SafeText.quoted(redirect.url)), which is not followed"
                    throw redirect.fault ?? .failure(.other(words))
                }
                target = redirect.url
                continue
            }
            if outcome.ending == .forbidden, let scope = response.missingScope(of: lent.session) {
                throw .forbidden(Refusal(status: response.status, scope: scope))
            }
            if case .otherRealm(let realm) = outcome.ending { throw outgoing.otherRealm(realm, than: lent.space) }
            try outgoing.handOn()
            return session.settle()
        }
        throw .network(.redirectLoop(limit: Self.mostRedirects))
    }

    private func worker(for call: MCPCall, of session: ServedSession) throws(LoginFault) -> Worker {
        let worker = monitor.locked { idle.popLast() } ?? Worker()
        worker.call = call
        if worker.service == nil {
            worker.service = try session.serviceBeside { [unowned worker] in worker.isCancelled }
        }
        return worker
    }

    private func giveBack(_ worker: Worker) {
        worker.call = nil
        monitor.locked { if idle.count < Self.mostIdle { idle.append(worker) } }
    }
}
