import Secrets

/// One message of the Model Context Protocol (JSON-RPC 2.0), understood as far as is necessary to pass it on.
struct MCPMessage: Equatable, Sendable {
    /// The `id` of a request.
    enum ID: Hashable, Sendable {
        case number(Int64)
        /// Byte for byte: `String` would hold two spellings of one letter equal.
        case text([UInt8])
    }

    enum Kind: Equatable, Sendable {
        case request(ID)
        case notification
        /// A result or an error; without an ID if the request could not be read.
        case answer(ID?, isError: Bool)
    }

    let kind: Kind
    /// Empty for an answer.
    let method: String
    /// The message in one line.
    let text: [UInt8]
    /// Of a request, the revision that it names (2026-07-28 and later); of an answer, the one that `initialize` has settled.
    let version: String?
    /// Of a request, down to the members of its members.
    let params: JSONValue?
    /// The lists in a result that rules may shorten.
    let lists: [String]
    /// The task that is the answer to a call.
    let task: String?
    /// Whether a program that ignores case in member names, or cuts them at a control character, would read it differently.
    let isAmbiguous: Bool
    /// Whether it is the error of a request whose headers do not say what its body does.
    let lacksHeaders: Bool

    /// The largest message, in bytes; and the largest depth of arrays and objects in it.
    static let (longest, deepest) = (64 << 20, 128)

    /// Reads a message.
    /// - Parameter bytes: in UTF-8, with or without a byte order mark.
    init(_ bytes: [UInt8]) throws(MCPError) {
        let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let value: JSONValue
        do {
            value = try bytes.withUnsafeBufferPointer { (all) throws(JSONFault) in
                try JSONReader.skim(
                    UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[mark...])), deepest: Self.deepest,
                    keeping: 3)
            }
        } catch {
            var fault =
                error == .repeatedMember
                ? MCPError.invalid("an object in it has two members of one name") : .unreadable
            let ids = bytes[mark...].withUnsafeBytes { JSONReader.readable("id", in: $0) }
            if ids.count == 1 { fault.id = try? Self.id(ids[0]) }
            throw fault
        }
        guard case .object(var members) = value else { throw .invalid("batches are not supported") }
        // As some services write it beside a result.
        if members["error"] == .null { members["error"] = nil }
        // Within strings there are no line ends (RFC 8259, section 7), and elsewhere they mean nothing.
        let isOneLine = mark == 0 && !bytes.contains { $0 == 0x0A || $0 == 0x0D }
        text = isOneLine ? bytes : bytes[mark...].filter { $0 != 0x0A && $0 != 0x0D }
        var params = members["params"]
        // They may be many, and are found in the text when they are needed.
        if case .object(var known)? = params, known["arguments"] != nil {
            known["arguments"] = .null
            params = .object(known)
        }
        self.params = params
        if let name = members["method"] {
            let id = try members["id"].map { (id) throws(MCPError) in try Self.id(id) }
            guard case .string(let name) = name, !name.isEmpty else {
                throw .invalid("its method is not a string, or is empty", id: id)
            }
            let version = params?.member("_meta")?.member("io.modelcontextprotocol/protocolVersion")
            guard version == nil || version?.string?.isVisibleASCII == true else {
                throw .invalid("its protocol version is not visible ASCII", id: id)
            }
            guard version == nil || name.isVisibleASCII else {
                throw .invalid("its method is not visible ASCII", id: id)
            }
            (method, self.version, kind) = (name, version?.string, id.map { .request($0) } ?? .notification)
        } else if members["result"] != nil || members["error"] != nil {
            // OAuth's `error` is a string; a client would not take it for an answer and wait on.
            if let error = members["error"] {
                guard case .integer? = error.member("code") else { throw .invalid("its error has no integer code") }
            }
            (method, version) = ("", members["result"]?.member("protocolVersion")?.string)
            let id = members["id"] ?? .null
            kind = .answer(id == .null ? nil : try Self.id(id), isError: members["error"] != nil)
        } else {
            throw .invalid("it has no method, no result and no error", id: members["id"].flatMap { try? Self.id($0) })
        }
        lacksHeaders = members["error"]?.member("code") == .integer(-32020)
        let result = members["result"]
        lists = ["tools", "prompts", "resources", "resourceTemplates"].filter { result?.member($0) != nil }
        // Within `task` in the revision of 2025-11-25, beside the rest in the extension of 2026.
        task = (result?.member("task")?.member("taskId") ?? result?.member("taskId"))?.string
        let judged = [value, params, params?.member("ref"), params?.member("notifications")]
        isAmbiguous = method.hasControl || judged.contains { $0?.looksAlike ?? false }
    }

    /// The methods that are about something with a name, and the member of `params` that has it.
    static let subjects = [
        "tools/call": "name", "prompts/get": "name", "resources/read": "uri", "resources/subscribe": "uri",
        "resources/unsubscribe": "uri", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId",
        "tasks/result": "taskId",
    ]

    /// The tool, the prompt or the URI that a request is about.
    var subject: String? { Self.subjects[method].flatMap { params?.member($0)?.string } }

    /// Whether it cancels a request.
    var isCancelling: Bool { kind == .notification && method == "notifications/cancelled" }

    /// The request that it cancels.
    var cancelled: ID? { isCancelling ? params?.member("requestId").flatMap { try? Self.id($0) } : nil }

    private static func id(_ value: JSONValue) throws(MCPError) -> ID {
        switch value {
        case .integer(let number): return .number(number)
        case .string(let text): return .text(Array(text.utf8))
        case .null, .bool, .number, .array, .object:
            throw .invalid("its id is neither a string nor an integer of 64 bits")
        }
    }

    /// The ID of a request.
    var id: ID? { if case .request(let id) = kind { id } else { nil } }

    /// Whether it belongs to a revision without sessions, which each request names itself.
    var isModern: Bool { version != nil && method != "" }

    /// The error with the request's ID, which the service did not know.
    func error(for id: ID) -> [UInt8] {
        MCPError.answer(to: id, error: String(decoding: member("error") ?? [], as: UTF8.self))
    }

    /// Whether it changes nothing if it is sent once more: all but calls, and requests of unknown methods.
    var isIdempotent: Bool {
        guard case .request = kind else { return true }
        return isFirst || method.hasSuffix("/list") || Self.idempotent.contains(method)
    }

    private static let idempotent: Set = [
        "ping", "logging/setLevel", "prompts/get", "resources/read", "resources/subscribe", "resources/unsubscribe",
        "completion/complete", "subscriptions/listen", "tasks/get", "tasks/result",
    ]

    /// Whether no other request or notification is sent until the service has taken it.
    var goesAlone: Bool { method == "initialize" || method == "notifications/initialized" }

    /// Whether a client gives up when this fails, so that it should wait for a login.
    var isFirst: Bool { method == "initialize" || method == "server/discover" }
}

extension MCPMessage {
    /// The header fields for a message, beside those of the session.
    /// - Parameters:
    ///   - session: the value of `Mcp-Session-Id`; `nil` if the service has given none.
    ///   - settled: the revision that `initialize` has settled.
    func headers(session: String?, settled: String?) -> [(name: String, value: String)] {
        var headers = [("Content-Type", "application/json"), ("Accept", Self.accepted)]
        if isModern, let version {
            headers += [("MCP-Protocol-Version", version), ("Mcp-Method", method)]
            if let subject { headers.append(("Mcp-Name", subject.asHeaderValue)) }
        } else if method != "initialize" {
            headers += Self.headers(session: session, settled: settled)
        }
        return headers
    }

    /// The fields of every request in a session of 2025.
    static func headers(session: String?, settled: String?) -> [(name: String, value: String)] {
        [("Mcp-Session-Id", session), ("MCP-Protocol-Version", settled)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    static let accepted = "application/json, text/event-stream"
}

extension MCPMessage {
    /// The text of a member.
    /// - Parameter place: the members that lead to its object.
    func member(_ name: String, at place: [String] = []) -> [UInt8]? {
        text.withUnsafeBytes { bytes in
            (try? JSONReader.places(bytes, at: place))?.first { $0.name == name }.map { Array(bytes[$0.range]) }
        }
    }

    /// The request for a page of the list of tools, on behalf of this call.
    /// - Parameters:
    ///   - cursor: as it was written; `nil` for the first page.
    ///   - id: one that no other request has.
    func listing(after cursor: [UInt8]?, id: String) -> MCPMessage? {
        var params = JSONText(), request = JSONText()
        if let cursor { params.add("cursor", raw: String(decoding: cursor, as: UTF8.self)) }
        if isModern, let meta = member("_meta", at: ["params"]) {
            params.add("_meta", raw: String(decoding: meta, as: UTF8.self))
        }
        request.add("jsonrpc", "2.0")
        request.add("id", id)
        request.add("method", "tools/list")
        request.add("params", params)
        return try? MCPMessage(Array(request.finished.utf8))
    }
}

extension [UInt8] {
    /// The text of an answer without the elements of a list in its result that are not wanted.
    func without(_ list: String, unless isWanted: (JSONValue) -> Bool) -> [UInt8] {
        withUnsafeBytes { bytes in
            let members = (try? JSONReader.places(bytes, at: ["result"])) ?? []
            guard let range = members.first(where: { $0.name == list })?.range else { return self }
            let value = UnsafeRawBufferPointer(rebasing: bytes[range]), isList = value.first == UInt8(ascii: "[")
            let places = isList ? (try? JSONReader.places(value, at: [])) ?? [] : []
            let kept = places.filter { place in
                let element = UnsafeRawBufferPointer(rebasing: value[place.range])
                return (try? JSONReader.skim(element, deepest: MCPMessage.deepest, keeping: .max)).map(isWanted)
                    ?? false
            }
            if isList, kept.count == places.count { return self }
            var text: [UInt8] = []
            text.reserveCapacity(count)
            text.append(contentsOf: bytes[..<range.lowerBound])
            text.append(UInt8(ascii: "["))
            text.append(contentsOf: kept.map { value[$0.range] }.joined(separator: [UInt8(ascii: ",")]))
            text.append(UInt8(ascii: "]"))
            text.append(contentsOf: bytes[range.upperBound...])
            return text
        }
    }
}

extension JSONValue {
    /// The members by which messages are judged, and by which a person judges them.
    private static let judged: Set = [
        "jsonrpc", "id", "method", "params", "result", "error", "name", "arguments", "argument", "uri", "ref", "type",
        "task", "taskId",
        "taskIds", "notifications", "resourceSubscriptions", "_meta", "inputResponses", "requestState",
    ]
    private static let folded = Set(judged.map { Array($0.utf8).caseFolded })

    /// Whether some programs take the name of a member for one of these: it differs by case alone, or they cut it.
    fileprivate var looksAlike: Bool {
        guard case .object(let members) = self else { return false }
        return members.keys.contains { name in
            name.hasControl || !Self.judged.contains(name) && Self.folded.contains(Array(name.utf8).caseFolded)
        }
    }
}

extension String {
    /// Whether it can be the value of a header, and looks the same to everybody there.
    var isVisibleASCII: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// As the revision of 2026-07-28 writes a name in a header: in base64 where a header could not carry it.
    var asHeaderValue: String {
        let isPlain = utf8.allSatisfy { (0x20...0x7E).contains($0) } && first != " " && last != " "
        if isPlain, !(hasPrefix("=?base64?") && hasSuffix("?=")) { return self }
        return "=?base64?\(Secret(self).base64.unprotectedText)?="
    }
}

/// An error of authctl's own: the answer to a request, or the reason why a message is not passed on.
struct MCPError: Error, Equatable, Sendable {
    /// Codes: not logged in, and refused by a rule.
    static let (needsLogin, refused): (Int64, Int64) = (-32010, -32011)
    static let (failed, unknownMethod): (Int64, Int64) = (-32603, -32601)
    /// JSON-RPC 2.0, section 5.1.
    static let unreadable = MCPError(code: -32700, message: "the message is not valid JSON")
    static let tooLong = MCPError(code: -32600, message: "the message is longer than \(MCPMessage.longest >> 20) MiB")
    static let tooMany = MCPError(code: failed, message: "too many messages are waiting; send it again later")
    static let noThread = MCPError(code: failed, message: "the system has no thread left; send it again later")
    /// - Parameter id: of the request.
    static func invalid(_ problem: String, id: MCPMessage.ID? = nil) -> MCPError {
        MCPError(code: -32600, message: "the message is not valid: \(problem)", id: id)
    }

    let code: Int64
    let message: String
    /// The request that it answers; `nil` if that is not known, or known elsewhere.
    var id: MCPMessage.ID?
    /// The exit code of `request` after the same failure.
    var exitCode: Int64?
    /// The command that makes the call possible.
    var command: String?
    /// After a refusal, the rules that allow.
    var allowed: [String]?

    /// - Parameter id: `nil` if it is not known.
    func answer(to id: MCPMessage.ID?) -> [UInt8] {
        var error = JSONText()
        error.add("code", code)
        error.add("message", message)
        var data = JSONText()
        if let exitCode { data.add("exitCode", exitCode) }
        if let command { data.add("command", command) }
        if let allowed { data.add("allowed", allowed) }
        if data != JSONText() { error.add("data", data) }
        return Self.answer(to: id, error: error.finished)
    }

    /// - Parameter error: the object.
    static func answer(to id: MCPMessage.ID?, error: String) -> [UInt8] {
        var answer = JSONText()
        answer.add("jsonrpc", "2.0")
        switch id {
        case .number(let number): answer.add("id", number)
        case .text(let text): answer.add("id", String(decoding: text, as: UTF8.self))
        case nil: answer.add("id", raw: "null")
        }
        answer.add("error", raw: error)
        return Array(answer.finished.utf8)
    }
}
