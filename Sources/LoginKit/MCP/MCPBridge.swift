import Glibc

/// Stands between a client of the Model Context Protocol, at standard input and output, and a service that speaks its Streamable
/// HTTP: adds the login, and nothing else.
package final class MCPBridge: @unchecked Sendable {
    private let login: MCPLogin
    private let output = MCPOutput(STDOUT_FILENO)
    private let monitor = Monitor()
    private let threads = CountedThreads()
    private var calls = MCPCalls()
    private var client: MCPClient?

    /// The time that calls have once the client has gone.
    private static let endGrace = Duration.seconds(1)

    /// - Parameters:
    ///   - target: a profile's name, or the URL of the service's endpoint; `nil` if options or the environment say it.
    ///   - rules: beside those of the profile.
    ///   - readsOnly: whether tools that only read are allowed, with all prompts and resources.
    ///   - log: an absolute path; `nil` for the profile's own log, if it has one.
    ///   - answerTime: seconds for each answer of `authctl approve`.
    ///   - logsIn: whether a login in the browser is begun where there is none.
    package init(
        _ context: LoginContext, to target: String?, rules: ServeRuleSet, readsOnly: Bool, log: String?,
        answerTime: Int,
        logsIn: Bool
    ) {
        let options = MCPOptions(
            rules: rules, readsOnly: readsOnly, log: log, answerTime: answerTime, logsIn: logsIn)
        login = MCPLogin(context, target, options)
        client = MCPClient(login, output) { [unowned self] session in
            monitor.locked { calls.lose(before: session) }
        }
    }

    /// Passes messages on until the client has gone, or a signal comes.
    package func run() throws(LoginFault) {
        let signals = HeldSignals()
        guard let ending = try? PipeEnds(), DetachedThread.start({ [self] in receive(until: ending.writing) }) else {
            throw .failure("the system has no thread left")
        }
        while waitForInput([ending.reading], milliseconds: 0) == 0, !signals.arePending, !output.isClosed {
            waitForInput([ending.reading, signals.descriptor], milliseconds: 1000)
        }
        let end = ContinuousClock.now + (signals.arePending ? .zero : Self.endGrace)
        while ContinuousClock.now < end, !output.isClosed, !signals.arePending, isBusy { usleep(5000) }
        monitor.locked { calls.cancelAll() }
        client?.end()
        let last = ContinuousClock.now + Self.endGrace
        while ContinuousClock.now < last, threads.count > 0 { usleep(5000) }
        login.close()
        SignalHold.endAll()
        signals.release()
    }

    private var isBusy: Bool { monitor.locked { !calls.isEmpty } }

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
            var hasRoom = false
            start(
                monitor.locked {
                    hasRoom = calls.take(message)
                    return calls.start()
                })
            if !hasRoom { refuse(message, .tooMany) }
        } catch {
            output.send(error.answer(to: error.id))
        }
    }

    /// Sends messages, each on a thread of its own.
    private func start(_ calls: [MCPCall]) {
        var started = calls
        while !started.isEmpty {
            let refused = started.filter { call in !threads.start { [self] in run(call) } }
            for call in refused { refuse(call.message, .noThread) }
            started = end(refused)
        }
    }

    /// Says why a message is not sent: to the client, unless it waits for no answer.
    private func refuse(_ message: MCPMessage, _ error: MCPError) {
        guard let id = message.id else { return login.warn("a message of the client was not sent: \(error.message)") }
        output.send(error.answer(to: id))
    }

    /// Sends a message, and then what waited for it: the last of that on this thread, so that a queue takes no new ones.
    private func run(_ call: MCPCall) {
        var next: MCPCall? = call
        while let call = next {
            client?.serve(call)
            var started = end([call])
            next = started.popLast()
            start(started)
        }
    }

    /// - Returns: the calls that may be sent now.
    private func end(_ ended: [MCPCall]) -> [MCPCall] {
        if ended.isEmpty { return [] }
        return monitor.locked {
            for call in ended { calls.end(call) }
            return calls.start()
        }
    }
}
