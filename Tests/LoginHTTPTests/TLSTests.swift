import Foundation
import LoginCore
import LoginTestSupport
import Secrets
import Testing

@testable import LoginHTTP

struct `TLS` {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    private func send(_ origin: Origin, authorities: String? = nil) throws -> HTTPResponse {
        try CurlTransport(origin: origin, settings: TransportSettings(caFile: authorities, timeout: 10)).send(
            HTTPRequest(
                method: "POST", url: "\(origin)/", body: Secret("CANARY"),
                basic: BasicCredential(username: "u", password: Secret("CANARY"))))
    }

    @Test func `authorities that are no file are refused before connecting`() throws {
        let server = try RecordingServer([])
        let fifo = NSTemporaryDirectory() + "fifo-\(UInt64.random(in: 0 ... .max))"
        #expect(mkfifo(fifo, 0o600) == 0)
        defer { unlink(fifo) }
        for path in ["/nonexistent/ca.pem", "/tmp", "/dev/zero", fifo] {
            let transport = CurlTransport(origin: server.origin, settings: TransportSettings(caFile: path))
            let refused = fault { _ = try transport.send(HTTPRequest(method: "GET", url: server.url())) }
            #expect(refused?.exitCode == .usage, "\(path)")
        }
        #expect(server.connections.isEmpty)
    }

    @Test func `works with the authority that is named, and with no other`() throws {
        let pair = try certificates.selfSigned()
        let server = try TLSServer(pair)
        #expect(try send(server.origin, authorities: pair.certificate).status == 200)
        let other = try certificates.selfSigned()
        #expect(
            fault { _ = try send(server.origin, authorities: other.certificate) }
                == .untrusted(.certificate(reason: "self-signed certificate")))
    }

    @Test func `S1 with a certificate of nobody known ends before a byte of HTTP`() throws {
        let server = try TLSServer(try certificates.selfSigned())
        #expect(
            fault { _ = try send(server.origin) } == .untrusted(.certificate(reason: "self-signed certificate")))
        #expect(server.received() == "")
    }

    @Test(arguments: [
        ("20200101000000Z", "20200201000000Z", "certificate has expired"),
        ("20440101000000Z", "20450101000000Z", "certificate is not yet valid"),
    ])
    func `S1 out of its time ends before a byte of HTTP`(start: String, end: String, reason: String) throws {
        let pair = try certificates.selfSigned(period: (start, end))
        let server = try TLSServer(pair)
        #expect(
            fault { _ = try send(server.origin, authorities: pair.certificate) }
                == .untrusted(.certificate(reason: reason)))
        #expect(server.received() == "")
    }

    /// The common name says 127.0.0.1 in all of them.
    @Test(arguments: ["DNS:other.example", "IP:127.0.0.2", "DNS:127.0.0.1", "DNS:*.0.0.1"])
    func `S1 for another host ends before a byte of HTTP`(names: String) throws {
        let pair = try certificates.selfSigned(names)
        let server = try TLSServer(pair)
        let refused = fault { _ = try send(server.origin, authorities: pair.certificate) }
        guard case .untrusted(.certificate(let reason)) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(reason.contains("127.0.0.1"))
        #expect(server.received() == "")
    }

    @Test(arguments: ["TLSv1", "TLSv1_1"])
    func `S6 of an old version is refused`(version: String) throws {
        let pair = try certificates.selfSigned()
        let setup = """
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.\(version)
            """
        let server = try TLSServer(pair, setup: setup)
        guard case .untrusted(.tlsVersion) = fault({ _ = try send(server.origin, authorities: pair.certificate) })
        else {
            Issue.record("\(String(describing: fault { _ = try send(server.origin) }))")
            return
        }
        #expect(server.received() == "")
    }

    @Test func `S9 S10 that asks for a certificate which is not there is an alert, told as such`() throws {
        let pair = try certificates.selfSigned()
        let setup = """
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(sys.argv[1])
            """
        let server = try TLSServer(pair, setup: setup)
        guard
            case .untrusted(.tlsVersion(let detail)) = fault({
                _ = try send(server.origin, authorities: pair.certificate)
            })
        else {
            Issue.record("\(String(describing: fault { _ = try send(server.origin, authorities: pair.certificate) }))")
            return
        }
        #expect(detail.contains("certificate required"))
    }

    @Test(arguments: ["HTTP/1.1 400 Bad\n\nplain", "SSH-2.0-OpenSSH_9.2\n", "220 smtp\n"])
    func `to a port without TLS is told as such`(greeting: String) throws {
        let server = try GreetingServer(greeting)
        #expect(
            fault { _ = try send(Origin(scheme: "https", host: "127.0.0.1", port: server.port)) } == .network(.notTLS))
    }

    @Test func `that ends in the handshake is told as such`() throws {
        let server = try GreetingServer("")
        #expect(
            fault { _ = try send(Origin(scheme: "https", host: "127.0.0.1", port: server.port)) }
                == .network(.handshakeLost))
    }

    @Test func `with a file of authorities that cannot be read is a wrong call`() throws {
        let server = try TLSServer(try certificates.selfSigned())
        let refused = fault { _ = try send(server.origin, authorities: "/nonexistent/ca.pem") }
        #expect(refused?.exitCode == .usage)
        #expect(server.received() == "")
    }

    @Test func `keeps its connection`() throws {
        let pair = try certificates.selfSigned()
        let server = try TLSServer(pair)
        let transport = CurlTransport(
            origin: server.origin, settings: TransportSettings(caFile: pair.certificate))
        for _ in 1...3 {
            #expect(
                try transport.send(HTTPRequest(method: "GET", url: "\(server.origin)/")).body.text == "ok")
        }
    }

    @Test(arguments: [
        ("error:0A00010B:SSL routines::wrong version number", LoginError.network(.notTLS)),
        ("error:0A0000C6:SSL routines::packet length too long", .network(.notTLS)),
        ("error:0A000102:SSL routines::unsupported protocol", .untrusted(.tlsVersion(detail: "unsupported protocol"))),
        (
            "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
            .untrusted(.tlsVersion(detail: "tlsv13 alert certificate required, errno 0"))
        ),
        ("error:0A000126:SSL routines::unexpected eof while reading", .network(.connectionLost)),
    ])
    func `has OpenSSL's reasons told apart`(text: String, expected: LoginError) {
        #expect(TLSFault(text)?.error == expected)
    }

    @Test(arguments: ["", "error:", "OpenSSL SSL_connect: Connection reset by peer", "error:zz:x", "error:02000001::x"])
    func `has no reason where OpenSSL gave none`(text: String) {
        #expect(TLSFault(text)?.error == nil)
    }
}

/// Reads once, whatever it is, says one thing and hangs up.
private final class GreetingServer {
    private let process = Process()
    let port: Int

    init(_ greeting: String) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            "-u", "-c",
            """
            import socket, sys
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1])
            while True:
                peer, _ = listener.accept()
                peer.recv(65536)
                peer.sendall(sys.argv[1].encode())
                peer.close()
            """, greeting,
        ]
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = Int(line.trimmingCharacters(in: .newlines)) ?? 0
    }

    deinit { process.kill() }
}
