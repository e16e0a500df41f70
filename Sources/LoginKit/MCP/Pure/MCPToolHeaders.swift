import Secrets

/// The arguments of a tool that its schema wants in headers of their own, `Mcp-Param-NAME` (revision of 2026-07-28).
struct MCPToolHeaders: Equatable, Sendable {
    private struct Argument: Equatable {
        /// The members of `arguments` that lead to it.
        let path: [String]
        let name: String
    }

    private var arguments: [Argument] = []

    private static let (mark, types) = ("x-mcp-header", ["string", "integer", "boolean"])
    /// The keywords of JSON Schema whose values are data.
    private static let data = ["const", "default", "enum", "examples"]

    /// - Returns: `nil` for a schema with an invalid mark, whose tool cannot be called.
    init?(schema: JSONValue?) {
        guard schema.map({ read($0, at: []) }) ?? true else { return nil }
    }

    /// - Parameter path: `nil` where no single argument is described.
    private mutating func read(_ schema: JSONValue, at path: [String]?) -> Bool {
        for element in schema.elements ?? [] where !read(element, at: nil) { return false }
        guard case .object(let members) = schema else { return true }
        if let mark = members[Self.mark] {
            guard let path, !path.isEmpty, case .string(let name) = mark, name.isHeaderName,
                let type = members["type"]?.string, Self.types.contains(type),
                !arguments.contains(where: { $0.name.lowercased() == name.lowercased() })
            else { return false }
            arguments.append(Argument(path: path, name: name))
        }
        for (key, value) in members where key != Self.mark && !Self.data.contains(key) {
            guard key == "properties", case .object(let properties) = value else {
                if read(value, at: nil) { continue } else { return false }
            }
            for (name, schema) in properties where !read(schema, at: path.map { $0 + [name] }) { return false }
        }
        return true
    }

    /// - Parameter call: the request that calls the tool.
    func headers(in call: MCPMessage) -> [(name: String, value: String)] {
        arguments.compactMap { argument in
            let place = ["params", "arguments"] + argument.path.dropLast()
            guard let written = call.member(argument.path.last ?? "", at: place), let first = written.first else {
                return nil
            }
            var value: String? = String(decoding: written, as: UTF8.self)
            if first == UInt8(ascii: "\"") {
                value = written[...].jsonString
            } else if [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n")].contains(first) {
                value = nil
            }
            return value.map { ("Mcp-Param-\(argument.name)", $0.asHeaderValue) }
        }.sorted { $0.name < $1.name }
    }
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
        let members = withUnsafeBytes { (try? JSONReader.places($0, at: ["result"])) ?? [] }
        guard let range = members.first(where: { $0.name == list })?.range else { return self }
        let value = Array(self[range]), isList = value.first == UInt8(ascii: "[")
        let places = isList ? value.withUnsafeBytes { (try? JSONReader.places($0, at: [])) ?? [] } : []
        let kept = places.map { value[$0.range] }.filter { element in
            Array(element).withUnsafeBytes { try? JSONReader.skim($0, deepest: MCPMessage.deepest, keeping: .max) }
                .map(isWanted) ?? false
        }
        if isList, kept.count == places.count { return self }
        return self[..<range.lowerBound] + [0x5B] + kept.joined(separator: [0x2C]) + [0x5D] + self[range.upperBound...]
    }
}
