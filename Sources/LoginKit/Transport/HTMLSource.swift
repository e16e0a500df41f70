import Secrets

/// The text of a page as libxml2 is given it, so that it tells us what HTML's own rules need.
///
/// libxml2 ends a form where another one begins, and drops end tags that its tree has no place for, whereas HTML goes by the
/// order of the tags alone (HTML, sections 13.2.6.4.7 and 13.2.6.4.9). So each tag of a form becomes an `<input>` with a mark,
/// which changes no tree. Only the parser knows whether these bytes are a tag at all: in an attribute the mark is taken out
/// again, and scripts and comments are not read. Character references that libxml2 does not know become numbers.
struct HTMLSource {
    /// The replacement for tags; it occurs nowhere else in the page.
    struct Marks {
        fileprivate let number: Int

        var stem: String { "x\(number)x-" }
        /// The name of the attribute that a start tag has; libxml2 gives all names in lower case.
        var start: String { stem + "s-form" }
        var end: String { stem + "e-form" }

        fileprivate var startTag: String { "<input \(stem)s-" }
        fileprivate var endTag: String { "<input \(stem)e-" }

        /// The text as the page has it.
        func restored(_ text: String) -> String {
            guard text.utf8.count >= startTag.utf8.count, text.contains(stem) else { return text }
            return text.replacing(startTag, with: "<").replacing(endTag, with: "</")
        }
    }

    let text: Secret
    let marks: Marks

    init(_ page: Secret) {
        (text, marks) = page.withUnsafeBytes { bytes in
            var marks = Marks(number: 0)
            while Self.contains(marks.stem, bytes) { marks = Marks(number: marks.number + 1) }
            return (Self.rewritten(bytes, marks) ?? page, marks)
        }
    }

    /// Whether the script that libxml2 ended at this text goes on for browsers: behind `<!--` and `<script`, the next end tag ends only
    /// the inner one (HTML, section 13.2.5.27).
    static func goesOn(_ script: String) -> Bool {
        let text = script.lowercased()
        var rest = text[...]
        while let comment = rest.firstRange(of: "<!--") {
            // `<!-->` ends it at once.
            rest = rest[comment.lowerBound...].dropFirst(2)
            guard let end = rest.firstRange(of: "-->") else { return rest.contains("<script") }
            rest = rest[end.upperBound...]
        }
        return false
    }

    private static func contains(_ stem: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.lazy.map { $0 | 0x20 }.firstRange(of: stem.utf8) != nil
    }

    /// - Returns: `nil` if the text needs no change.
    private static func rewritten(_ bytes: UnsafeRawBufferPointer, _ marks: Marks) -> Secret? {
        var builder = SecretBuilder(limit: bytes.count * 8)
        var start = 0, index = 0
        while index < bytes.count {
            guard let (written, skipped) = replacement(bytes[index...], marks) else {
                index += 1
                continue
            }
            builder.append(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
            builder.append(written)
            index += skipped
            start = index
        }
        guard start > 0 else { return nil }
        builder.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        return builder.finish()
    }

    /// The replacement for the first bytes, and their number.
    private static func replacement(
        _ rest: Slice<UnsafeRawBufferPointer>, _ marks: Marks
    ) -> (written: String, count: Int)? {
        switch rest.first {
        case UInt8(ascii: "<"):
            let isEnd = rest.dropFirst().first == UInt8(ascii: "/")
            let count = isEnd ? 2 : 1
            let name = rest.dropFirst(count).prefix(4)
            guard name.map({ $0 | 0x20 }).elementsEqual("form".utf8), let next = rest.dropFirst(count + 4).first,
                next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(next)
            else { return nil }
            return (isEnd ? marks.endTag : marks.startTag, count)
        case UInt8(ascii: "&"):
            let name = rest.dropFirst().prefix(HTMLReferences.longestName + 1).prefix { $0 != UInt8(ascii: ";") }
            guard name.count <= HTMLReferences.longestName, rest.dropFirst(name.count + 1).first == UInt8(ascii: ";"),
                let code = HTMLReferences.codes[String(decoding: name, as: UTF8.self)]
            else { return nil }
            return ("&#\(code);", name.count + 2)
        default:
            return nil
        }
    }
}

/// The named character references of ASCII (HTML, section 13.5) that HTML 4 did not have, and so libxml2 does not know.
enum HTMLReferences {
    static let longestName = 16

    static let codes: [String: Int] = [
        "Tab": 0x09, "NewLine": 0x0A, "excl": 0x21, "QUOT": 0x22, "num": 0x23, "dollar": 0x24, "percnt": 0x25,
        "AMP": 0x26, "apos": 0x27, "lpar": 0x28, "rpar": 0x29, "ast": 0x2A, "midast": 0x2A, "plus": 0x2B,
        "comma": 0x2C, "period": 0x2E, "sol": 0x2F, "colon": 0x3A, "semi": 0x3B, "LT": 0x3C, "equals": 0x3D,
        "GT": 0x3E, "quest": 0x3F, "commat": 0x40, "lsqb": 0x5B, "lbrack": 0x5B, "bsol": 0x5C, "rsqb": 0x5D,
        "rbrack": 0x5D, "Hat": 0x5E, "lowbar": 0x5F, "UnderBar": 0x5F, "grave": 0x60, "DiacriticalGrave": 0x60,
        "lcub": 0x7B, "lbrace": 0x7B, "verbar": 0x7C, "vert": 0x7C, "VerticalLine": 0x7C, "rcub": 0x7D,
        "rbrace": 0x7D,
    ]
}
