@testable import LoginKit
import Secrets
import Testing

/// Who is let in at the address of an `exec --serve`, and where to.
@Suite struct `The address of an exec` {
    let gate = ServeGate(place: .port(40404, segment: "5e63e7"), user: 1000)

    private func head(
        _ target: String = "/5e63e7/posts", method: String = "GET", host: String? = "127.0.0.1:40404",
        with fields: (String, String)...
    ) -> ServedHead {
        let hosts = host.map { [ServedField("Host", $0)] } ?? []
        return ServedHead(method: method, target: target, fields: hosts + fields.map { ServedField($0.0, $0.1) })
    }

    private func refusal(_ head: ServedHead, from user: UInt32? = 1000) -> ServeGate.Refusal? {
        do {
            _ = try gate.target(of: head, from: user)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("/5e63e7/posts", "/posts"), ("/5e63e7/", "/"), ("/5e63e7", "/"), ("/5e63e7?a=b", "/?a=b"),
        ("/5e63e7/a%2Fb/?c=../d", "/a%2Fb/?c=../d"), ("/5e63e7//host/x", "//host/x"),
        ("/5e63e7/.a/..b/c.", "/.a/..b/c."),
    ]) func `the address of an exec takes the segment away, and nothing else`(target: String, expected: String) throws {
        #expect(try gate.target(of: head(target), from: 1000) == expected)
    }

    @Test func `the address of an exec is for this user's programs alone`() {
        #expect(refusal(head(), from: 1001) == .otherUser)
        #expect(refusal(head(), from: 0) == .otherUser)
        #expect(refusal(head(), from: nil) == .unknownUser)
        #expect(refusal(head()) == nil)
    }

    @Test(arguments: [
        "/", "/5e63e8/posts", "/5e63e7posts", "/5E63E7/posts", "/posts", "", "*", "5e63e7/posts", "//5e63e7/",
    ])
    func `the address of an exec is for those alone who know the segment`(target: String) {
        #expect(refusal(head(target)) == .unknownSegment)
    }

    @Test(arguments: [
        nil, "", "localhost:40404", "127.0.0.1", "127.0.0.1:40405", "evil.example:40404",
        "127.0.0.1:40404.evil.example", "[::1]:40404", "127.1:40404", "0.0.0.0:40404",
    ]) func `the address of an exec has one name`(host: String?) {
        #expect(refusal(head(host: host)) == .otherHost)
        #expect(refusal(head(host: "127.0.0.1:40404", with: ("Host", "evil.example"))) == .otherHost)
    }

    @Test(arguments: [
        ("Origin", "https://evil.example"), ("Origin", "null"), ("Origin", "http://localhost:40404"),
        ("origin", "http://127.0.0.1"),
        ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("sec-fetch-site", ""),
    ]) func `the address of an exec is for no page of another site`(name: String, value: String) {
        #expect(refusal(head(with: (name, value))) == .otherSite)
        #expect(refusal(head(method: "OPTIONS", with: (name, value))) == .otherSite)
    }

    @Test func `the address of an exec is for pages that came from it`() {
        #expect(refusal(head(with: ("Origin", "http://127.0.0.1:40404"), ("Sec-Fetch-Site", "same-origin"))) == nil)
        #expect(refusal(head(with: ("Sec-Fetch-Site", "none"))) == nil)
    }

    @Test(arguments: [
        "/5e63e7/..", "/5e63e7/../x", "/5e63e7/a/../../x", "/5e63e7/./x", "/5e63e7/%2e%2E/x", "/5e63e7/.%2e",
        "/5e63e7/a\\..\\x",
        "/5e63e7/a#b", "/5e63e7/a b", "/5e63e7/\u{7F}", "/5e63e7/ä",
    ]) func `leads nowhere else`(target: String) {
        #expect(refusal(head(target)) == .badTarget)
    }

    @Test(arguments: ["http://127.0.0.1:40404/5e63e7/posts", "evil.example:443", "http://evil.example/5e63e7/"])
    func `the address of an exec is no proxy for other places`(target: String) {
        #expect(refusal(head(target, method: "CONNECT")) == .unknownSegment)
        #expect(refusal(head(target)) == .unknownSegment)
    }

    @Test func `the address of an exec takes a body that has one length`() {
        for fields in [
            [("Content-Length", "1"), ("Content-Length", "2")],
            [("Content-Length", "1"), ("Transfer-Encoding", "chunked")],
            [("Transfer-Encoding", "gzip, chunked")], [("Content-Length", "-1")], [("Content-Length", "+1")],
            [("Content-Length", "99999999999999999999")], [("Content-Length", "")], [("Content-Length", "1 2")],
        ] {
            let given = ServedHead(
                method: "POST", target: "/5e63e7/", fields: head().fields + fields.map { ServedField($0.0, $0.1) })
            #expect(refusal(given) == .badLength, "\(fields)")
        }
        #expect(refusal(head(method: "POST", with: ("Content-Length", "12"))) == nil)
        #expect(refusal(head(method: "POST", with: ("Transfer-Encoding", "Chunked"))) == nil)
    }
}

/// What becomes of header fields there.
@Suite struct `The headers of a served request` {
    static let origin = Origin(scheme: "https", host: "blog.example", port: 443)

    private func headers(_ rule: SessionRule = .bearer) -> ServedHeaders {
        ServedHeaders(root: "http://127.0.0.1:40404/5e63e7", origin: Self.origin, rule: rule)
    }

    private func sent(_ fields: (String, String)...) -> [String] {
        headers().sent(fields.map { ServedField($0.0, $0.1) }).map { "\($0.name): \($0.value.unprotectedText)" }
    }

    @Test func `go on, but for those of the connection and what the session has its own values for`() {
        #expect(
            sent(
                ("Host", "127.0.0.1:40404"), ("User-Agent", "curl"), ("Authorization", "Basic x"), ("cookie", "a=b"),
                ("Connection", "close, X-Hop"), ("X-Hop", "1"), ("TE", "trailers"), ("Upgrade", "h2c"),
                ("Range", "bytes=0-1"), ("Proxy-Authorization", "x"), ("Expect", "100-continue"),
                ("Content-Length", "3"))
                == ["User-Agent: curl", "Range: bytes=0-1"])
    }

    @Test func `replace whatever the session is sent in`() {
        var rule = SessionRule(cookies: true)
        rule.writeHeaders = [HeaderRule(name: "X-CSRFToken", value: Template(literal: "x"))]
        let fields = [ServedField("x-csrftoken", "forged"), ServedField("X-Other", "y")]
        #expect(headers(rule).sent(fields).map(\.name) == ["X-Other"])
    }

    @Test func `tell the service nothing of the address`() {
        #expect(
            sent(("Origin", "http://127.0.0.1:40404"), ("Referer", "http://127.0.0.1:40404/5e63e7/a?b"))
                == ["Origin: https://blog.example", "Referer: https://blog.example/a?b"])
        #expect(sent(("Referer", "http://127.0.0.1:40404/other")).isEmpty)
    }

    @Test func `bring the command nothing of the session`() {
        let fields = [
            ("Set-Cookie", "sid=1"), ("X-Token", "tok-1234567890"), ("Content-Type", "text/plain"),
            ("Connection", "X-Hop"), ("X-Hop", "1"), ("Access-Control-Allow-Origin", "*"), ("Alt-Svc", "h3"),
            ("WWW-Authenticate", "Bearer"),
        ].map { HTTPResponseField(name: $0.0, value: $0.1) }
        let returned = headers().returned(fields) { $0.contains("tok-") }
        #expect(returned.map(\.name) == ["Content-Type", "WWW-Authenticate"])
    }

    @Test(arguments: [
        ("https://blog.example/a?b#c", "http://127.0.0.1:40404/5e63e7/a?b#c"),
        ("HTTPS://Blog.Example:443/a", "http://127.0.0.1:40404/5e63e7/a"), ("/a", "http://127.0.0.1:40404/5e63e7/a"),
        ("https://blog.example", "http://127.0.0.1:40404/5e63e7/"),
        ("https://blog.example?a", "http://127.0.0.1:40404/5e63e7/?a"),
        ("//blog.example/a", "http://127.0.0.1:40404/5e63e7/a"), ("a/b", "a/b"), ("?a", "?a"),
        ("//evil.example/", "//evil.example/"), ("https://blog.example.evil/", "https://blog.example.evil/"),
        ("https://blog.example:444/", "https://blog.example:444/"),
        ("http://blog.example/", "http://blog.example/"), ("https://blog.example@evil/", "https://blog.example@evil/"),
    ]) func `turn a place at the service to this address, and no other`(location: String, expected: String) {
        let fields = [HTTPResponseField(name: "Location", value: location)]
        #expect(headers().returned(fields) { _ in false }.map(\.value) == [expected])
    }

    @Test func `turn links, too`() {
        let link = "<https://blog.example/a?page=2>; rel=\"next\", <https://other.example/>; rel=\"help\""
        let fields = [HTTPResponseField(name: "Link", value: link)]
        #expect(
            headers().returned(fields) { _ in false }.map(\.value) == [
                "<http://127.0.0.1:40404/5e63e7/a?page=2>; rel=\"next\", <https://other.example/>; rel=\"help\""
            ])
    }
}
