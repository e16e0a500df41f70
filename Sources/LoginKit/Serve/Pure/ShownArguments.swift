extension ServeQuestion.Body {
    /// The longest text of arguments that a person is shown, in bytes.
    private static let mostShown = 32 << 10

    /// Arguments as a person reads them: a line for each member, with its text and numbers as they are written.
    /// - Parameter written: JSON that was checked; none if empty.
    init(arguments written: [UInt8]) {
        guard !written.isEmpty else {
            self = .none
            return
        }
        var text = "", indent = 0, rest = written[...]
        func line() -> String { "\n" + String(repeating: "  ", count: min(indent, 20)) }
        while let byte = rest.first, text.utf8.count < Self.mostShown {
            switch byte {
            case UInt8(ascii: "\""):
                let end = rest.endOfString
                // Without escapes that are not needed: a person is to see what the service sees.
                let written = rest[..<end]
                text += written.jsonString.map(JSONText.quoted) ?? String(decoding: written, as: UTF8.self)
                rest = rest[end...]
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                indent += 1
                text += String(UnicodeScalar(byte)) + line()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                indent -= 1
                text += line() + String(UnicodeScalar(byte))
            case UInt8(ascii: ","): text += "," + line()
            case UInt8(ascii: ":"): text += ": "
            case 0x20, 0x09, 0x0A, 0x0D: break
            default: text += String(UnicodeScalar(byte))
            }
            rest = rest.dropFirst()
        }
        let isWhole = rest.isEmpty && text.utf8.count <= Self.mostShown
        let shown = isWhole ? text : String(decoding: text.utf8.prefix(Self.mostShown), as: UTF8.self)
        self = .text(shown, of: isWhole ? Int64(shown.utf8.count) : nil)
    }
}

extension ArraySlice<UInt8> {
    /// The place behind the string that begins here, in JSON that was checked.
    fileprivate var endOfString: Int {
        var place = startIndex + 1
        while place < endIndex, self[place] != UInt8(ascii: "\"") { place += self[place] == UInt8(ascii: "\\") ? 2 : 1 }
        return Swift.min(place + 1, endIndex)
    }

    /// The text of a string, which these bytes are.
    var jsonString: String? {
        ([0x5B] + self + [0x5D]).withUnsafeBytes { try? JSONReader.read($0).elements?.first?.string }
    }
}
