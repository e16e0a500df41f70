/// The subject of a rule of `authctl mcp`: `TOOL NAMES`, `PROMPT NAMES` or `RESOURCE URI`, such as `TOOL get_*,list_*`.
///
/// `*` in a name stands for anything; in a URI for a segment or a part of one, and `**` for any number of segments. `allow` and `ask`
/// compare byte for byte, `deny` with the case folded.
enum MCPRuleKind: String {
    case tool = "TOOL"
    case prompt = "PROMPT"
    case resource = "RESOURCE"

    /// The longest name or URI that is judged, in bytes: a person has to be able to read it.
    private static let longest = 4096

    /// - Parameter text: names with commas between them, or one URI.
    func patterns(_ text: Substring) throws(ServeRuleFault) -> [ServePattern] {
        if String(text).hasControl { throw .notNames }
        guard self == .resource else {
            let names = text.split(separator: ",", omittingEmptySubsequences: false)
            if names.contains(where: \.isEmpty) { throw .notNames }
            return names.map { ServePattern(name: $0) }
        }
        guard let segments = Self.segments(ofURI: String(text)) else { throw .neverMatches(String(text)) }
        return [try ServePattern(segments) { (segment, _) throws(ServeRuleFault) in .init(starred: segment) }]
    }

    /// What a message is about, for rules to judge.
    /// - Returns: `nil` for nothing, for what is too long or has a control character, at which some readers cut, and for a URI that
    ///   services read in different ways.
    func act(on subject: String) -> ServedAct? {
        guard !subject.isEmpty, subject.utf8.count <= Self.longest, !subject.hasControl else { return nil }
        guard self == .resource else {
            return ServedAct(method: rawValue, path: ServedPath(subject, readings: [[Array(subject.utf8)]]))
        }
        guard let segments = Self.segments(ofURI: subject) else { return nil }
        var readings = [segments]
        // A service may take a query or a fragment off.
        if let end = subject.utf8.firstIndex(where: { "?#".utf8.contains($0) }) {
            guard let bare = Self.segments(ofURI: String(subject[..<end])) else { return nil }
            readings.append(bare)
        }
        return ServedAct(method: rawValue, path: ServedPath(subject, readings: readings))
    }

    /// Nothing but ASCII, and no escape of what a reader who decodes it would take for something else.
    private static func segments(ofURI uri: String) -> [[UInt8]]? {
        let bytes = Array(uri.utf8), closed = bytes + [0x2F]
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
            !closed.contains("..".utf8), !closed.contains("/./".utf8)
        else { return nil }
        for escape in uri.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst() {
            guard let byte = Hexadecimal.percentDecoded([0x25] + escape.prefix(2), isStrict: true)?.first, byte >= 0x20,
                !"./\\%?#\u{7F}".utf8.contains(byte)
            else { return nil }
        }
        guard
            Hexadecimal.percentDecoded(uri.utf8, isStrict: true).flatMap({ String(validating: $0, as: UTF8.self) })
                != nil
        else { return nil }
        return uri.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    }
}

extension ServeRules {
    /// Returns whether a person or a rule may let this through.
    func mayPass(_ kind: MCPRuleKind, _ subject: String) -> Bool {
        guard let act = kind.act(on: subject) else { return false }
        if case .refused = decision(on: [act]) { return false }
        return true
    }

    /// Returns whether a template could stand for a URI that the rules let through.
    /// - Parameter template: RFC 6570; what precedes its first expression counts, and what denies it as it is written.
    func mayName(template: String) -> Bool {
        let kind = MCPRuleKind.resource
        if let act = kind.act(on: template), case .refused(_, by: _?) = decision(on: [act]) { return false }
        let text = String(template.unicodeScalars.prefix { $0 != "{" })
        guard let path = text.isEmpty ? [[]] : kind.act(on: text)?.path.readings[0] else { return false }
        return mayName(kind.rawValue, beginningWith: path)
    }
}

extension String {
    /// Whether it has a character that ends a text for some readers, or one that was half a pair of surrogates, which some leave out.
    var hasControl: Bool { utf8.contains { $0 < 0x20 || $0 == 0x7F } || unicodeScalars.contains("\u{FFFD}") }

    /// Whether a path is named as most endpoints of MCP servers are.
    var isMCPPath: Bool { withoutQuery.split(separator: "/").last == "mcp" }
}

extension RequestRule {
    /// The path, if it is named as an MCP endpoint is.
    var mcpPath: String? { path.source.isMCPPath && !path.source.contains("{") ? path.source : nil }

    /// The verify request of an MCP endpoint: the first message of a client (MCP 2025-06-18, Lifecycle), which answers a GET to nobody.
    static func initializingMCP(at path: String) -> RequestRule {
        func object(_ members: KeyValuePairs<String, JSONTemplate>) -> JSONTemplate {
            .object(members.map { .init(name: $0.key, value: $0.value) })
        }
        func text(_ literal: String) -> JSONTemplate { .string(Template(literal: literal)) }
        var rule = RequestRule(method: "POST", path: Template(literal: path))
        rule.headers = [
            HeaderRule(name: "Accept", value: Template(literal: "application/json, text/event-stream"))
        ]
        rule.content = .json(
            object([
                "jsonrpc": text("2.0"), "id": .integer(1), "method": text("initialize"),
                "params": object([
                    "protocolVersion": text("2025-06-18"), "capabilities": .object([]),
                    "clientInfo": object(["name": text("authctl"), "version": text("1")]),
                ]),
            ]))
        return rule
    }
}
