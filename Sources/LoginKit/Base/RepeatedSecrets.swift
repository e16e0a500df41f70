import Secrets

/// The secrets of a run, to be recognised where a server repeats them: `no user "ann" with the password "…"`.
struct RepeatedSecrets: Equatable, Sendable {
    private var secrets: [Secret] = []
    private var pairs: [Secret] = []

    /// Each also behind the user name, where both may be too short to be looked for alone.
    mutating func add(_ more: [Secret?], username: String = "") {
        for case let secret? in more where !secret.isEmpty && !secrets.contains(secret) {
            secrets.append(secret)
            addPair(username, secret)
            guard secret.withUnsafeBytes({ $0.contains(UInt8(ascii: "%")) }) else { continue }
            // A template may send it so.
            let decoded = FormText.decoded(secret, plus: UInt8(ascii: "+"))
            if decoded.count >= Self.leastEncoded, !secrets.contains(decoded) { secrets.append(decoded) }
        }
    }

    /// The pair of Basic (RFC 7617, section 2), which is looked for in base64 alone.
    private mutating func addPair(_ username: String, _ secret: Secret) {
        let pair = Secret("\(username):", followedBy: secret)
        if !pairs.contains(pair) { pairs.append(pair) }
    }

    /// The secrets of a request whose response others show.
    mutating func add(_ more: RepeatedSecrets) {
        secrets += more.secrets.filter { !secrets.contains($0) }
        pairs += more.pairs.filter { !pairs.contains($0) }
    }

    /// Whether the text repeats one of them: as it is, or as URLs, JSON, HTML, programs' own texts, hexadecimal digits or base64
    /// have it.
    func stand(in text: String) -> Bool {
        guard !secrets.isEmpty || !pairs.isEmpty else { return false }
        let forms = RepeatedText.forms(of: text)
        // Digits stay as they are, and letters become small.
        let digits = text.utf8.map { $0 | 0x20 }
        let decoded = forms.flatMap { Base64Runs.decoded($0, least: least) }
        return secrets.contains { secret in
            secret.withUnsafeBytes { bytes in
                forms.contains { $0.contains(bytes.prefix(Self.recognized)) }
                    || (bytes.count >= Self.leastEncoded
                        && (digits.contains(Hexadecimal.digits(bytes))
                            || decoded.contains { $0.contains(bytes.prefix(Self.soughtCount(bytes.count))) }))
            }
        }
            || pairs.contains { pair in
                pair.withUnsafeBytes { bytes in
                    decoded.contains { $0.contains(bytes.prefix(Self.soughtCount(bytes.count))) }
                }
            }
    }

    /// In bytes: a text that was cut to be shown may lack the end of a long one.
    private static let recognized = 16
    /// In bytes: shorter ones stand in many a number or encoded text.
    private static let leastEncoded = 4

    /// The shortest that is looked for in base64, in bytes.
    private var least: Int {
        (secrets.lazy.map(\.count).filter { $0 >= Self.leastEncoded } + pairs.lazy.map(\.count)).min()
            .map(Self.soughtCount) ?? .max
    }

    /// Counts the bytes of a secret that are looked for in base64: a text that was cut may lack those beyond its last whole group.
    private static func soughtCount(_ count: Int) -> Int {
        let whole = count / 3 * 3
        return whole >= 6 ? whole : count
    }
}

extension [UInt8] {
    /// Whether the bytes stand in it.
    fileprivate func contains(_ bytes: some Sequence<UInt8>) -> Bool {
        let sought = Array(bytes)
        return withUnsafeBufferPointer { all in
            sought.withUnsafeBufferPointer { sought in
                guard let first = sought.first, all.count >= sought.count else { return false }
                return (0...all.count - sought.count).contains { start in
                    all[start] == first && sought.indices.allSatisfy { all[start + $0] == sought[$0] }
                }
            }
        }
    }
}

/// Finds base64 and base64url in a text (RFC 4648, sections 4 and 5), at any offset.
enum Base64Runs {
    /// The bytes of each run of its alphabet, read from each of its first four characters on: of what is encoded together with
    /// something before it, nobody knows where its groups begin.
    /// - Parameter least: runs that cannot hold so many bytes are left out.
    static func decoded(_ text: [UInt8], least: Int) -> [[UInt8]] {
        guard least <= text.count else { return [] }
        var all: [[UInt8]] = [], start = 0
        for index in 0...text.count where index == text.count || value(text[index]) == nil {
            let run = text[start..<index]
            start = index + 1
            guard run.count * 6 / 8 >= least else { continue }
            all += (0..<4).map { bytes(run.dropFirst($0)) }
        }
        return all
    }

    /// A last group that is not whole has whole bytes, too.
    private static func bytes(_ run: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = [], bits: UInt32 = 0, count = 0
        result.reserveCapacity(run.count * 3 / 4)
        for character in run {
            bits = bits << 6 | (value(character) ?? 0)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return result
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 0x41
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 0x61 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) - 0x30 + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// A text that may hold a secret in disguise: what it says once its escapes are undone.
enum RepeatedText {
    /// The bytes as they are, with one kind of escape undone, and with all of them.
    static func forms(of text: String) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        let single: [[UInt8]] = [
            undone(bytes, [percent, plus]), undone(bytes, [backslash]), undone(bytes, [entity]),
        ]
        // Such as HTML in JSON.
        let nested = undone(undone(undone(bytes, [backslash]), [entity]), [percent])
        return ([bytes] + single + [nested]).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Reads an escape at the beginning of the bytes: what it stands for, and how many bytes it takes.
    private typealias Escape = (ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)?

    private static func undone(_ bytes: [UInt8], _ escapes: [Escape]) -> [UInt8] {
        var result: [UInt8] = [], rest = bytes[...]
        while let first = rest.first {
            let isPlain = first > UInt8(ascii: "+") && first != UInt8(ascii: "\\")
            if !isPlain, let found = escapes.lazy.compactMap({ $0(rest) }).first {
                result += found.bytes
                rest = rest.dropFirst(found.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// RFC 3986, section 2.1.
    private static func percent(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        guard bytes.first == UInt8(ascii: "%"), let code = number(bytes.dropFirst().prefix(2), digits: 2) else {
            return nil
        }
        return ([UInt8(truncatingIfNeeded: code)], 3)
    }

    /// A blank in a form.
    private static func plus(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        bytes.first == UInt8(ascii: "+") ? ([UInt8(ascii: " ")], 1) : nil
    }

    /// RFC 8259, section 7, and `\xHH` as C and Python write a byte.
    private static func backslash(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        guard bytes.first == UInt8(ascii: "\\"), let letter = bytes.dropFirst().first else { return nil }
        switch letter {
        case UInt8(ascii: "b"): return ([0x08], 2)
        case UInt8(ascii: "f"): return ([0x0c], 2)
        case UInt8(ascii: "n"): return ([0x0a], 2)
        case UInt8(ascii: "r"): return ([0x0d], 2)
        case UInt8(ascii: "t"): return ([0x09], 2)
        case UInt8(ascii: "x"):
            return number(bytes.dropFirst(2).prefix(2), digits: 2).map { ([UInt8(truncatingIfNeeded: $0)], 4) }
        case UInt8(ascii: "u"): return unicode(bytes)
        default: return ([letter], 2)
        }
    }

    private static func unicode(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        guard let high = number(bytes.dropFirst(2).prefix(4), digits: 4) else { return nil }
        if let scalar = Unicode.Scalar(high) { return (Array(String(Character(scalar)).utf8), 6) }
        guard bytes.dropFirst(6).starts(with: "\\u".utf8), let low = number(bytes.dropFirst(8).prefix(4), digits: 4),
            (0xd800..<0xdc00).contains(high), (0xdc00..<0xe000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
        else { return nil }
        return (Array(String(Character(scalar)).utf8), 12)
    }

    private static let names: [String: UInt8] = [
        "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
        "apos": UInt8(ascii: "'"),
    ]

    /// HTML, section 13.5, as far as templates escape with it.
    private static func entity(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], count: Int)? {
        guard bytes.first == UInt8(ascii: "&"), let end = bytes.prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            return nil
        }
        let name = bytes[..<end].dropFirst(), count = bytes[...end].count
        guard name.first == UInt8(ascii: "#") else {
            return names[String(decoding: name, as: UTF8.self)].map { ([$0], count) }
        }
        let written = String(decoding: name.dropFirst(), as: UTF8.self).lowercased()
        let code = written.hasPrefix("x") ? UInt32(written.dropFirst(), radix: 16) : UInt32(written)
        guard let scalar = code.flatMap({ Unicode.Scalar($0) }) else { return nil }
        return (Array(String(Character(scalar)).utf8), count)
    }

    private static func number(_ written: ArraySlice<UInt8>, digits: Int) -> UInt32? {
        guard written.count == digits, written.first != UInt8(ascii: "+"), written.first != UInt8(ascii: "-") else {
            return nil
        }
        return UInt32(String(decoding: written, as: UTF8.self), radix: 16)
    }
}
