package import Secrets

/// The parts of a request that a person copied in a browser's developer tools: where it went, and what it carried. Everything else of
/// the command is passed over; no file that it names is read.
package struct CopiedRequest: Sendable {
    /// Absolute, as it was written; `nil` where only cookies were copied.
    package private(set) var url: String?
    /// As they were written, without `Cookie`.
    package private(set) var headers: [(name: String, value: Secret)] = []
    /// In the order of the line.
    package private(set) var cookies: [(name: String, value: Secret)] = []
    /// The cookies of a cookies.txt, which has their attributes, too.
    package private(set) var records: [Cookie] = []

    /// Reads a text in whichever form it is.
    /// - Parameter records: reads a cookies.txt.
    package init(_ text: Secret, records: (Secret) throws(CopyFault) -> [Cookie]) throws(CopyFault) {
        let text = text.withoutByteOrderMark.withoutLeadingBlanks
        switch try PastedText.form(of: text) {
        case .posix: try self.init(curl: ShellWords.posix(text))
        case .windows: try self.init(curl: ShellWords.windows(text))
        case .headers: try self.init(headerLines: text)
        case .cookieFile: self.init(records: try records(text))
        }
    }

    private init(records: [Cookie]) { self.records = records }

    /// A request of which only this is known.
    package init(header: String, _ value: Secret) { headers = [(header, value)] }

    /// The options of curl with a value that is not looked at: without them a URL in a body would count as the request's.
    private static let withValue: Set<String> = [
        "-X", "--request", "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json",
        "-F", "--form", "--form-string", "-o", "--output", "-K", "--config", "-u", "--user", "-e", "--referer", "-x",
        "--proxy", "-T", "--upload-file", "-c", "--cookie-jar", "-m", "--max-time", "--connect-timeout", "--cert",
        "-E", "--key", "--cacert", "--resolve", "--connect-to", "-w", "--write-out", "--interface", "--unix-socket",
    ]

    /// Reads the words of a curl command.
    private init(curl words: [Secret]) throws(CopyFault) {
        var rest = words.dropFirst()[...], urls: [String] = [], globs = true
        while let word = rest.popFirst() {
            let text = word.shownStart
            if let (name, attached) = Self.option(word, text) {
                guard let value = attached ?? rest.popFirst() else { throw .unfinished }
                take(name, value, &urls)
            } else if Self.withValue.contains(text) {
                _ = rest.popFirst()
            } else if text == "-g" || text == "--globoff" {
                globs = false
            } else if !text.hasPrefix("-"), text.contains("://") {
                urls.append(word.unprotectedText)
            }
        }
        guard let first = urls.first, urls.allSatisfy({ $0 == first }) else { throw .noURL }
        url = globs ? Self.unescaped(first) : first
    }

    /// Without the backslashes before what curl would else take for the beginning of a pattern ("URL globbing"). Chromium writes them.
    private static func unescaped(_ url: String) -> String {
        ["[", "]", "{", "}"].reduce(url) { $0.replacing("\\\($1)", with: $1) }
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

    /// Reads `Cookie: a=b; c=d`, and the header lines that were copied with it.
    private init(headerLines text: Secret) throws(CopyFault) {
        try text.withUnsafeBytes { (bytes) throws(CopyFault) in
            var urls: [String] = []
            let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
            guard lines.count <= ShellWords.most else { throw .tooLong }
            for line in lines {
                take("--header", Secret(copying: UnsafeRawBufferPointer(rebasing: line)), &urls)
            }
        }
    }

    private mutating func addCookies(_ line: Secret) {
        let pairs = line.withUnsafeBytes { bytes in
            bytes.split(separator: UInt8(ascii: ";"), maxSplits: ShellWords.most)
                .map { Secret(copying: UnsafeRawBufferPointer(rebasing: $0)) }
        }
        // Whatever more there is, it is too much for a request.
        for pair in pairs.prefix(ShellWords.most) {
            guard let (name, value) = pair.split(at: UInt8(ascii: "=")),
                !name.isEmpty, value.isFreeOfControls, !cookies.contains(where: { $0.name == name })
            else { continue }
            cookies.append((name, value))
        }
    }

    /// The value of a header, by its name in lower case.
    package func value(of name: String) -> Secret? { headers.first { $0.name.lowercased() == name }?.value }
}

extension Secret {
    fileprivate var withoutLeadingBlanks: Secret {
        dropping(withUnsafeBytes { bytes in bytes.prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }.count })
    }

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
