import Foundation
@testable import LoginTestSupport

/// What the sources themselves say of errors: the cases of all faults, and the words that are thrown where it happens.
enum ThrownWords {
    /// `TYPE.case` of each fault in `LoginKit/Facts`.
    static func cases() throws -> Set<String> {
        var found: Set<String> = []
        for file in try files(below: "Sources/LoginKit/Facts") {
            // The type whose body the line is in, and how deep its cases stand.
            var type: (name: Substring, depth: Int)?
            for line in try Manual.text(file).split(separator: "\n") {
                let depth = line.prefix { $0 == " " }.count
                if let open = line.firstMatch(
                    of: /enum (\w*(?:Fault|Failure)|Why|Problem|TicketProblem)\b/)
                {
                    type = (open.1, depth + 4)
                } else if let inner = type, depth < inner.depth {
                    type = nil
                } else if let inner = type, depth == inner.depth,
                    let list = line.firstMatch(of: /^ *(?:indirect )?case ([a-z].*)$/)
                {
                    for name in outside(String(list.1)).split(separator: ",") {
                        found.insert(
                            "\(inner.name).\(name.split(separator: "=")[0].trimmingCharacters(in: .whitespaces))")
                    }
                }
            }
        }
        return found
    }

    /// The names of all cases that a value is made of, in the same form.
    static func cases(of value: Any) -> Set<String> {
        let mirror = Mirror(reflecting: value)
        var found = Set(mirror.children.flatMap { cases(of: $0.value) })
        if mirror.displayStyle == .enum {
            found.insert("\(type(of: value)).\(mirror.children.first?.label ?? "\(value)")")
        }
        return found
    }

    /// Each call that makes an error of words, by file, as it stands there but for its line ends.
    static func calls() throws -> [(file: String, calls: [String])] {
        try (files(below: "Sources/LoginKit") + files(below: "Sources/AuthctlCLI")).compactMap { file in
            let source = try Manual.text(file)
            let made = source.matches(of: maker).compactMap { match in
                let argument = source[match.range.upperBound...].prefix(
                    through: end(of: source[match.range.upperBound...]))
                let words = argument.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                return words.contains("\"") && !isDeclared(match.range, source) ? "\(match.1)(\(words)" : nil
            }
            return made.isEmpty ? nil : (file, made)
        }
    }

    /// What takes words; a payload that is a case of its own is none.
    private static var maker: Regex<(Substring, Substring)> {
        // The code of an `other` may stand before the words.
        /\.?\b(usage|untrusted|failure|other|absent|clientCertificate|unusableResponse|unprovenLogin|helper|malformedRequest|ServeRuleFault|fault)\((?=\s*(?:\.\w+,|[^.\s]))/
    }

    /// Whether it stands in a pattern, a declaration or a comment.
    private static func isDeclared(_ range: Range<String.Index>, _ source: String) -> Bool {
        let line = source[..<range.lowerBound].reversed().prefix { $0 != "\n" }.reversed()
        let text = String(line).trimmingCharacters(in: .whitespaces)
        return text.hasPrefix("//") || text.hasSuffix("case") || text.hasSuffix("func") || text.hasSuffix("catch")
    }

    /// The closing parenthesis of what has been opened.
    private static func end(of text: Substring) -> String.Index {
        var depth = 1, quote = "", index = text.startIndex
        var outer: [(depth: Int, quote: String)] = []
        while index < text.endIndex {
            let rest = text[index...]
            if !quote.isEmpty, rest.hasPrefix("\\(") {
                outer.append((depth, quote))
                (depth, quote, index) = (1, "", text.index(index, offsetBy: 2))
                continue
            }
            if !quote.isEmpty, rest.hasPrefix("\\") {
                index = text.index(index, offsetBy: 2, limitedBy: text.endIndex) ?? text.endIndex
                continue
            }
            if let mark = ["\"\"\"", "\""].first(where: { rest.hasPrefix($0) }), quote.isEmpty || quote == mark {
                quote = quote.isEmpty ? mark : ""
                index = text.index(index, offsetBy: mark.count)
                continue
            }
            if quote.isEmpty, "()".contains(text[index]) {
                depth += text[index] == "(" ? 1 : -1
                if depth == 0 {
                    guard let last = outer.popLast() else { return index }
                    (depth, quote) = last
                }
            }
            index = text.index(after: index)
        }
        return text.index(before: text.endIndex)
    }

    /// A list of cases without their payloads.
    private static func outside(_ list: String) -> String {
        var depth = 0
        return list.filter { character in
            if character == "(" { depth += 1 }
            defer { if character == ")" { depth -= 1 } }
            return depth == 0
        }
    }

    private static func files(below folder: String) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: "\(Repository.path)/\(folder)")
        return (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
            .sorted()
    }
}
