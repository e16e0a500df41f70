import LoginCore
import LoginKit
import Secrets

/// The headers of a `request`, as `-H` gives them.
struct RequestHeaders {
    let fields: [HTTPRequestField]
    /// The names of those that are left out.
    let removed: [String]

    /// - Parameters:
    ///   - defaults: what holds where no line says otherwise.
    ///   - taken: the names that the session has its own values for, in lower case.
    init(
        _ lines: [String], defaults: [(name: String, value: String)], taken: Set<String>
    ) throws(LoginFault) {
        var fields: [HTTPRequestField] = []
        var named: Set<String> = [], removed: [String] = []
        for line in try Self.expanded(lines) {
            let field = try Self.field(line)
            let name = field.name.lowercased()
            guard !taken.contains(name) else {
                throw .usage(
                    .badValue(
                        option: "-H", problem: "the session sets the header \(SafeText.quoted(field.name)) itself"))
            }
            named.insert(name)
            if let value = field.value {
                fields.append(HTTPRequestField(name: field.name, value: value))
            } else {
                removed.append(field.name)
            }
        }
        for header in defaults where !named.contains(header.name.lowercased()) {
            fields.append(HTTPRequestField(name: header.name, value: Secret(header.value)))
        }
        self.fields = fields
        // 'Name:' beside 'Name: value' changes nothing, as in curl.
        self.removed = removed.filter { name in !fields.contains { $0.name.lowercased() == name.lowercased() } }
    }

    /// `@FILE` stands for the lines of a file.
    private static func expanded(_ lines: [String]) throws(LoginFault) -> [String] {
        var all: [String] = []
        for line in lines {
            guard line.hasPrefix("@") else {
                all.append(line)
                continue
            }
            let text = try BodyInput(line, option: "-H").all(limit: 256 << 10).unprotectedText
            // At line feeds alone: other line ends are part of a value, which may not hold them.
            let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            all += lines.map {
                $0.utf8.last == UInt8(ascii: "\r") ? String(decoding: $0.utf8.dropLast(), as: UTF8.self) : $0
            }
        }
        return all
    }

    /// `Name: value`; `Name;` has an empty value, and `Name:` takes a header away.
    private static func field(_ line: String) throws(LoginFault) -> (name: String, value: Secret?) {
        if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (String(line[..<colon]), value.isEmpty ? nil : Secret(String(value)))
        }
        guard line.hasSuffix(";") else {
            throw .usage(.badValue(option: "-H", problem: "a header must be 'Name: value'"))
        }
        return (String(line.dropLast()), Secret(""))
    }
}
