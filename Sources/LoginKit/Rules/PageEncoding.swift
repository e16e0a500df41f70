import Secrets

/// A character encoding of pages, and of the forms that are sent from them (WHATWG Encoding, section 4.2): of those in which ASCII is ASCII.
struct PageEncoding: Equatable, Sendable {
    /// As the standard has it.
    let name: String
    /// As iconv(3) has it.
    private let systemName: String

    static let utf8 = PageEncoding(name: "UTF-8", systemName: "UTF-8")
    /// Of pages that name none, and are not UTF-8.
    static let usual = PageEncoding(name: "windows-1252", systemName: "WINDOWS-1252")

    private init(name: String, systemName: String) { (self.name, self.systemName) = (name, systemName) }

    /// - Parameter label: as servers and pages write it.
    /// - Returns: `nil` for one that is not known.
    init?(label: some StringProtocol) {
        let label = label.lowercased().filter { !" \t\n\r\u{c}".contains($0) }
        guard let known = Self.known.first(where: { $0.name.lowercased() == label || $0.labels.contains(label) })
        else { return nil }
        self.init(name: known.name, systemName: known.systemName)
    }

    /// By the parameter of a `Content-Type` (RFC 9110, section 8.3.2).
    init?(contentType: String) {
        let parameters = contentType.split(separator: ";").dropFirst().map { $0.drop { $0 == " " } }
        guard let charset = parameters.first(where: { $0.lowercased().hasPrefix("charset=") }) else { return nil }
        self.init(label: charset.drop { $0 != "=" }.dropFirst().filter { !"\"'".contains($0) })
    }

    /// By the XML declaration at the start of XHTML (WHATWG HTML, "get an XML encoding").
    init?(xmlDeclarationOf page: Secret) {
        let start = page.withUnsafeBytes { String(decoding: $0.prefix(1024), as: UTF8.self) }
        guard start.hasPrefix("<?xml"), let end = start.firstIndex(of: ">"),
            let name = start[..<end].firstRange(of: "encoding")
        else { return nil }
        let value = start[name.upperBound..<end].drop(while: \.isWhitespace)
        guard value.first == "=" else { return nil }
        let quoted = value.dropFirst().drop(while: \.isWhitespace)
        guard let quote = quoted.first, quote == "\"" || quote == "'" else { return nil }
        self.init(label: quoted.dropFirst().prefix { $0 != quote })
    }

    private static let known: [(name: String, systemName: String, labels: [String])] = """
        UTF-8 UTF-8 utf8 unicode-1-1-utf-8 utf-16 utf-16le utf-16be
        windows-1252 WINDOWS-1252 cp1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 csisolatin1 cp819 latin1 l1 us-ascii ascii ansi_x3.4-1968
        windows-1254 WINDOWS-1254 cp1254 iso-8859-9 iso8859-9 iso_8859-9 latin5 l5
        windows-1250 WINDOWS-1250 cp1250
        windows-1251 WINDOWS-1251 cp1251
        windows-1253 WINDOWS-1253 cp1253
        windows-1255 WINDOWS-1255 cp1255
        windows-1256 WINDOWS-1256 cp1256
        windows-1257 WINDOWS-1257 cp1257
        windows-874 CP874 iso-8859-11 tis-620
        windows-1258 CP1258 cp1258
        ISO-8859-2 ISO-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 csisolatin2 latin2 l2
        ISO-8859-3 ISO-8859-3 iso8859-3 iso_8859-3 latin3 l3
        ISO-8859-4 ISO-8859-4 iso8859-4 iso_8859-4 latin4 l4
        ISO-8859-5 ISO-8859-5 iso8859-5 iso_8859-5 cyrillic
        ISO-8859-6 ISO-8859-6 iso8859-6 iso_8859-6 arabic
        ISO-8859-7 ISO-8859-7 iso8859-7 iso_8859-7 greek
        ISO-8859-8 ISO-8859-8 iso8859-8 iso_8859-8 iso-8859-8-i hebrew
        ISO-8859-10 ISO-8859-10 iso8859-10 latin6 l6
        ISO-8859-13 ISO-8859-13 iso8859-13
        ISO-8859-14 ISO-8859-14 iso8859-14
        ISO-8859-15 ISO-8859-15 iso8859-15 iso_8859-15 l9
        ISO-8859-16 ISO-8859-16
        IBM866 IBM866 866 cp866
        macintosh MACINTOSH mac x-mac-roman
        KOI8-R KOI8-R koi8 koi
        KOI8-U KOI8-U koi8-ru
        GBK GBK gb2312 gb_2312-80 x-gbk chinese
        gb18030 GB18030
        Big5 BIG5 big5-hkscs cn-big5 x-x-big5
        EUC-JP EUC-JP-MS x-euc-jp
        Shift_JIS CP932 shift-jis sjis x-sjis windows-31j ms_kanji ms932
        EUC-KR UHC ks_c_5601-1987 ksc5601 korean windows-949
        """.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return (String(words[0]), String(words[1]), words.dropFirst(2).map(String.init))
        }
}

extension PageEncoding {
    /// Returns a page in UTF-8, with replacement characters for bytes that are invalid in its encoding.
    func decoded(_ page: Secret) -> Secret {
        if self == .utf8, page.isUTF8 { return page }
        return page.converted(from: systemName, to: "UTF-8") { _ in (1, "\u{FFFD}") } ?? page
    }

    /// Encodes what a person typed. A browser would write a numeric character reference where the encoding has no code for a
    /// character (HTML, section 4.10.21.8), which no server takes for that character of a password.
    /// - Returns: `nil` if the encoding has no code for a character.
    func encoded(_ text: Secret) -> Secret? {
        isPlain(text) ? text : text.converted(from: "UTF-8", to: systemName) { _ in nil }
    }

    /// Encodes what the page has filled in, as a browser sends it back.
    fileprivate func encodedWithReferences(_ text: Secret) -> Secret {
        guard !isPlain(text) else { return text }
        let encoded = text.converted(from: "UTF-8", to: systemName) { rest in
            guard let scalar = String(decoding: rest.prefix(4), as: UTF8.self).unicodeScalars.first else { return nil }
            return (String(scalar).utf8.count, "&#\(scalar.value);")
        }
        return encoded ?? text
    }

    private func isPlain(_ text: Secret) -> Bool {
        self == .utf8 || text.withUnsafeBytes { $0.allSatisfy { $0 < 0x80 } }
    }
}

/// The entries that a form sends besides what is typed into it (HTML, section 4.10.21.4), and the encoding of both.
struct EntryList: Equatable, Sendable {
    var entries: [FormEntry] = []
    var encoding = PageEncoding.utf8

    init(_ entries: [FormEntry] = [], in encoding: PageEncoding = .utf8) {
        (self.entries, self.encoding) = (entries, encoding)
    }

    /// Returns the body (WHATWG URL, section 5.2).
    /// - Parameter typed: URL-encoded, in UTF-8.
    func body(with typed: Secret, limit: Int) throws(FillFault) -> Secret {
        var builder = SecretBuilder(limit: limit)
        try builder.append(form: typed, in: encoding)
        for entry in entries {
            if builder.count > 0 { builder.append("&") }
            builder.append(encoding.encodedWithReferences(Secret(entry.name).withFormLineEnds), .form)
            builder.append("=")
            builder.append(encoding.encodedWithReferences(entry.value.withFormLineEnds), .form)
        }
        return try builder.filled()
    }
}

extension SecretBuilder {
    /// Adds a URL-encoded form that is in UTF-8, in the encoding of its page. What is not UTF-8 stays as it is.
    fileprivate mutating func append(form: Secret, in encoding: PageEncoding) throws(FillFault) {
        guard encoding != .utf8 else { return append(form) }
        var field = "", start = 0, isName = true
        while start <= form.count {
            let (raw, separator) = form.withUnsafeBytes { bytes in
                let raw = bytes[start...].prefix { $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "=") }
                let end = bytes.indices.contains(raw.endIndex) ? String(UnicodeScalar(bytes[raw.endIndex])) : ""
                return (Secret(copying: UnsafeRawBufferPointer(rebasing: raw)), end)
            }
            let text = FormText.decoded(raw)
            if isName { field = text.unprotectedText }
            guard let encoded = text.isUTF8 ? encoding.encoded(text) : text else {
                throw .notInEncoding(field: field, encoding: encoding.name)
            }
            if encoded == text { append(raw) } else { append(encoded, .form) }
            append(separator)
            (start, isName) = (start + raw.count + 1, separator != "=")
        }
    }
}
