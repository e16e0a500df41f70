internal import LoginCore

/// The header lines of an answer, as libcurl hands them over one by one: the fields of the final answer stay.
struct HeadCollector {
    struct TooLarge: Error {}

    /// How many cookies were set, over all answers to the request.
    private(set) var cookieCount = 0
    private(set) var fields: [HTTPResponseField] = []
    private let limit: Int
    private var count = 0
    /// After the empty line come trailers, which nobody asked for.
    private var isOver = false
    /// Whether a folded line has a field to go on with; not after one that was left out.
    private var canContinue = false

    /// - Parameter limit: in bytes, over all answers to one request.
    init(limit: Int) {
        self.limit = limit
    }

    /// - Returns: whether the line begins another answer: informational ones and rounds of authentication come first.
    mutating func append(_ line: UnsafeRawBufferPointer) throws(TooLarge) -> Bool {
        count += line.count
        guard count <= limit else { throw TooLarge() }
        let text = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if text.starts(with: "HTTP/".utf8) {
            (fields, isOver, canContinue) = ([], false, false)
            return true
        }
        if text.isEmpty { isOver = true }
        if !isOver { take(text) }
        return false
    }

    private mutating func take(_ text: Slice<UnsafeRawBufferPointer>) {
        if let first = text.first, Self.isBlank(first) { return fold(text) }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
            canContinue = false
            return
        }
        let name = Self.trimmed(text[..<colon])
        // Cookies come through libcurl's cookie rules, as secrets.
        canContinue = name.lowercased() != "set-cookie"
        guard canContinue else {
            cookieCount += 1
            return
        }
        fields.append(HTTPResponseField(name: name, value: Self.trimmed(text[text.index(after: colon)...])))
    }

    /// RFC 9112, section 5.2: the line break and the blanks around it count as one blank.
    private mutating func fold(_ text: Slice<UnsafeRawBufferPointer>) {
        guard canContinue, let last = fields.popLast() else { return }
        let more = Self.trimmed(text)
        let value = last.value.isEmpty || more.isEmpty ? last.value + more : "\(last.value) \(more)"
        fields.append(HTTPResponseField(name: last.name, value: value))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> String {
        guard let start = text.firstIndex(where: { !isBlank($0) }),
            let end = text.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: text[start...end], as: UTF8.self)
    }
}
