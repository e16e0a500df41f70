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
        /// Where the last one has ended.
        var heard = MCPEventStream()
        /// Whether the service may have one.
        var hasListener = true
    }

    private let login: MCPLogin
    private let transport: MCPTransport
    private let output: MCPOutput
    /// Gives up the calls that were sent before this session.
    private let lose: @Sendable (Int) -> Void
    private let session = Mutex(Session())
    /// The headers that tools want, by their names.
    private let tools = Mutex<[String: MCPToolHeaders]>([:])
    private let recovery = Monitor()
    private var recoveryFailure = RecentFailure()
    private let threads = CountedThreads()

    private static let (mostFailures, mostPages) = (2, 1000)
    /// Milliseconds before a stream is taken up again, unless the service says so, and at least.
    private static let (pause, leastPause) = (1000, 100)
    /// Seconds that a service has for taking a notification, and for beginning a lost session anew: other calls wait for both.
    private static let shortTime = 15

    init(_ login: MCPLogin, _ output: MCPOutput, lose: @escaping @Sendable (Int) -> Void) {
        (self.login, self.output, self.lose) = (login, output, lose)
        transport = MCPTransport(login)
    }

    /// Sends a message, unless that is refused, and sees to it that a request is answered.
    func serve(_ call: MCPCall) {
        let end = call.message.isFirst ? login.patienceEnd : .now
        var verdict: MCPReview.Verdict?
        defer {
            let (status, received) = call.responses
            verdict?.note?.end(status, sent: Int64(call.message.text.count), received: received)
        }
        while true {
            do throws(LoginFault) {
                let review = try login.server().review
                if verdict == nil {
                    try review.listTools(for: call.message) { () throws(LoginFault) in try listTools(for: call) }
                    verdict = review.review(call, account: login.account, hidden: login.knownSecrets)
                }
                if let refusal = verdict?.refusal {
                    // A notification that a client sends is no warning of ours, but for an answer the service waits.
                    switch call.message.kind {
                    case .request: answer(call, refusal)
                    case .answer: login.warn("an answer of the client was not sent: \(refusal.message)")
                    case .notification: break
                    }
                    return
                }
                return try exchange(call)
            } catch {
                if case .loginRequired = error, login.hasChanged(until: end, telling: error, unless: { call.isOver }) {
                    continue
                }
                let fault = call.isLost ? Self.lostCall : error
                return answer(call, MCPError(fault, login.topic, isDoubtful: call.isDoubtful(after: error)))
            }
        }
    }

    private static let lostCall = LoginFault.failure("the service ended the session during this call")

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
        if reply.lacksHeaders {
            try listTools(for: call)
            reply = try post(call, isAgain: true).reply
        }
        if reply.isGood, !message.isModern, message.method == "notifications/initialized" {
            session.withLock { $0.initialized = message }
        }
        listen()
        if call.isAnswered { return }
        guard call.origin == nil, let id = message.id, let refusal = reply.refusal else { throw fault(of: reply) }
        let isOwn = refusal.kind == .answer(id, isError: true)
        if call.answer() { output.send(isOwn ? refusal.text : refusal.error(for: id)) }
    }

    /// Posts a message, and takes up the response if it is a stream that has ended before the answer.
    /// - Returns: the response, and the session in which it was posted.
    private func post(
        _ call: MCPCall, isAgain: Bool = false
    ) throws(LoginFault) -> (reply: MCPReply, current: Session) {
        let message = call.message, current = session.withLock { $0 }
        call.belong(to: message.isModern || message.method == "initialize" ? nil : current.number)
        let reply = reply(to: call)
        var headers = message.headers(session: current.id, settled: current.version)
        if message.isModern, message.method == "tools/call" {
            reply.mayLackHeaders = !isAgain
            headers += tools.withLock { $0[message.subject ?? ""] }?.headers(in: message) ?? []
        }
        // The head of the response is all that a notification needs.
        if message.id == nil { reply.whenBegun = { _ = call.answer() } }
        var fault: LoginFault?
        do throws(LoginFault) {
            try transport.send(
                "POST", headers, call, reply, within: message.kind == .notification ? Self.shortTime : nil)
        } catch {
            fault = error
            guard case .network = error else { throw error }
        }
        let mayEnd = message.id != nil && !message.isModern && !call.isAnswered && reply.events.lastID != nil
        if mayEnd { try follow(call, after: reply.events, in: current) } else if let fault { throw fault }
        return (reply, current)
    }

    private func reply(to call: MCPCall, after events: MCPEventStream = MCPEventStream()) -> MCPReply {
        MCPReply(after: events) { [self] message, reply in pass(message, reply, for: call) }
    }

    /// Reads what the service says on a stream of its own, and takes that up where it ends, until there is an answer, or two tries in a
    /// row fail.
    /// - Parameter events: where the stream before has ended; `nil` if no answer is waited for.
    private func follow(
        _ call: MCPCall, after events: MCPEventStream?, in current: Session
    ) throws(LoginFault) {
        let isListening = events == nil
        var events = events ?? current.heard, failures = 0
        if !isListening { pause(events.retry, call) }
        while !call.isAnswered, !call.isOver {
            let reply = reply(to: call, after: events)
            var headers =
                [("Accept", MCPMessage.accepted)] + MCPMessage.headers(session: current.id, settled: current.version)
            if let last = events.lastID { headers.append(("Last-Event-ID", last)) }
            var fault: LoginFault?
            do throws(LoginFault) {
                try transport.send("GET", headers, call, reply)
            } catch {
                guard case .network = error else { throw error }
                fault = error
            }
            if call.isAnswered { return }
            // At 409 the service still has the stream before.
            if (200..<500).contains(reply.status), !reply.isStream, reply.status != 409 { throw self.fault(of: reply) }
            let isGood = reply.isStream && (fault == nil || isListening || reply.events.lastID != events.lastID)
            failures = isGood ? 0 : failures + 1
            if reply.isStream { events = MCPEventStream(after: reply.events.lastID, retry: reply.events.retry) }
            if isListening { session.withLock { if $0.listener === call { $0.heard = events } } }
            guard failures < Self.mostFailures, isListening || events.lastID != nil else {
                throw fault ?? .network(.connectionLost)
            }
            pause(events.retry, call)
        }
    }

    private func pass(_ message: MCPMessage, _ reply: MCPReply, for call: MCPCall) {
        guard case .answer(let id, let isError) = message.kind else {
            login.review?.hear(message)
            return output.send(message.text)
        }
        guard let own = call.message.id, id == own || id == nil && isError else { return }
        guard call.answer(with: message) else { return }
        if call.message.method == "initialize", !isError { begin(call.message, reply.session, message.version) }
        if call.origin != nil { return }
        if id == nil { return output.send(message.error(for: own)) }
        output.send(login.review?.shown(message, to: call.message, unless: remember) ?? message.text)
    }

    /// Remembers the headers that a tool wants.
    /// - Returns: whether it can be called.
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
                throw .failure(
                    "the service did not list its tools, which --read-only and tools with headers of their own need")
            }
            _ = list.text.without("tools") { tool in
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
            return .failure("the service ended its response without an answer")
        }
        if [401, 403].contains(reply.status) { return .forbidden(Refusal(status: reply.status, words: reply.words)) }
        let hint = reply.status == 405 ? Self.olderTransport : ""
        return .failure("the server answered with status \(reply.status)\(SafeText.said(reply.words))\(hint)")
    }

    private static let olderTransport =
        "; it takes no messages there and may speak only HTTP+SSE, the transport of 2024, which authctl does not; if the service has a "
        + "Streamable HTTP endpoint, often /mcp, make that the profile's mcp or url"

    // MARK: Sessions of 2025

    private func begin(_ initialize: MCPMessage, _ id: String?, _ version: String?) {
        let old = session.withLock { session in
            defer { session = Session(number: session.number + 1, id: id, version: version, initialize: initialize) }
            session.listener?.cancel()
            return session
        }
        delete(old)
    }

    private func delete(_ session: Session) {
        guard session.id != nil, let initialize = session.initialize else { return }
        _ = threads.start { [self] in
            let headers = MCPMessage.headers(session: session.id, settled: session.version)
            try? transport.send("DELETE", headers, MCPCall(initialize), MCPReply { _, _ in }, within: 1)
        }
    }

    /// Whether the response means that the service does not know the session any more.
    private func isLost(_ reply: MCPReply, _ message: MCPMessage) -> Bool {
        !message.isModern && message.method != "initialize" && reply.losesSession(of: message.id)
    }

    /// Begins a lost session anew, once for all that need it.
    private func recover(after number: Int) throws(LoginFault) {
        try recovery.locked { () throws(LoginFault) in
            let old = session.withLock { $0 }
            guard old.number == number, let initialize = old.initialize else { return }
            lose(number + 1)
            let id = try recoveryFailure.unlessRecent { () throws(LoginFault) in try beginAnew(old, initialize) }
            session.withLock {
                $0.listener?.cancel()
                ($0.number, $0.id, $0.listener, $0.heard, $0.hasListener) = (number + 1, id, nil, .init(), true)
            }
            listen()
        }
    }

    /// - Returns: the ID of a session like the old one.
    private func beginAnew(_ old: Session, _ initialize: MCPMessage) throws(LoginFault) -> String? {
        let call = MCPCall(initialize)
        var begun: (id: String?, version: String?)?
        let reply = MCPReply { message, reply in
            guard case .answer(_, isError: false) = message.kind, call.answer() else { return }
            begun = (reply.session, message.version)
        }
        try transport.send("POST", initialize.headers(session: nil, settled: nil), call, reply, within: Self.shortTime)
        guard let begun else { throw fault(of: reply) }
        do throws(LoginFault) {
            guard begun.version == old.version else {
                throw .network(.brokenResponse("the service has begun a new session with another protocol version"))
            }
            if let initialized = old.initialized {
                let call = MCPCall(initialized), reply = MCPReply { _, _ in }
                reply.whenBegun = { _ = call.answer() }
                let headers = initialized.headers(session: begun.id, settled: begun.version)
                try transport.send("POST", headers, call, reply, within: Self.shortTime)
            }
        } catch {
            delete(Session(id: begun.id, version: begun.version, initialize: initialize))
            throw error
        }
        return begun.id
    }

    /// Opens the stream on which the service speaks by itself, unless it is open.
    private func listen() {
        let found: (call: MCPCall, current: Session)? = session.withLock {
            guard let initialized = $0.initialized, $0.hasListener, $0.listener == nil else { return nil }
            let call = MCPCall(initialized)
            $0.listener = call
            return (call, $0)
        }
        guard let (call, current) = found else { return }
        let isStarted = threads.start { [self] in
            // Whether the service has no such stream.
            var isRefused = false
            do throws(LoginFault) {
                try follow(call, after: nil, in: current)
            } catch .failure, .forbidden {
                isRefused = true
            } catch {}
            session.withLock {
                guard $0.listener === call else { return }
                // It may have forgotten the last event alone.
                ($0.listener, $0.hasListener) = (nil, !isRefused || $0.heard.lastID != nil)
                if isRefused { $0.heard = MCPEventStream() }
            }
        }
        if !isStarted { session.withLock { $0.listener = nil } }
    }

    private func pause(_ milliseconds: Int?, _ call: MCPCall) {
        let end = ContinuousClock.now + .milliseconds(max(milliseconds ?? Self.pause, Self.leastPause))
        while ContinuousClock.now < end, !call.isOver { usleep(20_000) }
    }

    /// Ends the session at the service, in a second at most.
    func end() {
        let last = session.withLock { session in
            // Nor is a lost one begun anew.
            defer { session.initialize = nil }
            session.listener?.cancel()
            session.hasListener = false
            return session
        }
        delete(last)
        let end = ContinuousClock.now + .seconds(1)
        while threads.count > 0, ContinuousClock.now < end { usleep(5000) }
    }
}
