/// A command that a person may copy out of a message and paste into a shell: the one place where hints are quoted.
///
/// What stands between single quotes is taken as it is by sh, bash, zsh and fish alike, but for the quote itself and, in fish, the
/// backslash: those two stand outside of the quotes.
package struct ShellCommand: CustomStringConvertible, Sendable {
    private let words: [String]

    /// Takes the words as a program would get them.
    package init(_ words: String...) {
        self.words = words
    }

    /// Makes a command of words from elsewhere.
    package init(_ words: [String]) {
        self.words = words
    }

    /// As it is typed.
    package var description: String { words.map(Self.quoted).joined(separator: " ") }

    /// One word, without quotes where it needs none.
    static func quoted(_ word: String) -> String {
        if let first = word.unicodeScalars.first, first != "=", word.unicodeScalars.allSatisfy(isPlain) { return word }
        return
            "'\(word.replacing("\\", with: "\u{0}").replacing("'", with: #"'\''"#).replacing("\u{0}", with: #"'\\'"#))'"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? "@%_-+=:,./".unicodeScalars.contains(scalar) || scalar.properties.isAlphabetic
                || ("0"..."9").contains(scalar)
            : scalar.properties.isAlphabetic && SafeText.escape(for: scalar) == nil
    }
}
