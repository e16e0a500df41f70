import Glibc
import LoginCore
import LoginTestSupport
import Secrets
import Testing

@testable import LoginKit

struct `A proxy` {
    private static let service = Origin(scheme: "https", host: "service.example", port: 443)

    private func request(_ url: String = "https://service.example/secret-path") -> HTTPRequest {
        HTTPRequest(
            method: "GET", url: url, headers: [HTTPRequestField(name: "X-Token", value: Secret("CANARY"))],
            basic: BasicCredential(username: "u", password: Secret("CANARY")))
    }

    @Test func `a proxy that is named never sees a request to an http origin`() throws {
        let proxy = try RecordingServer([])
        let server = try RecordingServer([])
        for setting in [ProxySetting.url(proxy.url()), .environment] {
            let settings = TransportSettings(
                allowHTTP: true, proxy: setting, environment: ["http_proxy": proxy.url()])
            let transport = CurlTransport(origin: server.origin, settings: settings)
            #expect(
                fault { _ = try transport.send(request(server.url())) } == .untrusted(.plainHTTPThroughProxy))
        }
        #expect(proxy.connections.isEmpty && server.connections.isEmpty)
    }

    @Test func `a proxy from the environment leaves out its exceptions`() throws {
        let server = try RecordingServer([.answer(200)])
        let settings = TransportSettings(
            proxy: .environment, environment: ["http_proxy": "http://127.0.0.1:1", "no_proxy": "x, 127.0.0.1"])
        _ = try CurlTransport(origin: server.origin, settings: settings).send(request(server.url()))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        "ftp://p.example", "javascript:alert(1)//CANARY", "file:///CANARY",
        "http://u:CANARY@" + String(repeating: "a", count: 256),
        "http://", "http://u:CANARY@/", "http://p.example:99999", "http://p.example:CANARY", "http://p ex",
        "socks6://h",
    ])
    func `a proxy that cannot be one is refused before connecting`(url: String) throws {
        for setting in [ProxySetting.url(url), .environment] {
            let settings = TransportSettings(proxy: setting, environment: ["https_proxy": url])
            let refused = fault { _ = try CurlTransport(origin: Self.service, settings: settings).send(request()) }
            guard case .usage(.badValue("proxy", let problem)) = refused else {
                Issue.record("\(String(describing: refused)) for \(url)")
                continue
            }
            #expect(!problem.contains("CANARY"))
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
                == .network(.other(code: 502, text: "the proxy answered 502")))
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
                == .network(.other(code: 407, text: "the proxy answered 407")))
        #expect(proxy.requests.count == 1)
        #expect(!proxy.texts.joined().contains("uthorization"))
    }

    @Test func `a proxy gets its own credential, and the service's stays inside`() throws {
        let proxy = try RecordingServer([.answer(502, ending: .close)])
        let transport = CurlTransport(
            origin: Self.service, settings: TransportSettings(proxy: .url("http://me:pw@127.0.0.1:\(proxy.port)")))
        _ = fault { _ = try transport.send(request()) }
        #expect(proxy.texts.first?.contains("\nProxy-Authorization: Basic bWU6cHc=\n") == true)
        #expect(proxy.texts.first?.contains("\nAuthorization") == false)
    }

    @Test func `a proxy that is dead or unknown is told without its credential`() {
        let dead = CurlTransport(
            origin: Self.service, settings: TransportSettings(proxy: .url("http://u:CANARY@127.0.0.1:1")))
        #expect(
            fault { _ = try dead.send(request()) }
                == .network(.notConnected(ignoredProxyVariable: nil, errno: ECONNREFUSED)))
        let unknown = CurlTransport(
            origin: Self.service, settings: TransportSettings(proxy: .url("http://u:CANARY@no-such-proxy.invalid:1")))
        #expect(
            fault { _ = try unknown.send(request()) }
                == .network(.nameNotResolved(host: "no-such-proxy.invalid:1")))
    }

    @Test(
        arguments: [
            (["https_proxy": "a"], "a"), (["HTTPS_PROXY": "a"], "a"), (["all_proxy": "a"], "a"),
            (["http_proxy": "a"], nil),
            (["https_proxy": "a", "ALL_PROXY": "b"], "a"), (["https_proxy": ""], nil),
            (["https_proxy": "a", "no_proxy": "*"], nil), (["https_proxy": "a", "NO_PROXY": ".example"], nil),
            (["https_proxy": "a", "no_proxy": "vice.example"], "a"), (["https_proxy": "a", "no_proxy": "other,"], "a"),
        ] as [([String: String], String?)])
    func `a proxy is found as curl finds it`(environment: [String: String], url: String?) {
        #expect(ProxyChoice(.environment, environment: environment, origin: Self.service).url == url)
        #expect(ProxyChoice(.none, environment: environment, origin: Self.service).url == nil)
    }
}
