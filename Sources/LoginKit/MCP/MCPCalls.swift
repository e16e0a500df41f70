/// The client's messages that wait or are under way: which of them may be sent when, and how many there may be.
struct MCPCalls {
    /// The calls of one kind.
    private struct Queue {
        /// The most under way, and how many are.
        let most: Int
        var running = 0
        /// Those that wait, with their numbers; the first ones are the last of `older`.
        private var newer: [(number: Int, call: MCPCall)] = [], older: [(number: Int, call: MCPCall)] = []

        init(most: Int) {
            self.most = most
        }

        /// The number of the next call, if it may be sent.
        var next: Int? { running < most ? (older.last ?? newer.first)?.number : nil }

        mutating func append(_ call: MCPCall, number: Int) { newer.append((number, call)) }

        mutating func start() -> MCPCall? {
            if older.isEmpty { (older, newer) = (newer.reversed(), []) }
            running += 1
            return older.popLast()?.call
        }

        /// Takes out the last one with an ID: it is the one that the client means.
        mutating func remove(_ id: MCPMessage.ID) -> MCPCall? {
            if let place = newer.lastIndex(where: { $0.call.message.id == id }) { return newer.remove(at: place).call }
            return older.firstIndex { $0.call.message.id == id }.map { older.remove(at: $0).call }
        }

        mutating func removeAll() { (newer, older) = ([], []) }
    }

    /// Requests, notifications, which are sent one after the other, answers, and cancellations, which no other notification holds up.
    private var queues = [Queue(most: mostAtOnce), Queue(most: 1), Queue(most: mostAtOnce), Queue(most: 16)]
    private var running: [MCPCall] = []
    /// Whether a message that goes alone is under way.
    private var isAlone = false
    /// Whether the client, or its person, has ended the command.
    private var isEnded = false
    /// How many have come, how many of them wait, and the bytes of all that wait or are under way.
    private var (count, waiting, held) = (0, 0, 0)

    /// The most requests, and the most answers, under way.
    static let mostAtOnce = 256
    /// The most bytes held, and the most messages waiting.
    static let (mostHeld, mostWaiting) = (4 * MCPMessage.longest, 20_000)
    /// The room for cancellations beyond that: they make room.
    private static let spare = (bytes: 1 << 20, messages: mostAtOnce)

    var isEmpty: Bool { waiting == 0 && running.isEmpty }

    /// Takes a message that the client sends.
    /// - Returns: whether there is room for it.
    mutating func take(_ message: MCPMessage) -> Bool {
        if isEnded { return true }
        let isCancelling = message.isCancelling
        let spare = isCancelling ? Self.spare : (bytes: 0, messages: 0)
        guard held + message.text.count <= Self.mostHeld + spare.bytes, waiting < Self.mostWaiting + spare.messages
        else { return false }
        let cancelled = isCancelling ? cancel(message.cancelled) : nil
        if isCancelling, cancelled == nil { return true }
        queues[Self.queue(of: message)].append(MCPCall(message, cancelling: cancelled), number: count)
        (count, waiting, held) = (count + 1, waiting + 1, held + message.text.count)
        return true
    }

    /// Cancels a request.
    /// - Returns: the request if the service is to be told first.
    private mutating func cancel(_ id: MCPMessage.ID?) -> MCPCall? {
        guard let id else { return nil }
        if let call = queues[Self.requests].remove(id) {
            (waiting, held) = (waiting - 1, held - call.message.text.count)
            return nil
        }
        // Of two with one ID, the earlier one was given up for the later.
        guard let call = running.last(where: { $0.message.id == id && !$0.isAnswered }),
            call.message.method != "initialize"
        else { return nil }
        if call.cancelUnlessSent() { return nil }
        guard call.message.isModern else { return call }
        call.cancel()
        return nil
    }

    /// Takes out what may be sent now, in the order in which it came.
    mutating func start() -> [MCPCall] {
        var started: [MCPCall] = []
        while let call = startNext() {
            waiting -= 1
            // Whoever uses an ID again waits for the later answer.
            if let id = call.message.id { for other in running where other.message.id == id { other.cancel() } }
            if call.message.goesAlone { isAlone = true }
            running.append(call)
            started.append(call)
        }
        return started
    }

    private mutating func startNext() -> MCPCall? {
        func number(_ queue: Int) -> Int { (isAlone && queue < Self.answers ? nil : queues[queue].next) ?? .max }
        guard let next = queues.indices.min(by: { number($0) < number($1) }), number(next) < .max else { return nil }
        return queues[next].start()
    }

    /// Takes note that a call is over.
    mutating func end(_ call: MCPCall) {
        running.removeAll { $0 === call }
        queues[Self.queue(of: call.message)].running -= 1
        held -= call.message.text.count
        if call.message.goesAlone { isAlone = false }
        // The service has been told, so drop the request here, too.
        call.cancelled?.cancel()
    }

    /// Gives up the calls that were sent before a session.
    func lose(before session: Int) {
        for call in running { call.lose(before: session) }
    }

    /// Drops what waits and what is still to come, and cancels what is under way.
    mutating func cancelAll() {
        isEnded = true
        for queue in queues.indices { queues[queue].removeAll() }
        waiting = 0
        for call in running { call.cancel() }
    }

    private static let (requests, notifications, answers, cancellations) = (0, 1, 2, 3)

    private static func queue(of message: MCPMessage) -> Int {
        switch message.kind {
        case .request: requests
        case .notification: message.isCancelling ? cancellations : notifications
        case .answer: answers
        }
    }
}
