import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@Suite(.onOwnThreads) struct `TLS` {
    private let certificates: TestCertificates
    private let own: CertificatePair

    init() throws {
        certificates = try TestCertificates()
        own = try certificates.selfSigned()
    }

    private func send(_ origin: Origin, authorities: String? = nil) throws -> HTTPResponse {
        try CurlTransport(origin: origin, settings: TransportSettings(caFile: authorities, timeout: 10)).send(
            HTTPRequest(
                method: "POST", url: "\(origin)/", body: Secret("CANARY"),
                basic: BasicCredential(username: "u", password: Secret("CANARY"))))
    }

    @Test func `TLS that ends without saying so cuts an answer without a length`() throws {
        let text = "HTTP/1.1 200 OK\n\n{\"name\":\"ann\"}"
        let cut = try TLSServer(own, answer: text, ending: "break")
        #expect(fault { _ = try send(cut.origin, authorities: own.certificate) } == .network(.connectionLost))
        let whole = try TLSServer(own, answer: text, ending: "tls.unwrap(); break")
        #expect(try send(whole.origin, authorities: own.certificate).body.text == "{\"name\":\"ann\"}")
        let told = try TLSServer(own, ending: "break")
        #expect(try send(told.origin, authorities: own.certificate).body.text == "ok")
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

    @Test func `TLS works with the authority that is named, and with no other`() throws {
        let pair = try certificates.selfSigned()
        let server = try TLSServer(pair)
        #expect(try send(server.origin, authorities: pair.certificate).status == 200)
        let other = try certificates.selfSigned()
        #expect(
            fault { _ = try send(server.origin, authorities: other.certificate) }?.reasons == [.selfSigned])
    }

    @Test func `TLS with a certificate of nobody known ends before a byte of HTTP`() throws {
        let server = try TLSServer(try certificates.selfSigned())
        #expect(fault { _ = try send(server.origin) }?.reasons == [.selfSigned])
        #expect(server.received() == "")
    }

    @Test(arguments: [
        ("20200101000000Z", "20200201000000Z", ServerTrust.Reason.expired),
        ("20440101000000Z", "20450101000000Z", .notYetValid),
    ])
    func `out of its time ends before a byte of HTTP`(start: String, end: String, reason: ServerTrust.Reason) throws {
        let pair = try certificates.selfSigned(period: (start, end))
        let server = try TLSServer(pair)
        #expect(fault { _ = try send(server.origin, authorities: pair.certificate) }?.reasons == [reason])
        #expect(server.received() == "")
    }

    /// The common name says 127.0.0.1 in all of them.
    @Test(arguments: [
        "DNS:other.example", "IP:127.0.0.2", "DNS:127.0.0.1", "DNS:*.0.0.1", "IP:::2,email:a@b.example,DNS:b.example",
    ])
    func `TLS for another host ends before a byte of HTTP, and says for which`(names: String) throws {
        let pair = try certificates.selfSigned(names)
        let server = try TLSServer(pair)
        let trust = fault { _ = try send(server.origin, authorities: pair.certificate) }
        #expect(trust?.reasons == [.otherHost])
        let hosts = names.split(separator: ",").filter { !$0.hasPrefix("email:") }
        #expect(trust?.certificate?.hosts == hosts.map { String($0.drop { $0 != ":" }.dropFirst()) })
        #expect(server.received() == "")
    }

    private func expectNoCommonTLS(_ server: TLSServer, _ pair: CertificatePair) {
        switch fault({ _ = try send(server.origin, authorities: pair.certificate) }) {
        case .untrusted(.other(let words, _, _)) where words.hasPrefix("no safe TLS connection is possible: "): break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test(arguments: ["TLSv1", "TLSv1_1"])
    func `TLS of an old version is refused`(version: String) throws {
        let pair = try certificates.selfSigned()
        let setup = """
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.\(version)
            """
        let server = try TLSServer(pair, setup: setup)
        expectNoCommonTLS(server, pair)
        #expect(server.received() == "")
    }

    @Test(arguments: ["ALL:NULL:aNULL", "aNULL", "eNULL"])
    func `TLS without encryption or without a certificate is refused`(ciphers: String) throws {
        let pair = try certificates.selfSigned()
        let setup = """
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers("\(ciphers == "ALL:NULL:aNULL" ? "NULL:aNULL" : ciphers):@SECLEVEL=0")
            """
        let server = try TLSServer(pair, setup: setup)
        expectNoCommonTLS(server, pair)
        #expect(server.received() == "")
    }

    @Test func `TLS with a key that can be worked out is refused, and cannot be accepted`() throws {
        var wish = TestCertificates.Wish()
        wish.keyKind = ["rsa:1024"]
        let pair = try certificates.make(wish)
        let server = try TLSServer(pair, setup: "context.set_ciphers(\"ALL:@SECLEVEL=0\")")
        let refused = fault { _ = try send(server.origin) }
        #expect(refused?.reasons?.contains(.tooWeak) == true)
        guard case .untrusted(.certificate(let trust)) = refused else { return }
        let transport = CurlTransport(origin: server.origin, settings: TransportSettings(exception: trust.exception))
        let again = fault { _ = try transport.send(HTTPRequest(method: "GET", url: "\(server.origin)/")) }
        #expect(again == refused)
        #expect(server.received() == "")
    }

    @Test func `TLS of every other kind ends before a byte of HTTP, with each reason named`() throws {
        let authority = try certificates.selfSigned()
        var child = TestCertificates.Wish()
        child.authority = authority
        child.extensions = "basicConstraints = CA:FALSE"
        let good = try certificates.make(child)
        var usage = child
        usage.extensions = "extendedKeyUsage = clientAuth"
        var bastard = child
        bastard.authority = good
        var nameless = child
        nameless.names = nil
        let cases: [(CertificatePair, String, [ServerTrust.Reason]?)] = [
            (good, authority.certificate, nil), (try certificates.make(usage), authority.certificate, [.wrongPurpose]),
            (try certificates.make(bastard), good.certificate, [.wrongPurpose, .issuerNoAuthority]),
            (try certificates.make(nameless), authority.certificate, [.otherHost]),
            (good, own.certificate, [.unknownAuthority]),
        ]
        for (number, (pair, authorities, reasons)) in cases.enumerated() {
            let server = try TLSServer(pair)
            let refused = fault { _ = try send(server.origin, authorities: authorities) }
            #expect(refused?.reasons == reasons, "\(number): \(String(describing: refused))")
            #expect(server.received().isEmpty == (reasons != nil), "\(number)")
        }
    }

    private func accepted(at server: TLSServer) throws -> TrustedCertificate {
        guard case .untrusted(.certificate(let trust)) = fault({ _ = try send(server.origin) }) else {
            throw TLSServer.Unavailable(output: "it is trusted")
        }
        return trust.exception
    }

    @Test func `TLS with an accepted exception sends, and keeps its connection`() throws {
        let server = try TLSServer(try certificates.selfSigned("DNS:other.example"))
        let exception = try accepted(at: server)
        #expect(exception.reasons == [.selfSigned, .otherHost])
        let transport = CurlTransport(origin: server.origin, settings: TransportSettings(exception: exception))
        for _ in 1...3 {
            #expect(try transport.send(HTTPRequest(method: "GET", url: "\(server.origin)/")).body.text == "ok")
        }
    }

    /// The server changes after so many connections: before the look at it, and between the look and the request.
    @Test(arguments: 1...4)
    func `TLS with a certificate that changes under way sends not a byte`(connections: Int) throws {
        let (pair, other) = (try certificates.selfSigned(), try certificates.selfSigned())
        let plain = try TLSServer(pair)
        let exception = try accepted(at: plain)
        let server = try TLSServer(
            pair, setup: "after(\(connections), \"\(other.certificate)\", \"\(other.key)\")")
        let moved = TrustedCertificate(
            origin: server.origin, key: exception.key, reasons: exception.reasons, fingerprint: exception.fingerprint)
        var outcomes: [LoginFault?] = []
        for _ in 1...4 {
            let transport = CurlTransport(origin: server.origin, settings: TransportSettings(exception: moved))
            outcomes.append(
                fault {
                    _ = try transport.send(
                        HTTPRequest(
                            method: "GET", url: "\(server.origin)/",
                            basic: BasicCredential(username: "u", password: Secret("CANARY"))))
                })
        }
        // Two connections for each: the look, and the request.
        let good = connections / 2
        #expect(outcomes.prefix(good).allSatisfy { $0 == nil })
        for outcome in outcomes.dropFirst(good) {
            guard case .untrusted(.certificateChanged) = outcome else {
                Issue.record("\(String(describing: outcome))")
                continue
            }
        }
        #expect(server.received().components(separatedBy: "GET /").count == good + 1)
    }

    @Test func `TLS that asks for a certificate which is not there is an alert, told as such`() throws {
        let pair = try certificates.selfSigned()
        let setup = """
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(sys.argv[1])
            """
        let server = try TLSServer(pair, setup: setup)
        let refused = fault { _ = try send(server.origin, authorities: pair.certificate) }
        #expect(refused?.message().what == "the server requires a client certificate, but the profile has none")
        #expect(refused?.exitCode == .untrusted)
    }

    private func identity(_ name: String) throws -> (pair: CertificatePair, identity: ClientIdentity?) {
        var wish = TestCertificates.Wish()
        (wish.subject, wish.names) = ("/CN=\(name)", nil)
        let pair = try certificates.make(wish)
        let files = ClientCertificateFiles(
            certificate: Secret(try String(contentsOfFile: pair.certificate, encoding: .utf8)),
            key: Secret(try String(contentsOfFile: pair.key, encoding: .utf8)), names: (pair.certificate, pair.key))
        return (pair, try files.open(passphrase: nil, now: 1_800_000_000))
    }

    /// Says who showed which certificate, before what was sent.
    private static let asking = """
        context.verify_mode = ssl.CERT_OPTIONAL
        class Told(ssl.SSLSocket):
            def do_handshake(self, *a, **k):
                super().do_handshake(*a, **k)
                shown = self.getpeercert()
                print("SHOWN", [v for part in (shown or {}).get("subject", ()) for _, v in part])
        context.sslsocket_class = Told
        """

    @Test func `a client certificate is shown by its own transport alone, to its own origin alone`() throws {
        let ann = try identity("ann"), bob = try identity("bob")
        #expect(ann.identity?.commonName == "ann")
        let setup =
            Self.asking + """

                context.load_verify_locations("\(ann.pair.certificate)")
                context.load_verify_locations("\(bob.pair.certificate)")
                """
        let server = try TLSServer(own, setup: setup)
        let other = Origin(scheme: "https", host: "localhost", port: server.origin.port)
        for identity in [ann.identity, bob.identity, nil] {
            var settings = TransportSettings(caFile: own.certificate)
            settings.identity = identity
            let transport = CurlTransport(origin: server.origin, settings: settings)
            #expect(try transport.send(HTTPRequest(method: "GET", url: "\(server.origin)/")).status == 200)
            let stray = fault { _ = try transport.send(HTTPRequest(method: "GET", url: "\(other)/")) }
            #expect(stray == .untrusted(.otherOrigin(target: "\(other)")))
        }
        let shown = server.received().split(whereSeparator: \.isNewline).filter { $0.hasPrefix("SHOWN") }
        #expect(shown == ["SHOWN ['ann']", "SHOWN ['bob']", "SHOWN []"])
    }

    @Test func `the look at a certificate that does not verify shows none of ours`() throws {
        let ann = try identity("ann")
        let server = try TLSServer(
            own, setup: Self.asking + "\ncontext.load_verify_locations(\"\(ann.pair.certificate)\")")
        var settings = TransportSettings()
        settings.identity = ann.identity
        let transport = CurlTransport(origin: server.origin, settings: settings)
        #expect(fault { _ = try transport.send(HTTPRequest(method: "GET", url: "\(server.origin)/")) } != nil)
        #expect(!server.received().contains("ann"))
    }

    @Test(arguments: ["HTTP/1.1 400 Bad\n\nplain", "SSH-2.0-OpenSSH_9.2\n", "220 smtp\n"])
    func `TLS to a port without TLS is told as such`(greeting: String) throws {
        let server = try GreetingServer(greeting)
        let told = fault { _ = try send(Origin(scheme: "https", host: "127.0.0.1", port: server.port)) }
        #expect(told == .network(.notTLS))
    }

    @Test func `TLS that ends in the handshake is told as such`() throws {
        let server = try GreetingServer("")
        #expect(
            fault { _ = try send(Origin(scheme: "https", host: "127.0.0.1", port: server.port)) }
                == .network(.handshakeLost))
    }

    @Test func `TLS with a file of authorities that cannot be read is a wrong call`() throws {
        let server = try TLSServer(try certificates.selfSigned())
        let refused = fault { _ = try send(server.origin, authorities: "/nonexistent/ca.pem") }
        #expect(refused?.exitCode == .usage)
        #expect(server.received() == "")
    }

    @Test func `TLS keeps its connection`() throws {
        let pair = try certificates.selfSigned()
        let server = try TLSServer(pair)
        let transport = CurlTransport(
            origin: server.origin, settings: TransportSettings(caFile: pair.certificate))
        for _ in 1...3 {
            #expect(
                try transport.send(HTTPRequest(method: "GET", url: "\(server.origin)/")).body.text == "ok")
        }
    }

    private static func unsafe(_ words: String) -> LoginFault {
        .untrusted(
            "no safe TLS connection is possible: \(words)", next: "the server must speak TLS 1.2 or newer")
    }

    @Test(arguments: [
        ("error:0A00010B:SSL routines::wrong version number", LoginFault.network(.notTLS)),
        ("error:0A0000C6:SSL routines::packet length too long", .network(.notTLS)),
        // Of libcurl 8.14 with OpenSSL 3.5.
        ("TLS connect error: error:0A0000C6:SSL routines::packet length too long", .network(.notTLS)),
        ("error:0A000102:SSL routines::unsupported protocol", Self.unsafe("unsupported protocol")),
        (
            "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
            Self.unsafe("tlsv13 alert certificate required, errno 0")
        ),
        ("error:0A000126:SSL routines::unexpected eof while reading", .network(.connectionLost)),
    ])
    func `TLS has OpenSSL's reasons told apart`(text: String, expected: LoginFault) {
        #expect(TLSFault(text)?.error == expected)
    }

    @Test(arguments: ["", "error:", "OpenSSL SSL_connect: Connection reset by peer", "error:zz:x", "error:02000001::x"])
    func `TLS has no reason where OpenSSL gave none`(text: String) {
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
