@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// How much of a response's body is read: what a rule looks into, up to a limit, and of the rest what costs nothing.
@Suite(.onOwnThreads) struct UnneededBodyTests {
    private static let credential = Credential(username: "ann", .password(Secret("correct horse")))
    private static let basic = RecordingServer.Reply.answer(401, ["WWW-Authenticate: Basic realm=\"r\""])
    private static let large = String(repeating: "x", count: (1 << 20) + 1)
    private static let streams = [
        "Content-Type: text/event-stream\n\ndata: 1",
        "Content-Type: Multipart/X-Mixed-Replace; boundary=f\n\n--f\nContent-Type: image/jpeg\nContent-Length: 9\n\nabc",
    ]

    private func service(
        _ server: RecordingServer, _ methods: [AuthenticationMethod] = [.basic],
        _ change: (inout ResponseRule) -> Void = { _ in }
    ) -> Service {
        var verify = RequestRule(method: "GET", path: Template(literal: "/me"))
        change(&verify.response)
        return Service(
            profile: Profile(name: "app", url: "\(server.origin)", methods: methods, verify: verify),
            endpoint: ServiceEndpoint(origin: server.origin, base: "\(server.origin)"),
            transport: CurlTransport(origin: server.origin), clock: WallClock { 0 }, tickets: SomeTickets.none,
            method: Service.method(of:))
    }

    private func send(
        _ reply: RecordingServer.Reply, _ need: BodyNeed, method: String = "GET"
    ) throws -> HTTPResponse {
        let server = try RecordingServer([reply])
        defer { server.stop() }
        var request = HTTPRequest(method: method, url: server.url())
        request.bodyNeed = need
        return try CurlTransport(origin: server.origin).send(request)
    }

    /// In far less than the time limit of a request, and in more than a busy machine needs.
    private func soon(_ work: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try work()
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(
        arguments: streams + [
            "Content-Length: 1048577\n\nabc", "Content-Length: 1048577\n\nLARGE", "Content-Length: 10\n\nabc",
            "Content-Length: 10\n\n", "Transfer-Encoding: chunked\n\n5\nabcde\n", "\n", "\nLARGE",
            "Content-Type: text/html\n\n<p>", "Content-Encoding: br\nContent-Length: 3\n\nabc",
            "Transfer-Encoding: chunked\n\nzz\n",
        ])
    func `A login by Basic is judged by the head of a response that never ends, is long or is broken`(
        rest: String
    ) throws {
        let server = try RecordingServer([
            Self.basic, .raw("HTTP/1.1 200 OK\n\(rest.replacing("LARGE", with: Self.large))"),
        ])
        defer { server.stop() }
        try soon {
            let login = try service(server).authenticate(Self.credential)
            #expect(login.session == .credential(Self.credential))
        }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [401, 403, 404, 429, 503])
    func `What is no login is told by the head of a response that never ends, too`(status: Int) throws {
        let server = try RecordingServer([
            Self.basic, .raw("HTTP/1.1 \(status) No\nWWW-Authenticate: Basic realm=\"r\"\n\nabc"),
        ])
        defer { server.stop() }
        let codes: [Int: ExitCode] = [401: .rejected, 403: .forbidden, 404: .failure, 429: .busy, 503: .busy]
        soon {
            let found = fault { _ = try service(server).authenticate(Self.credential) }
            #expect(found?.exitCode == codes[status], "\(String(describing: found))")
        }
    }

    @Test func `The anonymous look at verify is judged by its head as well`() throws {
        for rest in ["Content-Type: text/event-stream\n\ndata: 1", "Content-Length: 9\n\nabc", "\n\(Self.large)"] {
            let server = try RecordingServer([
                .raw("HTTP/1.1 401 No\nWWW-Authenticate: Basic realm=\"r\"\n\(rest)"), .answer(200),
            ])
            defer { server.stop() }
            try soon { _ = try service(server).authenticate(Self.credential) }
        }
    }

    @Test func `A short body that nobody needs is read, so that the connection stays open and its words are told`()
        throws
    {
        let server = try RecordingServer([
            .answer(200, body: "abc"), .raw("HTTP/1.1 401 No\nTransfer-Encoding: chunked\n\n3\nabc\n0\n\n"),
            .answer(200, body: Self.large), .answer(200, body: "abc"),
        ])
        defer { server.stop() }
        let transport = CurlTransport(origin: server.origin)
        var request = HTTPRequest(method: "GET", url: server.url())
        request.bodyNeed = .head
        for _ in 1...2 {
            let response = try transport.send(request)
            #expect(response.body.text == "abc" && response.unread == nil)
        }
        #expect(server.connections.count == 1)
        #expect(try transport.send(request).unread != nil)
        #expect(try transport.send(request).body.text == "abc")
        // The rest may have come in the same moment, and then the connection is still good.
        #expect(server.connections.count <= 2)
    }

    @Test func `A body that no rule needs costs no more than its beginning`() throws {
        let response = try send(.raw("HTTP/1.1 200 OK\n\n\(String(repeating: "x", count: 8 << 20))"), .head)
        #expect(response.status == 200 && response.body.count == 64 << 10 && response.unread != nil)
    }

    @Test func `The head that is judged has its cookies and its redirect, also after informational ones`() throws {
        let head = "HTTP/1.1 302 Found\nSet-Cookie: sid=1\nLocation: /home\nContent-Length: 1048577\n\nabc"
        for reply in [head, "HTTP/1.1 103 Early Hints\nLink: </x>\n\n\(head)"] {
            let response = try send(.raw(reply), .head)
            #expect(response.status == 302 && response.cookies.map(\.name) == ["sid"])
            #expect(response.redirect?.target == "/home" && response.values(of: "Link").isEmpty)
        }
    }

    @Test(arguments: ["HEAD", "GET"])
    func `A response without a body is whole, whatever length it tells`(method: String) throws {
        let status = method == "HEAD" ? "200 OK" : "304 Not Modified"
        let response = try send(
            .raw("HTTP/1.1 \(status)\nContent-Length: 1048577\nContent-Type: text/event-stream\n\n"), .head,
            method: method)
        #expect(response.unread == nil && response.body.isEmpty)
    }

    @Test func `A head that is not whole is judged by nobody`() {
        for text in [
            "HTTP/1.1 200 OK\nX: y\n", "HTTP/1.1 101 Switching Protocols\nUpgrade: x\nConnection: upgrade\n\n",
        ] {
            guard case .network = fault({ _ = try send(.raw(text, ending: .close), .head) }) else {
                Issue.record("taken for a response: \(text)")
                continue
            }
        }
    }

    @Test func `A body that rules look into is read to the limit, and a fault in it is one of the response`() throws {
        let cut = try send(.answer(200, body: Self.large), .rules)
        #expect(cut.body.count == 1 << 20 && cut.unread == .network(.answerTooLarge(limit: 1 << 20)))
        let whole = try send(.answer(200, body: String(Self.large.dropLast())), .rules)
        #expect(whole.body.count == 1 << 20 && whole.unread == nil)
        let broken = RecordingServer.Reply.raw("HTTP/1.1 200 OK\nContent-Length: 9\n\nabc", ending: .close)
        #expect(fault { _ = try send(broken, .rules) } == .network(.connectionLost))
        #expect(
            fault { _ = try send(.answer(200, body: Self.large), .whole) }
                == .network(.answerTooLarge(limit: 1 << 20)))
    }

    @Test func `Of a long page its beginning is read, where a form is looked for`() throws {
        let form = "<form method=post><input name=user><input name=pass type=password></form>"
        let reply = RecordingServer.Reply.answer(200, ["Content-Type: text/html"], body: form + Self.large)
        for need in [BodyNeed.rules, .page, .loginForm] {
            let response = try send(reply, need)
            #expect(response.body.count == HTMLFormReader.limit && response.unread != nil)
            let page = try ResponsePage(response, at: "http://127.0.0.1/")
            #expect(page?.passwordField == "pass")
        }
        #expect(try send(reply, .head).body.isEmpty)
    }

    @Test func `Which bodies are needed is told by the head`() {
        func head(_ status: Int, _ type: String?) -> HTTPResponse {
            .answer(status, headers: type.map { ["Content-Type: \($0)"] } ?? [])
        }
        for (need, html, busy, json, untyped, events) in [
            (BodyNeed.whole, true, true, true, true, true), (.rules, true, true, true, true, false),
            (.page, true, true, false, true, false), (.loginForm, true, false, false, true, false),
            (.head, false, false, false, false, false),
        ] {
            #expect(need.wants(bodyOf: head(200, "text/html; charset=utf-8")) == html)
            #expect(need.wants(bodyOf: head(503, "text/html")) == busy)
            #expect(need.wants(bodyOf: head(200, "application/json")) == json)
            #expect(need.wants(bodyOf: head(200, nil)) == untyped)
            #expect(need.wants(bodyOf: head(200, "text/event-stream; charset=utf-8")) == events)
        }
    }

    @Test func `A name in JSON that is too long is not looked for in a half of it, and nobody is logged in or refused`()
        throws
    {
        let body = "{\"name\":\"Ann\",\"x\":\"\(Self.large)\(Self.large)\"}"
        // Blanks behind what is JSON already may be followed by what is not.
        for body in [body, "{\"name\":\"Ann\"}" + String(repeating: " ", count: 2 << 20)] {
            let server = try RecordingServer([Self.basic, .answer(200, body: body)])
            defer { server.stop() }
            let found = fault {
                _ = try service(server) { $0.username = Place("/name") }.authenticate(Self.credential)
            }
            #expect(found == .network(.answerTooLarge(limit: 1 << 20)))
        }
    }

    @Test(arguments: streams)
    func `A stream is not waited for where rules look into its body, and nobody is logged in or refused`(
        rest: String
    ) throws {
        let server = try RecordingServer([Self.basic, .raw("HTTP/1.1 200 OK\n\(rest)")])
        defer { server.stop() }
        soon {
            let found = fault {
                _ = try service(server) { $0.username = Place("/name") }.authenticate(Self.credential)
            }
            #expect(found == .network(.brokenResponse("its body does not end")))
        }
    }

    @Test func `A body that was not read to its end holds for no condition, and what its head says counts`() throws {
        let origin = Origin(scheme: "http", host: "127.0.0.1", port: 1)
        let unread = LoginFault.network(.answerTooLarge(limit: 1))
        func judged(_ status: Int, _ rule: ResponseRule) -> Judgement {
            let response = HTTPResponse(status: status, body: Secret("{}"), unread: unread)
            return ParsedResponse(response: response, json: response.looseJSON, origin: origin)
                .judged(by: rule, at: .verify)
        }
        let lacking = Condition(places: [
            .init(place: try #require(Place("/name")), pattern: TextPattern(""))
        ])
        #expect(judged(200, ResponseRule(loggedOut: [lacking])) == .unclear(unread))
        #expect(judged(200, ResponseRule(username: Place("/name"))) == .unclear(unread))
        #expect(
            judged(200, ResponseRule(loggedOut: [Condition(status: 200), lacking])) == .refused(Refusal(status: 200)))
        #expect(judged(401, ResponseRule(username: Place("/name"))) == .refused(Refusal(status: 401)))
    }

    @Test(arguments: ["auth", "auth-int"])
    func `The rounds of Digest go on behind bodies that nobody needs`(qop: String) throws {
        func challenge(_ nonce: Int) -> [String] {
            ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\(nonce)\", qop=\"\(qop)\", stale=true"]
        }
        // The proof of a body that is not read can be neither right nor wrong.
        let proof = qop == "auth-int" ? ["Authentication-Info: rspauth=\"00\", qop=auth-int"] : []
        let server = try RecordingServer([
            .answer(401, challenge(1), body: Self.large),
            .raw("HTTP/1.1 401 No\n\(challenge(2)[0])\nContent-Length: 9\n\nabc"),
            .answer(200, proof, body: Self.large),
        ])
        defer { server.stop() }
        try soon {
            let login = try service(server, [.digest]).authenticate(Self.credential)
            #expect(login.session == .credential(Self.credential))
        }
        #expect(server.texts.map { $0.contains("nonce=\"n1\"") } == [false, true, false])
        #expect(server.texts.map { $0.contains("nonce=\"n2\"") } == [false, false, true])
    }

    @Test func `A login of the cookie kind is judged by the heads of its responses`() throws {
        let endless = "Content-Type: application/json\nTransfer-Encoding: chunked\n\n1\n{\n"
        let server = try RecordingServer([
            .answer(401), .raw("HTTP/1.1 200 OK\nSet-Cookie: sid=1\n\(endless)"), .raw("HTTP/1.1 200 OK\n\(endless)"),
            .answer(401),
        ])
        defer { server.stop() }
        var profile = Profile(
            name: "app", url: "\(server.origin)", methods: [.cookie],
            verify: RequestRule(method: "GET", path: Template(literal: "/me")))
        profile.login = try SomeProfiles.rule(
            "POST", "/login", json: .object([try SomeProfiles.member("password", "{password}")]))
        let service = Service(
            profile: profile, endpoint: ServiceEndpoint(origin: server.origin, base: "\(server.origin)"),
            transport: CurlTransport(origin: server.origin), clock: WallClock { 0 }, tickets: SomeTickets.none,
            method: Service.method(of:))
        try soon {
            let login = try service.authenticate(Self.credential)
            #expect(login.session.cookies.map(\.name) == ["sid"])
        }
    }
}
