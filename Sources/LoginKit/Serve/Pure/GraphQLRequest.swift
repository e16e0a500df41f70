/// The reason why rules cannot judge a request to an endpoint of GraphQL, in words.
enum GraphQLFault: String, Error, Equatable, Sendable, CaseIterable {
    case method = "only POST, or GET with a query, can be judged there; a WebSocket cannot"
    case type = "the body must be application/json in UTF-8, and not compressed"
    case parameters =
        "the query of the URL must be empty, or with GET be query, operationName, variables and extensions, each once"
    case tooLong = "the body is too long to be judged"
    case notJSON = "the body must be JSON that every service reads in the same way: one request or a list of them"
    case members = "a request must have 'query', and beside it only operationName, variables and extensions"
    case document = "the document cannot be read, or has something other than operations and fragments"
    case operation = "operationName must fit one operation of the document, or there must be only one"
    case changing = "only a query may be sent with GET"
    case tooMuch =
        "there are too many operations or root fields, or names that are too long, or it is nested too deeply"
}

/// What a request to an endpoint of GraphQL has the service execute, read so that no service can find another operation in it.
struct GraphQLRequest: Equatable, Sendable {
    struct Operation: Equatable, Sendable {
        let kind: GraphQLKind
        let name: String?
        /// The root fields, each once.
        let fields: [String]

        /// In one line, as documents have it, for the log: `query Issues { repository }`.
        var text: String { ([kind.rawValue, name, "{"].compactMap { $0 } + fields + ["}"]).joined(separator: " ") }
    }

    /// Of one request, or of each in a batch.
    let operations: [Operation]
    /// The requests as JSON, with their variables first.
    let written: [UInt8]

    /// The longest body, in bytes; a pipe holds more.
    static let longest = 256 << 10
    /// The most operations, and root fields of all of them: a person has to be able to read the question.
    static let (mostOperations, mostFields) = (32, 64)

    /// The members of a request, in the order in which a person sees them.
    private static let members = ["operationName", "variables", "extensions", "query"]

    /// - Parameter body: all of it.
    init(body: [UInt8]) throws(GraphQLFault) {
        // Not every reader passes over a byte order mark.
        guard !body.starts(with: [0xEF, 0xBB, 0xBF]), let value = body.withUnsafeBytes({ try? JSONReader.read($0) })
        else {
            throw .notJSON
        }
        let requests = value.elements ?? [value]
        guard !requests.isEmpty else { throw .notJSON }
        guard requests.count <= Self.mostOperations else { throw .tooMuch }
        operations = try requests.map { (request) throws(GraphQLFault) in try Self.operation(of: request) }
        guard operations.reduce(0, { $0 + $1.fields.count }) <= Self.mostFields else { throw .tooMuch }
        written = body.withUnsafeBytes { Self.written($0) }
    }

    /// - Parameter parameters: the query of the URL of a GET.
    init(parameters: some Collection<UInt8>) throws(GraphQLFault) {
        var found: [String: String] = [:]
        for pair in parameters.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let name = String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            guard Self.members.contains(name), pair.contains(UInt8(ascii: "=")), !pair.contains(UInt8(ascii: ";")),
                let bytes = FormText.decoded(pair.dropFirst(name.utf8.count + 1), isStrict: true),
                let text = String(validating: bytes, as: UTF8.self),
                // Some service may decode it once more.
                Hexadecimal.percentDecoded(bytes, isStrict: false) == bytes,
                found.updateValue(text, forKey: name) == nil
            else { throw .parameters }
        }
        var request = JSONText()
        for name in Self.members {
            guard let text = found[name] else { continue }
            if name == "query" || name == "operationName" {
                request.add(name, text)
            } else {
                guard Array(text.utf8).withUnsafeBytes({ JSONReader.members($0) }) != nil else { throw .parameters }
                request.add(name, raw: text)
            }
        }
        try self.init(body: Array(request.finished.utf8))
        guard operations.allSatisfy({ $0.kind == .query }) else { throw .changing }
    }

    private static func operation(of request: JSONValue) throws(GraphQLFault) -> Operation {
        guard case .object(let members) = request, case .string(let text)? = members["query"],
            members.keys.allSatisfy({ Self.members.contains($0) }),
            ["variables", "extensions"].allSatisfy({ members[$0].isObjectOrNothing })
        else { throw .members }
        // A service may take the document that it knows by the hash instead of the text.
        if case .object(let extensions)? = members["extensions"], extensions["persistedQuery"] != nil { throw .members }
        var name: String?
        switch members["operationName"] {
        case .string(let text): name = text
        case nil, .null: break
        case .bool, .integer, .number, .array, .object: throw .members
        }
        let document = try GraphQLDocument(text), operation = try document.operation(named: name)
        return Operation(kind: operation.kind, name: operation.name, fields: try document.fields(of: operation))
    }

    /// What rules judge beside the request itself: every root field, each once.
    var acts: [ServedAct] {
        var acts: [ServedAct] = []
        for act in operations.flatMap({ operation in operation.fields.map(operation.kind.act) })
        where !acts.contains(act) { acts.append(act) }
        return acts
    }

    /// The question of a rule about it. The root fields that the rule names come first, so that others cannot hide them.
    /// - Parameters:
    ///   - command: the one that sends it.
    ///   - acts: all that it may do.
    func question(
        _ id: String, of command: String, _ acts: [ServedAct], _ rule: ServeRule, isCovered: Bool
    ) -> ServeQuestion {
        let shown = acts.filter { !$0.hasFields }
        let named = shown.filter { act in
            act.path.readings.contains { rule.concerns(act.method, act.path.spellings($0)) }
        }
        let sorted = named + shown.filter { !named.contains($0) }
        return ServeQuestion(
            id: id, command: command, method: sorted[0].method, url: sorted[0].path.text,
            body: .init(arguments: written), hasArguments: true, rule: rule.text, isCovered: isCovered,
            further: ServedActs.further(sorted))
    }

    private static func written(_ body: UnsafeRawBufferPointer) -> [UInt8] {
        guard let places = try? JSONReader.places(body, at: []) else { return [] }
        if places.first?.name == "0" {
            let requests = places.map { written(UnsafeRawBufferPointer(rebasing: body[$0.range])) }
            return [0x5B] + requests.joined(separator: [0x2C]) + [0x5D]
        }
        let sorted = members.compactMap { name in places.first { $0.name == name } }
        let members = sorted.map { Array(JSONText.quoted($0.name).utf8) + [0x3A] + body[$0.range] }
        return [0x7B] + members.joined(separator: [0x2C]) + [0x7D]
    }
}

extension JSONValue? {
    /// Whether it is no scalar and no list.
    fileprivate var isObjectOrNothing: Bool {
        switch self {
        case .object, .null, nil: true
        case .bool, .integer, .number, .string, .array: false
        }
    }
}

extension ServedHead {
    /// Reads what the head of a request to an endpoint of GraphQL says.
    /// - Parameters:
    ///   - target: path and query.
    ///   - fields: those that the service gets.
    /// - Returns: the request, if the URL has it; `nil` if the body has it.
    func graphQL(_ target: String, _ fields: [ServedField]) throws(GraphQLFault) -> GraphQLRequest? {
        let parameters = target.utf8.drop { $0 != UInt8(ascii: "?") }
        if method == "GET", !wantsWebSocket, contentLength == 0 {
            return try GraphQLRequest(parameters: parameters.dropFirst())
        }
        guard method == "POST" else { throw .method }
        // `?` alone is one for some.
        guard parameters.isEmpty else { throw .parameters }
        let types = fields.filter { $0.mayBe("content-type") }, codings = fields.filter { $0.mayBe("content-encoding") }
        guard types.count == 1, types[0].hasName("Content-Type"), let type = HeaderParameters(types[0].text),
            type.value.lowercased() == "application/json", type.names.isSubset(of: ["charset"]),
            ["utf-8", "utf8", nil].contains(type["charset"]?.lowercased()),
            codings.allSatisfy({ $0.text.isEmpty || $0.text.lowercased() == "identity" })
        else { throw .type }
        return nil
    }
}
