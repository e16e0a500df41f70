/// Text for people in pieces, some of which stand out.
///
/// It has no escape sequences in it: `TextLook` escapes every piece, and paints what it has escaped. So no text of others, in
/// whatever piece it stands, reaches a terminal as anything but text.
package struct StyledText: Equatable, Sendable, ExpressibleByStringInterpolation {
    /// The style of a piece.
    package enum Style: Sendable {
        case bold, good, bad, warning
    }

    /// The meaning of a mark at the beginning.
    package enum Mark: Sendable {
        /// Something went well, or did not.
        case good, bad
        /// Something works, and a person should know what it does not do.
        case warning
        /// There is nothing, and nothing went wrong.
        case absent
    }

    enum Piece: Equatable, Sendable {
        case text(String, Style?)
        /// A mark, and the text instead of it in a pipe.
        case mark(Mark, instead: String)
    }

    private(set) var pieces: [Piece]

    /// One text behind another.
    package static func + (left: StyledText, right: StyledText) -> StyledText {
        var both = left
        both.pieces += right.pieces
        return both
    }

    package static func += (left: inout StyledText, right: StyledText) { left.pieces += right.pieces }

    /// The text with its plain pieces in bold.
    package var inBold: StyledText {
        var bold = self
        bold.pieces = pieces.map { if case .text(let text, nil) = $0 { .text(text, .bold) } else { $0 } }
        return bold
    }

    /// In lines of so many columns.
    /// - Parameter margin: how far the second line and all others are moved to the right.
    package func wrapped(for look: TextLook, columns: Int, below margin: Int) -> StyledText {
        var text = StyledText("")
        for (number, line) in SentenceLayout(look.cells(of: self), columns: columns).lines.enumerated() {
            if number > 0 { text += StyledText("\n" + String(repeating: " ", count: margin)) }
            text.pieces += line.map { .text(String($0.character), $0.style) }
        }
        return text
    }

    /// Text that does not stand out.
    package init(_ text: String) {
        pieces = [.text(text, nil)]
    }

    package init(stringLiteral text: String) {
        self.init(text)
    }

    package init(stringInterpolation: Interpolation) {
        pieces = stringInterpolation.pieces
    }

    /// Builds a styled text from a string literal.
    package struct Interpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) {
            if !text.isEmpty { pieces.append(.text(text, nil)) }
        }

        /// A fact, perhaps in a style.
        package mutating func appendInterpolation(_ fact: some CustomStringConvertible, _ style: Style? = nil) {
            pieces.append(.text(fact.description, style))
        }

        /// Whether something went well.
        /// - Parameter instead: the text in a pipe.
        package mutating func appendInterpolation(isGood: Bool, instead: String = "") {
            appendInterpolation(mark: isGood ? .good : .bad, instead: instead)
        }

        /// A neutral mark.
        package mutating func appendInterpolation(mark: Mark, instead: String = "") {
            pieces.append(.mark(mark, instead: instead))
        }
    }
}

extension [StyledText] {
    /// Each as a line.
    package func joined() -> StyledText {
        dropFirst().reduce(into: first ?? "") { text, line in
            text += "\n"
            text += line
        }
    }
}
