package import LoginCore
import TOMLKit

/// A value of a TOML file, free of the library that read it.
package enum ConfigValue: Equatable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case array([ConfigValue])
    case table([String: ConfigValue])
    /// Dates and times: TOML has them, profiles do not.
    case unsupported(String)

    /// The name in messages.
    var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .number: "a number"
        case .bool: "true or false"
        case .array: "a list"
        case .table: "a table"
        case .unsupported(let type): "a \(type)"
        }
    }
}

extension ConfigValue {
    /// Reads a whole TOML document.
    /// - Throws: `UsageFault.badConfig` with the line on which the parser stopped.
    package static func parse(_ text: String, file: String) throws(UsageFault) -> ConfigValue {
        // The parser takes a C string, which would end at the first NUL.
        if text.utf8.contains(0) {
            throw .badConfig(file: file, path: nil, line: nil, problem: "contains a NUL byte")
        }
        do throws(ConfigScan.Fault) {
            var scan = ConfigScan(text)
            try scan.run()
        } catch {
            throw .badConfig(file: file, path: nil, line: error.line, problem: error.problem)
        }
        do {
            return .table(try TOMLTable(string: text).members)
        } catch let error as TOMLParseError {
            let isBare = ["value", "boolean", "floating-point"]
                .contains { error.description.hasPrefix("Error while parsing \($0):") }
            throw .badConfig(
                file: file, path: nil, line: error.source.begin.line,
                problem: error.description + (isBare ? "; a text needs quotes" : ""))
        } catch {
            throw .badConfig(file: file, path: nil, line: nil, problem: "\(error)")
        }
    }

    fileprivate init(_ value: any TOMLValueConvertible) {
        let node = value.tomlValue
        switch node.type {
        case .string: self = .string(node.string ?? "")
        case .int: self = .integer(Int64(node.int ?? 0))
        case .double: self = .number(node.double ?? 0)
        case .bool: self = .bool(node.bool ?? false)
        case .array: self = .array(node.array.map { $0.map { ConfigValue($0) } } ?? [])
        case .table: self = .table(node.table?.members ?? [:])
        case .date, .time, .dateTime: self = .unsupported(node.type.description)
        }
    }
}

extension TOMLTable {
    fileprivate var members: [String: ConfigValue] {
        var members: [String: ConfigValue] = [:]
        for key in keys {
            if let value = self[key] { members[key] = ConfigValue(value) }
        }
        return members
    }
}

extension ConfigValue {
    /// The value as the text of a TOML document; only a table is one.
    /// - Parameter depth: tables so far below the top get a heading of their own; those further below stand in a line.
    package func document(headings depth: Int) -> String {
        guard case .table(let members) = self else { return "" }
        return TOMLTable(members.mapValues { $0.node(depth) }).convert(to: .toml)
    }

    /// The value as it stands behind a key, in ASCII: whatever a server wrote, no terminal obeys it. Members stand in the order in
    /// which profiles have them.
    var inline: String {
        switch self {
        case .table(let members):
            let keys = members.keys.sorted { (Self.rank($0), $0) < (Self.rank($1), $1) }
            let pairs = keys.compactMap { key in members[key].map { "\(Self.key(key)) = \($0.inline)" } }
            return pairs.isEmpty ? "{}" : "{ \(pairs.joined(separator: ", ")) }"
        case .array(let elements):
            return "[\(elements.map(\.inline).joined(separator: ", "))]"
        case .string, .integer, .number, .bool, .unsupported:
            return String(TOMLTable(["k": node(0)]).convert(to: .toml, options: []).drop { $0 != "=" }.dropFirst(2))
        }
    }

    /// A name as a key, bare where it can be (TOML 1.0, "Keys").
    static func key(_ name: String) -> String {
        let isBare = !name.isEmpty && name.utf8.allSatisfy { $0.isUnreserved && $0 != 0x2e && $0 != 0x7e }
        return isBare ? name : Self.string(name).inline
    }

    private static func rank(_ key: String) -> Int {
        ["status", "page", "get", "post", "form", "json", "token"].firstIndex(of: key) ?? 7
    }

    private func node(_ depth: Int) -> any TOMLValueConvertible {
        switch self {
        case .string(let text), .unsupported(let text): text
        case .integer(let number): Int(number)
        case .number(let number): number
        case .bool(let flag): flag
        case .array(let elements): TOMLArray(elements.map { $0.node(0) })
        case .table(let members): TOMLTable(members.mapValues { $0.node(depth - 1) }, inline: depth <= 0)
        }
    }
}
