/// A member of a query or a form (WHATWG URL, section 5.1), as far as rules care.
struct FormMember: Equatable {
    /// Decoded.
    let name: [UInt8]
    /// Decoded; `nil` where there is no `=`.
    let value: [UInt8]?

    /// - Parameter text: members between `&`, `;` as older services have it, or the ends of lines, as in a form that browsers send as
    ///   `text/plain`.
    static func members(of text: [UInt8]) -> [FormMember] {
        guard text.contains(where: { "_.%-".utf8.contains($0) }) else { return [] }
        return text.split { "&;\r\n".utf8.contains($0) }.map { pair in
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let value = end < pair.endIndex ? decoded(Array(pair[(end + 1)...])) : nil
            return FormMember(name: decoded(Array(pair[..<end])), value: value)
        }
    }

    var isOverride: Bool { Self.isOverride(name) }

    private static let names = Set(ServedBody.overrides.map { Array($0.utf8).caseFolded.map(\.joined) })

    /// Whether a service may take a name for `_method`: `_METHOD`, `_method[]`, `a[_method]`; PHP makes `_` of a dot, CGI of a hyphen, some
    /// cut a name at NUL, and what others take away from its ends: blanks of all kinds, a byte order mark (Fetch), `?` (URLSearchParams).
    static func isOverride(_ name: [UInt8]) -> Bool {
        name.split(whereSeparator: { "[]".utf8.contains($0) }).contains { piece in
            let text = piece.drop(while: \.isLoose).prefix { $0 != 0 }
            let end = text.lastIndex { !$0.isLoose } ?? text.startIndex - 1
            return names.contains(Array(text[...end]).caseFolded.map(\.joined))
        }
    }

    /// The method that a value names, in capitals as services compare it.
    static func method(_ value: [UInt8]?) throws(ServeObjection) -> String {
        let text = String(decoding: value ?? [], as: UTF8.self).uppercased()
        let trimmed = text.drop { $0 == " " || $0 == "\t" }
        let end = trimmed.lastIndex { $0 != " " && $0 != "\t" }
        let method = end.map { String(trimmed[...$0]) } ?? ""
        guard method.isHeaderName else { throw .unreadableOverride }
        return method
    }

    /// `+` and `%20` are a blank, and `%u0041` is a letter to some services of Microsoft's kind.
    private static func decoded(_ text: [UInt8]) -> [UInt8] {
        guard text.contains(where: { "+%".utf8.contains($0) }) else { return text }
        var plain: [UInt8] = [], place = 0
        while place < text.count {
            if text.count - place >= 6, text[place] == UInt8(ascii: "%"), text[place + 1] | 0x20 == UInt8(ascii: "u"),
                let high = Hexadecimal.byte(text[place + 2], text[place + 3]), high == 0,
                let low = Hexadecimal.byte(text[place + 4], text[place + 5])
            {
                plain.append(low)
                place += 6
            } else {
                plain.append(text[place])
                place += 1
            }
        }
        return FormText.decoded(plain, isStrict: false) ?? plain
    }
}

extension UInt8 {
    /// No character of a name that stands for itself at an end.
    fileprivate var isLoose: Bool { self <= 0x20 || self >= 0x7F || self == UInt8(ascii: "?") }

    /// The character that joins the words of a name, whichever it is.
    fileprivate var joined: UInt8 { ".-".utf8.contains(self) ? UInt8(ascii: "_") : self }
}
