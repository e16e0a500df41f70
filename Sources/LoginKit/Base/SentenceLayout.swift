/// A line of sentences in as many lines of a terminal as it needs.
///
/// It is broken at blanks alone, and goes on below its own beginning. A command in it that may be copied is not broken: where the
/// sentence needs several lines, the command has one of its own, however long it is.
struct SentenceLayout {
    private typealias Cell = TextLook.Cell
    private(set) var lines: [[TextLook.Cell]] = []
    private let columns: Int
    /// The indentation of the second line and all others.
    private let margin: [TextLook.Cell]

    init(_ line: [TextLook.Cell], columns: Int) {
        self.columns = columns
        let start = Self.start(of: line)
        margin = Array(
            repeating: Cell(character: " ", style: nil), count: TextWidth.of(line[..<start].map(\.character)))
        guard TextWidth.of(line.map(\.character)) > columns else {
            lines = [line]
            return
        }
        var current = Array(line[..<start]), isEmpty = true
        for unit in units(of: line[start...]) {
            if unit.isCommand {
                if !isEmpty { lines.append(current) }
                lines.append(margin + Self.blanks(2) + unit.cells)
                (current, isEmpty) = (margin, true)
            } else if isEmpty || width(current) + 1 + width(unit.cells) <= columns {
                current += (isEmpty ? [] : [Self.blank(between: current.last, unit.cells.first)]) + unit.cells
                isEmpty = false
            } else {
                lines.append(current)
                current = margin + unit.cells
            }
        }
        if !isEmpty { lines.append(current) }
    }

    /// Behind the indentation, and behind a mark.
    private static func start(of line: [TextLook.Cell]) -> Int {
        let indentation = line.prefix { $0.character == " " }.count
        guard indentation < line.count, let style = line[indentation].style, style != .bold else { return indentation }
        let mark = line[indentation...].prefix { $0.style == style }
        return mark.last?.character == " " ? mark.endIndex : indentation
    }

    private struct Unit {
        var cells: [TextLook.Cell]
        var isCommand = false
        var text: String { String(cells.map(\.character)) }
    }

    /// Words, and commands of several words. A command in quotes is one as long as it fits.
    private func units(of cells: ArraySlice<TextLook.Cell>) -> [Unit] {
        Self.units(of: cells).flatMap { unit in
            unit.isCommand || margin.count + width(unit.cells) <= columns
                ? [unit] : unit.cells.split { $0.character == " " }.map { Unit(cells: Array($0)) }
        }
    }

    private static func units(of cells: ArraySlice<TextLook.Cell>) -> [Unit] {
        var units: [Unit] = [], isOpen = false, isQuotation = false
        let words = cells.split { $0.character == " " }
        for (index, word) in words.enumerated() {
            let text = String(word.map(\.character)), before = units.last
            if isOpen, let last = units.indices.last {
                units[last].cells += [blank(between: units[last].cells.last, word.first)] + word
            } else {
                // What others wrote stands between double quotes, and is never laid out as our advice.
                let isCommand = !isQuotation && begins(text, after: before?.text ?? "")
                units.append(Unit(cells: Array(word), isCommand: isCommand))
            }
            if !quotes(text).isMultiple(of: 2) { isQuotation.toggle() }
            guard let last = units.last else { continue }
            let isQuoted = last.text.hasPrefix("'authctl")
            guard last.isCommand || isQuoted else { continue }
            isOpen = !ends(last.text, isQuoted: isQuoted)
            // A stop behind it is not part of it, and where the line ends there is no need of one.
            if !isOpen, last.isCommand, index < words.count - 1, stops.contains(text.last ?? " ") {
                units[units.count - 1].cells.removeLast()
            }
        }
        return units
    }

    /// The number of double quotes that are not escaped.
    private static func quotes(_ text: String) -> Int {
        text.split(separator: "\"", omittingEmptySubsequences: false).dropLast().count { !$0.hasSuffix("\\") }
    }

    private static let stops: Set<Character> = [",", ";", "."]

    private static func begins(_ word: String, after before: String) -> Bool {
        word == "authctl" && (before.hasSuffix(":") || before == "then")
    }

    /// A quote that is open keeps what looks like a stop inside.
    private static func ends(_ text: String, isQuoted: Bool) -> Bool {
        guard text.count(where: { $0 == "'" }).isMultiple(of: 2) else { return false }
        return isQuoted || stops.contains(text.last ?? " ")
    }

    private static func blanks(_ count: Int) -> [TextLook.Cell] {
        Array(repeating: Cell(character: " ", style: nil), count: count)
    }

    private static func blank(between left: TextLook.Cell?, _ right: TextLook.Cell?) -> TextLook.Cell {
        Cell(character: " ", style: left?.style == right?.style ? left?.style : nil)
    }

    private func width(_ cells: [TextLook.Cell]) -> Int { TextWidth.of(cells.lazy.map(\.character)) }
}
