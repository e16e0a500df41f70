// Windows: what cmd makes of carets, and its programs of quotation marks (Microsoft C, "Parsing C command-line arguments").
extension ShellWords {
    mutating func removeCarets() throws(CopyFault) {
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

    mutating func splitArguments() throws(CopyFault) {
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
