import ArgumentParser
import LoginKit

/// The options of a command's help under headings, the everyday ones first.
///
/// The parser has headings, too, one for each group of options. It asks five questions of type about each group at every start,
/// whereas this is done when somebody reads the help.
enum HelpGroups {
    /// By the long name; a value stands with it where another command has another option of that name.
    private static let headings: [(title: String, options: Set<String>)] = [
        (
            "WHERE THE PASSWORD COMES FROM",
            [
                "--password-stdin", "--password-file", "--password-command", "--secret-file",
                "--secret-command", "--paste", "--netrc", "--netrc-file",
                "--blank-password", "--max-attempts", "--prompt-timeout",
            ]
        ),
        ("SECOND FACTOR", ["--otp-stdin", "--otp-command"]),
        ("BROWSER AND OAUTH", ["--device", "--no-browser", "--browser", "--qr", "--scope"]),
        ("STORE", ["--store", "--persist", "--ttl"]),
        ("BODY", ["--data", "--data-urlencode", "--data-binary", "--json <data>", "--get", "--page"]),
        ("OUTPUT", ["--output", "--include"]),
        ("CONNECTION", ["--method", "--allow-http", "--proxy", "--ca-file", "--trust-fingerprint"]),
    ]
    /// What every command has is told once, in the help of the program.
    private static let shared: Set = [
        "--quiet", "--verbose", "--color", "--config", "--timeout", "--version", "--help",
    ]

    /// - Parameters:
    ///   - text: the parser's page.
    ///   - columns: for which it was made.
    static func page(_ text: String, columns: Int?) -> String {
        var paragraphs = text.split(separator: "\n\n", omittingEmptySubsequences: false).map(String.init)
        guard let index = paragraphs.firstIndex(where: { $0.hasPrefix("OPTIONS:\n") }) else { return text }
        let options = entries(of: paragraphs[index])
        if text.contains("\nUSAGE: authctl <subcommand>") {
            let some = Authctl.helpMessage(for: LogCommand.self, columns: columns).split(separator: "\n\n").last ?? ""
            let common = entries(of: String(some)).filter { shared.contains($0.name) }.map(\.lines)
            paragraphs.remove(at: index)
            // The parser's page ends with a line end.
            paragraphs = paragraphs.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
            paragraphs.append((["OPTIONS OF EVERY COMMAND:"] + common).joined(separator: "\n"))
            paragraphs.append("Help for a command, or for a word such as docker: authctl help <word>")
        } else {
            paragraphs.replaceSubrange(index...index, with: grouped(options))
        }
        return paragraphs.map { $0.replacing(" SUBCOMMANDS:\n", with: ":\n") }.joined(separator: "\n\n")
    }

    private static func grouped(_ options: [(name: String, lines: String)]) -> [String] {
        let known = headings.reduce(into: shared) { $0.formUnion($1.options) }
        let ordinary = ("OPTIONS", options.filter { !known.contains($0.name) })
        let others = headings.map { heading in
            (heading.title, options.filter { heading.options.contains($0.name) })
        }
        let groups = ([ordinary] + others).filter { !$0.1.isEmpty }.map { title, options in
            (["\(title):"] + options.map(\.lines)).joined(separator: "\n")
        }
        let hasShared = options.contains { $0.name == "--quiet" }
        return groups + (hasShared ? ["Options of every command, such as --quiet and --verbose: authctl --help"] : [])
    }

    /// The options of a section, each with its lines.
    private static func entries(of section: String) -> [(name: String, lines: String)] {
        var found: [(name: String, lines: String)] = []
        for line in section.split(separator: "\n").dropFirst() {
            if let name = line.firstMatch(of: /^  (?:-[A-Za-z], )?(--json <data>|--[-a-z]+)/)?.1 {
                found.append((String(name), String(line)))
            } else if let last = found.indices.last {
                found[last].lines += "\n\(line)"
            }
        }
        return found
    }
}

/// A page of help on a terminal that is too narrow for the argument parser's two columns.
struct HelpLayout {
    /// As wide as a terminal has to be for two columns; wider lines than the last are hard to read.
    private static let (narrowest, widest) = (60, 100)
    /// So wide that the parser breaks no line.
    private static let unbroken = 2000
    /// The parser's own column of explanations, and where they stand here, below what they explain.
    private static let (labelColumn, margin) = (26, 6)

    /// In characters.
    let columns: Int

    /// - Parameter page: returns the parser's text for a width; not always a help page.
    func text(_ page: (_ columns: Int) -> String) -> String {
        guard columns < Self.narrowest else { return page(min(columns, Self.widest)) }
        let text = page(Self.unbroken)
        guard text.hasPrefix("OVERVIEW:") else { return text }
        var lines: [String] = [], isList = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            isList = isList || line.hasPrefix("USAGE:")
            lines.append(isList ? element(line) : sentence(line))
        }
        return lines.joined(separator: "\n")
    }

    /// Keeps lines whole that are indented by two blanks: they are to be copied.
    private func sentence(_ line: Substring) -> String {
        line.prefix { $0 == " " }.count == 2 ? String(line) : wrapped(line, columns, below: 0)
    }

    /// A name and what it means, below each other.
    private func element(_ line: Substring) -> String {
        let name = line.prefix(Self.labelColumn), meaning = line.dropFirst(Self.labelColumn)
        guard name.last == " ", line.hasPrefix("  "), !meaning.isEmpty, !line.hasPrefix("  See") else {
            return wrapped(line, columns, below: 0)
        }
        let margin = String(repeating: " ", count: Self.margin)
        let below = margin + wrapped(meaning, columns - Self.margin, below: Self.margin)
        guard let end = name.lastIndex(where: { $0 != " " }) else { return below }
        return "\(name[...end])\n\(below)"
    }

    private func wrapped(_ text: Substring, _ columns: Int, below margin: Int) -> String {
        TextLook.plain.text(StyledText(String(text)).wrapped(for: .plain, columns: columns, below: margin))
    }
}

/// The parser's line about the use of a command. With all options in it, it is longer than a terminal is wide.
enum UsageLine {
    /// - Parameter text: a page of the help, or a message with that line in it.
    /// - Returns: the same with `[<options>]` in the place of the options, behind the command's name.
    static func short(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.uppercased().hasPrefix("USAGE: ") ? shortLine(String(line)) : String(line)
        }.joined(separator: "\n")
    }

    private static func shortLine(_ line: String) -> String {
        let options = /\[-[^\]]*\] ?/
        guard line.contains(options) else { return line }
        let rest = line.replacing(options, with: "")
        let words = rest.split(separator: " "), name = words.prefix { !$0.contains(/[<\[.]/) }
        return (name + ["[<options>]"] + words.dropFirst(name.count)).joined(separator: " ")
    }
}
