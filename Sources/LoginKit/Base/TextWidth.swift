/// The width of a text in columns of a terminal; the table is East Asian Width (UAX #11) by whole blocks.
enum TextWidth {
    /// The width of one character.
    package static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.isASCII, character.utf8.count == 1 { return 1 }
        if character.unicodeScalars.contains("\u{FE0F}") || first.properties.isEmojiPresentation { return 2 }
        switch first.value {
        case 0x1100..<0x1160, 0x2E80..<0x303F, 0x3041..<0xA4D0, 0xAC00..<0xD7A4, 0xF900..<0xFB00, 0xFE30..<0xFE70,
            0xFF00..<0xFF61, 0xFFE0..<0xFFE7, 0x20000..<0x3FFFE:
            return 2
        default: return 1
        }
    }

    /// The width of all characters.
    package static func of(_ text: some Sequence<Character>) -> Int { text.reduce(0) { $0 + of($1) } }
}
