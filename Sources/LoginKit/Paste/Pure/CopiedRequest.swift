import Secrets

/// The parts of a request that a person copied in a browser's developer tools: where it went, and what it carried. Everything else of
/// the command is passed over; no file that it names is read.
struct CopiedRequest: Sendable {
    /// Absolute, as it was written; `nil` where only cookies were copied.
    private(set) var url: String?
    /// As they were written, without `Cookie`.
    private(set) var headers: [(name: String, value: Secret)] = []
    /// In the order of the line.
    private(set) var cookies: [(name: String, value: Secret)] = []
    /// The cookies of a cookies.txt, which has their attributes, too.
    private(set) var records: [Cookie] = []

    /// Reads a text in whichever form it is.
    /// - Parameter records: reads a cookies.txt.
    init(_ text: Secret, records: (Secret) throws(CopyFault) -> [Cookie]) throws(CopyFault) {
        var text = text.withoutByteOrderMark
        text = text.dropping(text.withUnsafeBytes { $0.prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }.count })
        switch try PastedText.form(of: text) {
        case .posix: try self.init(curl: ShellWords.posix(text))
        case .windows: try self.init(curl: ShellWords.windows(text))
        case .headers: try self.init(headerLines: text)
        case .cookieFile: self.init(records: try records(text))
        }
    }

    private init(records: [Cookie]) { self.records = records }

    /// A request of which only this is known.
    init(header: String, _ value: Secret) { headers = [(header, value)] }

    /// The options of curl that take a value (curl --help all): without them a URL in one would count as the request's.
    private static let withValue = Set(
        """
        -A -b -c -C -d -D -e -E -F -H -K -m -o -P -Q -r -t -T -u -U -w -x -X -y -Y -z --abstract-unix-socket --alt-svc --aws-sigv4
        --cacert --capath --cert --cert-type --ciphers --config --connect-timeout --connect-to --continue-at --cookie --cookie-jar
        --create-file-mode --crlfile --curves --data --data-ascii --data-binary --data-raw --data-urlencode --delegation
        --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-url --dump-header --ech --egd-file --engine --etag-compare
        --etag-save --expect100-timeout --form --form-string --haproxy-clientip --happy-eyeballs-timeout-ms --header --hsts --interface
        --ip-tos --ipfs-gateway --json --keepalive-cnt --keepalive-time --key --key-type --libcurl --limit-rate --local-port
        --login-options --max-filesize --max-redirs --max-time --netrc-file --noproxy --oauth2-bearer --output --output-dir
        --parallel-max --pass --pinnedpubkey --preproxy --proto --proto-default --proto-redir --proxy --proxy1.0 --proxy-cacert
        --proxy-capath --proxy-cert --proxy-cert-type --proxy-ciphers --proxy-crlfile --proxy-header --proxy-key --proxy-key-type
        --proxy-pass --proxy-pinnedpubkey --proxy-service-name --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword
        --proxy-tlsuser --proxy-user --random-file --range --rate --referer --request --request-target --resolve --retry
        --retry-delay --retry-max-time --sasl-authzid --service-name --socks4 --socks4a --socks5 --socks5-gssapi-service
        --socks5-hostname --speed-limit --speed-time --stderr --time-cond --tls-max --tls13-ciphers --tlsauthtype --tlspassword
        --tlsuser --trace --trace-ascii --trace-config --unix-socket --upload-file --url --url-query --user --user-agent --variable
        --vlan-priority --write-out
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Reads the words of a curl command.
    private init(curl words: [Secret]) throws(CopyFault) {
        var rest = words.dropFirst()[...], urls: [String] = [], globs = true
        while let word = rest.popFirst() {
            let text = word.shownStart
            guard text.hasPrefix("-") else {
                urls.append(word.unprotectedText)
                continue
            }
            let (name, attached) = Self.option(word, text)
            if name == "-g" || name == "--globoff" { globs = false }
            guard Self.withValue.contains(name) else { continue }
            guard let value = attached ?? rest.popFirst() else { throw .unfinished }
            take(name, value, &urls)
        }
        guard let first = urls.first, urls.allSatisfy({ $0 == first }),
            ["https://", "http://"].contains(where: { first.lowercased().hasPrefix($0) })
        else { throw .noURL }
        url = globs ? Self.unescaped(first) : first
    }

    /// Without the backslashes before what curl would else take for the beginning of a pattern ("URL globbing"). Chromium writes them.
    private static func unescaped(_ url: String) -> String {
        ["[", "]", "{", "}"].reduce(url) { $0.replacing("\\\($1)", with: $1) }
    }

    /// An option, with its value where that is attached to it; of several short ones in a word the one that takes a value.
    private static func option(_ word: Secret, _ text: String) -> (name: String, value: Secret?) {
        if text.hasPrefix("--") {
            let name = String(text.prefix { $0 != "=" })
            return (name, name == text ? nil : word.dropping(name.utf8.count + 1))
        }
        guard let letter = text.dropFirst().firstIndex(where: { withValue.contains("-\($0)") }) else {
            return (text, nil)
        }
        let end = text.index(after: letter)
        return ("-\(text[letter])", end == text.endIndex ? nil : word.dropping(text[..<end].utf8.count))
    }

    private mutating func take(_ option: String, _ value: Secret, _ urls: inout [String]) {
        switch option {
        case "--url": urls.append(value.unprotectedText)
        case "-A", "--user-agent": headers.append(("User-Agent", value))
        // Without a '=' it would be a file.
        case "-b", "--cookie": addCookies(value)
        case "-H", "--header":
            // HTTP/2 begins the names of its own with a colon; one of them is `:authority`, which is the host (RFC 9113, section 8.3.1).
            let line = value.shownStart.hasPrefix(":") ? value.dropping(1) : value
            guard !value.shownStart.hasPrefix("@"), let (name, content) = line.split(at: UInt8(ascii: ":")),
                name.isHeaderName
            else { return }
            if name.lowercased() == "cookie" { addCookies(content) } else { headers.append((name, content)) }
        default: break
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
    func value(of name: String) -> Secret? { headers.first { $0.name.lowercased() == name }?.value }
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
            let rest = bytes[(end + 1)...].trimming(isBlank)
            let text = String(decoding: name, as: UTF8.self)
            return (String(text.prefix { $0 != " " }), Secret(copying: UnsafeRawBufferPointer(rebasing: rest)))
        }
    }
}
