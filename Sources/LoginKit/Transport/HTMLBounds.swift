/// Limits the attributes of one element of a page before it is parsed: libxml2 compares each with all others, so
/// that a page of one tag could keep it busy for a minute.
struct HTMLBounds {
    static let mostAttributes = 1000

    private(set) var attributes = 0

    var areKept: Bool { attributes <= Self.mostAttributes }

    /// Counts what may part attributes: gaps, in quotes as well, and the ends of quoted values, after which libxml2 needs none. A tag
    /// ends at a `>` outside of quotes, and quotes open behind a `=` alone.
    init(_ text: UnsafeRawBufferPointer) {
        var tag = Tag()
        for byte in text {
            tag.take(byte)
            attributes = max(attributes, tag.count)
        }
    }

    private struct Tag {
        var count = 0
        private var isOpen = false
        private var quote: UInt8?
        private var mayQuote = false
        private var wasGap = false

        mutating func take(_ byte: UInt8) {
            let isGap = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "/") || (0x09...0x0D).contains(byte)
            defer { wasGap = isGap }
            if isGap {
                if isOpen, !wasGap { count += 1 }
                return
            }
            if byte == quote {
                (quote, count) = (nil, count + 1)
            } else if quote == nil {
                switch byte {
                case UInt8(ascii: "<"): (count, isOpen) = (0, true)
                case UInt8(ascii: ">"): isOpen = false
                case UInt8(ascii: "\""), UInt8(ascii: "'"): if isOpen, mayQuote { quote = byte }
                default: break
                }
            }
            mayQuote = byte == UInt8(ascii: "=")
        }
    }
}
