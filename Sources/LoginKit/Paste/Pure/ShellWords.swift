import Secrets

/// Splits a command as developer tools copy it into words, without running or filling in anything: for a POSIX shell, as Chromium
/// and Firefox quote it, or for the command prompt of Windows.
struct ShellWords {
    /// A command's words, at most, and what else of a text is kept in guarded memory.
    static let most = 1000

    var bytes: [UInt8]
    var place = 0
    private var words: [Secret] = []
    /// The word so far; wiped when it ends.
    private var word: [UInt8] = []
    var hasWord = false
    /// Whether the rest of a quoted text is left out.
    private var isCut = false

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        word.reserveCapacity(bytes.count)
    }

    /// The words of a command that is quoted for a POSIX shell: `'…'`, `"…"`, `$'…'`, a backslash, and lines that go on behind one.
    static func posix(_ text: Secret) throws(CopyFault) -> [Secret] {
        try wiping(text) { (splitter) throws(CopyFault) in try splitter.splitPOSIX() }
    }

    /// The words of a command for Windows' `cmd`: carets first, then the quotation marks of its C library.
    static func windows(_ text: Secret) throws(CopyFault) -> [Secret] {
        try wiping(text) { (splitter) throws(CopyFault) in
            try splitter.removeCarets()
            try splitter.splitArguments()
        }
    }

    private static func wiping(
        _ text: Secret, _ split: (inout ShellWords) throws(CopyFault) -> Void
    ) throws(CopyFault) -> [Secret] {
        var splitter = ShellWords(text.withUnsafeBytes { Array($0) })
        defer { for index in splitter.bytes.indices { splitter.bytes[index] = 0 } }
        try split(&splitter)
        try splitter.endWord()
        return splitter.words
    }

    mutating func next() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func append(_ byte: UInt8) {
        hasWord = true
        if !isCut { word.append(byte) }
    }

    private mutating func endWord() throws(CopyFault) {
        guard hasWord else { return }
        guard words.count < Self.most else { throw .tooManyWords }
        words.append(word.withUnsafeBytes { Secret(copying: $0) })
        for index in word.indices { word[index] = 0 }
        word.removeAll(keepingCapacity: true)
        hasWord = false
    }
}

// A POSIX shell's quoting (POSIX.1-2017, Shell Command Language, 2.2) and bash's `$'…'`.
extension ShellWords {
    private mutating func splitPOSIX() throws(CopyFault) {
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "'"): try quoteSingle()
            case UInt8(ascii: "\""): try quoteDouble()
            case UInt8(ascii: "$"):
                guard next() == UInt8(ascii: "'") else { throw .shellSyntax }
                try quoteANSI()
            case UInt8(ascii: "\\"):
                guard let escaped = next() else { throw .unfinished }
                if escaped == UInt8(ascii: "\r"), bytes[place...].first == UInt8(ascii: "\n") { place += 1 }
                if ![UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(escaped) { append(escaped) }
            case UInt8(ascii: " "), UInt8(ascii: "\t"): try endWord()
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                guard isBlankToTheEnd else { throw .shellSyntax }
                return
            default:
                // One command, and nothing that another would be told.
                guard !"`;|&<>(){}!*?[]#~".utf8.contains(byte) || hasWord && "~#!{}[]?*".utf8.contains(byte) else {
                    throw .shellSyntax
                }
                append(byte)
            }
        }
    }

    private var isBlankToTheEnd: Bool { bytes[place...].allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } }

    private mutating func quoteSingle() throws(CopyFault) {
        hasWord = true
        while let byte = next() {
            if byte == UInt8(ascii: "'") { return }
            append(byte)
        }
        throw .unfinished
    }

    private mutating func quoteDouble() throws(CopyFault) {
        hasWord = true
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "$"), UInt8(ascii: "`"): throw .shellSyntax
            case UInt8(ascii: "\\"):
                guard let escaped = next() else { throw .unfinished }
                if escaped == UInt8(ascii: "\n") { continue }
                if !"$`\"\\".utf8.contains(escaped) { append(byte) }
                append(escaped)
            default: append(byte)
            }
        }
        throw .unfinished
    }

    private mutating func quoteANSI() throws(CopyFault) {
        hasWord = true
        defer { isCut = false }
        while let byte = next() {
            if byte == UInt8(ascii: "'") { return }
            guard byte == UInt8(ascii: "\\") else {
                append(byte)
                continue
            }
            guard let escaped = next() else { throw .unfinished }
            appendEscape(escaped)
        }
        throw .unfinished
    }

    /// The control characters that have a letter.
    private static let characters: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09, UInt8(ascii: "n"): 0x0A,
        UInt8(ascii: "v"): 0x0B, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "e"): 0x1B,
        UInt8(ascii: "E"): 0x1B,
    ]

    private static let digits: [UInt8: Int] = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8]

    private mutating func appendEscape(_ escaped: UInt8) {
        if let character = Self.characters[escaped] { return append(character) }
        if let digits = Self.digits[escaped], let number = number(bits: 4, digits: digits) {
            return digits == 2 ? appendByte(number) : appendScalar(number)
        }
        switch escaped {
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            place -= 1
            appendByte(number(bits: 3, digits: 3) ?? 0)
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "?"): append(escaped)
        // A control character by its letter; the quotes end all the same.
        case UInt8(ascii: "c") where place < bytes.count && bytes[place] != UInt8(ascii: "'"):
            let isEscaped = bytes[place...].starts(with: "\\\\".utf8), letter = bytes[place]
            place += isEscaped ? 2 : 1
            appendByte(letter == UInt8(ascii: "?") ? 0x7F : UInt32(letter) & 0x1F)
        default:
            append(UInt8(ascii: "\\"))
            append(escaped)
        }
    }

    /// Reads digits of so many bits; `nil` where there is none.
    private mutating func number(bits: Int, digits: Int) -> UInt32? {
        var number: UInt32?
        for _ in 0..<digits {
            guard place < bytes.count, let digit = Character(Unicode.Scalar(bytes[place])).hexDigitValue,
                digit < 1 << bits
            else { break }
            number = (number ?? 0) << bits | UInt32(digit)
            place += 1
        }
        return number
    }

    /// A NUL ends the quoted text, as the strings of C end with one.
    private mutating func appendByte(_ number: UInt32) {
        isCut = isCut || number & 0xFF == 0
        append(UInt8(truncatingIfNeeded: number))
    }

    /// Half of a character is replaced, as decoders do.
    private mutating func appendScalar(_ number: UInt32) {
        if number == 0 { return appendByte(number) }
        var number = number
        if (0xD800..<0xDC00).contains(number), bytes[place...].starts(with: "\\u".utf8) {
            let start = place
            place += 2
            if let low = self.number(bits: 4, digits: 4), (0xDC00..<0xE000).contains(low) {
                number = 0x10000 + (number - 0xD800) << 10 + (low - 0xDC00)
            } else {
                place = start
            }
        }
        for byte in String(Character(Unicode.Scalar(number) ?? "\u{FFFD}")).utf8 { append(byte) }
    }
}

// Windows: what cmd makes of carets, and its programs of quotation marks (Microsoft C, "Parsing C command-line arguments").
extension ShellWords {
    private mutating func removeCarets() throws(CopyFault) {
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var isQuoted = false
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "^") where !isQuoted:
                guard let escaped = next() else { throw .unfinished }
                if escaped == UInt8(ascii: "\r"), bytes[place...].first == UInt8(ascii: "\n") { place += 1 }
                guard [UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(escaped) else {
                    plain.append(escaped)
                    continue
                }
                // A line break of the text itself is written as two.
                while let further = bytes[place...].first,
                    further == UInt8(ascii: "\n") || further == UInt8(ascii: "\r")
                {
                    if further == UInt8(ascii: "\n") { plain.append(further) }
                    place += 1
                }
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                guard isBlankToTheEnd else { throw .shellSyntax }
                place = bytes.count
            case UInt8(ascii: "&"), UInt8(ascii: "|"), UInt8(ascii: "<"), UInt8(ascii: ">"):
                guard isQuoted else { throw .shellSyntax }
                plain.append(byte)
            case UInt8(ascii: "\""):
                isQuoted.toggle()
                plain.append(byte)
            default: plain.append(byte)
            }
        }
        guard !isQuoted else { throw .unfinished }
        for index in bytes.indices { bytes[index] = 0 }
        (bytes, place) = (plain, 0)
    }

    private mutating func splitArguments() throws(CopyFault) {
        var isQuoted = false, backslashes = 0
        while let byte = next() {
            if byte == UInt8(ascii: "\\") {
                backslashes += 1
                continue
            }
            let isMark = byte == UInt8(ascii: "\"")
            for _ in 0..<(isMark ? backslashes / 2 : backslashes) { append(UInt8(ascii: "\\")) }
            let isEscaped = isMark && backslashes % 2 == 1
            backslashes = 0
            if isMark, !isEscaped, isQuoted, bytes[place...].first == byte {
                // Two of them inside of quotes are one.
                place += 1
                append(byte)
            } else if isMark, !isEscaped {
                hasWord = true
                isQuoted.toggle()
            } else if !isQuoted, [0x20, 0x09, 0x0A].contains(byte) {
                try endWord()
            } else {
                append(byte)
            }
        }
        for _ in 0..<backslashes { append(UInt8(ascii: "\\")) }
        guard !isQuoted else { throw .unfinished }
    }
}
