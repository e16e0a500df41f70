/// The words of a command that a person wrote in one line, for a program that is started without a shell.
enum CommandWords {
    /// Blanks separate words, single and double quotes hold them together, nothing else means anything.
    /// - Returns: `nil` if a quote is not closed.
    static func split(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            switch (quote, character) {
            case (let open?, _) where character == open: quote = nil
            case (_?, _): word = (word ?? "") + String(character)
            case (nil, "'"), (nil, "\""):
                quote = character
                word = word ?? ""
            case (nil, " "), (nil, "\t"):
                if let finished = word { words.append(finished) }
                word = nil
            case (nil, _): word = (word ?? "") + String(character)
            }
        }
        return quote != nil ? nil : words + (word.map { [$0] } ?? [])
    }
}
