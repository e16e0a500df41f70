package import Secrets

/// The values for the slots of a template.
/// No values. What a template then lacks is a `FillFault`, but for `{ttl}`.
package struct SlotValues: Equatable, Sendable {
    /// For `{username}`.
    var username: String?
    /// For `{password}`.
    var password: Secret?
    /// Seconds.
    var ttl: Int?
    /// For `{token}`.
    var token: Secret?
    /// For `{refresh-token}`.
    var refreshToken: Secret?
    /// For `{cookie:NAME}`; the first of that name is taken, and of `{cookie:NAME*}` the only one.
    var cookies: [Cookie] = []
    /// For `{otp}`.
    var code: Secret?
    /// For `{csrf}`.
    var csrf: Secret?
    /// For `{secret:LABEL}`, and for what `take` has named.
    var extraSecrets: [CredentialField: Secret] = [:]
    /// The entries that the page's form adds.
    var pageEntries = EntryList()

    /// The bytes for a slot, if there are any.
    func value(of slot: Template.Slot) -> Secret? {
        switch slot {
        case .username: username.map { Secret($0) }
        case .password: password
        case .ttl: ttl.map { Secret(String($0)) }
        case .token: token
        case .refreshToken: refreshToken
        case .cookie(let name): cookies.named(name).first?.value
        case .secret(let label): extraSecrets[.secret(label)]
        case .code: code
        case .csrf: csrf
        case .taken(let name): extraSecrets[.taken(name)]
        }
    }

    /// The bytes for a part of a template, decoded where it says so.
    fileprivate func value(of part: Template.Part) -> Secret? {
        switch part {
        case .text: nil
        case .slot(let slot): value(of: slot)
        case .decoded(let slot): value(of: slot).map { FormText.decoded($0, plus: UInt8(ascii: "+")) }
        }
    }
}

/// The place in which a template stands, which decides how its text and its values are made safe.
struct Escaping: Equatable, Sendable {
    let text: ByteEncoding
    let value: ByteEncoding

    /// A path: the author's text as it is, values with everything but RFC 3986's unreserved characters as `%XX`.
    static let path = Escaping(text: .none, value: .percent)
    /// A name or value of a query: all of it percent-encoded.
    static let query = Escaping(text: .percent, value: .percent)
    /// `application/x-www-form-urlencoded`: like `query`, with `+` for a blank.
    static let form = Escaping(text: .form, value: .form)
    /// The inside of a JSON string (RFC 8259, section 7).
    static let json = Escaping(text: .json, value: .json)
    /// The value of a header: as it is, or refused.
    static let header = Escaping(text: .none, value: .none)
}

/// A template that could not be filled in.
package enum FillFault: Error, Equatable, Sendable {
    case missing(Template.Slot)
    /// A control character, which would end the header's line.
    case notForHeader(Template.Slot)
    /// A value that is not UTF-8, or begins or ends with a blank, which a server would not see (RFC 9110, section 5.5).
    case blankInHeader(Template.Slot)
    /// Several cookies whose names begin as `{cookie:NAME*}` says.
    case severalCookies(Template.Slot)
    /// A name of a header that would be none (RFC 9110, section 5.1).
    case notForHeaderName(Template.Slot)
    /// A segment of a path would be `.` or `..`, which leads to another path (RFC 3986, section 5.2.4).
    case dotSegment(Template.Slot)
    /// The encoding that the page's form is sent in has no code for a character.
    case notInEncoding(field: String, encoding: String)
    case tooLong(limit: Int)
}

extension Template {
    /// Whether all of it is there; what holds `{ttl}`, `{otp}` or `{csrf}` is left out where there is none.
    func isWanted(_ values: SlotValues) -> Bool {
        let optional: [Slot] = [.ttl, .code, .csrf]
        return slots.allSatisfy { !optional.contains($0) || values.value(of: $0) != nil }
    }

    /// Writes the text, and the value of each slot escaped for its place.
    func fill(_ values: SlotValues, _ escaping: Escaping, into builder: inout SecretBuilder) throws(FillFault) {
        if escaping == .path { try checkSegments(values) }
        for part in parts {
            switch part {
            case .text(let text):
                builder.append(text, escaping.text)
            case .slot(let slot), .decoded(let slot):
                guard let value = values.value(of: part) else { throw .missing(slot) }
                if case .cookie(let name) = slot, values.cookies.named(name).count > 1 { throw .severalCookies(slot) }
                if escaping == .header { try value.checkForHeader(slot) }
                builder.append(value, escaping.value)
            }
        }
    }

    /// Checks that a filled-in value cannot change where the author's URL leads.
    private func checkSegments(_ values: SlotValues) throws(FillFault) {
        var segment = "", filled: Slot?
        for part in parts {
            switch part {
            case .slot(let slot), .decoded(let slot):
                // Everything but unreserved characters is encoded: a slash in a value ends no segment.
                segment += values.value(of: part)?.unprotectedText ?? ""
                filled = slot
            case .text(let text):
                for character in text {
                    guard character == "/" || character == "?" || character == "#" else {
                        segment.append(character)
                        continue
                    }
                    if let filled, Self.isDots(segment) { throw .dotSegment(filled) }
                    if character != "/" { return }
                    (segment, filled) = ("", nil)
                }
            }
        }
        if let filled, Self.isDots(segment) { throw .dotSegment(filled) }
    }

    private static func isDots(_ segment: String) -> Bool {
        [".", "..", ".%2e", "%2e", "%2e.", "%2e%2e"].contains(segment.lowercased())
    }

    /// The filled-in text by itself.
    func filled(_ values: SlotValues, _ escaping: Escaping) throws(FillFault) -> Secret {
        var builder = SecretBuilder(limit: RequestRule.bodyLimit)
        try fill(values, escaping, into: &builder)
        return try builder.filled()
    }
}

extension Secret {
    /// Typed values must arrive unchanged; values from a server are the server's own concern.
    fileprivate func checkForHeader(_ slot: Template.Slot) throws(FillFault) {
        guard isHeaderSafe else { throw .notForHeader(slot) }
        guard slot.isTypedSecret else { return }
        guard isFreeOfControls else { throw .notForHeader(slot) }
        let blank = UInt8(ascii: " ")
        let isWhole = withUnsafeBytes { bytes in
            bytes.first != blank && bytes.last != blank && String(validating: bytes, as: UTF8.self) != nil
        }
        guard isWhole else { throw .blankInHeader(slot) }
    }
}

/// The byte-wise encoders for what may hold a secret. A library's encoder would take the password as a `String`, which
/// cannot be wiped; these go from guarded memory to guarded memory.
package enum ByteEncoding {
    case none, percent, form, json
}

extension Secret {
    /// As a value of a form (WHATWG URL, section 5.2).
    /// - Throws: `tooLong`, beyond `limit` bytes.
    func formEncoded(limit: Int) throws(FillFault) -> Secret {
        var builder = SecretBuilder(limit: limit)
        builder.append(self, .form)
        return try builder.filled()
    }
}

extension SecretBuilder {
    /// Copies another secret, encoded.
    package mutating func append(_ secret: Secret, _ encoding: ByteEncoding) {
        secret.withUnsafeBytes { bytes in
            for byte in bytes { append(byte, encoding) }
        }
    }

    /// Copies what is not itself secret, encoded.
    mutating func append(_ text: String, _ encoding: ByteEncoding) {
        for byte in text.utf8 { append(byte, encoding) }
    }

    /// The text that was filled in.
    /// - Throws: `tooLong`, beyond the limit.
    consuming func filled() throws(FillFault) -> Secret {
        let limit = limit
        guard let text = finish() else { throw .tooLong(limit: limit) }
        return text
    }

    private mutating func append(_ byte: UInt8, _ encoding: ByteEncoding) {
        switch encoding {
        case .none: append(byte)
        case .percent: appendPercent(byte)
        case .form: if byte == UInt8(ascii: " ") { append(UInt8(ascii: "+")) } else { appendPercent(byte) }
        case .json: appendJSON(byte)
        }
    }

    private mutating func appendPercent(_ byte: UInt8) {
        if byte.isUnreserved {
            append(byte)
        } else {
            append(UInt8(ascii: "%"))
            appendHex(byte)
        }
    }

    private mutating func appendJSON(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            append(UInt8(ascii: "\\"))
            append(byte)
        case 0..<0x20:
            append("\\u00")
            appendHex(byte)
        default:
            append(byte)
        }
    }

    private mutating func appendHex(_ byte: UInt8) {
        let digits = StaticString("0123456789ABCDEF")
        append(digits.utf8Start[Int(byte >> 4)])
        append(digits.utf8Start[Int(byte & 15)])
    }
}
