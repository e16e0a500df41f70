import Secrets

/// Takes the service's response to one message, and hands on its messages as they come.
final class MCPReply: ResponseReceiver {
    /// Takes each message of the service's.
    private let pass: (MCPMessage, MCPReply) -> Void
    private(set) var events: MCPEventStream
    /// Told when the service has taken the message.
    var whenBegun: () -> Void = {}
    /// Whether an error that asks for headers is not passed on, since the message can be sent again with them.
    var mayLackHeaders = false
    /// The bytes of its body.
    private(set) var received: Int64 = 0
    private var isToldOfHeaders = false
    private var head: HTTPResponse?
    private var body: [UInt8] = []
    private var isTooLong = false
    /// The secrets that no words of the service may repeat to the client.
    var hidden = RepeatedSecrets()

    /// The longest body of a refusal that is kept, in bytes.
    private static let longestRefusal = 64 << 10

    /// - Parameter events: where the stream before this one has ended.
    init(after events: MCPEventStream = MCPEventStream(), pass: @escaping (MCPMessage, MCPReply) -> Void) {
        (self.events, self.pass) = (MCPEventStream(after: events.lastID, retry: events.retry), pass)
    }

    /// 0 until there is one.
    var status: Int { head?.status ?? 0 }

    var isGood: Bool { (200..<300).contains(status) }

    /// Whether the response is an event stream.
    private(set) var isStream = false

    /// The value of `Mcp-Session-Id`.
    var session: String? { head?.values(of: "Mcp-Session-Id").first.flatMap { $0.isVisibleASCII ? $0 : nil } }

    func begin(_ head: HTTPResponse) throws(LoginFault) {
        (self.head, body, isStream) = (head, [], head.isEventStream)
        if isGood { whenBegun() }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        received += Int64(bytes.count)
        if isStream {
            for data in try read(try events.messages(in: bytes)) { try take(data) }
        } else if body.count + bytes.count <= (isGood ? MCPMessage.longest : Self.longestRefusal) {
            body.append(contentsOf: bytes)
        } else if isGood {
            throw .network(.answerTooLarge(limit: MCPMessage.longest))
        } else {
            isTooLong = true
        }
    }

    func finish() throws(LoginFault) {
        guard isGood, !isStream, status != 202, !body.isEmpty else { return }
        guard head?.mediaType == "application/json" else {
            throw .network(.brokenResponse("its type is neither application/json nor text/event-stream"))
        }
        try take(body)
    }

    func close() {}

    private func take(_ bytes: [UInt8]) throws(LoginFault) {
        let message = try read(try MCPMessage(bytes))
        if message.lacksHeaders, mayLackHeaders { isToldOfHeaders = true } else { pass(message, self) }
    }

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
        else { return nil }
        return message
    }

    /// Whether it refuses the session of a message: by 404 (MCP 2025-06-18, Session Management), or as older SDKs do, by 400 and their words.
    /// - Parameter id: of the request; an error that is about the request is its answer.
    func losesSession(of id: MCPMessage.ID?) -> Bool {
        guard status == 404 || status == 400 else { return false }
        if let refusal, status == 400 || refusal.kind == id.map({ .answer($0, isError: true) }),
            Self.codesOfRequests.contains(refusal.member("code", at: ["error"]) ?? [])
        {
            return false
        }
        let said = String(decoding: body, as: UTF8.self).lowercased()
        return status == 404 || said.contains("session") || said.contains("not initialized")
    }

    /// Of JSON-RPC, an unknown method and invalid parameters; of MCP, an unknown resource.
    private static let codesOfRequests = ["-32601", "-32602", "-32002"].map { Array($0.utf8) }

    /// Whether the service has missed headers, and the message is to be sent again.
    var lacksHeaders: Bool { mayLackHeaders && (isToldOfHeaders || refusal?.lacksHeaders == true) }

    /// The service's words in such a response: a short text, the usual member of an object, or what it says in a header.
    var words: String? {
        let text = isTooLong || head?.mediaType != "text/plain" ? nil : String(validating: body, as: UTF8.self)
        let lacking = head?.lacksScope?.parameters
        let whole = HTTPResponse(
            status: status, body: isTooLong ? Secret("") : body.withUnsafeBytes { Secret(copying: $0) })
        let said =
            whole.errorText ?? text ?? lacking?["error_description"]
            ?? lacking?["scope"].map { "insufficient_scope: \($0)" }
        return said.flatMap { $0.isEmpty || hidden.stand(in: $0) ? nil : $0 }
    }
}

extension HTTPResponse {
    /// Whether it is good, and an event stream.
    var isEventStream: Bool { (200..<300).contains(status) && mediaType == "text/event-stream" }
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
