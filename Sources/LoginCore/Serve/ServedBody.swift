/// The body of a request, as far as services look in it for another method: a member `_method` of a form, of multipart or of JSON.
package struct ServedBody: Equatable, Sendable {
    /// In bytes: the beginning that is searched. What is behind it passes by the request's own method.
    package static let searched = 64 << 10
    /// The members that name another method, in a query and in a body, compared without case: Rails' and Laravel's, Salesforce's, those of
    /// ASP.NET and others, which read the names of headers there, too. The manual has the same list.
    package static let overrides = [
        "_method", "_HttpMethod", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Tunneled-Method",
    ]

    /// The reason why a body cannot be searched.
    package enum Fault: Equatable, Sendable, CaseIterable {
        /// It has a `Content-Encoding`.
        case encoded
        /// It is not in UTF-8.
        case otherCharset
        /// `Content-Type` is there twice, or its parameters can be read in two ways.
        case ambiguousType
        /// The parts of a multipart body can be told apart in two ways.
        case ambiguousParts
    }

    /// The readings of a body that a service may choose.
    private enum Kind: Equatable, Sendable {
        case form, json
        case multipart(boundary: [UInt8], isForm: Bool)
    }

    private let kinds: [Kind]
    /// Whether nothing says what the body is: it need not be any of these.
    private let isUntyped: Bool

    /// Types of many JSON texts, one after the other, which no service reads as one.
    private static let sequences: Set<String> = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
        "application/json-seq",
    ]

    /// - Returns: `nil` for a body of another type.
    init?(_ fields: [ServedField]) throws(ServeObjection) {
        let types = fields.filter { $0.mayBe("content-type") }
        guard types.count <= 1 else { throw .unreadableBody(.ambiguousType) }
        let text = types.first?.text ?? ""
        guard text.utf8.allSatisfy({ $0 < 0x7F }) else { throw .unreadableBody(.ambiguousType) }
        // Services also find a type somewhere in the header.
        let lower = text.lowercased(),
            bare = String(lower.drop { $0 == " " || $0 == "\t" }.prefix { !"; ,\t".contains($0) })
        isUntyped = bare.isEmpty
        // Browsers send forms as plain text, and JSON where they may send no other type; services read both as what they are.
        let isAny = isUntyped || lower.contains("text/plain")
        var kinds: [Kind] = []
        if isAny || lower.contains("urlencoded") || lower.contains("url-encoded") { kinds.append(.form) }
        if isAny || lower.contains("json") && !Self.sequences.contains(bare) { kinds.append(.json) }
        if lower.contains("multipart/") { kinds.append(try Self.multipart(text)) }
        self.kinds = kinds
        if kinds.isEmpty { return nil }
        let codings = fields.filter { $0.mayBe("content-encoding") }.map { $0.text.lowercased() }
        guard codings.allSatisfy({ $0 == "identity" || $0.isEmpty }) else { throw .unreadableBody(.encoded) }
        guard Self.isUTF8(lower) else { throw .unreadableBody(.otherCharset) }
    }

    /// The methods that the body names.
    /// - Parameters:
    ///   - beginning: the first `searched` bytes.
    ///   - isWhole: whether that is all of it.
    package func methods(in beginning: [UInt8], isWhole: Bool) throws(ServeObjection) -> [String] {
        var methods: [String] = []
        for kind in kinds {
            switch kind {
            case .form: methods += try formMethods(in: beginning, isWhole: isWhole)
            case .json: methods += try JSONOverride.methods(in: beginning, isWhole: isWhole, isJSON: !isUntyped)
            case .multipart(let boundary, let isForm):
                methods += try MultipartOverride(boundary: boundary, isForm: isForm)
                    .methods(in: beginning, isWhole: isWhole)
            }
        }
        return methods
    }

    private func formMethods(in beginning: [UInt8], isWhole: Bool) throws(ServeObjection) -> [String] {
        // Some read UTF-16 where a byte order mark says so.
        if !isUntyped, beginning.starts(with: [0xFE, 0xFF]) || beginning.starts(with: [0xFF, 0xFE]) {
            throw .unreadableBody(.otherCharset)
        }
        let members = FormMember.members(of: beginning)
        var methods: [String] = []
        for (index, member) in members.enumerated() where member.isOverride {
            // The value goes on behind what is searched.
            if !isWhole, index == members.count - 1 { throw .unreadableOverride }
            methods.append(try FormMember.method(member.value))
        }
        return methods
    }

    private static func multipart(_ text: String) throws(ServeObjection) -> Kind {
        // PHP and Rack look for the word, wherever it stands, and read up to the next comma.
        guard text.lowercased().ranges(of: "boundary").count == 1, let header = HeaderParameters(text),
            header.names.isSubset(of: ["boundary", "charset", "type", "start", "start-info"]),
            let boundary = header["boundary"], boundary.isBoundary
        else { throw .unreadableBody(.ambiguousType) }
        return .multipart(boundary: Array(boundary.utf8), isForm: header.value.lowercased() == "multipart/form-data")
    }

    /// - Parameter type: in lower case.
    private static func isUTF8(_ type: String) -> Bool {
        type.ranges(of: "charset").allSatisfy { range in
            let rest = type[range.upperBound...].drop { $0 == " " || $0 == "\t" }
            guard rest.first == "=" else { return false }
            let value = rest.dropFirst().drop { " \t\"'".contains($0) }.prefix { !" \t\"';,".contains($0) }
            return ["utf-8", "utf8", "us-ascii"].contains(value)
        }
    }
}

extension String {
    /// Whether it is a boundary (RFC 2046, section 5.1.1) that every reader takes whole; what clients make has no other characters.
    fileprivate var isBoundary: Bool {
        (1...70).contains(utf8.count)
            && utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "_-.".utf8.contains(byte)
            }
    }
}
