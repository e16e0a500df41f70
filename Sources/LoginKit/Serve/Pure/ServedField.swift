import Secrets

/// A header field of a request to the loopback address: bytes, which need not be text.
struct ServedField: Equatable, Sendable {
    /// As it was sent; compared without case (RFC 9110, section 5.1).
    let name: String
    /// The value.
    let bytes: [UInt8]

    init(name: String, bytes: [UInt8]) {
        (self.name, self.bytes) = (name, bytes)
    }

    init(_ name: String, _ text: String) {
        self.init(name: name, bytes: Array(text.utf8))
    }

    /// Repaired where it is not UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    func hasName(_ other: String) -> Bool {
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
struct ServedHead: Equatable, Sendable {
    let method: String
    /// Path and query as they were sent, escapes and all.
    let target: String
    let fields: [ServedField]
    /// Whether an answer may come in chunks (RFC 9112, section 7.1), of which HTTP/1.0 knows nothing.
    let isChunkable: Bool

    init(method: String, target: String, version: String = "HTTP/1.1", fields: [ServedField]) {
        (self.method, self.target, self.fields) = (method, target, fields)
        isChunkable = version != "HTTP/1.0"
    }

    /// The values of all fields of this name.
    func values(of name: String) -> [String] { fields.filter { $0.hasName(name) }.map(\.text) }

    /// The credentials for a proxy, with `Basic` in its usual spelling: schemes ignore case (RFC 9110, section 11.1).
    var proxyCredentials: [Secret] {
        values(of: "Proxy-Authorization").map { value in
            let isBasic = value.prefix(6).lowercased() == "basic "
            return Secret(isBasic ? "Basic " + value.dropFirst(6).drop { $0 == " " } : value)
        }
    }

    /// Whether it asks to go on in WebSocket's protocol (RFC 6455, section 4.1). With a body it asks for something else.
    var wantsWebSocket: Bool {
        method == "GET" && contentLength == 0 && values(of: "Upgrade").contains { $0.lowercased() == "websocket" }
            && values(of: "Connection").contains { $0.namesToken("upgrade") }
    }

    /// Whether it waits for `100 Continue` before it sends its body (RFC 9110, section 10.1.1).
    var expectsContinue: Bool { values(of: "Expect").contains { $0.lowercased() == "100-continue" } }

    /// In bytes; `nil` if only the end will tell it, and 0 where there is no body.
    var contentLength: Int64? {
        if !values(of: "Transfer-Encoding").isEmpty { return nil }
        return values(of: "Content-Length").first.flatMap { Int64($0) } ?? 0
    }
}

extension UInt8 {
    /// The small letter of a capital.
    var small: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// A small letter or a digit, or a hyphen for everything else.
    fileprivate var folded: UInt8 {
        let byte = small
        return (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) ? byte : UInt8(ascii: "-")
    }
}

/// A header field such as `form-data; name="x"` (RFC 9110, section 5.6.6) that every parser reads the same way.
struct HeaderParameters: Equatable {
    /// The text before the parameters.
    let value: String
    private let parameters: [String: String]

    /// The names of the parameters, in lower case.
    var names: Set<String> { Set(parameters.keys) }

    /// A parameter by its name in lower case.
    subscript(name: String) -> String? { parameters[name] }

    private typealias Bytes = Substring.UTF8View
    private static let semicolon = UInt8(ascii: ";"), quote = UInt8(ascii: "\"")

    /// - Returns: `nil` for what is not of this form, has a parameter twice, or a name or a boundary in extended notation (RFC 8187).
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        var rest = text[...].utf8, parameters: [String: String] = [:]
        value = Self.text(rest.prefix { $0 != Self.semicolon && !$0.isBlank })
        guard value.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({ String($0).isHeaderName })
        else {
            return nil
        }
        rest = rest.dropFirst(value.utf8.count).drop(while: \.isBlank)
        while rest.first == Self.semicolon {
            rest = rest.dropFirst().drop(while: \.isBlank)
            // A semicolon at the end is harmless.
            if rest.isEmpty { break }
            let name = Self.text(rest.prefix { $0 != UInt8(ascii: "=") && $0 != Self.semicolon }).lowercased()
            rest = rest.dropFirst(name.utf8.count)
            let isExtended = ["name", "boundary", "charset"].contains { name.hasPrefix($0 + "*") }
            guard name.isHeaderName, !isExtended, rest.first == UInt8(ascii: "=") else { return nil }
            guard let found = Self.value(&rest), parameters.updateValue(found, forKey: name) == nil else { return nil }
            rest = rest.drop(while: \.isBlank)
        }
        guard rest.isEmpty else { return nil }
        self.parameters = parameters
    }

    /// Takes a token or a quoted string.
    private static func value(_ rest: inout Bytes) -> String? {
        rest = rest.dropFirst()
        guard rest.first == quote else {
            let token = rest.prefix { $0 != semicolon && !$0.isBlank }
            rest = rest.dropFirst(token.count)
            return token.isEmpty || token.contains(quote) ? nil : text(token)
        }
        let inner = rest.dropFirst().prefix { $0 != quote }
        rest = rest.dropFirst(inner.count + 1)
        // To some readers a quote behind a backslash is not the end.
        guard rest.first == quote, inner.last != UInt8(ascii: "\\") else { return nil }
        rest = rest.dropFirst()
        return text(inner)
    }

    private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// A member of a query or a form (WHATWG URL, section 5.1), as far as rules care.
struct FormMember: Equatable {
    /// Decoded.
    let name: [UInt8]
    /// Decoded; `nil` where there is no `=`.
    let value: [UInt8]?

    /// - Parameter text: members between `&`, `;` as older services have it, or the ends of lines, as in a form that browsers send as
    ///   `text/plain`.
    static func members(of text: [UInt8]) -> [FormMember] {
        guard text.contains(where: { "_.%-".utf8.contains($0) }) else { return [] }
        return text.split { "&;\r\n".utf8.contains($0) }.map { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let value = end < pair.endIndex ? decoded(Array(pair[(end + 1)...])) : nil
            return FormMember(name: decoded(Array(pair[..<end])), value: value)
        }
    }

    var isOverride: Bool { Self.isOverride(name) }

    private static let names = Set(ServedBody.overrides.map { Array($0.utf8).caseFolded.map(\.joined) })

    /// Whether a service may take a name for `_method`: `_METHOD`, `_method[]`, `a[_method]`; PHP makes `_` of a dot, CGI of a hyphen, some
    /// cut a name at NUL, and what others take away from its ends: blanks of all kinds, a byte order mark (Fetch), `?` (URLSearchParams).
    static func isOverride(_ name: [UInt8]) -> Bool {
        name.split(whereSeparator: { "[]".utf8.contains($0) }).contains { piece in
            let text = piece.drop(while: \.isLoose).prefix { $0 != 0 }
            let end = text.lastIndex { !$0.isLoose } ?? text.startIndex - 1
            return names.contains(Array(text[...end]).caseFolded.map(\.joined))
        }
    }

    /// The method that a value names, in capitals as services compare it.
    static func method(_ value: [UInt8]?) throws(ServeObjection) -> String {
        let text = String(decoding: value ?? [], as: UTF8.self).uppercased()
        let trimmed = text.drop { $0 == " " || $0 == "\t" }
        let end = trimmed.lastIndex { $0 != " " && $0 != "\t" }
        let method = end.map { String(trimmed[...$0]) } ?? ""
        guard method.isHeaderName else { throw .unreadableOverride }
        return method
    }

    /// `+` and `%20` are a blank, and `%u0041` is a letter to some services of Microsoft's kind.
    private static func decoded(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { "+%".utf8.contains($0) }) else { return text }
        var plain: [UInt8] = [], place = 0
        while place < text.count {
            if text.count - place >= 6, text[place] == UInt8(ascii: "%"), text[place + 1] | 0x20 == UInt8(ascii: "u"),
                let high = Hexadecimal.byte(text[place + 2], text[place + 3]), high == 0,
                let low = Hexadecimal.byte(text[place + 4], text[place + 5])
            {
                plain.append(low)
                place += 6
            } else {
                plain.append(text[place])
                place += 1
            }
        }
        return FormText.decoded(plain, isStrict: false) ?? plain
    }
}

extension UInt8 {
    /// No character of a name that stands for itself at an end.
    fileprivate var isLoose: Bool { self <= 0x20 || self >= 0x7F || self == UInt8(ascii: "?") }

    /// The character that joins the words of a name, whichever it is.
    fileprivate var joined: UInt8 { ".-".utf8.contains(self) ? UInt8(ascii: "_") : self }
}
