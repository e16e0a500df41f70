@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Digest on the wire: a server that says what a test tells it to, and keeps every byte.
struct DigestTests {
    private static let challenge = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n1\", qop=\"auth\""
    private static let credential = Credential(username: "ann", .password(Secret("correct horse")))
    private static let body = "{\"screen_name\":\"Ann\"}"

    private func stale(_ nonce: Int) -> RecordingServer.Reply {
        .answer(401, ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\(nonce)\", qop=\"auth\", stale=true"])
    }

    private func service(
        _ server: RecordingServer, _ methods: [AuthenticationMethod] = [.auto], pinned: AuthenticationMethod? = nil,
        _ change: (inout Profile) throws -> Void = { _ in }
    ) throws -> Service {
        var profile = try SomeProfiles.wire(methods)
        try change(&profile)
        return Service(
            profile: profile, endpoint: ServiceEndpoint(origin: server.origin, base: "\(server.origin)"),
            transport: CurlTransport(origin: server.origin), clock: WallClock { 0 },
            tickets: SomeTickets.none, options: Service.Options(pinnedMethod: pinned),
            method: Service.method(of:))
    }

    /// The parameters of the request's `Authorization`, if it is one of Digest.
    private func digest(_ request: String) -> [String: String]? {
        let lines = request.split(separator: "\n").filter { $0.hasPrefix("Authorization: ") }
        return AuthenticateChallenge.parse(lines.map { String($0.dropFirst(15)) }).first?.parameters
    }

    @Test func `the first request has no credential, the second answers the challenge`() throws {
        let server = try RecordingServer([.answer(401, [Self.challenge]), .answer(200, body: Self.body)])
        defer { server.stop() }
        let login = try service(server).authenticate(Self.credential)
        #expect(login.identity.serverName == "Ann" && login.session == .credential(Self.credential))
        #expect(server.texts.map { digest($0)?["nonce"] } == [nil, "n1"])
        let sent = digest(server.texts[1])
        #expect(sent?["uri"] == "/account/verify_credentials.json" && sent?["nc"] == "00000001")
        #expect(sent?["username"] == "ann" && sent?["cnonce"]?.utf8.count == 32)
        #expect(!server.texts[1].contains("horse"))
    }

    @Test func `an endless stale nonce is given up after three requests, and is no refusal`() throws {
        let server = try RecordingServer([.answer(401, [Self.challenge])] + (2..<50).map { stale($0) })
        defer { server.stop() }
        let service = try service(server)
        guard case .network(.brokenResponse) = fault({ _ = try service.authenticate(Self.credential) }) else {
            Issue.record("not given up")
            return
        }
        #expect(server.requests.count == 3)
    }

    @Test func `one stale round succeeds`() throws {
        let server = try RecordingServer([
            .answer(401, [Self.challenge]), stale(2), .answer(200, body: Self.body),
        ])
        defer { server.stop() }
        _ = try service(server).authenticate(Self.credential)
        #expect(server.texts.map { digest($0)?["nonce"] } == [nil, "n1", "n2"])
    }

    @Test func `a wrong password is sent once, and the next one answers the newest challenge`() throws {
        let next = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n2\", qop=\"auth\", stale=false"
        let server = try RecordingServer([
            .answer(401, [Self.challenge]), .answer(401, [next]), .answer(200, body: Self.body),
        ])
        defer { server.stop() }
        let service = try service(server)
        #expect(
            fault { _ = try service.authenticate(Credential(username: "ann", .password(Secret("wrong")))) }
                == .rejected(Refusal(status: 401, mayMeanForbidden: true)))
        _ = try service.authenticate(Self.credential)
        #expect(server.texts.map { digest($0)?["nonce"] } == [nil, "n1", "n2"])
    }

    @Test func `nc rises with each request, and a nonce that ended without a word is replaced once`() throws {
        let next = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n2\", qop=\"auth\""
        let server = try RecordingServer(
            [.answer(401, [Self.challenge])] + Array(repeating: .answer(200, body: Self.body), count: 3)
                + [.answer(401, [next]), .answer(200, body: Self.body)])
        defer { server.stop() }
        let service = try service(server, pinned: .digest)
        for _ in 0..<4 { _ = try service.verify(.credential(Self.credential), username: "ann") }
        let sent = server.texts.compactMap { digest($0) }
        #expect(sent.map { $0["nc"] } == ["00000001", "00000002", "00000003", "00000004", "00000001"])
        #expect(sent.map { $0["nonce"] } == ["n1", "n1", "n1", "n1", "n2"])
        #expect(Set(sent.map { $0["cnonce"] }).count == 5)
    }

    @Test func `a thousand client nonces are a thousand`() {
        #expect(Set((0..<1000).map { _ in DigestDialogue.clientNonce() }).count == 1000)
    }

    @Test func `the server's next nonce is used`() throws {
        let server = try RecordingServer([
            .answer(401, [Self.challenge]),
            .answer(200, ["Authentication-Info: nextnonce=\"n9\""], body: Self.body), .answer(200, body: Self.body),
        ])
        defer { server.stop() }
        let service = try service(server, pinned: .digest)
        for _ in 0..<2 { _ = try service.verify(.credential(Self.credential), username: "ann") }
        let sent = server.texts.compactMap { digest($0) }
        #expect(sent.map { $0["nonce"] } == ["n1", "n9"] && sent.map { $0["nc"] } == ["00000001", "00000001"])
    }

    @Test func `a server that proves itself wrongly is not believed`() throws {
        let server = try RecordingServer([
            .answer(401, [Self.challenge]), .answer(200, ["Authentication-Info: rspauth=\"00\""], body: Self.body),
        ])
        defer { server.stop() }
        let service = try service(server)
        let fault = fault { _ = try service.authenticate(Self.credential) }
        #expect(fault?.exitCode == .untrusted)
        #expect(fault?.message().what.hasPrefix("the server did not prove that it knows the password") == true)
    }

    @Test func `a 401 that proves itself is forbidden, not a wrong password`() throws {
        // Without qop the proof can be known beforehand: H(A1):nonce:H(":" uri).
        let bare = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n1\""
        let secret = try HashLibrary.digits(.md5, of: Secret("ann:r:correct horse")).text
        let second = try HashLibrary.digits(.md5, of: Secret(":/account/verify_credentials.json")).text
        let proof = try HashLibrary.digits(.md5, of: Secret("\(secret):n1:\(second)")).text
        let server = try RecordingServer([
            .answer(401, [bare]), .answer(401, [bare, "Authentication-Info: rspauth=\"\(proof)\""]),
        ])
        defer { server.stop() }
        let service = try service(server)
        #expect(fault { _ = try service.authenticate(Self.credential) } == .forbidden(Refusal(status: 401)))
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        "Digest realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-7",
        "Digest realm=\"r\", nonce=\"n\", qop=\"auth-conf\"",
        "Digest realm=\"\(String(repeating: "r", count: 10_240))\", nonce=\"n\"",
        "Digest realm=\"r\", nonce=\"n\u{1}\"", "Digest", "Digest ===,\",",
    ])
    func `no challenge that cannot be answered is answered`(offer: String) throws {
        let server = try RecordingServer([.answer(401, ["WWW-Authenticate: \(offer)"])])
        defer { server.stop() }
        let service = try service(server)
        let fault = fault { _ = try service.authenticate(Self.credential) }
        #expect(fault?.exitCode == .network || fault?.exitCode == .untrusted, "\(String(describing: fault))")
        #expect(server.requests.count == 1)
        #expect(server.texts.allSatisfy { !$0.contains("Authorization") })
    }

    @Test func `folded, doubled and mixed-case challenges are read`() throws {
        let folded = RecordingServer.Reply.raw(
            "HTTP/1.1 401 No\nContent-Length: 0\nwww-AUTHENTICATE: NTLM, bearer realm=\"b\",\n\tdIgEsT rEalm=\"r\",\n"
                + " nonce=\"n1\", qop=\"auth\"\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n2\", algorithm=SHA-256\n\n"
        )
        let server = try RecordingServer([folded, .answer(200, body: Self.body)])
        defer { server.stop() }
        _ = try service(server).authenticate(Self.credential)
        let sent = digest(server.texts[1])
        #expect(sent?["nonce"] == "n2" && sent?["algorithm"] == "SHA-256" && sent?["response"]?.utf8.count == 64)
    }

    @Test func `auth-int covers the body of a login that is posted, whose cookies then are the session`() throws {
        let offer = "WWW-Authenticate: Digest realm=\"r\", nonce=\"n1\", qop=\"auth-int\""
        let server = try RecordingServer([
            .answer(401, [offer]), .answer(200, ["Set-Cookie: sid=1; Path=/"]), .answer(200, body: Self.body),
        ])
        defer { server.stop() }
        let service = try service(server, [.digest]) { profile in
            profile.login = try SomeProfiles.rule("POST", "/in?a=b")
            profile.login?.content = .form([try SomeProfiles.parameter("remember", "1")])
            profile.session = SessionRule(cookies: true)
        }
        let login = try service.authenticate(Self.credential)
        guard case .cookies(let cookies) = login.session else {
            Issue.record("no cookies")
            return
        }
        #expect(cookies.map(\.name) == ["sid"])
        let sent = try #require(digest(server.texts[1]))
        #expect(sent["uri"] == "/in?a=b" && sent["qop"] == "auth-int")
        func md5(_ text: String) throws -> String { try HashLibrary.digits(.md5, of: Secret(text)).text }
        let expected = try md5(
            "\(md5("ann:r:correct horse")):n1:00000001:\(sent["cnonce"] ?? ""):auth-int:"
                + md5("POST:/in?a=b:\(md5("remember=1"))"))
        #expect(sent["response"] == expected)
        #expect(digest(server.texts[2]) == nil && server.texts[2].contains("Cookie: sid=1"))
    }

    @Test func `a stored password for Digest is not sent where only Basic is offered now`() throws {
        let server = try RecordingServer([.answer(401, ["WWW-Authenticate: Basic realm=\"r\""])])
        defer { server.stop() }
        let service = try service(server, pinned: .digest)
        #expect(
            fault { _ = try service.verify(.credential(Self.credential), username: "ann") }
                == .untrusted(.weakerMethod(offered: ["basic"], accepted: [.digest])))
        #expect(server.texts.allSatisfy { !$0.contains("Authorization") })
    }

    @Test func `an endpoint that is open now proves nothing of a stored password`() throws {
        let server = try RecordingServer([.answer(200, body: Self.body)])
        defer { server.stop() }
        let service = try service(server, pinned: .digest)
        guard
            case .usage(.verifyProvesNothing) = fault({
                _ = try service.verify(.credential(Self.credential), username: "ann")
            })
        else {
            Issue.record("believed")
            return
        }
    }

    @Test(arguments: [("a:b", "p"), ("a\u{7}", "p"), ("a", "p\r\nX: 1")])
    func `what the field cannot carry is refused before any request`(name: String, secret: String) throws {
        let server = try RecordingServer([])
        defer { server.stop() }
        let service = try service(server, [.digest])
        let fault = fault { _ = try service.authenticate(Credential(username: name, .password(Secret(secret)))) }
        #expect(fault?.exitCode == .usage)
        #expect(server.connections.isEmpty)
    }
}

/// A server whose nonces are good on the connection that brought them alone.
struct `Nonces of a connection` {
    private static let pair = BasicCredential(username: "ann", password: Secret("correct horse"))

    /// - Parameter reply: to a request with the nonce of its connection.
    private func server(_ reply: RecordingServer.Reply = .answer(200)) throws -> RecordingServer {
        try RecordingServer { request, connection in
            let text = String(decoding: request, as: UTF8.self)
            if text.contains(" nonce=\"c\(connection)\"") { return reply }
            let stale = text.contains("Authorization: Digest") ? ", stale=true" : ""
            return .answer(
                401, ["WWW-Authenticate: Digest realm=\"r\", qop=\"auth\", nonce=\"c\(connection)\"\(stale)"])
        }
    }

    private func dialogue(after response: HTTPResponse) throws -> DigestDialogue {
        let offered = AuthenticateChallenge.parse(response.values(of: "WWW-Authenticate"))
        return DigestDialogue(try #require(DigestChallenge.strongest(of: offered).challenge))
    }

    @Test(arguments: ["GET", "PUT", "DELETE", "POST", "PATCH", "MKCOL"])
    func `A challenge is answered on the connection that brought it, whatever the method`(method: String) throws {
        let server = try server()
        defer { server.stop() }
        let transport = CurlTransport(origin: server.origin)
        let request = HTTPRequest(method: method, url: server.url(), body: method == "GET" ? nil : Secret("a=1"))
        // What must not be repeated is challenged on a connection of its own, after which the first one has to be forgotten.
        let older = try dialogue(after: transport.send(HTTPRequest(method: "GET", url: server.url())))
        let newer = try dialogue(after: transport.send(request))
        for begun in [newer, older] {
            var dialogue = begun
            let sent = try dialogue.send(request, Self.pair, answersOtherRealms: false) {
                (request) throws(LoginFault) in try transport.send(request)
            }
            #expect(sent.response.status == 200)
        }
    }

    @Test(arguments: ["POST", "PATCH"])
    func `An answered challenge whose response is lost is not sent again, since it may have been carried out`(
        method: String
    ) throws {
        let server = try server(.hangUp)
        defer { server.stop() }
        let transport = CurlTransport(origin: server.origin)
        var dialogue = try dialogue(after: transport.send(HTTPRequest(method: "GET", url: server.url())))
        let request = HTTPRequest(method: method, url: server.url(), body: Secret("a=1"))
        let lost = fault {
            _ = try dialogue.send(request, Self.pair, answersOtherRealms: false) {
                (request) throws(LoginFault) in try transport.send(request)
            }
        }
        #expect(lost == .network(.connectionLost))
        let answered = server.connections.enumerated().filter { index, bytes in
            String(decoding: bytes, as: UTF8.self).contains(" nonce=\"c\(index)\"")
        }
        #expect(answered.count == 1)
    }
}
