@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

struct `Cookies` {
    /// What the server sees of the cookies of the second request, after the first one set them.
    private func roundTrip(
        _ lines: [String], path: String = "/", address: String = "127.0.0.1"
    ) throws -> (response: HTTPResponse, sent: String?) {
        let server = try RecordingServer(
            address: address, [.answer(200, lines.map { "Set-Cookie: \($0)" }), .answer(200)])
        let origin = Origin(scheme: "http", host: address, port: server.port)
        let transport = CurlTransport(origin: origin)
        let first = try transport.send(HTTPRequest(method: "GET", url: "\(origin)/"))
        let again = CurlTransport(origin: origin)
        _ = try again.send(HTTPRequest(method: "GET", url: "\(origin)\(path)", cookies: first.cookies))
        let line = server.texts.last?.split(separator: "\n").first { $0.hasPrefix("Cookie: ") }
        return (first, line.map { String($0.dropFirst(8)) })
    }

    @Test func `come back as they were`() throws {
        let value = "a b%3D=\"x\"\u{e4}|;".dropLast()
        let (response, sent) = try roundTrip(["one=\(value)", "two=; HttpOnly", "three=3; Max-Age=1000"])
        let byName = Dictionary(uniqueKeysWithValues: response.cookies.map { ($0.name, $0) })
        #expect(byName["one"]?.value.text == String(value))
        #expect(byName["two"]?.value.isEmpty == true)
        #expect(byName["one"]?.expires == nil)
        #expect(byName["three"]?.expires != nil)
        #expect(Set((sent ?? "").components("; ")) == ["one=\(value)", "two=", "three=3"])
    }

    @Test func `cookies of another path or of another host are not sent`() throws {
        let lines = ["here=1; Path=/app", "there=1; Path=/other", "else=1; Domain=example.com"]
        let (response, sent) = try roundTrip(lines, path: "/app/x")
        #expect(Set(response.cookies.map(\.name)) == ["here", "there"])
        #expect(sent == "here=1")
        #expect(try roundTrip(lines, path: "/application").sent == nil)
    }

    @Test(arguments: ["Path=", "Path", "Path=app", "Path=\"\"", ""])
    func `cookies without a usable path hold for the folder that they come from`(path: String) throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: sid=1; \(path); HttpOnly"]), .answer(200), .answer(200), .answer(200),
        ])
        let transport = CurlTransport(origin: server.origin)
        var cookies = try transport.send(HTTPRequest(method: "GET", url: server.url("/app/login?x=/y/z"))).cookies
        #expect(cookies.map(\.name) == ["sid"] && cookies.allSatisfy(\.isHTTPOnly))
        for place in ["/app/me", "/app", "/other"] {
            cookies = try transport.send(HTTPRequest(method: "GET", url: server.url(place), cookies: cookies)).cookies
        }
        #expect(cookies.map(\.name) == ["sid"])
        #expect(server.texts.dropFirst().map { $0.contains("Cookie: sid=1") } == [true, true, false])
    }

    @Test func `cookies that are Secure are neither taken nor sent over plain http`() throws {
        #expect(try roundTrip(["a=1; Secure", "__Host-b=1; Path=/", "c=1"], address: "127.0.0.2").sent == "c=1")
        let server = try RecordingServer(address: "127.0.0.2", [.answer(200)])
        let origin = Origin(scheme: "http", host: "127.0.0.2", port: server.port)
        let secure = cookie("127.0.0.2\tFALSE\t/\tTRUE\t0\ts\tCANARY")
        _ = try CurlTransport(origin: origin).send(HTTPRequest(method: "GET", url: "\(origin)/", cookies: [secure]))
        #expect(!server.texts[0].contains("CANARY"))
    }

    @Test(arguments: ["Max-Age=0", "Max-Age=-1", "Expires=Thu, 01 Jan 1970 00:00:01 GMT"])
    func `cookies that are expired are gone`(age: String) throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: a=1", "Set-Cookie: b=1"]), .answer(200, ["Set-Cookie: a=; \(age)"]),
        ])
        let transport = CurlTransport(origin: server.origin)
        let first = try transport.send(HTTPRequest(method: "GET", url: server.url()))
        let second = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: first.cookies))
        #expect(second.cookies.map(\.name) == ["b"])
    }

    @Test(arguments: [
        "Expires=garbage", "Max-Age=abc", "Max-Age=", "Max-Age", "Max-Age=NaN", "Max-Age=1.5", "Max-Age=-",
    ])
    func `cookies whose age is no number are kept, as if they had none`(age: String) throws {
        let (response, sent) = try roundTrip(["a=1; \(age)", "b=1; Max-Age=60; \(age)"])
        #expect(sent == "a=1; b=1")
        #expect(response.cookies.map { $0.expires == nil } == [false, true])
    }

    @Test func `cookies with an age beyond all numbers live as long as any`() throws {
        #expect(try roundTrip(["a=1; Max-Age=100000000000000000000"]).sent == "a=1")
        #expect(try roundTrip(["a=1; Max-Age=-100000000000000000000"]).sent == nil)
    }

    @Test func `cookies are replaced by the newest value, and the others stay`() throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: a=1", "Set-Cookie: b=1"]), .answer(200, ["Set-Cookie: a=2", "Set-Cookie: a=3"]),
        ])
        let transport = CurlTransport(origin: server.origin)
        let first = try transport.send(HTTPRequest(method: "GET", url: server.url()))
        let second = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: first.cookies))
        #expect(Set(second.cookies.map { "\($0.name)=\($0.value.text)" }) == ["a=3", "b=1"])
    }

    @Test(arguments: [25, 26, 49, 50])
    func `cookies are all sent back, however many one answer set`(count: Int) throws {
        let lines = (1...count).map { "Set-Cookie: c\($0)=1" }
        let server = try RecordingServer([.answer(200, lines), .answer(200), .answer(200)])
        let transport = CurlTransport(origin: server.origin)
        var cookies: [Cookie] = []
        for _ in 1...3 {
            cookies = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: cookies)).cookies
        }
        for text in server.texts.dropFirst() {
            let line = text.split(separator: "\n").first { $0.hasPrefix("Cookie: ") } ?? ""
            #expect(line.split(separator: ";").count == count)
        }
    }

    @Test(arguments: [3, 50]) func `cookies of the largest size are all sent, however long the line`(count: Int) throws
    {
        let pairs = (10..<10 + count).map { "c\($0)=\(String(repeating: "x", count: 4093))" }
        #expect(try roundTrip(pairs).sent == pairs.joined(separator: "; "))
    }

    @Test func `cookies whose path ends with a slash are not those of the folder without it`() throws {
        let lines = ["a=folder; Path=/f", "a=inside; Path=/f/"]
        #expect(try roundTrip(lines, path: "/f").sent == "a=folder")
        #expect(try roundTrip(lines, path: "/f/x").sent == "a=inside; a=folder")
        #expect(try roundTrip(["a=1; Path=/f/"], path: "/f").sent == nil)
    }

    @Test func `cookies are not kept by the transport`() throws {
        let server = try RecordingServer([.answer(200, ["Set-Cookie: a=CANARY"]), .answer(200)])
        let transport = CurlTransport(origin: server.origin)
        _ = try transport.send(HTTPRequest(method: "GET", url: server.url()))
        let second = try transport.send(HTTPRequest(method: "GET", url: server.url()))
        #expect(second.cookies.isEmpty)
        #expect(!server.texts[1].contains("CANARY"))
    }

    @Test func `cookies of an answer that says continue count too`() throws {
        let reply = RecordingServer.Reply.raw(
            "HTTP/1.1 302 Found\nLocation: /x\nSet-Cookie: a=1\nContent-Length: 0\n\n")
        let server = try RecordingServer([reply])
        let response = try CurlTransport(origin: server.origin).send(HTTPRequest(method: "GET", url: server.url()))
        #expect(response.cookies.map(\.value.text) == ["1"])
    }

    @Test func `cookies for a whole registry are refused`() throws {
        let (response, _) = try roundTrip(["a=1; Domain=com", "b=1; Domain=co.uk", "c=1; Domain=.1"])
        #expect(response.cookies.isEmpty)
    }

    @Test(arguments: [
        "Domain=com.", "Domain=.", "Domain=example.com.", "Domain=127.0.0.1.", "Domain=27.0.0.1", "Domain=.0.0.1",
        "Domain=localhost", "Domain=127.0.0.1.evil.example",
    ])
    func `cookies for another host, a trailing dot or a piece of an address included, are refused`(domain: String)
        throws
    {
        #expect(try roundTrip(["a=1; \(domain)"]).response.cookies.isEmpty)
    }

    @Test(arguments: [
        "__Host-a=1", "__Host-a=1; Secure", "__Host-a=1; Secure; Path=/x",
        "__Host-a=1; Secure; Path=/; Domain=localhost", "__Secure-a=1", "__secure-a=1; Path=/", "__HOST-a=1; Path=/",
    ])
    func `cookies whose name promises what they do not keep are refused`(line: String) throws {
        // Secure cookies are taken from loopback, so that it is the promise that counts here.
        #expect(try roundTrip([line]).response.cookies.isEmpty)
    }

    @Test(arguments: ["127.0.0.1", ".127.0.0.1", "localhost"])
    func `A cookie that promises one host and names a domain is ignored and replaces none`(domain: String) throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: __Host-a=1; Secure; Path=/; Domain="]),
            .answer(200, ["Set-Cookie: __Host-a=2; Secure; Path=/; domain = \(domain)", "Set-Cookie: b=1"]),
            .answer(200, ["Set-Cookie: __host-c=2; Secure; Path=/; Domain=\(domain)"]),
        ])
        let transport = CurlTransport(origin: server.origin)
        var cookies: [Cookie] = []
        for _ in 1...3 {
            cookies = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: cookies)).cookies
        }
        #expect(Set(cookies.map { "\($0.name)=\($0.value.text)" }) == ["__Host-a=1", "b=1"])
    }

    @Test func `a cookie whose name differs only in case replaces none`() throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: sid=1; Path=/", "Set-Cookie: b=1"]),
            .answer(200, ["Set-Cookie: SID=2; Path=/", "Set-Cookie: b=2"]), .answer(200),
        ])
        let transport = CurlTransport(origin: server.origin)
        var cookies: [Cookie] = []
        for _ in 1...3 {
            cookies = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: cookies)).cookies
        }
        #expect(server.texts[2].contains("sid=1") && server.texts[2].contains("b=2"), "\(server.texts)")
    }

    @Test(arguments: [
        ("sid=new; Path=/", true), ("sid=new; Path=/api", false), ("sid=new; Path=/me", false),
        ("sid=new; Path=/me/", false), ("lang=de; Path=/", true), ("lang=de; Path=/api", false),
    ])
    func `a changed cookie is proved by a request that carries it beside no other of its name`(
        line: String, isProved: Bool
    ) throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: sid=old; Path=/"]), .answer(200, ["Set-Cookie: \(line)"]),
        ])
        let transport = CurlTransport(origin: server.origin)
        let former = try transport.send(HTTPRequest(method: "GET", url: server.url())).cookies
        let cookies = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: former)).cookies
        let proved = cookies.proved(byRequestTo: "/me", after: former) { _ in false }
        #expect(proved == (isProved ? cookies : former))
        #expect(cookies.proved(byRequestTo: "/me", after: former) { _ in true } == cookies)
    }

    @Test func `cookies are listed newest first, since a rule looks for the newest of a name`() throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: a=1; Path=/", "Set-Cookie: a=2; Path=/x", "Set-Cookie: b=1"]),
            .answer(200, ["Set-Cookie: a=3; Path=/"]), .answer(200),
        ])
        let transport = CurlTransport(origin: server.origin)
        var found: [[String]] = []
        var cookies: [Cookie] = []
        for _ in 1...3 {
            cookies = try transport.send(HTTPRequest(method: "GET", url: server.url("/x/y"), cookies: cookies)).cookies
            found.append(cookies.map { "\($0.name)=\($0.value.text)" })
        }
        #expect(found == [["b=1", "a=2", "a=1"], ["a=3", "b=1", "a=2"], ["a=3", "b=1", "a=2"]])
    }

    @Test func `end when a login says so, and are then neither sent nor kept`() throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: a=v; HttpOnly", "Set-Cookie: b=w; Max-Age=9"]), .answer(200),
        ])
        let transport = CurlTransport(origin: server.origin)
        let first = try transport.send(HTTPRequest(method: "GET", url: server.url())).cookies
        let later = first.map { CookieRecord.ending($0, at: 4_000_000_000) }
        #expect(Set(later.map { $0.expires == 4_000_000_000 }) == [true, false])
        #expect(later.allSatisfy { CookieRecord.isOne($0.record) })
        #expect(later[1].record == Secret("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t4000000000\ta\tv"))
        #expect(later.map(\.isHTTPOnly) == first.map(\.isHTTPOnly) && later.map(\.value) == first.map(\.value))
        let over = later.map { CookieRecord.ending($0, at: 1) }
        let second = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: over))
        #expect(second.cookies.isEmpty && !server.texts[1].contains("Cookie"))
    }

    @Test func `cookies are bounded in number and size`() throws {
        let most = (1...50).map { "c\($0)=1" }
        #expect(try roundTrip(most).response.cookies.count == CookieJar.most)
        #expect(fault { _ = try roundTrip(most + ["c51=1"]) } == .network(.brokenResponse("more than 50 cookies")))
        let value = String(repeating: "v", count: 4095)
        #expect(try roundTrip(["s=\(value)"]).response.cookies.count == 1)
        #expect(try roundTrip(["s=\(value)v"]).response.cookies.isEmpty)
        #expect(try roundTrip(most + ["c1=2", "c2=; Max-Age=0", "c51=1"]).response.cookies.count == CookieJar.most)
        let path = "/" + String(repeating: "p", count: 1100)
        #expect(try roundTrip(["s=1; Path=\(path)"]).sent == "s=1", "an attribute that is too long is ignored")
        let server = try RecordingServer([
            .answer(200, (1...30).map { "Set-Cookie: a\($0)=1" }),
            .answer(200, (1...30).map { "Set-Cookie: b\($0)=1" }),
        ])
        let transport = CurlTransport(origin: server.origin)
        let first = try transport.send(HTTPRequest(method: "GET", url: server.url()))
        #expect(
            fault { _ = try transport.send(HTTPRequest(method: "GET", url: server.url(), cookies: first.cookies)) }
                == .network(.brokenResponse("more than 50 cookies")))
    }

    @Test(arguments: [
        "ALL", "", "Set-Cookie: a=b", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta", "a\tb\tc\td\te\tf\tx\r\nX: y", "RELOAD",
    ])
    func `cookies whose record is not one are refused before connecting`(record: String) throws {
        let server = try RecordingServer([.answer(200)])
        let request = HTTPRequest(method: "GET", url: server.url(), cookies: [cookie(record)])
        #expect(fault { _ = try CurlTransport(origin: server.origin).send(request) }?.exitCode == .usage)
        #expect(server.connections.isEmpty)
    }

    private func cookie(_ record: String) -> Cookie {
        Cookie(name: "x", value: Secret(""), record: Secret(record), expires: nil)
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator).map(String.init)
    }

    /// `localhost` is a public suffix to a browser, so that naming it as the domain says nothing.
    @Test func `cookies of one name and path are one where the domain is the host's only label`() throws {
        let server = try RecordingServer([
            .answer(200, ["Set-Cookie: sid=1; Path=/", "Set-Cookie: sid=2; Path=/; HttpOnly; Domain=localhost"]),
            .answer(200, ["Set-Cookie: sid=3; Path=/; Domain=LOCALHOST", "Set-Cookie: sid=4; Path=/sub"]),
            .answer(200), .answer(200, ["Set-Cookie: sid=; Path=/; Domain=localhost; Max-Age=0"]), .answer(200),
        ])
        let origin = Origin(scheme: "http", host: "localhost", port: server.port)
        let transport = CurlTransport(origin: origin)
        var cookies: [Cookie] = []
        for _ in 0..<5 {
            cookies = try transport.send(HTTPRequest(method: "GET", url: "\(origin)/", cookies: cookies)).cookies
        }
        #expect(cookies.map(\.value) == [Secret("4")])
        let sent = server.texts.map { text in text.split(separator: "\n").filter { $0.hasPrefix("Cookie:") } }
        #expect(sent == [[], ["Cookie: sid=2"], ["Cookie: sid=3"], ["Cookie: sid=3"], []])
    }
}
