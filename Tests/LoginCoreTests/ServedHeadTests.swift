@testable import LoginKit
import Secrets
import Testing

/// What is read in the head of a request that came by the address of an exec.
struct ServedHeadTests {
    private func head(_ method: String, _ fields: [(String, String)]) -> ServedHead {
        ServedHead(method: method, target: "/", fields: fields.map { ServedField($0.0, $0.1) })
    }

    private static let askingForWebSocket: [(method: String, fields: [(String, String)], wants: Bool)] = [
        ("GET", [("Upgrade", "websocket"), ("Connection", "Upgrade")], true),
        ("GET", [("upgrade", "WebSocket"), ("connection", "keep-alive, \tUPGRADE ")], true),
        ("GET", [("Upgrade", "websocket"), ("Connection", "keep-alive"), ("Connection", "upgrade")], true),
        ("POST", [("Upgrade", "websocket"), ("Connection", "Upgrade")], false),
        ("GET", [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Content-Length", "0")], true),
        ("GET", [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Content-Length", "9")], false),
        ("GET", [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Transfer-Encoding", "chunked")], false),
        ("GET", [("Upgrade", "h2c"), ("Connection", "Upgrade")], false),
        ("GET", [("Upgrade", "websocket")], false),
        ("GET", [("Upgrade", "websocket"), ("Connection", "upgrades")], false),
        ("GET", [("Connection", "Upgrade")], false),
    ]

    @Test(arguments: askingForWebSocket.indices)
    func `a WebSocket is asked for by a GET with both of its fields and no body`(index: Int) {
        let (method, fields, wants) = Self.askingForWebSocket[index]
        #expect(head(method, fields).wantsWebSocket == wants)
    }

    @Test func `the length of a body is what its field says, unless only the end tells it`() {
        #expect(head("GET", []).contentLength == 0)
        #expect(head("POST", [("content-length", "12")]).contentLength == 12)
        #expect(head("POST", [("Content-Length", "9223372036854775807")]).contentLength == .max)
        #expect(head("POST", [("Transfer-Encoding", "chunked")]).contentLength == nil)
        #expect(head("POST", [("Content-Length", "12"), ("transfer-encoding", "chunked")]).contentLength == nil)
    }

    @Test func `a field is found in any case, each time that it is there, and repaired where it is no text`() {
        let broken = ServedField(name: "X-Name", bytes: [0x61, 0xFF, 0x62])
        let head = ServedHead(method: "GET", target: "/", fields: [ServedField("x-name", "a"), broken])
        #expect(head.values(of: "X-NAME") == ["a", "a\u{FFFD}b"])
        #expect(head.values(of: "X-Nam").isEmpty)
        #expect(broken.hasName("x-nAME") && !broken.hasName("X-Name "))
    }

    @Test(
        arguments: [
            ("", []), (",,", []), ("close", ["close"]), (" a , B\t,c d", ["a", "b", "c"]), ("\t\tX-Hop", ["x-hop"]),
        ] as [(String, [String])])
    func `a list has its members without blanks, in small letters`(list: String, members: [String]) {
        #expect(list.tokens == members)
    }

    @Test func `a refusal has a status of its kind, and says nothing of the address`() {
        let gate = ServeGate(place: .port(40404, segment: "5e63e7"), user: 1000)
        #expect(gate.root == "http://127.0.0.1:40404/5e63e7")
        let statuses = Dictionary(grouping: Refusals.all) { $0.status }.mapValues { Set($0.map(\.words)) }
        #expect(Set(statuses.keys) == [400, 403, 503] && statuses[400]?.count == 2 && statuses[403]?.count == 4)
        for words in statuses.values.joined() { #expect(!words.contains("5e63e7") && !words.contains("40404")) }
    }

    /// One of each reason, as the gate gives them.
    private enum Refusals {
        static let all: [ServeGate.Refusal] = {
            let gate = ServeGate(place: .port(40404, segment: "5e63e7"), user: 1000)
            let host = ServedField("Host", "127.0.0.1:40404")
            let requests: [(String, [ServedField], UInt32?)] = [
                ("/5e63e7/", [host], 0), ("/5e63e7/", [host], nil), ("/5e63e7/", [], 1000), ("/", [host], 1000),
                ("/5e63e7/", [host, ServedField("Origin", "null")], 1000), ("/5e63e7/..", [host], 1000),
                ("/5e63e7/", [host, ServedField("Content-Length", "x")], 1000),
            ]
            return requests.compactMap { (target, fields, user) -> ServeGate.Refusal? in
                do throws(ServeGate.Refusal) {
                    _ = try gate.target(of: ServedHead(method: "GET", target: target, fields: fields), from: user)
                    return nil
                } catch {
                    return error
                }
            }
        }()
    }
}

/// Fields on their way, where more than their name counts.
struct ServedFieldsOnTheirWayTests {
    private static let root = "http://127.0.0.1:40404/5e63e7"

    private func headers(
        _ rule: SessionRule = .bearer, origin: Origin = Origin(scheme: "https", host: "[2001:db8::1]", port: 8443)
    ) -> ServedHeaders {
        ServedHeaders(root: Self.root, origin: origin, rule: rule)
    }

    @Test func `a value goes on byte by byte, also where it is no text`() {
        let bytes: [UInt8] = [0x61, 0xFF, 0x09, 0x62]
        let sent = headers().sent([ServedField(name: "X-Name", bytes: bytes), ServedField("X-Name", "")])
        #expect(sent.map(\.value) == [bytes.withUnsafeBytes { Secret(copying: $0) }, Secret("")])
    }

    @Test func `what any field of the connection names ends there, whichever side names it`() {
        let fields = [
            ("Connection", "X-One"), ("X-Two", "2"), ("x-one", "1"), ("connection", "close ,X-TWO"), ("A", "b"),
        ]
        #expect(headers().sent(fields.map { ServedField($0.0, $0.1) }).map(\.name) == ["A"])
        let answer = fields.map { HTTPResponseField(name: $0.0, value: $0.1) }
        #expect(headers().returned(answer) { _ in false }.map(\.name) == ["A"])
    }

    @Test func `a header of the profile replaces the command's, and others of the session's kind are the command's`()
        throws
    {
        var rule = SessionRule()
        rule.headers = [HeaderRule(name: "PRIVATE-TOKEN", value: try Template(parsing: "{token}"))]
        let fields = [ServedField("private-token", "forged"), ServedField("X-CSRFToken", "its own")]
        #expect(headers(rule).sent(fields).map(\.name) == ["X-CSRFToken"])
    }

    @Test(arguments: ["Content_Length", "Transfer.Encoding", "private_token", "Proxy_Authorization"])
    func `what CGI and its kin take for a header of the session or of the connection is not sent either`(name: String)
        throws
    {
        var rule = SessionRule()
        rule.headers = [HeaderRule(name: "PRIVATE-TOKEN", value: try Template(parsing: "{token}"))]
        #expect(headers(rule).sent([ServedField(name, "1"), ServedField("X_Name", "2")]).map(\.name) == ["X_Name"])
    }

    @Test func `a user agent of the profile replaces the command's, which passes otherwise`() {
        let fields = [ServedField("User-Agent", "curl/8"), ServedField("A", "b")]
        let bound = ServedHeaders(
            root: Self.root, origin: Origin(scheme: "https", host: "a.example", port: 443), rule: .bearer,
            hasUserAgent: true)
        #expect(bound.sent(fields).map(\.name) == ["A"])
        #expect(headers().sent(fields).map(\.name) == ["User-Agent", "A"])
    }

    @Test(arguments: ["Referer", "destination"])
    func `a page of the address is one of the service, in its query, too, and another is none`(name: String) {
        let pages = [("\(Self.root)", "/"), ("\(Self.root)?q", "/?q"), ("HTTP://127.0.0.1:40404/5E63E7/x", "/x")]
        for (page, path) in pages {
            let sent = headers().sent([ServedField(name, page)])
            #expect(sent.map(\.value) == [Secret("https://[2001:db8::1]:8443\(path)")], "\(page)")
        }
        for page in ["\(Self.root)posts", "https://other.example/", ""] {
            #expect(headers().sent([ServedField(name, page)]).isEmpty, "\(page)")
        }
    }

    @Test(arguments: [
        ("https://[2001:DB8::1]:8443/a", "/a"), ("//[2001:db8::1]:8443", "/"), ("/", "/"), ("#top", nil), ("", nil),
        ("https://[2001:db8::1]/a", nil), ("mailto:ann@blog.example", nil), ("///x", nil),
    ]) func `an address with colons is found at its port alone`(written: String, path: String?) {
        #expect(headers().here(written) == (path.map { Self.root + $0 } ?? written))
    }

    @Test func `what repeats a secret ends there, be it in the value or in the name`() {
        let fields = [("X-Kept", "a"), ("X-One", "the secret"), ("X-secret", "b")]
        let answer = fields.map { HTTPResponseField(name: $0.0, value: $0.1) }
        #expect(headers().returned(answer) { $0.contains("secret") }.map(\.name) == ["X-Kept"])
    }

    @Test(arguments: ["Location", "content-location"])
    func `both fields that hold a place lead back to the address`(name: String) {
        let fields = [HTTPResponseField(name: name, value: "/a")]
        #expect(headers().returned(fields) { _ in false }.map(\.value) == ["\(Self.root)/a"])
    }

    @Test(arguments: [
        ("</a>; rel=next", "<\(root)/a>; rel=next"), ("<a", "<a"), ("plain", "plain"), ("<>; rel=x", "<>; rel=x"),
        ("<https://else.example/?a=</b>", "<https://else.example/?a=<\(root)/b>"),
    ]) func `of a list of links only what stands in brackets is turned`(written: String, expected: String) {
        let fields = [HTTPResponseField(name: "Link", value: written)]
        #expect(headers().returned(fields) { _ in false }.map(\.value) == [expected])
    }

    @Test func `a tab in a value is a blank`() {
        let fields = [HTTPResponseField(name: "X-Note", value: "a\tb")]
        #expect(headers().returned(fields) { _ in false }.map(\.value) == ["a b"])
    }
}
