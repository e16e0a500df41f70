/// The header lines of an answer, as libcurl hands them over one by one: the fields of the final answer stay.
///
/// Stricter than libcurl where two readers could take one answer for two different ones (RFC 9112, section 11.1).
struct HeadCollector {
    private enum Part {
        case statusLine, fields
        /// After the empty line: a body, then trailers, which are ignored.
        case rest
    }

    /// Takes what all responses to the request set; `nil` if nobody asks for that.
    private(set) var jar: CookieJar?
    private(set) var fields: [HTTPResponseField] = []
    /// The status code of the last response (RFC 9110, section 15); 0 before the first one.
    private(set) var status = 0
    private let limit: Int
    private let repeats: Bool
    private var count = 0
    private var part = Part.statusLine
    /// Whether a folded line has a line to go on with.
    private var canFold = false
    /// Whether that line is a field that is kept.
    private var isKept = false

    /// - Parameters:
    ///   - limit: in bytes, over all answers to one request.
    ///   - repeats: whether libcurl may send the request once more by itself, after a 401.
    init(limit: Int, repeats: Bool = false, jar: CookieJar? = nil) {
        self.limit = limit
        self.jar = jar
        self.repeats = repeats
    }

    /// Whether the empty line behind the fields has come: what breaks off before it can be the beginning of anything.
    var isWhole: Bool { part == .rest }

    /// Whether that is so, and no other answer will follow: libcurl may send the request once more by itself.
    var isLast: Bool { isWhole && !(repeats && status == 401) }

    /// Whether nothing but the end of the connection ends the body (RFC 9112, section 6.3).
    var endsWithConnection: Bool {
        let tellsEnd = fields.contains { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        return !tellsEnd && HTTPResponse.mayHaveBody(status: status)
    }

    /// - Returns: whether the line begins another answer: informational ones and rounds of authentication come first.
    mutating func append(_ line: UnsafeRawBufferPointer) throws(LoginFault) -> Bool {
        count += line.count
        guard count <= limit else { throw .network(.answerTooLarge(limit: limit)) }
        let text = line[...].withoutLineEnd
        // Where one reader cuts the line, another reads on (RFC 9110, section 5.5; RFC 9112, section 2.2).
        guard !text.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") }) else {
            throw Self.broken("its headers contain a NUL or a bare carriage return")
        }
        if part == .rest, repeats, status == 401, text.starts(with: "HTTP/".utf8) { part = .statusLine }
        switch part {
        case .statusLine:
            try begin(text)
            return true
        case .fields:
            guard text.isEmpty else {
                try take(text)
                break
            }
            try checkFraming()
            part = (100..<200).contains(status) && status != 101 ? .statusLine : .rest
        case .rest:
            break
        }
        return false
    }

    /// `HTTP/1.1 200 OK`: libcurl has read it before.
    private mutating func begin(_ text: Slice<UnsafeRawBufferPointer>) throws(LoginFault) {
        let words = text.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard text.starts(with: "HTTP/".utf8), words.count > 1, words[1].count == 3,
            let status = Int(String(decoding: words[1], as: UTF8.self))
        else { throw Self.broken("it does not begin with a status line") }
        (self.status, fields, part, canFold, isKept) = (status, [], .fields, false, false)
    }

    private mutating func take(_ text: Slice<UnsafeRawBufferPointer>) throws(LoginFault) {
        if let first = text.first, first.isBlank {
            // libcurl would add it to whatever header it has seen last.
            guard canFold else { throw Self.broken("its headers begin with a folded line") }
            return fold(text)
        }
        canFold = true
        isKept = false
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: text[..<colon], as: UTF8.self)
        guard name.isHeaderName else {
            // Others may read it as what ends the body (RFC 9112, section 5.1).
            guard !["content-length", "transfer-encoding"].contains(text[..<colon].trimmed.lowercased()) else {
                throw Self.broken("a header name contains an invalid character")
            }
            return
        }
        // They are secrets.
        guard name.lowercased() != "set-cookie" else {
            jar?.take(text[text.index(after: colon)...])
            return
        }
        isKept = true
        fields.append(HTTPResponseField(name: name, value: text[text.index(after: colon)...].trimmed))
    }

    /// RFC 9112, section 5.2: the line break and the blanks around it count as one blank.
    private mutating func fold(_ text: Slice<UnsafeRawBufferPointer>) {
        guard isKept, let last = fields.popLast() else { return }
        let more = text.trimmed
        let value = last.value.isEmpty || more.isEmpty ? last.value + more : "\(last.value) \(more)"
        fields.append(HTTPResponseField(name: last.name, value: value))
    }

    /// The end of a body as its head gives it (RFC 9112, section 6). A head that gives two is refused.
    private func checkFraming() throws(LoginFault) {
        let lengths = fields.values(of: "Content-Length")
        let codings = fields.values(of: "Transfer-Encoding").map { $0.lowercased() }
        guard lengths.allSatisfy({ $0.first != "-" && $0.first != "+" && Int64($0) != nil }) else {
            throw Self.broken("its Content-Length is invalid")
        }
        guard lengths.allSatisfy({ $0 == lengths.first }) else { throw Self.broken("it has two different lengths") }
        // Not asked for, and a few kilobytes of them unpack to terabytes.
        guard codings.isEmpty || codings == ["chunked"] else {
            throw Self.broken("its Transfer-Encoding is not chunked")
        }
        guard codings.isEmpty || lengths.isEmpty else {
            throw Self.broken("it is chunked and has a length as well")
        }
    }

    private static func broken(_ problem: String) -> LoginFault { .network(.brokenResponse(problem)) }
}

// The lines of a head, of a request as well (RFC 9112, sections 2.2 and 5).
extension Slice<UnsafeRawBufferPointer> {
    /// Without the line feed at its end, and the carriage return before that.
    var withoutLineEnd: Self {
        let text = last == UInt8(ascii: "\n") ? dropLast() : self
        return text.last == UInt8(ascii: "\r") ? text.dropLast() : text
    }

    /// The text without blanks around it.
    var trimmed: String { String(decoding: trimming(\.isBlank), as: UTF8.self) }
}
