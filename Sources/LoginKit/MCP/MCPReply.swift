import Secrets

/// Takes the service's response to one message, and hands on its messages as they come.
final class MCPReply: ResponseReceiver {
    /// Takes each message of the service's.
    private let pass: (MCPMessage, MCPReply) throws(LoginFault) -> Void
    private(set) var status = 0
    /// The value of `Mcp-Session-Id`.
    private(set) var session: String?
    /// The bytes of its body.
    private(set) var received: Int64 = 0
    /// Whether the response is an event stream.
    private(set) var isStream = false
    private(set) var events: MCPEventStream
    /// Told when the service has taken the message.
    var whenBegun: () -> Void = {}
    private var type = ""
    /// What the service says of a scope that the login lacks.
    private var lacking: [String: String] = [:]
    private var body: [UInt8] = []
    private var isTooLong = false
    /// The secrets that no words of the service may repeat to the client.
    var hidden = RepeatedSecrets()

    /// In bytes: of a response that is no message.
    private static let longestRefusal = 64 << 10

    /// - Parameter events: where the stream before this one has ended.
    init(
        after events: MCPEventStream = MCPEventStream(),
        pass: @escaping (MCPMessage, MCPReply) throws(LoginFault) -> Void
    ) {
        (self.events, self.pass) = (MCPEventStream(after: events.lastID, retry: events.retry), pass)
    }

    func begin(_ head: HTTPResponse) throws(LoginFault) {
        status = head.status
        type = (head.values(of: "Content-Type").first ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        session = head.values(of: "Mcp-Session-Id").first.flatMap { $0.isVisibleASCII ? $0 : nil }
        isStream = isGood && type == "text/event-stream"
        lacking = head.lacksScope?.parameters ?? [:]
        body = []
        if isGood { whenBegun() }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        received += Int64(bytes.count)
        guard isStream else {
            if body.count + bytes.count <= (isGood ? MCPMessage.longest : Self.longestRefusal) {
                body.append(contentsOf: bytes)
            } else if isGood {
                throw .network(.answerTooLarge(limit: MCPMessage.longest))
            } else {
                isTooLong = true
            }
            return
        }
        for data in try read(try events.messages(in: bytes)) { try take(data) }
    }

    func finish() throws(LoginFault) {
        guard isGood, !isStream, status != 202, !body.isEmpty else { return }
        guard type == "application/json" else {
            throw .network(.brokenResponse("its type is neither application/json nor text/event-stream"))
        }
        try take(body)
    }

    func close() {}

    private var isGood: Bool { (200..<300).contains(status) }

    private func take(_ bytes: [UInt8]) throws(LoginFault) { try pass(try read(try MCPMessage(bytes)), self) }

    private func read<Result>(_ step: @autoclosure () throws(MCPError) -> Result) throws(LoginFault) -> Result {
        do {
            return try step()
        } catch {
            throw .network(.brokenResponse(error.message))
        }
    }

    /// The error of JSON-RPC in a response of another status.
    var refusal: MCPMessage? {
        guard !isGood, !isTooLong, let message = try? MCPMessage(body), case .answer(_, isError: true) = message.kind
        else {
            return nil
        }
        return message
    }

    /// The service's words in such a response: a short text, the usual member of an object, or what it says in a header.
    var words: String? {
        let members = isTooLong ? nil : body.withUnsafeBytes { JSONReader.members($0) }
        let names = ["error_description", "message", "detail", "title", "error"]
        let text = isTooLong || type != "text/plain" ? nil : String(validating: body, as: UTF8.self)
        let said =
            names.lazy.compactMap { members?[$0]?.string }.first ?? text ?? lacking["error_description"]
            ?? lacking["scope"].map { "insufficient_scope: \($0)" }
        return said.flatMap { $0.isEmpty || hidden.stand(in: $0) ? nil : $0 }
    }
}

/// The body of a request, in memory.
final class MCPBody: RequestSource {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var count: Int64? { Int64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = min(buffer.count, bytes.count - place)
        bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[place..<place + count])) }
        place += count
        return count
    }

    func rewind() -> Bool {
        place = 0
        return true
    }
}
