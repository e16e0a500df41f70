@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Requests whose bodies pass through, on the wire.
@Suite struct `A body that passes through` {
    private static let credential = Credential(username: "ann", .password(Secret("correct horse")))
    private static let text = "0123456789"

    private final class Text: RequestSource {
        var count: Int64? { Int64(bytes.count) }
        private let bytes = Array(text.utf8)
        private let isRepeatable: Bool
        private var done = 0
        private(set) var rewinds = 0
        /// How often there is nothing yet, before each piece.
        private let pauses: Int
        private var paused = 0

        init(isRepeatable: Bool = true, pauses: Int = 0) {
            (self.isRepeatable, self.pauses) = (isRepeatable, pauses)
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            paused += 1
            if paused <= pauses { return nil }
            paused = 0
            let piece = bytes[done...].prefix(buffer.count)
            buffer.copyBytes(from: piece)
            done += piece.count
            return piece.count
        }

        func rewind() -> Bool {
            guard isRepeatable || done == 0 else { return false }
            done = 0
            return true
        }
    }

    private final class Sink: ResponseSink {
        private(set) var body: [UInt8] = []
        private(set) var hasBegun = false
        func begin(_ head: HTTPResponse) { (body, hasBegun) = ([], true) }
        func write(_ bytes: UnsafeRawBufferPointer) { body += bytes }
    }

    private func challenge(
        _ realm: String, qop: String = "auth", isStale: Bool = false
    ) -> RecordingServer.Reply {
        let stale = isStale ? ", stale=true" : ""
        return .answer(401, ["WWW-Authenticate: Digest realm=\"\(realm)\", nonce=\"n\", qop=\"\(qop)\"\(stale)"])
    }

    private func relay(_ server: RecordingServer, _ method: String, _ source: Text?) throws -> (Int, [UInt8]) {
        let service = Service(
            profile: try SomeProfiles.wire([.digest]),
            endpoint: ServiceEndpoint(origin: server.origin, base: "\(server.origin)"),
            transport: CurlTransport(origin: server.origin), clock: WallClock { 0 }, tickets: SomeTickets.none,
            method: Service.method(of:))
        _ = try service.prepare()
        let sink = Sink()
        var request = HTTPRequest(method: method, url: server.url("/up"))
        request.streamedBodies = StreamedBodies(source: source, sink: sink)
        let relayed = try service.relay(request, with: .credential(Self.credential), username: "ann")
        return (relayed.response.status, sink.body)
    }

    @Test func `a challenge of another realm than the login's is not answered`() throws {
        let server = try RecordingServer([challenge("one"), challenge("two"), .answer(200, body: "thanks")])
        defer { server.stop() }
        let (status, _) = try relay(server, "PUT", Text())
        #expect(status == 401 && server.requests.count == 2)
    }

    @Test func `a body that passes through is sent whole once more where the server wants another answer`() throws {
        let server = try RecordingServer([
            challenge("one"), challenge("one", isStale: true), .answer(200, body: "thanks"),
        ])
        defer { server.stop() }
        let (status, body) = try relay(server, "PUT", Text())
        #expect(status == 200 && body == Array("thanks".utf8))
        #expect(server.texts.map { $0.hasSuffix(Self.text) } == [false, true, true])
    }

    @Test func `a body that passes through is sent whole where more of it has to be waited for, and once more as well`()
        throws
    {
        let server = try RecordingServer([challenge("one"), challenge("one", isStale: true), .answer(200)])
        defer { server.stop() }
        #expect(try relay(server, "PUT", Text(pauses: 3)).0 == 200)
        #expect(server.texts.map { $0.hasSuffix(Self.text) } == [false, true, true])
    }

    @Test func `a body that passes through is not sent in part where it cannot be sent once more`() throws {
        let server = try RecordingServer([challenge("one"), challenge("one", isStale: true), .answer(200)])
        defer { server.stop() }
        #expect(throws: LoginFault.failure(.bodyNotRepeatable)) {
            _ = try relay(server, "PUT", Text(isRepeatable: false))
        }
        #expect(server.requests.count == 2)
    }

    @Test func `a body that passes through cannot be covered by auth-int, nor can what comes back`() throws {
        let up = try RecordingServer([challenge("one", qop: "auth-int"), .answer(200)])
        defer { up.stop() }
        guard case .usage(.badValue(option: "body", _)) = fault({ _ = try relay(up, "PUT", Text()) }) else {
            Issue.record("sent all the same")
            return
        }
        #expect(up.requests.count == 1)
        let proof = ["Authentication-Info: rspauth=\"00\", qop=auth-int"]
        let down = try RecordingServer([challenge("one", qop: "auth-int"), .answer(200, proof, body: "page")])
        defer { down.stop() }
        #expect(try relay(down, "GET", nil) == (200, Array("page".utf8)))
    }

    @Test func `a post goes over the connection of the last one, and is given up if that is closed, not sent again`()
        throws
    {
        let server = try RecordingServer([.answer(200), .answer(200), .hangUp, .answer(200)])
        defer { server.stop() }
        let transport = CurlTransport(origin: server.origin)
        var request = HTTPRequest(method: "POST", url: server.url())
        func post() throws {
            request.streamedBodies = StreamedBodies(source: Text(), sink: Sink())
            _ = try transport.send(request)
        }
        try post()
        try post()
        #expect(server.connections.count == 1)
        #expect(throws: LoginFault.network(.unanswered(.connectionLost))) { try post() }
        #expect(server.requests.count == 3)
        try post()
        #expect(server.texts.map { $0.hasSuffix(Self.text) } == [true, true, true, true])
    }

    /// The fault of a person's own request.
    private func lost(_ method: String, _ reply: RecordingServer.Reply) throws -> LoginFault? {
        let server = try RecordingServer([reply])
        defer { server.stop() }
        var request = HTTPRequest(method: method, url: server.url())
        request.streamedBodies = StreamedBodies(source: Text(), sink: Sink())
        request.limit = 1
        return fault { _ = try CurlTransport(origin: server.origin).send(request) }
    }

    @Test(arguments: ["POST", "PATCH", "PUT", "DELETE"])
    func `a request whose response is lost may have been carried out, unless once more does the same`(method: String)
        throws
    {
        let half = RecordingServer.Reply.raw("HTTP/1.1 200 OK\nContent-Length: 9\n\nabc", ending: .close)
        let isDoubtful = method == "POST" || method == "PATCH"
        for (reply, reason) in [
            (.hangUp, .endedUnanswered), (.silence, .timedOut(seconds: 1)), (half, .connectionLost),
        ] as [(RecordingServer.Reply, NetworkFault)] {
            let found = try lost(method, reply)
            #expect(found == .network(isDoubtful ? .unanswered(reason) : reason))
            let advice = found?.message().next ?? ""
            #expect(
                advice.contains("may have been carried out; look before you send it again") == isDoubtful, "\(advice)")
            #expect(advice.contains("try again later") != isDoubtful, "\(advice)")
        }
    }

    @Test func `a post that never went out is to be tried again, and so is one of the login's own`() throws {
        let dead = Origin(scheme: "http", host: "127.0.0.1", port: 1)
        var request = HTTPRequest(method: "POST", url: "\(dead)/")
        request.streamedBodies = StreamedBodies(source: Text(), sink: Sink())
        let refused = fault { _ = try CurlTransport(origin: dead).send(request) }
        #expect(refused?.message().next.contains("try again later") == true, "\(String(describing: refused))")
        let server = try RecordingServer([.hangUp])
        defer { server.stop() }
        let login = HTTPRequest(method: "POST", url: server.url(), body: Secret("u=ann"))
        #expect(fault { _ = try CurlTransport(origin: server.origin).send(login) } == .network(.endedUnanswered))
    }

    private func send(_ reply: RecordingServer.Reply, _ sink: Sink = Sink()) throws -> HTTPResponse {
        let server = try RecordingServer([reply])
        defer { server.stop() }
        var request = HTTPRequest(method: "GET", url: server.url("/"), cookies: [])
        request.streamedBodies = StreamedBodies(sink: sink)
        return try CurlTransport(origin: server.origin).send(request)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\nContent-Length: 99999999999999999999999\n\nabc",
        "HTTP/1.1 101 Switching Protocols\nUpgrade: x\nConnection: upgrade\n\nabc",
    ])
    func `a body that passes through that libcurl takes for whole is broken all the same`(answer: String) throws {
        guard case .network(.brokenResponse) = fault({ _ = try send(.raw(answer, ending: .close)) }) else {
            Issue.record("taken as an answer")
            return
        }
    }

    @Test func `a body that passes through of another protocol is not even begun with`() throws {
        let sink = Sink()
        let answer = "HTTP/1.1 101 Switching Protocols\nUpgrade: x\nConnection: upgrade\n\nabc"
        #expect(fault { _ = try send(.raw(answer, ending: .close), sink) } != nil)
        #expect(!sink.hasBegun && sink.body.isEmpty)
    }

    @Test func `a body that passes through has been handed on, whatever its cookies are`() throws {
        let flood = (0..<60).map { "Set-Cookie: c\($0)=x; Path=/" }
        let answer = try send(.answer(200, flood, body: "ok"))
        #expect(answer.status == 200 && answer.cookies.isEmpty)
    }

    @Test func `HEAD has none`() throws {
        let server = try RecordingServer([])
        defer { server.stop() }
        var request = HTTPRequest(method: "HEAD", url: server.url("/"))
        request.streamedBodies = StreamedBodies(source: Text(), sink: Sink())
        let problem = UsageFault.badValue(option: "body", problem: "HEAD has no body")
        #expect(fault { _ = try CurlTransport(origin: server.origin).send(request) } == .usage(problem))
        #expect(server.requests.isEmpty)
    }
}
