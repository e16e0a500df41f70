/// The path of a request as rules judge it: taken apart once and decoded, in every way in which a service may read it.
package struct ServedPath: Equatable, Sendable {
    /// In bytes; most services take no longer one.
    package static let longest = 16 << 10

    /// As it is sent, without the query.
    package let text: String
    /// The decoded segments; more than one reading where there is a `%2F`, which services take for a character, for a separator,
    /// or for one that is not repeated. Rules have to let all of them through.
    package let readings: [[[UInt8]]]

    /// Some service would read the path in another way than the rules.
    package struct Ambiguous: Error, Equatable {}

    /// - Parameter target: path and query as they are sent.
    package init(_ target: String) throws(Ambiguous) {
        text = String(target.prefix { $0 != "?" })
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

    /// A dot segment; blanks at its end are none to some file systems.
    static func isDots(_ segment: [UInt8]) -> Bool {
        guard segment.first == UInt8(ascii: ".") else { return false }
        let dots = segment.filter { $0 != 0x20 }
        return dots.count <= 2 && dots.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// What services may take for the same path: the case folded, with and without a slash at the end and a `.suffix` of the last
    /// segment.
    static func spellings(_ reading: [[UInt8]]) -> [[[UInt8]]] {
        let whole = reading.map(\.caseFolded)
        var base = whole
        if base.count > 1, base.last?.isEmpty == true { base.removeLast() }
        guard let last = base.last, !last.isEmpty else { return [whole, base] }
        let dots = last.indices.dropFirst().filter { last[$0] == UInt8(ascii: ".") }.suffix(Self.mostSuffixes)
        let names = [last] + dots.map { Array(last[..<$0]) }
        return names.flatMap { name in
            let path = base.dropLast() + [name]
            return [Array(path), path + [[]]]
        }
    }

    /// The most dots of a name that may begin its suffix.
    private static let mostSuffixes = 8
}
