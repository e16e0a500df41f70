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
