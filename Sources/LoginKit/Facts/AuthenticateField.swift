/// One challenge of a `WWW-Authenticate` header (RFC 9110, sections 11.3 and 11.6.1).
struct AuthenticateChallenge: Equatable, Sendable {
    /// In lower case, since schemes are compared without case.
    let scheme: String
    /// The single value of schemes such as Negotiate.
    var token68: String?
    /// Names in lower case; of a name that comes twice, the first value. A challenge has `token68` or parameters, never both
    /// (RFC 9110, section 11.3).
    var parameters: [String: String] = [:]
    /// The names that came more than once, which none may (RFC 9110, section 11.2): what they mean is not clear.
    var repeated: Set<String> = []
    /// The names whose value cannot be told, such as one with a stray quote. They are not among the parameters: a part of a
    /// value must not be compared or hashed.
    var malformed: Set<String> = []

    /// The protection space, in the server's own word (RFC 9110, section 11.5); `nil` if it names none.
    var realm: String? { parameters["realm"] }

    /// Reads all challenges of all lines, in order: several in one line, several lines, quoted strings. A value without
    /// quotes goes to the next comma, as curl reads it. What does not fit is skipped to the next comma.
    static func parse(_ lines: [String]) -> [AuthenticateChallenge] {
        lines.flatMap { line -> [AuthenticateChallenge] in
            var reader = AuthenticateReader(line)
            return reader.challenges()
        }
    }

    /// Reads `Authentication-Info`, which has no scheme, as one challenge (RFC 9110, section 11.6.3).
    static func info(_ lines: [String]) -> AuthenticateChallenge {
        parse(["info \(lines.joined(separator: ", "))"]).first ?? AuthenticateChallenge(scheme: "info")
    }
}

/// Reads one line, byte by byte.
private struct AuthenticateReader {
    private let bytes: [UInt8]
    private var index = 0
    private var found: [Draft] = []

    /// A challenge that is still being read.
    private struct Draft {
        var challenge: AuthenticateChallenge
        /// The last parameter, if its value has no quotes, and where that begins: a comma may belong to it.
        var open: (name: String, start: Int)?

        /// A scheme by itself, or with a single value: no parameter should follow.
        var isClosed: Bool

        mutating func take(_ name: String, _ value: String?) {
            let present = challenge.parameters[name]
            if present != nil { challenge.repeated.insert(name) }
            if let value { challenge.parameters[name] = present ?? value } else { challenge.malformed.insert(name) }
        }
    }

    init(_ line: String) {
        bytes = Array(line.utf8)
    }

    mutating func challenges() -> [AuthenticateChallenge] {
        while true {
            skip(Self.separates)
            guard index < bytes.count else { break }
            let start = index
            if !found.isEmpty, let name = parameterName() {
                readParameter(name, from: start)
            } else if let scheme = token(), index == bytes.count || isNext(where: Self.separates) {
                skip(Self.isBlank)
                let value = token68()
                found.append(
                    Draft(
                        challenge: AuthenticateChallenge(scheme: scheme.lowercased(), token68: value),
                        isClosed: value != nil || index == bytes.count || isNext(",")))
            } else {
                skip { $0 != UInt8(ascii: ",") }
            }
        }
        return found.map { draft in
            var challenge = draft.challenge
            for name in challenge.malformed { challenge.parameters[name] = nil }
            return challenge
        }
    }

    /// Reads the value of a parameter that begins at `start`, and gives it to the challenge that it belongs to.
    private mutating func readParameter(_ name: String, from start: Int) {
        let valueStart = index, isQuoted = isNext("\"")
        let value = isQuoted ? quotedString() : bareValue()
        if value == nil {
            index = valueStart
            skip { $0 != UInt8(ascii: ",") }
        }
        guard let owner = owner(of: start) else { return }
        found[owner].take(name, value)
        found[owner].open = isQuoted || value == nil ? nil : (name, valueStart)
    }

    /// The challenge of a parameter that begins at `start`. After a word by itself, such as the second one of `qop=auth,auth-int`, the
    /// value before it without quotes had a comma.
    private mutating func owner(of start: Int) -> Int? {
        guard let last = found.indices.last, found[last].isClosed else { return found.indices.last }
        if let name = found[last].challenge.token68, name.last == "=" {
            // `domain=,` looks like a single value.
            found[last].take(String(name.dropLast()).lowercased(), "")
        } else if let owner = found.lastIndex(where: { !$0.isClosed }), let open = found[owner].open {
            found[owner].challenge.parameters[open.name] = text(open.start..<start)
            found.removeSubrange((owner + 1)...)
            return owner
        }
        (found[last].challenge.token68, found[last].isClosed) = (nil, false)
        return last
    }

    /// A value by itself, up to the comma that ends the challenge; one that turns out to be a parameter is left alone.
    private mutating func token68() -> String? {
        let start = index
        skip { $0.isUnreserved || "+/".utf8.contains($0) }
        let hasCharacters = index > start
        skip { $0 == UInt8(ascii: "=") }
        let value = String(decoding: bytes[start..<index], as: UTF8.self)
        skip(Self.isBlank)
        if hasCharacters && (index == bytes.count || isNext(",")) { return value }
        index = start
        return nil
    }

    /// A name and its equals sign, or nothing is read.
    private mutating func parameterName() -> String? {
        let start = index
        if let name = token() {
            skip(Self.isBlank)
            if isNext("=") {
                index += 1
                skip(Self.isBlank)
                return name.lowercased()
            }
        }
        index = start
        return nil
    }

    /// Up to the next comma, without the blanks around it. `nil` if it cannot be told where it ends.
    private mutating func bareValue() -> String? {
        let start = index
        skip { $0 != UInt8(ascii: ",") }
        let value = text(start..<index)
        let isCut = value.hasPrefix("'") && (value.utf8.count == 1 || !value.hasSuffix("'"))
        return isCut || value.contains("\"") ? nil : value
    }

    /// `nil` if it has no end, or if neither a comma nor a parameter follows it: then the quote belongs to the value.
    private mutating func quotedString() -> String? {
        index += 1
        var value: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return isAtEndOfValue() ? String(decoding: value, as: UTF8.self) : nil }
            if byte == UInt8(ascii: "\\"), index < bytes.count {
                value.append(bytes[index])
                index += 1
            } else {
                value.append(byte)
            }
        }
        return nil
    }

    private mutating func isAtEndOfValue() -> Bool {
        let end = index
        defer { index = end }
        skip(Self.isBlank)
        return index == bytes.count || isNext(",") || index > end && parameterName() != nil
    }

    /// Without the blanks and commas around it.
    private func text(_ range: Range<Int>) -> String {
        let value = bytes[range].drop(while: Self.separates)
        let end = value.lastIndex { !Self.separates($0) }.map { $0 + 1 } ?? value.startIndex
        return String(decoding: value[..<end], as: UTF8.self)
    }

    private mutating func token() -> String? {
        let start = index
        skip(\.isTokenCharacter)
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

    private static func separates(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || isBlank(byte) }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
