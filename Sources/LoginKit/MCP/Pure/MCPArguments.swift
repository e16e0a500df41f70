extension MCPMessage {
    /// The params as JSON, without the subject and a usual `_meta`. What services read comes first, and `_meta` last, so that nothing
    /// that they do not read takes the room of what they do.
    private var asked: [UInt8] {
        let members = text.withUnsafeBytes { (try? JSONReader.places($0, at: ["params"])) ?? [] }
        let read = ["arguments", "argument", "ref"]
        let asked =
            members.filter { read.contains($0.name) }
            + members.filter { !(read + [Self.subjects[method], "_meta"]).contains($0.name) }
            + members.filter { $0.name == "_meta" && !hasUsualMeta }
        if asked.count == 1, asked[0].name == "arguments" { return Array(text[asked[0].range]) }
        let written = asked.map { Array(JSONText.quoted($0.name).utf8) + [0x3A] + text[$0.range] }
        return written.isEmpty ? [] : [0x7B] + written.joined(separator: [0x2C]) + [0x7D]
    }

    /// What the client calls itself in the request: in `initialize`, and in each one of the revision of 2026-07-28.
    var client: String? {
        let place = isModern ? ["_meta", "io.modelcontextprotocol/clientInfo"] : ["clientInfo"]
        guard let name = member("name", at: ["params"] + place)?[...].jsonString else { return nil }
        return String(String.UnicodeScalarView(name.unicodeScalars.prefix(Self.longestName)))
    }

    /// The longest name of a client that is kept, in scalars; fewer are shown.
    private static let longestName = 100

    /// The question of a rule about the request.
    /// - Parameters:
    ///   - client: what the client calls itself.
    ///   - acts: all that it may do, one at least.
    func question(
        _ id: String, of client: String, _ acts: [ServedAct], _ rule: ServeRule, isCovered: Bool
    ) -> ServeQuestion {
        ServeQuestion(
            id: id, command: client, method: acts[0].method, url: acts[0].path.text, body: shownArguments,
            hasArguments: true, rule: rule.text, isCovered: isCovered, further: ServedActs.further(acts))
    }

    /// Whether its `_meta` has no more than the protocol and W3C's Trace Context put there, in which no service looks for arguments.
    var hasUsualMeta: Bool {
        guard let meta = params?.member("_meta") else { return true }
        guard case .object(let members) = meta else { return false }
        return members.allSatisfy { name, value in
            Self.protocolMeta.contains(name) || Self.scalarMeta.contains(name) && value.text != nil
        }
    }

    private static let scalarMeta = ["progressToken", "traceparent", "tracestate"]
    private static let protocolMeta = ["protocolVersion", "clientInfo", "clientCapabilities", "logLevel"].map {
        "io.modelcontextprotocol/\($0)"
    }

    /// Whether its `_meta` could choose another version of a tool than the list shows, as FastMCP's `{"fastmcp": {"version": "2"}}` does.
    /// Clients say more in it, which may name anything, folders too: so only `_meta`'s own members are suspect for the end of their name.
    var choosesVersion: Bool {
        guard let meta = member("_meta", at: ["params"]) else { return false }
        guard meta.first == UInt8(ascii: "{") else { return meta != Array("null".utf8) }
        // Clients put no more than some hundred bytes there.
        guard meta.count <= 64 << 10 else { return true }
        let value = meta.withUnsafeBytes { try? JSONReader.skim($0, deepest: Self.deepest, keeping: .max) }
        guard case .object(let members)? = value else { return true }
        return members.contains { name, value in
            if name.utf8.starts(with: "io.modelcontextprotocol/".utf8) { return false }
            return Array(name.utf8).caseFolded.suffix(7).elementsEqual("version".utf8) || name.hasControl
                || value.hasVersion
        }
    }

    /// The arguments of a call as a person reads them.
    var shownArguments: ServeQuestion.Body { ServeQuestion.Body(arguments: asked) }
}

extension JSONValue {
    /// Whether a member in it, at any depth, is called `version`, or may be cut to that.
    fileprivate var hasVersion: Bool {
        switch self {
        case .object(let members):
            members.contains { name, value in
                name.hasControl || Array(name.utf8).caseFolded.elementsEqual("version".utf8) || value.hasVersion
            }
        case .array(let elements): elements.contains(where: \.hasVersion)
        case .null, .bool, .integer, .number, .string: false
        }
    }
}
