@testable import LoginKit
@testable import LoginTestSupport
import Testing

struct `The URL parser` {
    private let parser: URLParser

    init() throws { parser = try URLParser() }

    @Test(arguments: [
        ("https://EXAMPLE.com", "https://example.com/"),
        ("HTTPS://example.com:0443/a?b#c", "https://example.com/a?b"),
        ("http://example.com:8080/a/../b", "http://example.com:8080/b"),
        ("https://b\u{fc}cher.example/\u{e4}", "https://xn--bcher-kva.example/%c3%a4"),
        ("https://[0:0::1]:8/", "https://[::1]:8/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        // Version 8 of libcurl takes more away.
        ("https://h/%2e%2e/%2F?%20", Curl.isVersion8 ? "https://h/%2F?%20" : "https://h/%2e%2e/%2F?%20"),
        ("https://h?x=1", "https://h/?x=1"),
        ("https://h/?", Curl.isVersion8 ? "https://h/" : "https://h/?"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
    ])
    func `the URL parser gives one form to one place`(text: String, canonical: String) throws {
        let url = try parser.parse(text)
        #expect(url.text == canonical)
        #expect(try parser.parse(url.text) == url)
    }

    @Test(arguments: [
        "https:///evil", "https:/h", "https:h", "https://", "/path", "", "https://a b/", "https://h/a b",
        "https://h/\u{7}", "https://h\n/", "https://h/\u{9b}", "https://h./", "https://a..b/", "https://h:0/",
        "https://h:99999/", "https://h:x/", "https://a\\b/", "http://good.test\\@127.0.0.1/",
        "https://h/a\\b", "https://h\\", "https://x%00y/", "https://a%2fb/", "https://a@b@c/",
        "ftp://h/", "file:///etc/passwd", "https://[fe80::1%25eth0]/", "https://-\u{ff0f}x/", "https://h%20/",
        "https://" + String(repeating: "a.", count: 130) + "example/",
        "https://" + String(repeating: "a", count: 64) + ".example/",
        "https://h/" + String(repeating: "a", count: 9000),
    ])
    func `the URL parser refuses what is not an http URL with a usable host`(text: String) {
        let refused = #expect(throws: UsageFault.self) { try parser.parse(text) }
        guard case .badURL = refused else {
            Issue.record("\(String(describing: refused)) for \(text)")
            return
        }
    }

    @Test(arguments: ["\\\\evil.example/x", "/\\evil.example", "\\", "a\\b", "https:\\\\evil.example", "#frag", "#"])
    func `a redirect that programs read in different ways leads nowhere`(location: String) throws {
        let redirect = parser.resolve(location, against: try parser.parse("https://h/a/b?c"))
        #expect(redirect == Redirect(url: "", origin: nil, target: location))
        #expect(redirect.fault == .untrusted(.unclearRedirect(target: location)))
    }

    @Test(arguments: [("?q=\\", "https://h/a/b?q=\\"), ("x#\\", "https://h/a/x"), ("//h/y#f", "https://h/y")])
    func `a redirect that all read alike is read`(location: String, expected: String) throws {
        let redirect = parser.resolve(location, against: try parser.parse("https://h/a/b?c"))
        #expect(redirect.url.lowercased() == expected && redirect.fault == nil)
    }

    @Test(arguments: ["example.com", "example.com/path", "localhost:8080/x", "[::1]/x", "10.0.0.1:3000"])
    func `the URL parser tells a missing scheme`(text: String) {
        #expect(throws: UsageFault.missingScheme(host: text)) { try parser.parse(text) }
    }

    @Test func `the URL parser keeps user information apart and decoded`() throws {
        let url = try parser.parse("https://us%40er:p%3Aw@example.com/x")
        #expect(url.user == "us@er")
        #expect(url.password?.text == "p:w")
        #expect(url.text == "https://example.com/x")
    }

    @Test(arguments: [
        "https://user:CANARY@h o/", "https://user:CANARY/x@h:port/", "user:CANARY@host/path", "ftp://user:CANARY@h/",
        "https://user:CANARY@h./", "https://user:CAN%00ARY@@h/", "https://user:CANARY%0a@h/",
        "https://us%0der:CANARY@h/",
        "https://user:CANARY%7f@h/", "https://%00:CANARY@h/", "https://us%ffer:CANARY@h/", "https://user:CANARY%00@h/",
    ])
    func `the URL parser never repeats a password in a fault`(text: String) throws {
        let refused = #expect(throws: UsageFault.self) { try parser.parse(text) }
        #expect(!String(describing: refused).contains("CANARY"))
    }

    @Test(arguments: [
        ("/b", "https://h/b", true), ("c?d", "https://h/a/c?d", true), ("?e", "https://h/a/x?e", true),
        ("https://h:443/f#g", "https://h/f", true), ("//evil/x", "https://evil/x", false),
        ("http://h/", "http://h/", false), ("https://h:444/", "https://h:444/", false),
        ("https://h.evil/", "https://h.evil/", false), ("https://u:CANARY@h/y", "https://h/y", true),
        ("https://u:CANARY@evil/y", "https://evil/y", false), ("../../../z", "https://h/z", true),
        ("/a b", "https://h/a%20b", true),
    ])
    func `resolves a location and tells its origin`(location: String, target: String, isSame: Bool) throws {
        let base = try parser.parse("https://h/a/x?q")
        let redirect = parser.resolve(location, against: base)
        #expect(redirect.url == target)
        #expect((redirect.origin == base.origin) == isSame)
        #expect(redirect.origin != nil)
    }

    @Test func `splits a location into origin and target`() throws {
        let redirect = parser.resolve("/login?next=/%2f#top", against: try parser.parse("http://127.0.0.1:81/"))
        #expect(
            redirect
                == Redirect(
                    url: "http://127.0.0.1:81/login?next=/%2f",
                    origin: Origin(scheme: "http", host: "127.0.0.1", port: 81), target: "/login?next=/%2f"))
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://u:CANARY@h/x", "gopher://h/1", "dict://h/d", "smb://h/x", "imap://u:CANARY@h/",
        "javascript:alert(1)", "mailto:a@h", "https://h./", "http://:80/", "data:text/html,x",
    ])
    func `the URL parser gives no origin to other schemes and broken locations`(location: String) throws {
        let redirect = parser.resolve(location, against: try parser.parse("https://h/"))
        #expect(redirect.origin == nil)
        #expect(!redirect.url.contains("CANARY"))
        if location.hasPrefix("http") { #expect(redirect.fault?.exitCode == .network) }
    }

    @Test(arguments: ["/" + String(repeating: "x", count: 9000), "https://h:99999/", "https://h/\u{7}", "//"])
    func `a location that cannot be read is a broken answer, not another origin`(location: String) throws {
        let redirect = parser.resolve(location, against: try parser.parse("https://h/"))
        #expect(redirect.origin == nil)
        #expect(redirect.fault?.exitCode == .network)
    }
}
