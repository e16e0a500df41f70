/// Makes text that others wrote fit to be shown: a realm, an error message, the name in a certificate.
///
/// A terminal obeys what it is sent. So control characters of every kind (C0, DEL, C1), everything that turns the
/// direction of writing or takes no room (bidirectional controls, zero-width and other format characters, separators
/// of lines), and whatever is not a character at all are written as `\u{1B}`. So are combining marks where they would grow
/// over other lines or sit on what stands before the text. What is longer than the limit is cut, and the cut is shown.
/// Sentences and names of others (`quoted`, `line`, `name`) have no more than one blank in a row as it is: with many, text is moved
/// to where it does not belong.
public enum SafeText {
    /// More combining marks than any language puts on one letter are no text.
    private static let marksPerLetter = 4

    /// The text between double quotes, so that its end can be seen; quotes and backslashes inside are escaped.
    /// - Parameter limit: in characters of what is shown, without the quotes.
    package static func quoted(_ text: String, limit: Int = 300) -> String {
        "\"" + escaped(text, limit: limit, alsoEscaping: ["\"", "\\"], keepsBlanks: false) + "\""
    }

    /// Escapes bytes of unknown kind: what is not UTF-8 becomes U+FFFD.
    static func quoted(bytes: some Collection<UInt8>, limit: Int = 300) -> String {
        quoted(String(decoding: bytes, as: UTF8.self), limit: limit)
    }

    /// The text without quotes, for names whose place in a sentence shows where they end.
    public static func escaped(_ text: String, limit: Int = 300) -> String {
        escaped(text, limit: limit, alsoEscaping: [], keepsBlanks: true)
    }

    /// The text without quotes, to be shown as a line or the end of one.
    package static func line(_ text: String, limit: Int = 300) -> String {
        escaped(text, limit: limit, alsoEscaping: [], keepsBlanks: false)
    }

    /// The name of an account or a client, as a server or a person gave it, without quotes.
    package static func name(_ text: String) -> String { line(text, limit: 64) }

    /// A URL as others wrote it, in quotes, for where it cannot be shown as it was read: what is not ASCII is escaped, since some letters
    /// of other alphabets look like ours.
    static func quoted(url: String, limit: Int = 300) -> String {
        "\"" + escaped(url, limit: limit, alsoEscaping: ["\"", "\\"], keepsBlanks: false, isASCII: true) + "\""
    }

    /// Several lines of our own into which something may have slipped that was not escaped: line ends and tabs stay.
    static func lines(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { shown, scalar in
            if scalar == "\n" || scalar == "\t" { return shown.unicodeScalars.append(scalar) }
            shown += escape(for: scalar) ?? String(scalar)
        }
    }

    /// The escaped form of a character that must not be shown as it is.
    package static func escape(for scalar: Unicode.Scalar) -> String? {
        isHarmless(scalar) ? nil : escaped(scalar)
    }

    /// At most ten different names that others chose, with commas between them.
    static func list(_ names: [String]) -> String {
        var different: [String] = []
        for name in names where different.count <= 10 && !different.contains(name) { different.append(name) }
        let shown = different.prefix(10).map { escaped($0, limit: 40) }
        return (shown + (different.count > 10 ? ["…"] : [])).joined(separator: ", ")
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }

    private static func escaped(
        _ text: String, limit: Int, alsoEscaping marked: Set<Unicode.Scalar>, keepsBlanks: Bool, isASCII: Bool = false
    ) -> String {
        var shown = "", length = 0
        forEachPiece(of: text, alsoEscaping: marked, keepsBlanks: keepsBlanks, isASCII: isASCII) { piece in
            length += piece.unicodeScalars.count
            shown += length <= limit ? piece : "…"
            return length <= limit
        }
        return shown
    }

    /// The text as `quoted` shows it, but without the quotes and in pieces, one for each of its Unicode scalars, for whoever has to
    /// know how much of it is shown.
    /// - Parameters:
    ///   - isASCII: whether everything else is escaped, too.
    ///   - isJSON: whether it is the text of JSON, in which quotes have their own place; only what looks like one is marked.
    static func pieces(_ text: some Sequence<Unicode.Scalar>, isASCII: Bool, isJSON: Bool = false) -> [String] {
        var pieces: [String] = []
        forEachPiece(
            of: String(String.UnicodeScalarView(text)), alsoEscaping: isJSON ? likeQuotes : ["\"", "\\"],
            keepsBlanks: false, isASCII: isASCII
        ) {
            pieces.append($0)
            return true
        }
        return pieces
    }

    private static let likeQuotes: Set<Unicode.Scalar> = [
        "\u{2BA}", "\u{2DD}", "\u{2EE}", "\u{5F4}", "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\u{2033}",
        "\u{2036}",
        "\u{275D}", "\u{275E}", "\u{301D}", "\u{301E}", "\u{301F}", "\u{3003}", "\u{FF02}",
    ]

    /// - Parameter body: gets each scalar as it is shown; returns whether to go on.
    private static func forEachPiece(
        of text: String, alsoEscaping marked: Set<Unicode.Scalar>, keepsBlanks: Bool, isASCII: Bool,
        _ body: (String) -> Bool
    ) {
        var marks = 0, blanks = 0
        for (position, scalar) in text.unicodeScalars.enumerated() {
            marks = isMark(scalar) ? marks + 1 : 0
            blanks = isBlank(scalar) ? blanks + 1 : 0
            let isLoose = marks > marksPerLetter || (marks > 0 && marks > position) || (blanks > 1 && !keepsBlanks)
            let isForeign = isASCII && !scalar.isASCII
            let plain = marked.contains(scalar) ? "\\\(scalar)" : escape(for: scalar) ?? String(scalar)
            guard body(isLoose || isForeign ? escaped(scalar) : plain) else { return }
        }
    }

    /// Whether anything of it can be seen.
    static func hasInk(_ text: String) -> Bool {
        text.unicodeScalars.contains { !isBlank($0) && isHarmless($0) && !$0.properties.isDefaultIgnorableCodePoint }
    }

    /// Characters that look blank (Unicode's Zs, and two symbols without ink).
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .spaceSeparator || scalar == "\u{2800}" || scalar == "\u{1D159}"
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value >= 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
        // The variation selectors that make an emoji of a letter; they are marks and capped like those.
        default: return !scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{FE0E}" || scalar == "\u{FE0F}"
        }
    }
}
