import Secrets

/// A text with slots in braces: `{username}`, `{cookie:NAME}`, `{cookie:NAME|percent-decoded}`; `{{` is a brace.
package struct Template: Equatable, Sendable {
    /// The value to fill in.
    package enum Slot: Hashable, Sendable {
        case username, password, ttl, token, refreshToken
        case cookie(String)
        /// Another secret, asked for once and stored.
        case secret(String)
        /// `{otp}`, the code of a second factor; what holds it is sent only when there is one.
        case code
        /// `{csrf}`, what guards against forged requests; what holds it is sent only when it is known.
        case csrf
        /// A value that a response of the login gave, by its name in `take`.
        case taken(String)
    }

    /// A piece of the text.
    enum Part: Equatable, Sendable {
        case text(String)
        case slot(Slot)
        /// The value is percent-decoded first, as scripts of pages do with cookies.
        case decoded(Slot)

        fileprivate var slot: Slot? {
            switch self {
            case .text: nil
            case .slot(let slot), .decoded(let slot): slot
            }
        }
    }

    /// Stands behind the name of a slot whose value is decoded.
    private static let filter = "|percent-decoded"

    /// A text that is not a template.
    enum Malformed: Error, Equatable, Sendable {
        case unknownSlot(String)
        case unclosedBrace
    }

    /// In the order of the text; `{{` has become a brace, and a brace is only a brace.
    let parts: [Part]

    /// In the order of the text; one that stands there twice comes twice.
    var slots: [Slot] {
        parts.compactMap(\.slot)
    }

    /// The text with `…` for each slot: fit to be shown, whatever is filled in.
    var shown: String {
        parts.map { if case .text(let text) = $0 { text } else { "…" } }.joined()
    }
}

extension Template.Slot {
    /// - Parameter name: what stands between the braces.
    /// - Returns: `nil` for a slot that there is not, such as a cookie without a name.
    init?(_ name: String) {
        let plain: [Template.Slot] = [.username, .password, .ttl, .token, .refreshToken, .code, .csrf]
        let pieces = name.split(separator: ":", maxSplits: 1).map(String.init)
        if let slot = plain.first(where: { $0.name == name }) {
            self = slot
        } else if pieces.count == 2, pieces[0] == "cookie" {
            self = .cookie(pieces[1])
        } else if pieces.count == 2, pieces[0] == "secret" {
            self = .secret(pieces[1])
        } else {
            return nil
        }
    }

    /// The slot as a profile writes it.
    package var name: String {
        switch self {
        case .username: "username"
        case .password: "password"
        case .ttl: "ttl"
        case .token: "token"
        case .refreshToken: "refresh-token"
        case .cookie(let name): "cookie:\(name)"
        case .secret(let label): "secret:\(label)"
        case .code: "otp"
        case .csrf: "csrf"
        case .taken(let name): name
        }
    }

    /// Whether a person types it as a secret, which never gets into a URL, and reaches the server unchanged.
    var isTypedSecret: Bool {
        switch self {
        case .password, .secret: true
        case .username, .ttl, .token, .refreshToken, .cookie, .code, .csrf, .taken: false
        }
    }
}

/// A JSON value whose texts are templates: what a profile's `json` says.
enum JSONTemplate: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(Template)
    case array([JSONTemplate])
    /// Members in the order in which they are sent.
    case object([Member])

    /// A name and its value in an object.
    struct Member: Equatable, Sendable {
        /// A literal string; escaped when it is sent.
        let name: String
        /// A text with a `{ttl}` that was not asked for is left out, name and all.
        let value: JSONTemplate
    }

    /// Every slot in any of its texts, in the order in which they are sent.
    var slots: [Template.Slot] {
        switch self {
        case .null, .bool, .integer, .number: []
        case .string(let template): template.slots
        case .array(let elements): elements.flatMap(\.slots)
        case .object(let members): members.flatMap(\.value.slots)
        }
    }

    func fill(_ values: SlotValues, into builder: inout SecretBuilder) throws(FillFault) {
        switch self {
        case .null: builder.append("null")
        case .bool(let flag): builder.append(String(flag))
        case .integer(let number): builder.append(String(number))
        case .number(let number): builder.append(String(number))
        case .string(let template):
            builder.append("\"")
            try template.fill(values, .json, into: &builder)
            builder.append("\"")
        case .array(let elements):
            builder.append("[")
            for (index, element) in elements.filter({ $0.isWanted(values) }).enumerated() {
                if index > 0 { builder.append(",") }
                try element.fill(values, into: &builder)
            }
            builder.append("]")
        case .object(let members):
            builder.append("{")
            try Self.fill(members, values, into: &builder, isFirst: true)
            builder.append("}")
        }
    }

    /// Whether nothing in it waits for what there is not, such as a `{ttl}` that was not asked for.
    func isWanted(_ values: SlotValues) -> Bool {
        if case .string(let template) = self { return template.isWanted(values) }
        return true
    }

    /// The members that are wanted, without the braces around them.
    /// - Parameter isFirst: whether none stands before them.
    static func fill(
        _ members: [Member], _ values: SlotValues, into builder: inout SecretBuilder, isFirst: Bool
    ) throws(FillFault) {
        for (index, member) in members.filter({ $0.value.isWanted(values) }).enumerated() {
            builder.append(index == 0 && isFirst ? "\"" : ",\"")
            builder.append(member.name, .json)
            builder.append("\":")
            try member.value.fill(values, into: &builder)
        }
    }
}

extension Template {
    /// A text that is sent as it is.
    init(literal: String) {
        self.init(parts: [.text(literal)])
    }

    /// Reads a text as a profile has it.
    /// - Parameter taken: the names that `take` gives in this profile.
    /// - Throws: `Malformed` for a brace that is not closed, and for a slot that there is not.
    init(parsing text: String, taken: Set<String> = []) throws(Malformed) {
        var parts: [Part] = []
        var literal = ""
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            literal += String(rest[..<brace])
            rest = rest[rest.index(after: brace)...]
            if rest.first == "{" {
                literal += "{"
                rest = rest.dropFirst()
                continue
            }
            guard let end = rest.firstIndex(of: "}") else { throw .unclosedBrace }
            let name = String(rest[..<end])
            let isDecoded = name.hasSuffix(Self.filter)
            let bare = isDecoded ? String(name.dropLast(Self.filter.count)) : name
            guard let slot = Slot(bare) ?? (taken.contains(bare) ? .taken(bare) : nil) else {
                throw .unknownSlot(name)
            }
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
            parts.append(isDecoded ? .decoded(slot) : .slot(slot))
            rest = rest[rest.index(after: end)...]
        }
        literal += String(rest)
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.init(parts: parts)
    }

    /// The text that parses to this template.
    var source: String {
        parts.map { part in
            switch part {
            case .text(let text): text.split(separator: "{", omittingEmptySubsequences: false).joined(separator: "{{")
            case .slot(let slot): "{\(slot.name)}"
            case .decoded(let slot): "{\(slot.name)\(Self.filter)}"
            }
        }.joined()
    }
}
