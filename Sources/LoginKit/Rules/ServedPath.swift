extension ServePattern {
    /// - Parameter text: percent-encoded or not; an encoded `*` is one.
    init(_ text: String) throws(ServeRuleFault) {
        guard text.hasPrefix("/") else { throw ServeRuleFault("the path must begin with '/'") }
        guard !text.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw ServeRuleFault("a rule compares paths only, without '?' and '#'")
        }
        let segments = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        try self.init(segments.map(Array.init)) { (segment, isLast) throws(ServeRuleFault) in
            try Self.segment(segment, isLast: isLast)
        }
    }

    /// - Parameter name: in which `*` stands for anything.
    init(name: some StringProtocol) { self.init(groups: [[Segment(starred: Array(name.utf8))]]) }

    /// - Parameter read: makes a segment of its text; told whether it is the last one.
    init(_ segments: [[UInt8]], read: ([UInt8], Bool) throws(ServeRuleFault) -> Segment) throws(ServeRuleFault) {
        var groups: [[Segment]] = [[]]
        for (index, segment) in segments.enumerated() {
            if segment.elementsEqual("**".utf8) {
                groups.append([])
            } else {
                if segment.contains("**".utf8) {
                    throw ServeRuleFault("'**' must be a whole segment; use '*' for a part of one")
                }
                groups[groups.count - 1].append(try read(segment, index == segments.count - 1))
            }
        }
        self.init(groups: groups)
    }

    private static func segment(_ raw: [UInt8], isLast: Bool) throws(ServeRuleFault) -> Segment {
        let star = UInt8(ascii: "*")
        var texts: [[UInt8]] = []
        for part in raw.split(separator: star, omittingEmptySubsequences: false) {
            guard let text = Hexadecimal.percentDecoded(part, isStrict: true) else {
                throw ServeRuleFault("a '%' must be followed by two hexadecimal digits; write %25 for the character")
            }
            guard ServedPath.isPlain(text), !text.contains(UInt8(ascii: "/")) else {
                throw .neverMatches(String(decoding: raw, as: UTF8.self))
            }
            texts.append(text)
        }
        guard texts.count > 1 || !ServedPath.isDots(texts[0]) && (isLast || !texts[0].isEmpty) else {
            throw .neverMatches(String(decoding: raw, as: UTF8.self))
        }
        return Segment(texts: texts)
    }
}

/// The path of a rule: literal text, `*` for one segment or a part of one, and `**` for any number of segments.
///
/// Each group between two wildcards is looked for once, from the left, which finds a match wherever there is one (as for `*` in
/// fnmatch(3)): the work is bounded by the lengths of path and pattern, however many wildcards there are.
struct ServePattern: Equatable, Sendable {
    /// One segment of the pattern: the texts around its `*`.
    struct Segment: Equatable, Sendable {
        let texts: [[UInt8]]

        init(texts: [[UInt8]]) {
            self.texts = texts
        }

        /// - Parameter text: in which each `*` is one, and everything else a character.
        init(starred text: [UInt8]) {
            texts = text.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
        }

        /// Returns whether the segment fits; a lone `*` needs one byte.
        func matches(_ bytes: [UInt8]) -> Bool {
            guard let first = texts.first, let last = texts.last else { return false }
            guard texts.count > 1 else { return bytes == first }
            if texts.count == 2, first.isEmpty, last.isEmpty { return !bytes.isEmpty }
            guard bytes.count >= first.count + last.count, bytes.starts(with: first) else { return false }
            let end = bytes.count - last.count
            guard bytes[end...].elementsEqual(last) else { return false }
            var place = first.count
            for text in texts.dropFirst().dropLast() {
                guard let found = bytes.place(of: text, in: place..<end) else { return false }
                place = found + text.count
            }
            return true
        }

        /// Returns whether a segment that begins like this could fit.
        func mayMatch(beginningWith bytes: [UInt8]) -> Bool {
            guard let first = texts.first else { return false }
            return first.starts(with: bytes) || texts.count > 1 && bytes.starts(with: first)
        }
    }

    /// The segments between two `**`; one group where there is none.
    let groups: [[Segment]]

    /// Matches every path.
    static let everything = ServePattern(groups: [[], []])

    func matches(_ path: [[UInt8]]) -> Bool {
        guard let first = groups.first, let last = groups.last, path.count >= first.count else { return false }
        guard groups.count > 1 else { return path.count == first.count && Self.fits(first, path, at: 0) }
        let end = path.count - last.count
        guard end >= first.count, Self.fits(first, path, at: 0), Self.fits(last, path, at: end) else { return false }
        var place = first.count
        for group in groups.dropFirst().dropLast() {
            while place + group.count <= end, !Self.fits(group, path, at: place) { place += 1 }
            guard place + group.count <= end else { return false }
            place += group.count
        }
        return true
    }

    /// Returns whether a path that begins like this one could match; its last segment is not whole.
    func mayMatch(beginningWith path: [[UInt8]]) -> Bool {
        guard let first = groups.first, let part = path.last else { return true }
        let whole = path.dropLast(), fixed = min(whole.count, first.count)
        guard (0..<fixed).allSatisfy({ first[$0].matches(path[$0]) }) else { return false }
        return whole.count < first.count ? first[whole.count].mayMatch(beginningWith: part) : groups.count > 1
    }

    /// The same with each text changed.
    func mapTexts(_ change: ([UInt8]) -> [UInt8]) -> ServePattern {
        ServePattern(groups: groups.map { $0.map { Segment(texts: $0.texts.map(change)) } })
    }

    private static func fits(_ group: [Segment], _ path: [[UInt8]], at place: Int) -> Bool {
        group.indices.allSatisfy { group[$0].matches(path[place + $0]) }
    }
}

extension [UInt8] {
    /// The first place of a text within a range.
    fileprivate func place(of text: [UInt8], in range: Range<Int>) -> Int? {
        guard !text.isEmpty else { return range.lowerBound }
        guard range.count >= text.count else { return nil }
        return (range.lowerBound...range.upperBound - text.count).first {
            self[$0..<$0 + text.count].elementsEqual(text)
        }
    }

    /// Text with its case folded; bytes that are no text as they are.
    var caseFolded: [UInt8] {
        if allSatisfy({ $0 < 0x80 }) { return map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
        guard let text = String(validating: self, as: UTF8.self) else { return self }
        // Character by character, so that a part is folded as in the whole; to lower case first, since ẞ has no other upper case.
        return text.unicodeScalars.flatMap { scalar in
            scalar.properties.lowercaseMapping.unicodeScalars.flatMap(\.properties.uppercaseMapping.unicodeScalars)
                .flatMap(\.properties.lowercaseMapping.utf8)
        }
    }
}

/// The path of a request as rules judge it: taken apart once and decoded, in every way in which a service may read it.
struct ServedPath: Equatable, Sendable {
    /// In bytes; most services take no longer one.
    static let longest = 16 << 10

    /// As it is sent, without the query.
    let text: String
    /// The decoded segments; more than one reading where there is a `%2F`, which services take for a character, for a separator,
    /// or for one that is not repeated. Rules have to let all of them through.
    let readings: [[[UInt8]]]
    /// Whether it is no path but a name, or a URI, which has one spelling.
    private let isName: Bool

    /// Some service would read the path in another way than the rules.
    struct Ambiguous: Error, Equatable {}

    /// - Parameter target: path and query as they are sent.
    init(_ target: String) throws(Ambiguous) {
        (text, isName) = (String(target.prefix { $0 != "?" }), false)
        let bytes = Array(text.utf8), slash = UInt8(ascii: "/")
        guard bytes.first == slash, bytes.count <= Self.longest else { throw Ambiguous() }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { throw Ambiguous() }
        var segments: [[UInt8]] = []
        for raw in bytes.dropFirst().split(separator: slash, omittingEmptySubsequences: false) {
            guard let segment = Self.decoded(raw), Self.isPlain(segment) else { throw Ambiguous() }
            segments.append(segment)
        }
        let hasEmpty = segments.dropLast().contains(where: \.isEmpty)
        guard !hasEmpty, !segments.contains(where: Self.isDots) else { throw Ambiguous() }
        guard segments.contains(where: { $0.contains(slash) }) else {
            readings = [segments]
            return
        }
        let separated = segments.flatMap {
            $0.split(separator: slash, omittingEmptySubsequences: false).map(Array.init)
        }
        guard !separated.contains(where: Self.isDots) else { throw Ambiguous() }
        let merged = separated.dropLast().filter { !$0.isEmpty } + separated.suffix(1)
        readings = merged == separated ? [segments, separated] : [segments, separated, merged]
    }

    /// A name or a URI, as it is.
    init(_ text: String, readings: [[[UInt8]]]) {
        (self.text, self.readings, isName) = (text, readings, true)
    }

    private static func decoded(_ raw: ArraySlice<UInt8>) -> [UInt8]? {
        raw.contains(UInt8(ascii: "%")) ? Hexadecimal.percentDecoded(raw, isStrict: true) : Array(raw)
    }

    /// A segment that every service reads in one way: text without control characters, what some take for a separator or for the
    /// beginning of parameters, and what could be decoded once more.
    static func isPlain(_ segment: [UInt8]) -> Bool {
        guard !segment.contains(where: { $0 < 0x20 || $0 == 0x7F || "\\;%?#".utf8.contains($0) }) else { return false }
        if segment.allSatisfy({ $0 < 0x80 }) { return true }
        guard let text = String(validating: segment, as: UTF8.self) else { return false }
        return !text.unicodeScalars.contains { (0x80...0x9F).contains($0.value) }
    }

    /// Returns whether it is a dot segment; some file systems ignore spaces at its end.
    static func isDots(_ segment: [UInt8]) -> Bool {
        guard segment.first == UInt8(ascii: ".") else { return false }
        let dots = segment.filter { $0 != 0x20 }
        return dots.count <= 2 && dots.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// Returns the paths that services may take for the same one: case-folded, with and without a slash at the end and a
    /// `.suffix` of the last segment.
    func spellings(_ reading: [[UInt8]]) -> [[[UInt8]]] {
        if isName {
            // What `deny` names stays denied in another spelling.
            let decoded = reading.map { Hexadecimal.percentDecoded($0[...], isStrict: false) ?? $0 }
            return [reading.map(\.caseFolded), decoded.map(\.caseFolded)]
        }
        let whole = reading.map(\.caseFolded)
        var base = whole
        if base.count > 1, base.last?.isEmpty == true { base.removeLast() }
        guard let last = base.last, !last.isEmpty else { return [whole, base] }
        let names = [last, last.withoutBlankEnd].flatMap { name in
            let dots = name.indices.dropFirst().filter { name[$0] == UInt8(ascii: ".") }.suffix(Self.mostSuffixes)
            return [name] + dots.map { Array(name[..<$0]) }
        }
        return names.flatMap { name in
            let path = base.dropLast() + [name]
            return [Array(path), path + [[]]]
        }
    }

    /// The most dots of a name that may begin its suffix.
    private static let mostSuffixes = 8
}

extension [UInt8] {
    /// Without the blanks and dots at its end, which some services pass over.
    fileprivate var withoutBlankEnd: [UInt8] {
        var name = self
        while name.count > 1, let last = name.last {
            if " \t.".utf8.contains(last) {
                name.removeLast()
            } else if name.suffix(2) == [0xC2, 0xA0] {
                name.removeLast(2)
            } else {
                break
            }
        }
        return name
    }
}
