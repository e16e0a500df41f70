import FoundationEssentials

/// A response of the service.
public struct SessionResponse: Sendable {
    /// The code of the answer (RFC 9110, section 15).
    public let status: Int
    /// In the order of arrival, without cookies; names as the server spelled them.
    public let headers: [(name: String, value: String)]
    /// As it came, without what `Content-Encoding` may have made of it: none is asked for.
    public let body: [UInt8]

    /// Makes a response without a service, for tests.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    init(_ response: HTTPResponse, body: [UInt8]) {
        self.init(status: response.status, headers: response.headers.map { ($0.name, $0.value) }, body: body)
    }

    /// Whether the status is from 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }

    /// The body as UTF-8, repaired where it is not.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of the first header of this name, in any case (RFC 9110, section 5.1).
    public func value(of name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body, read as JSON (RFC 8259).
    /// - Throws: `DecodingError`.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }
}
