import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Each in a process of its own: libcurl and OpenSSL read these when they are opened.
struct `The environment` {
    @Test func `the environment has no proxy that is obeyed, and none is left for libcurl`() async {
        await #expect(processExitsWith: .success) {
            let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            let proxy = try RecordingServer([])
            for name in names { setenv(name, proxy.url(), 1) }
            let server = try RecordingServer([.answer(200)])
            let response = try CurlTransport(origin: server.origin).send(
                HTTPRequest(
                    method: "GET", url: server.url(), basic: BasicCredential(username: "u", password: Secret("p"))))
            try #require(response.status == 200)
            try #require(proxy.connections.isEmpty)
            try #require(names.allSatisfy { getenv($0) == nil })
        }
    }

    @Test func `the environment makes no file of TLS keys`() async {
        await #expect(processExitsWith: .success) {
            let certificates = try TestCertificates()
            let pair = try certificates.selfSigned()
            let server = try TLSServer(pair)
            let file = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)").path
            setenv("SSLKEYLOGFILE", file, 1)
            let response = try CurlTransport(
                origin: server.origin, settings: TransportSettings(caFile: pair.certificate)
            ).send(HTTPRequest(method: "GET", url: "\(server.origin)/"))
            try #require(response.status == 200)
            try #require(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func `the environment adds no authorities`() async {
        await #expect(processExitsWith: .success) {
            let certificates = try TestCertificates()
            let pair = try certificates.selfSigned()
            let server = try TLSServer(pair)
            for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE"] { setenv(name, pair.certificate, 1) }
            setenv("SSL_CERT_DIR", URL(fileURLWithPath: pair.certificate).deletingLastPathComponent().path, 1)
            setenv("OPENSSL_CONF", "/nonexistent", 1)
            setenv("CURL_SSL_BACKEND", "gnutls", 1)
            let refused = fault {
                _ = try CurlTransport(origin: server.origin).send(
                    HTTPRequest(method: "GET", url: "\(server.origin)/"))
            }
            try #require(refused?.reasons == [.selfSigned])
        }
    }

    @Test func `the environment has no netrc that is read`() async {
        await #expect(processExitsWith: .success) {
            let home = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: home) }
            let netrc = "machine 127.0.0.1 login x password CANARY\ndefault login y password CANARY\n"
            try netrc.write(to: home.appending(path: ".netrc"), atomically: true, encoding: .utf8)
            setenv("HOME", home.path, 1)
            let server = try RecordingServer([.answer(401, ["WWW-Authenticate: Basic realm=\"r\""]), .answer(200)])
            let transport = CurlTransport(origin: server.origin)
            for _ in 1...2 { _ = try transport.send(HTTPRequest(method: "GET", url: server.url())) }
            try #require(!server.texts.joined().contains("uthorization"))
        }
    }

    @Test func `the environment without libcurl is told as a missing library`() async {
        await #expect(processExitsWith: .success) {
            let refused = fault { _ = try CurlLibrary(named: "libcurl-is-not-here.so.4") }
            guard case .failure(.libraryMissing(let text)) = refused else { throw CancellationError() }
            try #require(text.contains("libcurl-is-not-here.so.4"))
            _ = try CurlLibrary()
        }
    }

    @Test func `the environment ends by the signal while a server is silent`() async throws {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let server = try RecordingServer([.silence])
            Thread.detachNewThread {
                _ = eventually { !server.requests.isEmpty }
                kill(getpid(), SIGTERM)
            }
            _ = try CurlTransport(origin: server.origin).send(HTTPRequest(method: "GET", url: server.url()))
        }
    }
}
