/// The way that a request to the proxy of a run asks for (RFC 9112, section 3.2; RFC 9110, section 9.3.6).
enum ProxyWay: Equatable {
    /// CONNECT, whatever is spoken there.
    case tunnel(Origin)
    /// Plain http to this origin; path and query.
    case plain(Origin, target: String)
    /// An https URL, which old programs ask a proxy for.
    case secure(Origin)

    /// - Returns: `nil` for what is no request to a proxy.
    init?(_ head: ServedHead) {
        if head.method == "CONNECT" {
            guard let origin = Self.origin(head.target[...], scheme: "https", port: nil) else { return nil }
            self = .tunnel(origin)
            return
        }
        guard let end = head.target.firstRange(of: "://") else { return nil }
        let rest = head.target[end.upperBound...], slash = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        switch head.target[..<end.lowerBound].lowercased() {
        case "http":
            guard let origin = Self.origin(rest[..<slash], scheme: "http", port: 80), !rest.contains("#") else {
                return nil
            }
            let target = String(rest[slash...])
            self = .plain(origin, target: target.hasPrefix("/") ? target : "/\(target)")
        case "https":
            guard let origin = Self.origin(rest[..<slash], scheme: "https", port: 443) else { return nil }
            self = .secure(origin)
        default: return nil
        }
    }

    /// - Parameters:
    ///   - text: a name or an address, and a port; no user, no zone.
    ///   - port: for a text without one; `nil` if it has to have one.
    private static func origin(_ text: Substring, scheme: String, port usual: Int?) -> Origin? {
        let isAddress = text.hasPrefix("[")
        let end =
            isAddress
            ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":") ?? text.endIndex
        guard let end else { return nil }
        let host = text[..<end].lowercased(), rest = text[end...]
        let number = rest.dropFirst()
        guard
            rest.isEmpty
                || rest.hasPrefix(":") && !number.isEmpty && number.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = rest.isEmpty ? usual : Int(number), 1...65535 ~= port
        else { return nil }
        let origin = Origin(scheme: scheme, host: host, port: port)
        if isAddress { return PeerAddress(text: origin.bareHost) == nil ? nil : origin }
        return !host.isEmpty && host.utf8.count <= 253
            && host.utf8.allSatisfy({ $0.isAlphanumeric || "-._".utf8.contains($0) })
            ? origin : nil
    }
}

extension ServedHead {
    /// The longest head that a proxy reads, in bytes.
    static let longest = 16 << 10

    /// - Returns: a head with its last empty line, once that has come.
    static func whole(in bytes: ArraySlice<UInt8>) -> [UInt8]? {
        bytes.firstRange(of: Array("\r\n\r\n".utf8)).map { Array(bytes[..<$0.upperBound]) }
    }

    /// Reads a head with its last empty line, strictly: each line ends with CR and LF, none goes on in the next one, and no name has a
    /// blank behind it (RFC 9112, sections 2.2, 5.1 and 5.2).
    init?(proxied bytes: ArraySlice<UInt8>) {
        var lines: [ArraySlice<UInt8>] = []
        for line in bytes.dropLast(2).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        {
            guard line.last == UInt8(ascii: "\r") else { return nil }
            lines.append(line.dropLast())
        }
        guard lines.allSatisfy({ $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }), let first = lines.first
        else {
            return nil
        }
        let words = String(decoding: first, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false).map(
            String.init)
        guard words.count == 3, words[0].isHeaderName, ["HTTP/1.1", "HTTP/1.0"].contains(words[2]), !words[1].isEmpty,
            words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        var fields: [ServedField] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard name.isHeaderName else { return nil }
            let value = line[(colon + 1)...].drop(while: \.isBlank)
            let end = value.lastIndex { !$0.isBlank } ?? value.startIndex - 1
            fields.append(ServedField(name: name, bytes: Array(value[..<(end + 1)])))
        }
        self.init(method: words[0], target: words[1], version: words[2], fields: fields)
    }

    /// The head as it goes on to a server, alone on its connection. Nothing that is for the proxy goes on.
    func forwarded(to origin: Origin, target: String) -> [UInt8] {
        // Without its length a body would be another request.
        let ended = Set(values(of: "Connection").flatMap(\.tokens)).subtracting(["transfer-encoding", "content-length"])
            .union(["host", "connection", "keep-alive", "te", "upgrade", "http2-settings"])
        var head = Array(
            "\(method) \(target) \(isChunkable ? "HTTP/1.1" : "HTTP/1.0")\r\nHost: \(origin.authority)\r\n".utf8)
        for field in fields {
            let name = field.name.lowercased()
            if ended.contains(name) || name.hasPrefix("proxy-") { continue }
            head += Array("\(field.name): ".utf8) + field.bytes + Array("\r\n".utf8)
        }
        return head + Array("Connection: close\r\n\r\n".utf8)
    }
}

/// Finds the end of a request's body in what follows its head (RFC 9112, sections 6 and 7.1).
struct BodyEnd {
    /// The longest line between chunks, in bytes.
    private static let longest = 4096

    /// The bytes that are passed over: of the body, or of a chunk and its line end.
    private var left: Int64
    private let isChunked: Bool
    private var line: [UInt8] = []
    private var isTrailer = false
    private var isOver = false

    /// - Parameter head: with one length at most.
    init(_ head: ServedHead) {
        left = head.contentLength ?? 0
        isChunked = head.contentLength == nil
    }

    /// - Returns: how many of the bytes belong to it; `nil` where it is malformed.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var place = 0
        while place < bytes.count {
            if left > 0 {
                let count = min(left, Int64(bytes.count - place))
                left -= count
                place += Int(count)
                continue
            }
            guard isChunked, !isOver else { return place }
            line.append(bytes[place])
            place += 1
            if line.count > Self.longest { return nil }
            guard line.last == UInt8(ascii: "\n") else { continue }
            guard line.dropLast().last == UInt8(ascii: "\r") else { return nil }
            guard endLine() else { return nil }
        }
        return place
    }

    /// The size of a chunk, which its data follow and a line's end; or a line of the trailer.
    private mutating func endLine() -> Bool {
        defer { line = [] }
        if isTrailer {
            isOver = line.count == 2
            return true
        }
        let digits = line.dropLast(2).prefix { $0 != UInt8(ascii: ";") }
        guard (1...15).contains(digits.count), digits.allSatisfy({ ServedHead.digits.contains($0) }),
            let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return false }
        (isTrailer, left) = (size == 0, size == 0 ? 0 : size + 2)
        return true
    }
}

extension ServedHead {
    fileprivate static let digits = "0123456789abcdefABCDEF".utf8
}
