import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Synchronization
import Testing

@Suite(.onOwnThreads) struct `A network fault` {
    private func ends(
        _ reply: RecordingServer.Reply, _ settings: TransportSettings = TransportSettings()
    ) throws -> (fault: LoginFault?, seconds: Double) {
        let server = try RecordingServer([reply])
        let transport = CurlTransport(origin: server.origin, settings: settings)
        let start = ContinuousClock.now
        let error = fault { _ = try transport.send(HTTPRequest(method: "GET", url: server.url())) }
        return (error, (ContinuousClock.now - start) / .seconds(1))
    }

    private static let dead = Origin(scheme: "http", host: "127.0.0.1", port: 1)

    @Test func `a network fault is a dead port, told with the proxy variable that was ignored`() {
        for (environment, name) in [
            ([:], nil), (["http_proxy": "http://p"], "http_proxy"), (["https_proxy": "http://p"], nil),
            (["ALL_PROXY": "x"], "ALL_PROXY"), (["http_proxy": ""], nil), (["HTTP_PROXY": "http://p"], nil),
            (["http_proxy": "http://p", "no_proxy": "service.example"], nil),
        ] as [([String: String], String?)] {
            for setting in [ProxySetting.environment, .none] {
                let origin = Origin(scheme: "http", host: "service.example", port: 80)
                #expect(ProxyChoice(setting, environment: environment, origin: origin).ignoredVariable == name)
            }
        }
        let transport = CurlTransport(
            origin: Self.dead, settings: TransportSettings(environment: ["http_proxy": "http://p"]))
        #expect(
            fault { _ = try transport.send(HTTPRequest(method: "GET", url: "http://127.0.0.1:1/")) }
                == .network(.notConnected(ignoredProxyVariable: nil, errno: ECONNREFUSED)))
    }

    @Test func `a network fault is a name that cannot be resolved`() {
        let origin = Origin(scheme: "https", host: "no-such-host.invalid", port: 443)
        let request = HTTPRequest(method: "GET", url: "https://no-such-host.invalid/")
        #expect(
            fault { _ = try CurlTransport(origin: origin).send(request) }
                == .network(.nameNotResolved(host: "no-such-host.invalid")))
        let ignoring = TransportSettings(environment: ["https_proxy": "http://p:1"])
        #expect(
            fault { _ = try CurlTransport(origin: origin, settings: ignoring).send(request) }
                == .network(.notConnected(ignoredProxyVariable: "https_proxy")))
    }

    @Test func `a network fault is a connection that ends too early`() throws {
        #expect(try ends(.hangUp).fault == .network(.endedUnanswered))
        #expect(try ends(.raw("", ending: .reset)).fault == .network(.endedUnanswered))
        #expect(
            try ends(.raw("HTTP/1.1 200 OK\nContent-Length: 9\n\nabc", ending: .close)).fault
                == .network(.connectionLost))
        #expect(
            try ends(.raw("HTTP/1.1 200 OK\nContent-Length: 9\n\nabc", ending: .reset)).fault
                == .network(.connectionLost))
    }

    @Test(arguments: ["429 Too Many Requests", "503 Service Unavailable"])
    func `a busy server is judged by its head where the body cannot be decoded`(status: String) throws {
        let text = "HTTP/1.1 \(status)\nRetry-After: 9\nContent-Encoding: br\nContent-Length: 3\n\nabc"
        let server = try RecordingServer([.raw(text, ending: .close)])
        let response = try CurlTransport(origin: server.origin).send(HTTPRequest(method: "GET", url: server.url()))
        #expect("\(response.status)" == status.prefix(3) && response.body.isEmpty && response.retryAfter == 9)
        // What a rule would have looked for in a refusal may be in its body.
        server.reply([.raw(text.replacing(status, with: "401 No"), ending: .close)])
        let refused = fault {
            _ = try CurlTransport(origin: server.origin).send(HTTPRequest(method: "GET", url: server.url()))
        }
        #expect(refused == .network(.brokenResponse("its body is encoded as br")))
    }

    @Test(
        arguments: [RecordingServer.Reply.Ending.close, .reset],
        ["401 Unauthorized", "403 Forbidden", "429 Too Many Requests", "503 Service Unavailable"])
    func `a refusal or a busy server whose body breaks off is judged by its head`(
        ending: RecordingServer.Reply.Ending, status: String
    )
        throws
    {
        for length in ["Content-Length: 9\n\nabc", "Transfer-Encoding: chunked\n\n9\nabc"] {
            let server = try RecordingServer([.raw("HTTP/1.1 \(status)\nSet-Cookie: a=b\n\(length)", ending: ending)])
            let response = try CurlTransport(origin: server.origin).send(HTTPRequest(method: "GET", url: server.url()))
            #expect("\(response.status)" == status.prefix(3) && response.body.isEmpty)
        }
    }

    @Test func `a network fault is a closed port, called as everybody calls it`() {
        let error = LoginFault.network(.notConnected(ignoredProxyVariable: nil, errno: ECONNREFUSED))
        #expect(error.message().what.contains("connection refused"))
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\n", "\u{1}\u{2}\u{3}\n", "<html>HTTP/0.9</html>", "220 smtp ready\n",
        "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{46}",
    ])
    func `a network fault is a server that does not speak http, a TLS alert say, with the advice to try https`(
        text: String
    ) throws {
        let error = try ends(.raw(text, ending: .close)).fault
        #expect(error == .network(.notHTTP))
        #expect(error?.message().next.contains("try https") == true)
    }

    @Test func `a network fault is a TLS server that is asked in plain http, with the advice to try https`() throws {
        let certificates = try TestCertificates()
        let server = try TLSServer(try certificates.selfSigned())
        let origin = Origin(scheme: "http", host: "127.0.0.1", port: server.port)
        let error = fault { _ = try CurlTransport(origin: origin).send(HTTPRequest(method: "GET", url: "\(origin)/")) }
        #expect(
            error?.message().next.contains("try https") == true, "\(String(describing: error))")
    }

    @Test func `a network fault is lost, and no matter of TLS, where the server has answered before`() throws {
        let server = try RecordingServer([.answer(200), .hangUp, .hangUp])
        let transport = CurlTransport(origin: server.origin)
        _ = try transport.send(HTTPRequest(method: "GET", url: server.url()))
        #expect(
            fault { _ = try transport.send(HTTPRequest(method: "GET", url: server.url())) } == .network(.connectionLost)
        )
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\nContent-Length: -5\n\n", "HTTP/1.1 200 OK\nContent-Length: x\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nzz\n", "HTTP/9.1 200 OK\n\n",
        "HTTP/1.1 banana\n\n", "HTTP/1.1 200 OK\nX: a\u{0}b\n\n", "HTTP/1.1 200 OK\nno field\n\n",
    ])
    func `a network fault is an answer that is not HTTP`(text: String) throws {
        guard case .network(.brokenResponse) = try ends(.raw(text, ending: .close)).fault else {
            Issue.record(
                "\(String(describing: try ends(.raw(text, ending: .close)).fault)) for \(text.debugDescription)")
            return
        }
    }

    @Test(arguments: [1, 2])
    func `a network fault is a server that says nothing, in time`(seconds: Int) throws {
        let (fault, took) = try ends(.silence, TransportSettings(timeout: seconds))
        #expect(fault == .network(.timedOut(seconds: seconds)) || fault == .network(.tooSlow))
        #expect(took > Double(seconds) - 0.5 && took < Double(seconds) + 15)
    }

    @Test func `an answer that came while the process stood still is read before the time limit counts`() throws {
        let server = try RecordingServer([.answer(200, body: "in time")])
        defer { server.stop() }
        let hasStood = Mutex(false)
        var settings = TransportSettings(timeout: 2)
        // Stands for SIGSTOP and SIGCONT: nothing happens here for longer than the request may take.
        settings.isCancelled = {
            hasStood.withLock { hasStood in
                if !hasStood { sleep(5) }
                hasStood = true
            }
            return false
        }
        let transport = CurlTransport(origin: server.origin, settings: settings)
        let response = try transport.send(HTTPRequest(method: "GET", url: server.url()))
        #expect(response.status == 200 && response.body.text == "in time")
    }

    @Test(arguments: [1, 3])
    func `a network fault is a body that drips, in time`(seconds: Int) throws {
        let drip = "HTTP/1.1 200 OK\nContent-Length: 10000\n\n" + String(repeating: "x", count: 100)
        let (fault, took) = try ends(.raw(drip, pace: 100), TransportSettings(timeout: seconds))
        #expect(fault == .network(.timedOut(seconds: seconds)))
        #expect(took > Double(seconds) - 0.5 && took < Double(seconds) + 15)
    }

    @Test(arguments: [1, 2])
    func `a network fault is a head that drips, in time`(seconds: Int) throws {
        let (fault, took) = try ends(
            .raw("HTTP/1.1 200 OK\n" + String(repeating: "X: y\n", count: 100), pace: 100),
            TransportSettings(timeout: seconds))
        #expect(fault == .network(.timedOut(seconds: seconds)))
        #expect(took < Double(seconds) + 15)
    }

    @Test func `a network fault is a body that stalls, by its speed before the whole time is over`() throws {
        let stall = RecordingServer.Reply.raw("HTTP/1.1 200 OK\nContent-Length: 9\n\nab")
        let (fault, took) = try ends(stall, TransportSettings(timeout: 60, stallTime: 2))
        #expect(fault == .network(.tooSlow))
        #expect(took < 30)
    }

    @Test func `a network fault is a server that accepts and never speaks TLS, in the time for connecting`() throws {
        let server = try RecordingServer([.silence])
        let origin = Origin(scheme: "https", host: "127.0.0.1", port: server.port)
        let start = ContinuousClock.now
        let transport = CurlTransport(origin: origin, settings: TransportSettings(timeout: 20, connectTimeout: 1))
        #expect(
            fault { _ = try transport.send(HTTPRequest(method: "GET", url: "\(origin)/")) }
                == .network(.timedOut(seconds: 1)))
        #expect(ContinuousClock.now - start < .seconds(15))
    }

    @Test func `HTTP/2 is not spoken`() throws {
        guard case .network = try ends(.raw("PRI * HTTP/2.0\n\nSM\n\n", ending: .close)).fault else {
            Issue.record("an HTTP/2 preface was taken for an answer")
            return
        }
        let server = try RecordingServer([
            .raw("HTTP/1.1 101 Switching\nUpgrade: h2c\nConnection: Upgrade\n\n", ending: .close)
        ])
        _ = fault { _ = try CurlTransport(origin: server.origin).send(HTTPRequest(method: "GET", url: server.url())) }
        #expect(!server.texts[0].lowercased().contains("upgrade"))
    }

    @Test func `a network fault does not keep a transport from its next request`() throws {
        let server = try RecordingServer([
            .answer(200, body: "one"), .raw("HTTP/1.1 200 OK\nContent-Length: 9\n\nab", ending: .close),
            .answer(200, body: "three"), .answer(200, body: "four", ending: .close), .answer(200, body: "five"),
        ])
        let transport = CurlTransport(origin: server.origin)
        var seen: [String?] = []
        for _ in 1...5 {
            seen.append(try? transport.send(HTTPRequest(method: "GET", url: server.url())).body.text)
        }
        #expect(seen == ["one", nil, "three", "four", "five"])
        #expect(server.connections.count == 3)
    }
}
