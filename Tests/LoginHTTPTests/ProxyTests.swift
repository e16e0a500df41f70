import CCurl
import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

struct `A proxy` {
    private static let service = Origin(scheme: "https", host: "service.example", port: 443)

    private func request(_ url: String = "https://service.example/secret-path") -> HTTPRequest {
        HTTPRequest(
            method: "GET", url: url, headers: [HTTPRequestField(name: "X-Token", value: Secret("CANARY"))],
            basic: BasicCredential(username: "u", password: Secret("CANARY")))
    }

    @Test func `a request to an http origin goes through a named proxy only where plain http is allowed, too`() throws {
        let proxy = try RecordingServer([.answer(200), .answer(407), .answer(404)])
        let server = try RecordingServer([])
        var settings = TransportSettings(proxy: .url(proxy.url()))
        let refusing = CurlTransport(origin: server.origin, settings: settings)
        let refusal = fault { _ = try refusing.send(request(server.url())) }
        #expect(refusal?.exitCode == .untrusted)
        #expect(refusal?.message().what == "refused plain http: the proxy could read the password")
        #expect(proxy.connections.isEmpty)
        settings.allowHTTP = true
        let transport = CurlTransport(origin: server.origin, settings: settings)
        #expect(try transport.send(request(server.url())).status == 200)
        #expect(proxy.texts.first?.hasPrefix("GET \(server.url()) HTTP/1.1\n") == true, "\(proxy.texts)")
        #expect(
            fault { _ = try transport.send(request(server.url())) } == failure(proxy, .refused(status: 407), .option))
        // A connection of another protocol goes through it as any other does.
        _ = fault { _ = try transport.openTunnel(request(server.url()), to: "websocket") }
        #expect(proxy.texts.last?.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\n") == true, "\(proxy.texts)")
        #expect(server.connections.isEmpty)
    }

    @Test(arguments: ["http", "https"]) func `the environment's proxy is not for plain http, and not for this machine`(
        scheme: String
    ) throws {
        let environment = ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"].map { ($0, "http://p.example:1") }
        let own = ownHostName().lowercased()
        let here = [
            "127.0.0.1", "127.1.2.3", "localhost", "wire.localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", own,
            String(own.prefix { $0 != "." }),
        ]
        for host in here + ["service.example", "0.0.0.1", "[2001:db8::]", own + ".example"] {
            let origin = Origin(scheme: scheme, host: host, port: 1234)
            let choice = ProxyChoice(
                .environment, environment: Dictionary(uniqueKeysWithValues: environment), origin: origin)
            let isObeyed = scheme == "https" && !here.contains(host)
            #expect(choice.url == (isObeyed ? "http://p.example:1" : nil), "\(origin)")
            #expect(
                choice.ignoredVariable == (scheme == "http" && !here.contains(host) ? "http_proxy" : nil), "\(origin)")
        }
    }

    @Test func `a request goes through the environment's proxy with TLS inside, and nothing else is seen there`() throws
    {
        let certificates = try TestCertificates()
        let pair = try certificates.selfSigned("DNS:service.example")
        let server = try TLSServer(pair)
        let proxy = try ConnectProxy(to: server.port)
        let origin = Origin(scheme: "https", host: "service.example", port: server.port)
        let transport = CurlTransport(
            origin: origin,
            settings: TransportSettings(
                proxy: .environment, environment: ["HTTPS_PROXY": "http://me:pw@127.0.0.1:\(proxy.port)"],
                caFile: pair.certificate))
        #expect(try transport.send(request("\(origin)/secret-path")).status == 200)
        #expect(proxy.talk.hasPrefix("CONNECT service.example:\(server.port) HTTP/1.1\r\n"))
        #expect(proxy.talk.contains("\r\nProxy-Authorization: Basic bWU6cHc=\r\n"))
        for secret in ["CANARY", "X-Token", "secret-path", "\nAuthorization"] { #expect(!proxy.talk.contains(secret)) }
        let received = server.received()
        #expect(received.contains("CANARY") && !received.contains("bWU6cHc="))
    }

    @Test func `a certificate behind a proxy is judged as without one`() throws {
        let certificates = try TestCertificates()
        let server = try TLSServer(try certificates.selfSigned("DNS:service.example"))
        let proxy = try ConnectProxy(to: server.port)
        let origin = Origin(scheme: "https", host: "service.example", port: server.port)
        let settings = TransportSettings(proxy: .environment, environment: ["https_proxy": proxy.url])
        let refused = fault { _ = try CurlTransport(origin: origin, settings: settings).send(request("\(origin)/")) }
        #expect(refused?.reasons == [.selfSigned])
        #expect(server.received().isEmpty)
    }

    /// What is on the proxy's side of the network is no place for requests that a service far away steers.
    @Test func `a proxy on this machine makes no service a local one`() throws {
        let certificates = try TestCertificates()
        let pair = try certificates.selfSigned("DNS:service.example, DNS:localhost")
        let server = try TLSServer(pair)
        let proxy = try ConnectProxy(to: server.port)
        for (host, isLocal) in [("service.example", false), ("localhost", true)] {
            let origin = Origin(scheme: "https", host: host, port: server.port)
            let transport = CurlTransport(
                origin: origin, settings: TransportSettings(proxy: .url(proxy.url), caFile: pair.certificate))
            #expect(try transport.send(request("\(origin)/")).status == 200)
            #expect(transport.reachedLocal == isLocal)
        }
    }

    @Test(arguments: [
        "ftp://p.example", "javascript:alert(1)//CANARY", "file:///CANARY",
        "http://u:CANARY@" + String(repeating: "a", count: 256),
        "http://", "http://u:CANARY@/", "http://p.example:99999", "http://p.example:CANARY", "http://p ex",
        "socks6://h", "http://u:p@CANARY@h.example:1", "http://u:p/CANARY@h.example:1", "http://u:p#CANARY@h.example:1",
        "http://127.0.0.1:1/CANARY", "127.0.0.1:1?CANARY", "http://127.0.0.1:1/?", "socks5://127.0.0.1:1#CANARY",
        "http://u/CANARY@h.example:1", "http://u:p%09CANARY@127.0.0.1:1", "http://%00:CANARY@127.0.0.1:1",
        "socks5h://u:CANARY%1f@127.0.0.1:1",
    ])
    func `a proxy that cannot be one is refused before connecting`(url: String) throws {
        for setting in [ProxySetting.url(url), .environment] {
            let settings = TransportSettings(proxy: setting, environment: ["https_proxy": url])
            let refused = fault { _ = try CurlTransport(origin: Self.service, settings: settings).send(request()) }
            let name = setting == .environment ? "https_proxy" : "--proxy"
            guard case .usage(.badValue(name, let problem)) = refused else {
                Issue.record("\(String(describing: refused)) for \(url)")
                continue
            }
            #expect(!problem.contains("CANARY"))
            if url.contains("@h.example") { #expect(problem.contains("write @ as %40"), "\(problem)") }
        }
    }

    @Test(arguments: ["127.0.0.1:1", "HTTP://u:p@127.0.0.1:1/", "socks5h://127.0.0.1:1", "http://[::1]:1"])
    func `a proxy that can be one is tried`(url: String) throws {
        let settings = TransportSettings(proxy: .url(url))
        let failed = fault { _ = try CurlTransport(origin: Self.service, settings: settings).send(request()) }
        #expect(failed?.exitCode == .network)
    }

    @Test(arguments: [ProxySetting.environment, .url("")])
    func `sees host and port and nothing else`(setting: ProxySetting) throws {
        let proxy = try RecordingServer([.answer(502, ["Set-Cookie: a=b"], body: "no", ending: .close)])
        let setting = setting == .environment ? setting : .url(proxy.url())
        let transport = CurlTransport(
            origin: Self.service,
            settings: TransportSettings(proxy: setting, environment: ["https_proxy": proxy.url()]))
        #expect(
            fault { _ = try transport.send(request()) }
                == failure(proxy, .refused(status: 502), setting == .environment ? .variable("https_proxy") : .option))
        #expect(proxy.texts.first?.hasPrefix("CONNECT service.example:443 HTTP/1.1\n") == true)
        for secret in ["CANARY", "Authorization", "X-Token", "secret-path"] {
            #expect(!proxy.texts.joined().contains(secret))
        }
    }

    @Test(arguments: ["Basic realm=\"p\"", "Digest realm=\"p\", nonce=\"n\"", "Negotiate"])
    func `a proxy that asks for a credential does not get the service's`(challenge: String) throws {
        let proxy = try RecordingServer([
            .answer(407, ["Proxy-Authenticate: \(challenge)"]), .answer(407, ["Proxy-Authenticate: \(challenge)"]),
        ])
        let transport = CurlTransport(origin: Self.service, settings: TransportSettings(proxy: .url(proxy.url())))
        #expect(
            fault { _ = try transport.send(request()) }
                == failure(proxy, .refused(status: 407), .option))
        #expect(proxy.requests.count == 1)
        #expect(!proxy.texts.joined().contains("uthorization"))
    }

    @Test func `a proxy gets its own credential, and the service's stays inside`() throws {
        let proxy = try RecordingServer([.answer(407, ["Proxy-Authenticate: Basic realm=\"p\""], ending: .close)])
        let transport = CurlTransport(
            origin: Self.service, settings: TransportSettings(proxy: .url("http://me:pw@127.0.0.1:\(proxy.port)")))
        let refusal = fault { _ = try transport.send(request()) }
        #expect(refusal?.message().what.contains("refused the user name and the password in its URL") == true)
        #expect(proxy.texts.first?.contains("\nProxy-Authorization: Basic bWU6cHc=\n") == true)
        #expect(proxy.texts.first?.contains("\nAuthorization") == false)
    }

    @Test func `a proxy that is dead or unknown is told by its name and where it was named, without its credential`() {
        for (setting, source) in [
            (ProxySetting.url("http://u:CANARY@127.0.0.1:1", from: .file), ProxySource.file),
            (.environment, .variable("all_proxy")),
        ] {
            let dead = CurlTransport(
                origin: Self.service,
                settings: TransportSettings(
                    proxy: setting, environment: ["all_proxy": "http://u:CANARY@127.0.0.1:1"]))
            let failed = fault { _ = try dead.send(request()) }
            let expected = ProxyFault(
                proxy: "127.0.0.1:1", source: source, problem: .notConnected(errno: ECONNREFUSED))
            #expect(failed == .network(.proxy(expected)))
            let words = failed?.message().what ?? ""
            #expect(words.contains("127.0.0.1:1") && words.contains(source.name), "\(words)")
        }
        let unknown = CurlTransport(
            origin: Self.service, settings: TransportSettings(proxy: .url("http://u:CANARY@no-such-proxy.invalid:1")))
        #expect(
            fault { _ = try unknown.send(request()) }
                == .network(
                    .proxy(ProxyFault(proxy: "no-such-proxy.invalid:1", source: .option, problem: .notResolved))))
    }

    @Test func `a proxy that hangs up, or is silent, is told as the proxy's fault`() throws {
        for (reply, seconds) in [(RecordingServer.Reply.hangUp, 0), (.silence, 1)] {
            let proxy = try RecordingServer([reply])
            let transport = CurlTransport(
                origin: Self.service, settings: TransportSettings(proxy: .url(proxy.url()), connectTimeout: 1))
            guard case .network(.proxy(let found))? = fault({ _ = try transport.send(request()) }) else {
                Issue.record("\(reply)")
                continue
            }
            if seconds > 0 { #expect(found.problem == .timedOut(seconds: 1)) }
            #expect(found.source == .option)
        }
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\n\n", "HTTP/2 200\n\n", "<html>hello</html>\n\n", "hello",
    ])
    func `a proxy whose response to CONNECT is not HTTP is named`(text: String) throws {
        let proxy = try RecordingServer([.raw(text, ending: .close)])
        let transport = CurlTransport(origin: Self.service, settings: TransportSettings(proxy: .url(proxy.url())))
        guard case .network(.proxy(let found))? = fault({ _ = try transport.send(request()) }) else {
            Issue.record("not told as the proxy's")
            return
        }
        #expect(found.source == .option)
    }

    @Test(arguments: ["garbage", "HTTP/1.1 400 Bad Request\n\n", "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}"])
    func `a proxy behind which nothing speaks TLS is named`(garbage: String) throws {
        let proxy = try RecordingServer([.raw("HTTP/1.1 200 OK\n\n" + garbage)])
        let transport = CurlTransport(origin: Self.service, settings: TransportSettings(proxy: .url(proxy.url())))
        let expected = ProxyFault.Problem.failed("what it connected to does not speak TLS")
        #expect(fault { _ = try transport.send(request()) } == failure(proxy, expected, .option))
    }

    @Test(arguments: [
        (CURLE_SSL_CONNECT_ERROR, ProxyFault.Problem.failed("it does not speak TLS")),
        (CURLE_COULDNT_RESOLVE_PROXY, .notResolved), (CURLE_COULDNT_RESOLVE_HOST, .notResolved),
    ])
    func `a proxy that should speak TLS and does not, or has no address, is named`(
        code: CURLcode, problem: ProxyFault.Problem
    ) {
        let setting = ProxySetting.url("https://p.example:1")
        let found = CurlFault(
            code: code, text: "error:0A00010B:SSL routines::wrong version number",
            options: CurlOptions(
                origin: Self.service, settings: TransportSettings(),
                proxy: ProxyChoice(setting, environment: [:], origin: Self.service)),
            wasConnected: code == CURLE_SSL_CONNECT_ERROR, wasReady: false, hasAnswered: false, connectStatus: 0,
            errno: 0)
        let expected = ProxyFault(proxy: "https://p.example:1", source: .option, problem: problem)
        #expect(found.error == .network(.proxy(expected)))
    }

    private func failure(
        _ proxy: RecordingServer, _ problem: ProxyFault.Problem, _ source: ProxySource
    ) -> LoginFault {
        .network(.proxy(ProxyFault(proxy: proxy.url(), source: source, problem: problem)))
    }

    @Test(
        arguments: [
            (["https_proxy": "a"], "a"), (["HTTPS_PROXY": "a"], "a"), (["all_proxy": "a"], "a"),
            (["http_proxy": "a"], nil),
            (["https_proxy": "a", "ALL_PROXY": "b"], "a"), (["https_proxy": ""], nil),
            (["https_proxy": "a", "no_proxy": "*"], nil), (["https_proxy": "a", "NO_PROXY": ".example"], nil),
            (["https_proxy": "a", "no_proxy": "vice.example"], "a"), (["all_proxy": "a", "HTTP_PROXY": "b"], "a"),
            (["https_proxy": "a", "no_proxy": "other,"], "a"),
        ] as [([String: String], String?)])
    func `a proxy is found as curl finds it`(environment: [String: String], url: String?) {
        #expect(ProxyChoice(.environment, environment: environment, origin: Self.service).url == url)
        #expect(ProxyChoice(.none, environment: environment, origin: Self.service).url == nil)
    }

    /// libcurl reads the list: what it takes for an exception is one.
    @Test(
        arguments: [
            ("service.example", "service.example", true), ("service.example", "*", true),
            ("service.example", ".example", true),
            ("service.example", "other, SERVICE.example.", true), ("service.example", "vice.example", false),
            ("10.1.2.3", "10.0.0.0/8", true), ("10.1.2.3", "192.168.0.0/16,10.1.2.3", true),
            ("10.1.2.3", "11.0.0.0/8", false), ("10.1.2.3", "10.*", false),
            ("[2001:db8::1]", "2001:db8::1", true),
            ("[2001:db8::1]", "2001:db9::/32", false), ("service.example", "", false),
        ] as [(String, String, Bool)])
    func `exceptions are read as libcurl reads them`(host: String, list: String, isException: Bool) {
        let origin = Origin(scheme: "https", host: host, port: 8443)
        for name in ["no_proxy", "NO_PROXY"] {
            let choice = ProxyChoice(
                .environment, environment: ["https_proxy": "http://p.example:1", name: list], origin: origin)
            #expect((choice.url == nil) == isException)
        }
    }

    @Test func `an empty list of exceptions leaves the other one`() {
        let environment = ["https_proxy": "http://p.example:1", "no_proxy": "", "NO_PROXY": "service.example"]
        #expect(ProxyChoice(.environment, environment: environment, origin: Self.service).url == nil)
    }
}
