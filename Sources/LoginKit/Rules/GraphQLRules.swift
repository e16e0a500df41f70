/// The kind of an operation in a GraphQL document, and of a rule about its root fields: `GRAPHQL query NAMES` or `GRAPHQL mutation NAMES`,
/// such as `GRAPHQL mutation delete*`.
///
/// `*` in a name stands for anything. `allow` compares byte for byte, `ask` and `deny` with the case folded.
enum GraphQLKind: String, CaseIterable, Sendable {
    case query, mutation
    /// No rule names it: it is for WebSockets and streams of events.
    case subscription

    /// The first word of a rule.
    static let word = "GRAPHQL"

    /// The method by which rules judge a root field; no method of HTTP has a blank.
    var method: String { "\(Self.word) \(rawValue)" }

    static func isMethod(_ method: String) -> Bool { method.hasPrefix(word + " ") }

    /// - Parameter field: a root field, without its alias.
    func act(on field: String) -> ServedAct {
        ServedAct(method: method, path: ServedPath(field, readings: [[Array(field.utf8)]]))
    }

    /// Reads a rule.
    /// - Parameter words: of its text, split at each blank.
    static func rule(_ words: [Substring]) throws(ServeRuleFault) -> (kind: GraphQLKind, patterns: [ServePattern]) {
        guard words.count == 3, let kind = GraphQLKind(rawValue: String(words[1])), kind != .subscription else {
            throw .notFields
        }
        let names = words[2].split(separator: ",", omittingEmptySubsequences: false)
        let areNames = names.allSatisfy { name in
            !name.isEmpty && name.utf8.allSatisfy { $0.isNamePart || $0 == UInt8(ascii: "*") }
        }
        guard areNames else { throw .notFields }
        return (kind, names.map { ServePattern(name: $0) })
    }
}

/// The path at which a service takes GraphQL documents. Rules for GraphQL judge what is sent to it, or to a path that a service may take
/// for it or for a part of it: in another case, with a slash, a suffix, dots or blanks at the end, escaped, and what is below it.
struct GraphQLEndpoint: Equatable, Sendable {
    private let spellings: Set<[[UInt8]]>
    /// The number of segments, without an empty one at the end.
    private let count: Int

    /// - Parameter path: at the origin.
    /// - Returns: `nil` for a path that services read in different ways.
    init?(_ path: String) {
        guard !path.contains("?"), let path = try? ServedPath(path), path.readings.count == 1 else { return nil }
        let segments = path.readings[0]
        spellings = Set(path.spellings(segments))
        count = max(segments.count - (segments.last?.isEmpty == true ? 1 : 0), 1)
    }

    /// Returns whether a request to this path may reach the endpoint.
    func concerns(_ path: ServedPath) -> Bool {
        // What is below the root is everything.
        spellings.contains([[]])
            || path.readings.contains { reading in
                path.spellings(Array(reading.prefix(count))).contains { spellings.contains($0) }
            }
    }
}

extension UInt8 {
    /// A character of a GraphQL name (October 2021, section 2.1.9): a letter, a digit or `_`.
    var isNamePart: Bool { isNameStart || (0x30...0x39).contains(self) }

    /// A character with which such a name begins.
    var isNameStart: Bool { (0x61...0x7A).contains(self | 0x20) || self == UInt8(ascii: "_") }
}
