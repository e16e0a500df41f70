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

    /// The value in JSON.
    package var json: JSONValue {
        switch self {
        case .string(let text), .unsupported(let text): .string(text)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        case .bool(let flag): .bool(flag)
        case .array(let elements): .array(elements.map(\.json))
        case .table(let members): .object(members.mapValues(\.json))
        }
    }

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
    static func parse(_ text: String, file: String) throws(UsageFault) -> ConfigValue {
        // The parser takes a C string, which would end at the first NUL.
        if text.utf8.contains(0) {
            throw .badConfig(file: file, path: nil, line: nil, problem: "contains a NUL byte")
        }
        var scan = ConfigScan(text, file: file)
        try scan.run()
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
        Dictionary(keys.compactMap { key in self[key].map { (key, ConfigValue($0)) } }) { $1 }
    }
}

extension ConfigValue {
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
            return String(TOMLTable(["k": node]).convert(to: .toml, options: []).drop { $0 != "=" }.dropFirst(2))
        }
    }

    /// The value without secrets in URLs, and in the table `query` of a request.
    package func withoutURLSecrets(at key: String = "", inQuery: Bool = false) -> ConfigValue {
        switch self {
        case .string(let text):
            let start = inQuery ? "?\(key)=" : key == "proxy" && !text.contains("//") ? "//" : ""
            return .string(String("\(start)\(text)".withoutURLSecrets.dropFirst(start.count)))
        case .array(let elements): return .array(elements.map { $0.withoutURLSecrets(at: key, inQuery: inQuery) })
        case .table(let members):
            let pairs = members.map { ($0, $1.withoutURLSecrets(at: $0, inQuery: key == "query")) }
            return .table(Dictionary(pairs) { $1 })
        case .integer, .number, .bool, .unsupported: return self
        }
    }

    /// A name as a key, bare where it can be (TOML 1.0, "Keys").
    static func key(_ name: String) -> String {
        let isBare = !name.isEmpty && name.utf8.allSatisfy(ConfigScan.isBare)
        return isBare ? name : Self.string(name).inline
    }

    /// A profile as text for a file of profiles: its keys in the order of a login, one on each line. A table whose line would be wider
    /// than a terminal gets a heading of its own.
    /// - Parameter path: of the table, such as `["profiles", "wiki"]`; empty for the top of a file.
    package func section(_ path: [String]) -> String {
        guard case .table(let members) = self else { return "" }
        let keys = members.keys.sorted { (Self.rank($0), $0) < (Self.rank($1), $1) }
        let rows = keys.map { (key: $0, text: members[$0]?.inline ?? "") }
        let tables = rows.filter { row in
            guard case .table = members[row.key] else { return false }
            return Self.key(row.key).count + 3 + row.text.count > 80
        }.map(\.key)
        let lines = rows.filter { !tables.contains($0.key) }
        let width = lines.map { Self.key($0.key).count }.max() ?? 0
        let head = path.isEmpty ? [] : ["[\(path.map(Self.key).joined(separator: "."))]"]
        let body = lines.map { row in
            let key = Self.key(row.key)
            return "\(key)\(String(repeating: " ", count: width - key.count)) = \(row.text)"
        }
        let below = tables.compactMap { key in members[key].map { "\n" + $0.section(path + [key]) } }
        return (head + body + below).joined(separator: "\n")
    }

    private static func rank(_ key: String) -> Int {
        let first = ["url", "method", "status", "page", "get", "post", "form", "json", "token"]
        let last = ["login", "second-factor", "session", "verify", "refresh", "logout", "oauth", "serve"]
        return first.firstIndex(of: key) ?? last.firstIndex(of: key).map { $0 + 20 } ?? 10
    }

    private var node: any TOMLValueConvertible {
        switch self {
        case .string(let text), .unsupported(let text): text
        case .integer(let number): Int(number)
        case .number(let number): number
        case .bool(let flag): flag
        case .array(let elements): TOMLArray(elements.map(\.node))
        case .table(let members): TOMLTable(members.mapValues(\.node), inline: true)
        }
    }
}

/// Looks through a TOML document before the parser does, for what the parser cannot bear: it descends one level of the
/// stack for each level of a key or a value, hands on texts that end at the first NUL, and aborts the program where a key or a
/// value begins with what none does.
///
/// Only as exact as that needs: what is no TOML is the parser's to refuse, which stops at its first fault.
struct ConfigScan {
    /// Levels of tables and lists, those of dotted keys included.
    private static let depthLimit = 64

    private let file: String
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    /// The depth of the present key or value.
    private var depth = 0
    /// Each bracket that is open: what closes it, and the depth inside.
    private var brackets: [(closing: UInt8, depth: Int)] = []
    /// The depth of the table whose heading came last.
    private var heading = 0
    /// Whether nothing stood in the line yet, so that a bracket begins a heading.
    private var isLineStart = true
    private var isHeading = false
    /// Whether nothing but its bracket stood in a heading yet.
    private var isKeyAwaited = false

    init(_ text: String, file: String) {
        self.file = file
        let bytes = Array(text.utf8)
        // The parser passes over a byte order mark.
        self.bytes = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes
    }

    mutating func run() throws(UsageFault) {
        while index < bytes.count {
            let byte = bytes[index]
            if isKeyAwaited { try checkHeading(byte) }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                try checkQuote()
                try skipText(quote: byte)
            case UInt8(ascii: "#"): index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            default:
                index += 1
                try take(byte)
            }
        }
    }

    private mutating func take(_ byte: UInt8) throws(UsageFault) {
        guard (0x20..<0x7f).contains(byte) || [0x09, 0x0a, 0x0d].contains(byte) else {
            throw fault("has a character that is allowed only in strings and comments")
        }
        switch byte {
        case UInt8(ascii: "\n"):
            endLine()
            return
        case UInt8(ascii: " "):
            try checkBlank()
            return
        case UInt8(ascii: "\t"), UInt8(ascii: "\r"):
            return
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            if isLineStart && brackets.isEmpty { (isHeading, heading, depth, isKeyAwaited) = (true, 0, 0, true) }
            try descend()
            brackets.append((byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}"), depth))
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            if isHeading { heading = max(heading, depth) }
            guard let bracket = brackets.popLast() else { break }
            guard bracket.closing == byte else { throw fault("has mismatched brackets") }
            depth = bracket.depth - 1
        case UInt8(ascii: "."): try descend()
        case UInt8(ascii: "T"), UInt8(ascii: "t"): try checkTime()
        case UInt8(ascii: ","): depth = brackets.last?.depth ?? depth
        default: break
        }
        isLineStart = false
    }

    /// A second bracket, or the first byte of a key.
    private mutating func checkHeading(_ byte: UInt8) throws(UsageFault) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"): return
        case UInt8(ascii: "[") where brackets.count == 1: return
        case UInt8(ascii: "]"), UInt8(ascii: "\""), UInt8(ascii: "'"): isKeyAwaited = false
        default:
            isKeyAwaited = false
            if Self.isBare(byte) { return }
            throw fault("has an invalid character at the start of a heading")
        }
    }

    /// A quote inside of a word begins no text for the parser: from there on it would read something else than we do.
    private func checkQuote() throws(UsageFault) {
        guard index > 0, !Self.isBefore(value: bytes[index - 1]), !"\"'.".utf8.contains(bytes[index - 1]) else {
            return
        }
        throw fault("has a quote inside a word")
    }

    /// Between two words stands the blank of a date and its time, which begins with two digits; with one digit the parser
    /// aborts.
    private func checkBlank() throws(UsageFault) {
        guard index >= 2, !Self.isBefore(value: bytes[index - 2]) else { return }
        let digits = bytes[index...].prefix(2).prefix { Self.isDigit($0) }
        if digits.count == 1 { throw fault("has two values without a comma between them") }
    }

    /// The letter between a date and its time; with anything but a digit behind it, the parser aborts.
    private func checkTime() throws(UsageFault) {
        let date = bytes[..<(index - 1)].suffix(10).map { Self.isDigit($0) ? UInt8(ascii: "0") : $0 }
        guard date == Array("0000-00-00".utf8), !(bytes[index...].first.map(Self.isDigit) ?? false) else { return }
        throw fault("has a date without a time after its T")
    }

    /// Whether a value may begin behind it.
    private static func isBefore(value byte: UInt8) -> Bool { " \t\r\n=,[{".utf8.contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether a key or a number may hold the byte without quotes.
    static func isBare(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "-_".utf8.contains(byte) }

    private func fault(_ problem: String) -> UsageFault {
        .badConfig(file: file, path: nil, line: line, problem: problem)
    }

    private mutating func descend() throws(UsageFault) {
        depth += 1
        guard depth <= Self.depthLimit else {
            throw fault("is nested deeper than \(Self.depthLimit) levels")
        }
    }

    private mutating func endLine() {
        line += 1
        guard brackets.isEmpty else { return }
        (depth, isLineStart, isHeading) = (heading, true, false)
    }

    /// From the opening quotes to behind the closing ones; a text in one line ends with the line, which is a fault of
    /// its own.
    private mutating func skipText(quote: UInt8) throws(UsageFault) {
        isLineStart = false
        let opening = quotes(quote)
        // Two of them are an empty text.
        let isLong = opening >= 3
        index += isLong ? 3 : min(opening, 2)
        if opening == 2 { return }
        while index < bytes.count {
            let byte = bytes[index]
            if byte == quote {
                let count = quotes(quote)
                // Up to two quotes may stand before those that end a long text.
                index += isLong ? min(count, 5) : 1
                if !isLong || count >= 3 { return }
            } else if byte == UInt8(ascii: "\n") && !isLong {
                return
            } else if byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") {
                try skipEscape()
            } else {
                if byte == UInt8(ascii: "\n") { line += 1 }
                index += 1
            }
        }
    }

    /// Counts the quotes that stand here in a row.
    private func quotes(_ quote: UInt8) -> Int { bytes[index...].prefix { $0 == quote }.count }

    private mutating func skipEscape() throws(UsageFault) {
        let digits: [UInt8: Int] = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8]
        let escape = bytes[index...].dropFirst()
        if let kind = escape.first, let count = digits[kind] {
            let value = escape.dropFirst().prefix(count)
            if value.count == count, value.allSatisfy({ $0 == UInt8(ascii: "0") }) {
                throw fault("has an escaped NUL, which is not allowed")
            }
        }
        if escape.first == UInt8(ascii: "\n") { line += 1 }
        index = min(index + 2, bytes.count)
    }
}

extension Place {
    /// As a profile has it.
    var written: ConfigValue {
        switch self {
        case .between(let place, let before, let after):
            .array([.string(place.description), .string("\(before)*\(after)")])
        case .json(let pointer): .string(pointer.escaped)
        case .header, .redirectQuery, .cookie, .field, .xml, .identityToken, .text: .string(description)
        }
    }
}
