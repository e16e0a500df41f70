import LoginCore

/// Lines with text of others in them. None is wider than the terminal: what wraps would stand at the left edge, where it could
/// pass for a line of ours.
enum TextLine {
    /// Our own words, the text between quotes, and how the sentence ends.
    static func quoting(_ text: String, after words: String, end: String = "", columns: Int) -> String {
        fitted("\(words) \(SafeText.quoted(text))\(end)", columns: columns)
    }

    /// A name and a value that is escaped already, below each other where one line has no room for them.
    static func pair(_ name: String, _ value: String, columns: Int) -> [String] {
        let line = "\(name) \(value)"
        return TextWidth.of(line) < columns ? [line] : [name, fitted("  \(value)", columns: columns)]
    }

    /// The text, or as much of it as leaves the last column free; the cut is seen.
    static func fitted(_ text: String, columns: Int) -> String {
        guard TextWidth.of(text) >= columns else { return text }
        let mark = Screen.isUnicode ? "…" : "..."
        var left = columns - 1 - mark.count, shown = ""
        for character in text {
            left -= TextWidth.of(character)
            guard left >= 0 else { break }
            shown.append(character)
        }
        return shown + mark
    }
}
