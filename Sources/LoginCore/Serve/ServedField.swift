/// A header field of a request to the loopback address: bytes, which need not be text.
package struct ServedField: Equatable, Sendable {
    /// As it was sent; compared without case (RFC 9110, section 5.1).
    package let name: String
    /// The value.
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        (self.name, self.bytes) = (name, bytes)
    }

    package init(_ name: String, _ text: String) {
        self.init(name: name, bytes: Array(text.utf8))
    }

    /// Repaired where it is not UTF-8.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package func hasName(_ other: String) -> Bool {
        name.utf8.elementsEqual(other.utf8) { $0.small == $1.small }
    }

    /// The name as CGI and its kin compare it, see `mayBe`.
    var foldedName: String { String(decoding: name.utf8.map(\.folded), as: UTF8.self) }

    /// Whether CGI and its kin take it for this name: without case, and with everything but letters and digits alike (RFC 3875,
    /// section 4.1.18).
    /// - Parameter other: in small letters, with hyphens.
    func mayBe(_ other: StaticString) -> Bool {
        let bytes = UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
        return name.utf8.elementsEqual(bytes) { $0.folded == $1 }
    }
}

/// The head of such a request.
package struct ServedHead: Equatable, Sendable {
    package let method: String
    /// Path and query as they were sent, escapes and all.
    package let target: String
    package let fields: [ServedField]
    /// Whether an answer may come in chunks (RFC 9112, section 7.1), of which HTTP/1.0 knows nothing.
    package let isChunkable: Bool

    package init(method: String, target: String, version: String = "HTTP/1.1", fields: [ServedField]) {
        (self.method, self.target, self.fields) = (method, target, fields)
        isChunkable = version != "HTTP/1.0"
    }

    /// The values of all fields of this name.
    package func values(of name: String) -> [String] { fields.filter { $0.hasName(name) }.map(\.text) }

    /// Whether it asks to go on in WebSocket's protocol (RFC 6455, section 4.1). With a body it asks for something else.
    package var wantsWebSocket: Bool {
        method == "GET" && contentLength == 0 && values(of: "Upgrade").contains { $0.lowercased() == "websocket" }
            && values(of: "Connection").contains { $0.namesToken("upgrade") }
    }

    /// Whether it waits for `100 Continue` before it sends its body (RFC 9110, section 10.1.1).
    package var expectsContinue: Bool { values(of: "Expect").contains { $0.lowercased() == "100-continue" } }

    /// In bytes; `nil` if only the end will tell it, and 0 where there is no body.
    package var contentLength: Int64? {
        if !values(of: "Transfer-Encoding").isEmpty { return nil }
        return values(of: "Content-Length").first.flatMap { Int64($0) } ?? 0
    }
}

extension UInt8 {
    /// The small letter of a capital.
    fileprivate var small: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// A small letter or a digit, or a hyphen for everything else.
    fileprivate var folded: UInt8 {
        let byte = small
        return (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) ? byte : UInt8(ascii: "-")
    }
}
