extension StringProtocol {
    /// A path as most servers look it up, to tell whether two lead to the same page: without the parameters of its segments
    /// (`;jsessionid=…`), percent-encoding and a slash at the end.
    var lookedUpPath: String {
        let segments = split(separator: "/", omittingEmptySubsequences: false).map { $0.prefix { $0 != ";" } }
        var bytes: [UInt8] = []
        var rest = segments.joined(separator: "/").utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
