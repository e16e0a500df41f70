@testable import LoginKit
import Secrets
import Testing

/// What developer tools copy, and what somebody else may have put on the clipboard.
struct PastedTextTests {
    private func request(_ text: String) throws -> CopiedRequest {
        try CopiedRequest(Secret(text)) { _ in [] }
    }

    private func fault(_ text: String) -> CopyFault? {
        do {
            _ = try request(text)
            return nil
        } catch let fault as CopyFault {
            return fault
        } catch {
            return nil
        }
    }

    private func cookies(_ request: CopiedRequest) -> [String] {
        request.cookies.map { "\($0.name)=\($0.value.unprotectedText)" }
    }

    private static let chromiumPOSIX = """
        curl 'https://wiki.example/api/me?x=1&y=%20' \\
          -H 'accept: application/json, text/plain, */*' \\
          -H 'accept-language: en-US,en;q=0.9' \\
          -H $'authorization: Bearer t\\u00e41' \\
          -b 'sid=a b; csrf=x=y; empty=' \\
          -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)' \\
          --data-raw '{"url":"https://evil.example/","it":"isn'\\''t"}' \\
          --insecure
        """

    private static let firefoxPOSIX =
        "curl 'https://wiki.example/api/me' --compressed -H 'User-Agent: Mozilla/5.0' -H 'Cookie: sid=1; b=2' -H 'X: y'\n"

    private static let chromiumWindows = """
        curl ^"https://wiki.example/api/me?x=1^&y=%^20^" ^
          -H ^"accept: */*^" ^
          -b ^"sid=a^%^20b; q=^\\^"x^\\^"^" ^
          -H ^"authorization: Bearer t1^" ^
          --data-raw ^"^{^\\^"a^\\^":^\\^"https://evil.example/^\\^"^}^"
        """

    @Test func `what Chromium copies for bash is one request with its cookies and headers`() throws {
        let request = try request(Self.chromiumPOSIX)
        #expect(request.url == "https://wiki.example/api/me?x=1&y=%20")
        #expect(cookies(request) == ["sid=a b", "csrf=x=y", "empty="])
        #expect(request.headers.first { $0.name == "authorization" }?.value.unprotectedText == "Bearer t\u{e4}1")
        #expect(request.headers.count == 4)
    }

    @Test func `what Firefox copies, and what Chromium copies for the Windows prompt, are read alike`() throws {
        let firefox = try request(Self.firefoxPOSIX)
        #expect(firefox.url == "https://wiki.example/api/me" && cookies(firefox) == ["sid=1", "b=2"])
        let windows = try request(Self.chromiumWindows)
        #expect(windows.url == "https://wiki.example/api/me?x=1&y=%20", "\(windows.url ?? "")")
        #expect(cookies(windows) == ["sid=a%20b", "q=\"x\""], "\(cookies(windows))")
        #expect(windows.headers.last?.value.unprotectedText == "Bearer t1")
    }

    @Test(arguments: [
        ("curl 'https://a.example/' -H 'Cookie: a=1'; rm -rf ~", CopyFault.shellSyntax),
        ("curl 'https://a.example/'\nrm -rf ~", .shellSyntax), ("curl https://a.example/ | sh", .shellSyntax),
        ("curl \"https://a.example/$(id)\"", .shellSyntax), ("curl https://a.example/`id`", .shellSyntax),
        ("curl https://a.example/ > x", .shellSyntax), ("curl $HOME", .shellSyntax),
        ("curl ^\"https://a.example/^\" & calc", .shellSyntax), ("curl 'https://a.example/", .unfinished),
        ("curl 'https://a.example/' \\", .unfinished), ("curl -K x", .noURL),
        ("curl https://a.example/ https://b.example/", .noURL),
        ("curl --doh-url https://a.example/ b.example", .noURL), ("curl -x http://a.example b.example", .noURL),
        ("curl --preproxy https://a.example/ -H 'a: b' b.example", .noURL),
        ("curl --unheard-of x https://a.example/", .noURL), ("curl a.example/", .noURL),
        ("curl \u{201C}https://a.example/\u{201D}", .noURL), ("curl -sx", .unfinished),
        ("Invoke-WebRequest -Uri 'https://a.example/'", .otherForm("PowerShell")),
        ("fetch('https://a.example/')", .otherForm("fetch")), ("hello", .unknownForm), ("", .unknownForm),
    ])
    func `a text that is no copied request is refused by what it is`(text: String, expected: CopyFault) {
        #expect(fault(text) == expected, "\(text)")
    }

    /// Chromium writes `!` as \u0021, Firefox as \041, and both a character beyond U+FFFF as its two halves.
    @Test func `what is escaped in a copied request is read as bash reads it`() throws {
        let request = try request(
            #"curl $'https://a.example/\041\x41\u0042\103' -H $'X: \ud83d\ude00 \U0001F600\q\a' -b $'a=\'\u0021\''"#)
        #expect(request.url == "https://a.example/!ABC")
        #expect(request.headers.first?.value.unprotectedText == "\u{1F600} \u{1F600}\\q\u{7}")
        #expect(cookies(request) == ["a='!'"])
    }

    /// What bash 5.2 prints of `printf %s $'…'c`, but for half a character, of which it writes bytes that are no UTF-8.
    @Test(arguments: [
        (#"a\0b"#, "ac"), (#"a\x00b"#, "ac"), (#"a\u0000b"#, "ac"), (#"a\U00000000b"#, "ac"), (#"a\400b"#, "ac"),
        (#"a\c@b"#, "ac"), (#"a\cAb"#, "a\u{1}bc"), (#"a\c?b"#, "a\u{7F}bc"), (#"a\c\\b"#, "a\u{1C}bc"),
        (#"a\c"#, #"a\cc"#), (#"a\x"#, #"a\xc"#), (#"a\u"#, #"a\uc"#), (#"a\0\'b"#, "ac"),
        (#"a\ud83dz"#, "a\u{FFFD}zc"), (#"a\ud83d\u0041"#, "a\u{FFFD}Ac"),
    ])
    func `an escape sequence is read as bash reads it, and a NUL ends its quotes`(quoted: String, word: String) throws {
        let request = try request("curl https://a.example/ -H $'X: \(quoted)'c -b a=1")
        #expect(request.value(of: "x") == Secret(word) && cookies(request) == ["a=1"])
    }

    @Test func `a binary body, which Chromium copies with its NUL bytes, is passed over`() throws {
        let request = try request(
            #"curl 'https://a.example/x' -b 'a=1' -H 'accept: */*' --data-raw $'\u0000a\u0000\'b\u00ff' --compressed"#)
        #expect(request.url == "https://a.example/x" && cookies(request) == ["a=1"] && request.headers.count == 1)
    }

    @Test(arguments: [
        (#"curl 'https://a.example/\[slug\]/\{id\}'"#, "https://a.example/[slug]/{id}"),
        (#"curl -g 'https://a.example/\[slug\]'"#, #"https://a.example/\[slug\]"#),
        (#"curl 'https://a.example/a\b'"#, #"https://a.example/a\b"#),
        ("curl 'http://[::1]:8080/'", "http://[::1]:8080/"),
    ])
    func `a backslash before a bracket of the URL is curl's`(text: String, url: String) throws {
        #expect(try request(text).url == url)
    }

    @Test(arguments: ["\n", "\r\n \t\n", "\u{FEFF}", "\u{FEFF}\n"])
    func `a byte order mark and blank lines before a text do not count`(start: String) throws {
        for text in [Self.chromiumPOSIX, Self.chromiumWindows] {
            #expect(try request(start + text).url?.hasPrefix("https://wiki.example/api/me?x=1&y=%20") == true)
        }
        #expect(cookies(try request(start + "Cookie: a=1")) == ["a=1"])
    }

    @Test func `a cookie with a control character is none`() throws {
        #expect(cookies(try request("Cookie: a=1; b=x\ty; c=x\u{1}; d=2")) == ["a=1", "d=2"])
    }

    @Test(arguments: ["\n", "\r\n"]) func `the last cookie of a line before other headers is read`(end: String) throws {
        let request = try request("Cookie: a=1; b=2\(end)Authorization: Bearer t\(end)Host: a.example\(end)")
        #expect(cookies(request) == ["a=1", "b=2"])
        #expect(
            request.value(of: "authorization") == Secret("Bearer t") && request.value(of: "host") == Secret("a.example")
        )
    }

    @Test func `options that name files are passed over, and never taken for cookies or headers`() throws {
        let request = try request(
            "curl https://a.example/ -b /etc/passwd -H @/etc/shadow -K /tmp/x -o /tmp/y -c jar -H 'Cookie: a=1' -d @f")
        #expect(request.url == "https://a.example/" && cookies(request) == ["a=1"] && request.headers.isEmpty)
    }

    @Test(arguments: [
        "--doh-url https://b.example/", "--proxy http://b.example:3128", "-x b.example:1", "-sSxhttp://b.example",
        "--connect-to ::b.example:443", "--resolve b.example:443:127.0.0.1", "-e https://b.example/", "-sLo out.html",
        "--retry 3", "--request-target https://b.example/", "-d url=https://b.example/", "--socks5 b.example", "-sL",
        "--url-query u=https://b.example/", "--max-time=5",
    ])
    func `the value of another option is not taken for the URL, before it or behind it`(options: String) throws {
        for text in ["\(options) https://a.example/ -sb a=1", "https://a.example/ \(options) -ba=1"] {
            let request = try request("curl \(text)")
            #expect(request.url == "https://a.example/" && cookies(request) == ["a=1"], "\(text)")
        }
    }

    @Test(arguments: [
        ("x\"\"y", "x\"y"), ("\"\"x", "\"x"), ("x\"\" y\"\"", "x\" y\""), ("x", "x"),
    ])
    func `two quotation marks inside of quotes are one at the Windows prompt`(text: String, value: String) throws {
        #expect(cookies(try request("curl ^\"https://a.example/^\" ^\n -b \"a=\(text)\"")) == ["a=\(value)"])
    }

    @Test func `a text that is too long is refused`() {
        #expect(fault("curl " + String(repeating: "x", count: PastedLines.limit)) == .tooLong)
        #expect(fault("curl https://a.example/ " + String(repeating: "-s ", count: 2000)) == .tooManyWords)
    }

    @Test func `a text of a hundred thousand cookies or header lines is refused, and not fatal`() throws {
        let many = (0..<100_000).map { "c\($0)=x" }
        #expect(try request("Cookie: " + many.joined(separator: ";")).cookies.count <= 1000)
        #expect(fault("Cookie: a=1\n" + many.map { "X: " + $0 }.joined(separator: "\n")) == .tooLong)
    }

    @Test func `only a backslash or caret at the end of a line continues it`() {
        for text in ["curl x \\", "curl x ^", "curl x \\\r"] {
            #expect(PastedLines.goesOn(Array(text.utf8)), "\(text)")
        }
        for text in ["curl x", "", "\\ "] { #expect(!PastedLines.goesOn(Array(text.utf8)), "\(text)") }
    }

    @Test func `the session is what the profile sends of the request, and nothing else`() throws {
        let made = { (name: String, value: Secret) in Cookie(name: name, value: value, record: value, expires: nil) }
        let request = try request(Self.chromiumPOSIX)
        let bearer = SessionRule.bearer
        guard case .token(let token) = try request.session(by: bearer, cookie: made) else {
            Issue.record("no token")
            return
        }
        #expect(token.value.unprotectedText == "t\u{e4}1" && token.cookies.isEmpty)
        guard case .cookies(let cookies) = try request.session(by: SessionRule(cookies: true), cookie: made) else {
            Issue.record("no cookies")
            return
        }
        #expect(cookies.map(\.name) == ["sid", "csrf", "empty"])
        var own = SessionRule()
        own.headers = [HeaderRule(name: "X-Token", value: try Template(parsing: "{token}"))]
        #expect(throws: CopyFault.noSession(wanted: ["X-Token"])) { try request.session(by: own, cookie: made) }
    }
}
