package import Secrets

/// The parts of a request that a person copied in a browser's developer tools: where it went, and what it carried. Everything else of
/// the command is passed over; no file that it names is read.
package struct CopiedRequest: Sendable {
    /// Absolute, as it was written; `nil` where only cookies were copied.
    package var url: String?
    /// As they were written, without `Cookie`.
    package var headers: [(name: String, value: Secret)] = []
    /// In the order of the line.
    package var cookies: [(name: String, value: Secret)] = []
    /// The cookies whose attributes were copied, too, by their names.
    package private(set) var records: [String: Cookie] = [:]

    /// Takes cookies as a file has them.
    package init(cookies: [Cookie]) {
        for cookie in cookies.prefix(Self.mostCookies) where records[cookie.name] == nil {
            self.cookies.append((cookie.name, cookie.value))
            records[cookie.name] = cookie
        }
    }

    /// The options of curl with a value that is not looked at: without them a URL in a body would count as the request's.
    private static let withValue: Set<String> = [
        "-X", "--request", "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json",
        "-F", "--form", "--form-string", "-o", "--output", "-K", "--config", "-u", "--user", "-e", "--referer", "-x",
        "--proxy", "-T", "--upload-file", "-c", "--cookie-jar", "-m", "--max-time", "--connect-timeout", "--cert",
        "-E", "--key", "--cacert", "--resolve", "--connect-to", "-w", "--write-out", "--interface", "--unix-socket",
    ]

    /// Reads the words of a curl command.
    package init(curl words: [Secret]) throws(CopyFault) {
        var rest = words.dropFirst()[...], urls: [String] = []
        while let word = rest.popFirst() {
            let text = word.shownStart
            if let (name, attached) = Self.option(word, text) {
                guard let value = attached ?? rest.popFirst() else { throw .unfinished }
                take(name, value, &urls)
            } else if Self.withValue.contains(text) {
                _ = rest.popFirst()
            } else if !text.hasPrefix("-"), text.contains("://") {
                urls.append(word.unprotectedText)
            }
        }
        guard let first = urls.first, urls.allSatisfy({ $0 == first }) else { throw .noURL }
        url = first
    }

    /// An option that is looked at, with its value where that is attached to it.
    private static func option(_ word: Secret, _ text: String) -> (name: String, value: Secret?)? {
        for (short, long) in [("-H", "--header"), ("-b", "--cookie"), ("-A", "--user-agent"), ("", "--url")] {
            if text == long || text == short, !text.isEmpty { return (long, nil) }
            if text.hasPrefix(long + "=") { return (long, word.dropping(long.utf8.count + 1)) }
            if !short.isEmpty, text.hasPrefix(short), !text.hasPrefix("--") { return (long, word.dropping(2)) }
        }
        return nil
    }

    private mutating func take(_ option: String, _ value: Secret, _ urls: inout [String]) {
        switch option {
        case "--url": urls.append(value.unprotectedText)
        case "--user-agent": headers.append(("User-Agent", value))
        // Without a '=' it would be a file.
        case "--cookie": addCookies(value)
        default:
            guard !value.shownStart.hasPrefix("@"), let (name, content) = value.split(at: UInt8(ascii: ":")),
                name.isHeaderName
            else { return }
            if name.lowercased() == "cookie" { addCookies(content) } else { headers.append((name, content)) }
        }
    }

    /// Reads `Cookie: a=b; c=d`.
    package init(cookieLine line: Secret) {
        if let (_, content) = line.split(at: UInt8(ascii: ":")) { addCookies(content) }
    }

    private mutating func addCookies(_ line: Secret) {
        let pairs = line.withUnsafeBytes { bytes in
            bytes.split(separator: UInt8(ascii: ";")).map { Secret(copying: UnsafeRawBufferPointer(rebasing: $0)) }
        }
        for pair in pairs {
            guard cookies.count < Self.mostCookies, let (name, value) = pair.split(at: UInt8(ascii: "=")),
                !name.isEmpty, value.isHeaderSafe, !cookies.contains(where: { $0.name == name })
            else { continue }
            cookies.append((name, value))
        }
    }

    /// The value of a header, by its name in lower case.
    package func value(of name: String) -> Secret? { headers.first { $0.name.lowercased() == name }?.value }

    /// What a browser keeps for one domain, and some more.
    private static let mostCookies = 200
}

extension Secret {
    /// Its beginning as text, long enough for the name of an option.
    fileprivate var shownStart: String { withUnsafeBytes { String(decoding: $0.prefix(200), as: UTF8.self) } }

    fileprivate func dropping(_ count: Int) -> Secret {
        withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0.dropFirst(count))) }
    }

    /// The text before the first of these bytes, and what follows it, both without blanks around them.
    fileprivate func split(at byte: UInt8) -> (name: String, rest: Secret)? {
        withUnsafeBytes { bytes in
            guard let end = bytes.firstIndex(of: byte) else { return nil }
            let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
            let name = bytes[..<end].drop(while: isBlank)
            var rest = bytes[(end + 1)...].drop(while: isBlank)
            while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
            let text = String(decoding: name, as: UTF8.self)
            return (String(text.prefix { $0 != " " }), Secret(copying: UnsafeRawBufferPointer(rebasing: rest)))
        }
    }
}
