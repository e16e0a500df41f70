import FoundationEssentials
import Secrets

/// A request to the service of a profile. LoginKit attaches the session.
///
/// Held in memory, and sent again after a login that became necessary meanwhile.
public struct SessionRequest: Sendable {
    /// The method (RFC 9110, section 9), such as `POST`.
    public var method: String
    /// A path, which begins with `/` and is appended to the profile's `url`; or a whole URL on the profile's origin.
    public var url: String
    /// The header fields, sent in this order beside the session's, which they cannot replace.
    public var headers: [(name: String, value: String)]
    /// `nil` for a request without a body.
    public var body: [UInt8]?
    /// The largest size of the response's body, in bytes; a longer one is an error.
    public var responseLimit = 16 << 20
    /// The time limit in seconds; `nil` for the profile's.
    public var timeout: Int?

    /// Creates a request with any method and any body.
    public init(_ method: String, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil) {
        (self.method, self.url) = (method, url)
        (self.headers, self.body) = (headers, body)
    }

    /// GET, without a body.
    public static func get(_ url: String) -> SessionRequest { SessionRequest("GET", url) }

    /// DELETE, without a body.
    public static func delete(_ url: String) -> SessionRequest { SessionRequest("DELETE", url) }

    /// POST, with a body of JSON (RFC 8259).
    /// - Throws: `EncodingError`.
    public static func post(_ url: String, json value: some Encodable) throws -> SessionRequest {
        try SessionRequest("POST", url, json: value)
    }

    /// PUT, with a body of JSON (RFC 8259).
    /// - Throws: `EncodingError`.
    public static func put(_ url: String, json value: some Encodable) throws -> SessionRequest {
        try SessionRequest("PUT", url, json: value)
    }

    /// Any method, with a body of JSON (RFC 8259), and JSON asked for.
    /// - Throws: `EncodingError`.
    public init(_ method: String, _ url: String, json value: some Encodable) throws {
        self.init(
            method, url, headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
            body: Array(try JSONEncoder().encode(value)))
    }
}

extension SessionProvider {
    /// Sends a program's request, and holds the body of the answer.
    /// - Parameter account: the session of the request before, and then of the next one; `nil` if there is none yet.
    func send(
        _ request: SessionRequest, with account: inout AccountSession?
    ) throws(LoginFault) -> (response: HTTPResponse, body: [UInt8]) {
        let taken = profile.sessionHeaders
        for header in request.headers where taken.contains(header.name.lowercased()) {
            throw .usage("the session sets the header \(SafeText.quoted(header.name)) itself")
        }
        let headers = request.headers.map { HTTPRequestField(name: $0.name, value: Secret($0.value)) }
        let url = try context.connections.endpoint(profile).requestURL(request.url)
        let content = request.body.map { RequestContent.kept($0.withUnsafeBytes { Secret(copying: $0) }) }
        var message = HTTPRequest(method: request.method, url: url, headers: headers)
        message.limit = request.timeout
        let body = CollectedBody(limit: request.responseLimit)
        let outgoing = OutgoingRequest(
            message: message, body: content ?? .none,
            output: ResponseOutput(body, includesHead: false, progress: nil, mayConcern: profile.mayConcern),
            say: { [context, profile] in context.person.say("\(profile.name): \($0)") })
        let (response, next) = try UserRequest(provider: self, outgoing: outgoing, after: account).exchange()
        account = next ?? account
        return (response, body.bytes)
    }
}

/// The body of a response, in memory.
private final class CollectedBody: ResponseReceiver {
    private(set) var bytes: [UInt8] = []
    private let limit: Int

    /// - Parameter limit: in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    func write(_ more: UnsafeRawBufferPointer) throws(LoginFault) {
        guard bytes.count + more.count <= limit else {
            throw .failure("the answer is longer than the \(limit) bytes that were allowed")
        }
        bytes += more
    }

    func finish() throws(LoginFault) {}

    func close() {}
}
