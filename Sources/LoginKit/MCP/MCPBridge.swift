import Glibc

/// Stands between a client of the Model Context Protocol, at standard input and output, and a service that speaks its Streamable
/// HTTP: adds the login, and nothing else.
package final class MCPBridge: @unchecked Sendable {
    private let login: MCPLogin
    private let output = MCPOutput(STDOUT_FILENO)
    private let monitor = Monitor()
    private let threads = CountedThreads()
    /// In the order in which they came.
    private var waiting: [MCPCall] = []
    /// The bytes of all that wait or are under way.
    private var held = 0
    private var running: [MCPCall] = []
    /// Whether a message that goes alone is under way, or a notification, which are sent one after the other.
    private var (isAlone, isNotifying) = (false, false)
    private var client: MCPClient?

    /// Requests at once, and answers at once.
    private static let most = 256
    /// The bytes of messages at once, and how many of them wait.
    private static let (mostHeld, mostWaiting) = (4 * MCPMessage.longest, 20_000)
    /// The time that calls have once the client has gone.
    private static let patience = Duration.seconds(1)

    /// - Parameter target: a profile's name, or the URL of the service's endpoint; `nil` if options or the environment say it.
    package init(_ context: LoginContext, to target: String?, _ options: MCPOptions) {
        login = MCPLogin(context, target, options)
        client = MCPClient(login, output) { [unowned self] session in
            monitor.locked { for call in running { call.lose(before: session) } }
        }
    }

    /// Passes messages on until the client has gone, or a signal comes.
    package func run() {
        let signals = HeldSignals()
        guard let ending = try? PipeEnds(), DetachedThread.start({ [self] in receive(until: ending.writing) }) else {
            return login.warn("the system has no thread left")
        }
        while waitForInput([ending.reading], milliseconds: 0) == 0, !signals.arePending, !output.isClosed {
            waitForInput([ending.reading, signals.descriptor], milliseconds: 1000)
        }
        let end = ContinuousClock.now + (signals.arePending ? .zero : Self.patience)
        while ContinuousClock.now < end, !output.isClosed, !signals.arePending, isBusy { usleep(5000) }
        monitor.locked {
            waiting = []
            for call in running { call.cancel() }
        }
        client?.end()
        let last = ContinuousClock.now + Self.patience
        while ContinuousClock.now < last, threads.count > 0 { usleep(5000) }
        login.close()
        signals.release()
    }

    private var isBusy: Bool { monitor.locked { !(waiting.isEmpty && running.isEmpty) } }

    /// Reads all messages, on a thread of its own, since a client that does not read the answers may hold it up.
    /// - Parameter end: closed at the end.
    private func receive(until end: Int32) {
        var input = MCPInput(STDIN_FILENO)
        while !input.isAtEnd { for line in input.lines() { receive(line) } }
        close(end)
    }

    private func receive(_ line: [UInt8]?) {
        do throws(MCPError) {
            guard let line else { throw .tooLong }
            let message = try MCPMessage(line)
            var hasRoom = true
            monitor.locked {
                if message.method == MCPMessage.cancelling, !cancel(message.cancelled) { return }
                hasRoom =
                    message.method == MCPMessage.cancelling
                    || held + message.text.count <= Self.mostHeld && waiting.count < Self.mostWaiting
                guard hasRoom else { return }
                waiting.append(MCPCall(message))
                held += message.text.count
                startWaiting()
            }
            if !hasRoom, let id = message.id { output.send(MCPError.tooMany.answer(to: id)) }
        } catch {
            output.send(error.answer(to: nil))
        }
    }

    /// Gives up a request that the client does not want any more; with the lock.
    /// - Returns: whether the service is to be told so.
    private func cancel(_ id: MCPMessage.ID?) -> Bool {
        guard let id else { return false }
        if let place = waiting.firstIndex(where: { $0.message.id == id }) {
            held -= waiting.remove(at: place).message.text.count
            return false
        }
        // Of two with one ID, the earlier one was given up for the later.
        guard let call = running.last(where: { $0.message.id == id && !$0.isAnswered }),
            call.message.method != "initialize"
        else { return false }
        if call.cancelUnlessSent() { return false }
        if call.message.isModern { call.cancel() }
        return !call.message.isModern
    }

    /// Starts what may be sent now; with the lock.
    private func startWaiting() {
        var place = 0, requests = running.count { $0.message.id != nil }
        var answers = running.count { $0.message.method.isEmpty }
        while place < waiting.count {
            let call = waiting[place], isRequest = call.message.id != nil
            let mustWait =
                switch call.message.kind {
                case .request: isAlone || requests >= Self.most
                case .notification: isAlone || isNotifying
                case .answer: answers >= Self.most
                }
            if mustWait {
                place += 1
                continue
            }
            waiting.remove(at: place)
            // Whoever uses an ID again waits for the later answer.
            if isRequest { running.first { $0.message.id == call.message.id }?.cancel() }
            running.append(call)
            requests += isRequest ? 1 : 0
            answers += call.message.method.isEmpty ? 1 : 0
            note(call, isUnderWay: true)
            if !threads.start({ [self] in run(call) }) { refuse(call) }
        }
    }

    private func note(_ call: MCPCall, isUnderWay: Bool) {
        if call.message.goesAlone { isAlone = isUnderWay }
        if call.message.kind == .notification { isNotifying = isUnderWay }
    }

    private func run(_ call: MCPCall) {
        client?.serve(call)
        monitor.locked {
            // The service knows, and the client wants no answer.
            if let id = call.message.cancelled { running.last { $0.message.id == id }?.cancel() }
            finish(call)
            startWaiting()
        }
    }

    private func finish(_ call: MCPCall) {
        running.removeAll { $0 === call }
        held -= call.message.text.count
        note(call, isUnderWay: false)
    }

    private func refuse(_ call: MCPCall) {
        finish(call)
        guard let id = call.message.id else { return }
        output.send(
            MCPError(code: MCPError.failed, message: "the system has no thread left for this call").answer(to: id))
    }
}
