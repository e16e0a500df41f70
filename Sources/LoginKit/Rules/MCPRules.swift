/// The subject of a rule of `authctl mcp`: `TOOL NAMES`, `PROMPT NAMES` or `RESOURCE URI`, such as `TOOL get_*,list_*`.
///
/// `*` in a name stands for anything; in a URI for a segment or a part of one, and `**` for any number of segments. `allow` and `ask`
/// compare byte for byte, `deny` with the case folded.
enum MCPRuleKind: String {
    case tool = "TOOL"
    case prompt = "PROMPT"
    case resource = "RESOURCE"

    /// - Parameter text: names with commas between them, or one URI.
    func patterns(_ text: Substring) throws(ServeRuleFault) -> [ServePattern] {
        guard self == .resource else {
            let names = text.split(separator: ",", omittingEmptySubsequences: false)
            if names.contains(where: \.isEmpty) { throw .notNames }
            return names.map { ServePattern(groups: [[Self.segment(Array($0.utf8))]]) }
        }
        guard let segments = Self.segments(ofURI: String(text)) else { throw .neverMatches(segment: String(text)) }
        return [try ServePattern(segments) { (segment, _) throws(ServeRuleFault) in Self.segment(segment) }]
    }

    /// What a message is about, for rules to judge.
    /// - Returns: `nil` for nothing, and for a URI that services read in different ways.
    func act(on subject: String) -> ServedAct? {
        let segments = self == .resource ? Self.segments(ofURI: subject) : [Array(subject.utf8)]
        guard let segments, !subject.isEmpty else { return nil }
        return ServedAct(method: rawValue, path: ServedPath(subject, segments: segments))
    }

    private static func segment(_ text: [UInt8]) -> ServePattern.Segment {
        .init(texts: text.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init))
    }

    private static func segments(ofURI uri: String) -> [[UInt8]]? {
        let folded = "\(uri)/".lowercased()
        guard !["..", "/./", "\\", "%2e", "%2f", "%5c", "%25"].contains(where: { folded.contains($0) }),
            uri.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
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
    /// - Parameter template: RFC 6570; what precedes its first expression counts.
    func mayName(template: String) -> Bool {
        let text = template.prefix { $0 != "{" }
        return MCPRuleKind.resource.act(on: String(text)).map { mayName($0.method, beginningWith: $0.path.readings[0]) }
            ?? false
    }
}
