package import Secrets

/// Splits a command as developer tools copy it into words, without running or filling in anything: for a POSIX shell, as Chromium
/// and Firefox quote it, or for the command prompt of Windows.
package struct ShellWords {
    /// A command's words, at most.
    package static let most = 1000

    var bytes: [UInt8]
    var place = 0
    private var words: [Secret] = []
    /// The word so far; wiped when it ends.
    private var word: [UInt8] = []
    var hasWord = false

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        word.reserveCapacity(bytes.count)
    }

    /// The words of a command that is quoted for a POSIX shell: `'…'`, `"…"`, `$'…'`, a backslash, and lines that go on behind one.
    package static func posix(_ text: Secret) throws(CopyFault) -> [Secret] {
        try wiping(text) { (splitter) throws(CopyFault) in try splitter.splitPOSIX() }
    }

    /// The words of a command for Windows' `cmd`: carets first, then the quotation marks of its C library.
    package static func windows(_ text: Secret) throws(CopyFault) -> [Secret] {
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
        word.append(byte)
    }

    mutating func endWord() throws(CopyFault) {
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

    var isBlankToTheEnd: Bool { bytes[place...].allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } }

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
        while let byte = next() {
            if byte == UInt8(ascii: "'") { return }
            guard byte == UInt8(ascii: "\\") else {
                append(byte)
                continue
            }
            guard let escaped = next() else { throw .unfinished }
            try appendEscape(escaped)
        }
        throw .unfinished
    }

    private mutating func appendEscape(_ escaped: UInt8) throws(CopyFault) {
        switch escaped {
        case UInt8(ascii: "n"): append(0x0A)
        case UInt8(ascii: "r"): append(0x0D)
        case UInt8(ascii: "t"): append(0x09)
        case UInt8(ascii: "u"): try appendScalar(digits: 4)
        case UInt8(ascii: "U"): try appendScalar(digits: 8)
        case UInt8(ascii: "x"): append(UInt8(truncatingIfNeeded: number(digits: 2)))
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "?"): append(escaped)
        // No tool copies the others.
        default: throw .shellSyntax
        }
    }

    private mutating func number(digits: Int) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<digits {
            guard place < bytes.count, let digit = Character(Unicode.Scalar(bytes[place])).hexDigitValue else { break }
            number = number << 4 | UInt32(digit)
            place += 1
        }
        return number
    }

    private mutating func appendScalar(digits: Int) throws(CopyFault) {
        guard let scalar = Unicode.Scalar(number(digits: digits)) else { throw .shellSyntax }
        for byte in String(Character(scalar)).utf8 { append(byte) }
    }
}
