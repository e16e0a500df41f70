/// The path of a rule: literal text, `*` for one segment or a part of one, and `**` for any number of segments.
///
/// Each group between two wildcards is looked for once, from the left, which finds a match wherever there is one (as for `*` in
/// fnmatch(3)): the work is bounded by the lengths of path and pattern, however many wildcards there are.
struct ServePattern: Equatable, Sendable {
    /// One segment of the pattern: the texts around its `*`.
    struct Segment: Equatable, Sendable {
        let texts: [[UInt8]]

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
        // Character by character, so that a part is folded as in the whole.
        return text.unicodeScalars.flatMap { scalar in
            scalar.properties.uppercaseMapping.unicodeScalars.flatMap(\.properties.lowercaseMapping.utf8)
        }
    }
}
