/// How many attributes one element of a page has at most, seen without a parser: libxml2 compares each with all others, so
/// that a page of one tag could keep it busy for a minute.
struct HTMLBounds {
    static let mostAttributes = 1000

    private(set) var attributes = 0

    var areKept: Bool { attributes <= Self.mostAttributes }

    /// Counts what may part attributes, in quotes as well: what is a quote is the parser's to say.
    init(_ text: UnsafeRawBufferPointer) {
        var count = 0, isTag = false, wasGap = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "<"): (count, isTag) = (0, true)
            case UInt8(ascii: ">"): isTag = false
            case UInt8(ascii: " "), UInt8(ascii: "/"), 0x09...0x0D:
                if isTag, !wasGap { count += 1 }
                wasGap = true
                attributes = max(attributes, count)
                continue
            default: break
            }
            wasGap = false
        }
    }
}
