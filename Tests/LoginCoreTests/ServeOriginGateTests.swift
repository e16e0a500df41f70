@testable import LoginKit
@testable import Secrets
import Testing

/// Who is let in at the service's own origin, where a program of `exec --unchanged` goes.
@Suite struct `The gate at the service's own origin` {
    let origin = Origin(scheme: "https", host: "api.example.test", port: 443)

    private func judged(
        _ target: String, _ fields: [(String, String)] = [("Host", "api.example.test")],
        over cover: ServeGate.Cover = .tls(name: "api.example.test"), password: String? = "Basic cGE=",
        at other: Origin? = nil
    ) -> Result<String, ServeGate.Refusal> {
        let gate = ServeGate(place: .origin(other ?? origin, password: password.map { Secret($0) }), user: 1000)
        let head = ServedHead(method: "GET", target: target, fields: fields.map { ServedField($0.0, $0.1) })
        do throws(ServeGate.Refusal) {
            return .success(try gate.target(of: head, from: 1000, over: cover))
        } catch {
            return .failure(error)
        }
    }

    @Test func `the path is the one at the origin, and its answers name the origin`() {
        #expect(judged("/a/b?c=%2F") == .success("/a/b?c=%2F"))
        #expect(judged("https://API.example.test/a") == .success("/a"))
        #expect(judged("/a", [("Host", "API.example.test:443")]) == .success("/a"))
        #expect(judged("/a", over: .tls(name: nil)) == .success("/a"), "a client need not name the server")
        let headers = ServedHeaders(root: origin.description, origin: origin, rule: SessionRule())
        let fields = ["/x", "https://api.example.test/x", "//other.example/", "x"].map {
            HTTPResponseField(name: "Location", value: $0)
        }
        #expect(headers.returned(fields) { _ in false }.map(\.value) == fields.map(\.value))
        #expect(headers.away("https://api.example.test/x") == "https://api.example.test/x")
    }

    @Test(arguments: [
        [("Host", "other.example.test")], [("Host", "api.example.test:8443")], [],
        [("Host", "api.example.test"), ("Host", "api.example.test")], [("Host", "api.example.test.")],
    ])
    func `a request for another host is misdirected`(fields: [(String, String)]) {
        #expect(judged("/a", fields) == .failure(.otherOrigin))
        #expect(ServeGate.Refusal.otherOrigin.status == 421)
    }

    @Test(arguments: ["other.example.test", "", "xapi.example.test"])
    func `so is one under another name than that of the server`(name: String) {
        #expect(judged("/a", over: .tls(name: name)) == .failure(.otherOrigin))
    }

    /// Its command is in a network of its own, and no proxy is.
    @Test func `an origin without TLS takes requests without it`() {
        let plain = Origin(scheme: "http", host: "localhost", port: 8080), host = [("Host", "localhost:8080")]
        #expect(judged("/a?b", host, over: .clear, at: plain) == .success("/a?b"))
        #expect(judged("http://localhost:8080/a", host, over: .clear, at: plain) == .success("/a"))
        #expect(judged("http://localhost/a", host, over: .clear, at: plain) == .failure(.otherOrigin))
        #expect(judged("https://localhost:8080/a", host, over: .clear, at: plain) == .failure(.badTarget))
        #expect(judged("/a", [("Host", "localhost")], over: .clear, at: plain) == .failure(.otherOrigin))
    }

    @Test func `a request without TLS has the whole URL and the password`() {
        let host = ("Host", "api.example.test"), password = ("Proxy-Authorization", "Basic cGE=")
        #expect(judged("https://api.example.test/a", [host, password], over: .clear) == .success("/a"))
        #expect(judged("https://api.example.test", [host, password], over: .clear) == .success("/"))
        #expect(judged("https://api.example.test:443?q", [host, password], over: .clear) == .success("/?q"))
        #expect(judged("https://api.example.test/a", [host], over: .clear) == .failure(.noPassword))
        let small = ("Proxy-Authorization", "basic  cGE=")
        #expect(judged("https://api.example.test/a", [host, small], over: .clear) == .success("/a"))
        let wrong = ("Proxy-Authorization", "Basic cGF=")
        #expect(judged("https://api.example.test/a", [host, wrong], over: .clear) == .failure(.noPassword))
        #expect(
            judged("https://api.example.test/a", [host, password, password], over: .clear) == .failure(.noPassword))
        #expect(judged("/a", [host, password], over: .clear) == .failure(.badTarget))
        #expect(judged("http://api.example.test/a", [host, password], over: .clear) == .failure(.badTarget))
        #expect(judged("https://other.example.test/a", [host, password], over: .clear) == .failure(.otherOrigin))
        #expect(
            judged("https://api.example.test@evil.example/", [host, password], over: .clear) == .failure(.otherOrigin))
        #expect(judged("https://api.example.test/a", [host], over: .clear, password: nil) == .success("/a"))
    }

    @Test(arguments: [
        ("Origin", "https://evil.example", false), ("Origin", "null", false),
        ("Origin", "http://api.example.test", false),
        ("Sec-Fetch-Site", "cross-site", false), ("Sec-Fetch-Site", "same-site", false),
        ("Origin", "https://api.example.test", true), ("Origin", "https://api.example.test:443", true),
        ("Sec-Fetch-Site", "same-origin", true), ("Sec-Fetch-Site", "none", true),
    ])
    func `a page of another site gets nothing`(name: String, value: String, isLetIn: Bool) {
        let result = judged("/a", [("Host", "api.example.test"), (name, value)])
        #expect(result == (isLetIn ? .success("/a") : .failure(.otherSite)))
    }
}
