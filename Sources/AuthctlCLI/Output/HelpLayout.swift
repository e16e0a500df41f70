import LoginKit

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

    /// - Parameter page: by the parser, for so many columns; it may be another result than a page.
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
