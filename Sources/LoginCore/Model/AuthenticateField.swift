/// One challenge of a `WWW-Authenticate` header (RFC 9110, sections 11.3 and 11.6.1).
package struct AuthenticateChallenge: Equatable, Sendable {
    /// In lower case, since schemes are compared without case.
    package let scheme: String
    /// The single value of schemes such as Negotiate.
    package let token68: String?
    /// Names in lower case; of a name that comes twice, the first value.
    package let parameters: [String: String]
    /// The names that came more than once, which none may (RFC 9110, section 11.2): what they mean is not clear.
    package let repeated: Set<String>

    /// The protection space, in the server's own word (RFC 9110, section 11.5); `nil` if it names none.
    package var realm: String? { parameters["realm"] }

    /// - Parameter token68: a challenge has this or parameters, never both (RFC 9110, section 11.3).
    package init(
        scheme: String, token68: String? = nil, parameters: [String: String] = [:], repeated: Set<String> = []
    ) {
        self.repeated = repeated
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    /// Reads all challenges of all lines, in order: several in one line, several lines, quoted strings. What does not
    /// fit the grammar ends the line it is in; the challenges before it stand.
    package static func parse(_ lines: [String]) -> [AuthenticateChallenge] {
        lines.flatMap { line -> [AuthenticateChallenge] in
            var reader = AuthenticateReader(line)
            return reader.challenges()
        }
    }

    /// Reads `Authentication-Info`, which has no scheme, as one challenge (RFC 9110, section 11.6.3).
    package static func info(_ lines: [String]) -> AuthenticateChallenge {
        parse(["info \(lines.joined(separator: ", "))"]).first ?? AuthenticateChallenge(scheme: "info")
    }
}

/// Reads one line, byte by byte.
private struct AuthenticateReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ line: String) {
        bytes = Array(line.utf8)
    }

    mutating func challenges() -> [AuthenticateChallenge] {
        var found: [AuthenticateChallenge] = []
        while true {
            skip { $0 == UInt8(ascii: ",") || Self.isBlank($0) }
            guard let scheme = token(), index == bytes.count || isNext(where: Self.isBlank) || isNext(",") else {
                return found
            }
            found.append(challenge(scheme))
        }
    }

    private mutating func challenge(_ scheme: String) -> AuthenticateChallenge {
        skip(Self.isBlank)
        if let value = token68() {
            return AuthenticateChallenge(scheme: scheme.lowercased(), token68: value)
        }
        var parameters: [String: String] = [:], repeated: Set<String> = []
        while true {
            let start = index
            skip { $0 == UInt8(ascii: ",") || Self.isBlank($0) }
            guard let (name, value) = parameter() else {
                index = start
                break
            }
            if parameters[name] == nil { parameters[name] = value } else { repeated.insert(name) }
        }
        return AuthenticateChallenge(scheme: scheme.lowercased(), parameters: parameters, repeated: repeated)
    }

    /// A value by itself, up to the comma that ends the challenge; one that turns out to be a parameter is left alone.
    private mutating func token68() -> String? {
        let start = index
        skip { Self.isAlphanumeric($0) || "-._~+/".utf8.contains($0) }
        let hasCharacters = index > start
        skip { $0 == UInt8(ascii: "=") }
        let value = String(decoding: bytes[start..<index], as: UTF8.self)
        skip(Self.isBlank)
        if hasCharacters && (index == bytes.count || isNext(",")) { return value }
        index = start
        return nil
    }

    private mutating func parameter() -> (name: String, value: String)? {
        guard let name = token() else { return nil }
        skip(Self.isBlank)
        guard isNext("=") else { return nil }
        index += 1
        skip(Self.isBlank)
        guard let value = isNext("\"") ? quotedString() : token() else { return nil }
        return (name.lowercased(), value)
    }

    private mutating func quotedString() -> String? {
        index += 1
        var value: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\"), index < bytes.count {
                value.append(bytes[index])
                index += 1
            } else {
                value.append(byte)
            }
        }
        return nil
    }

    private mutating func token() -> String? {
        let start = index
        skip { Self.isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
    }

    private func isNext(_ character: Unicode.Scalar) -> Bool {
        isNext { $0 == UInt8(ascii: character) }
    }

    private func isNext(where matches: (UInt8) -> Bool) -> Bool {
        index < bytes.count && matches(bytes[index])
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
