import Foundation
@testable import LoginKit
@testable import Secrets
import Testing

/// What the proxy of `exec --unchanged` makes of a request.
@Suite struct `A request to the proxy of a run` {
    private func parsed(_ lines: String...) -> ServedHead? {
        ServedHead(proxied: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)[...])
    }

    private func way(_ line: String) -> ProxyWay? { parsed(line, "Host: x").flatMap { ProxyWay($0) } }

    private func https(_ host: String, _ port: Int) -> Origin { Origin(scheme: "https", host: host, port: port) }

    @Test func `names a place by CONNECT, or a URL`() {
        #expect(way("CONNECT API.example.test:443 HTTP/1.1") == .tunnel(https("api.example.test", 443)))
        #expect(way("CONNECT [2001:db8::1]:8443 HTTP/1.0") == .tunnel(https("[2001:db8::1]", 8443)))
        #expect(way("GET https://api.example.test/a HTTP/1.1") == .secure(https("api.example.test", 443)))
        let plain = Origin(scheme: "http", host: "other.example.test", port: 80)
        #expect(way("GET http://other.example.test HTTP/1.1") == .plain(plain, target: "/"))
        #expect(way("GET HTTP://other.example.test:80/a?b=c HTTP/1.1") == .plain(plain, target: "/a?b=c"))
        #expect(way("GET http://other.example.test?b HTTP/1.1") == .plain(plain, target: "/?b"))
    }

    @Test(arguments: [
        "GET / HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT api.example.test HTTP/1.1", "CONNECT :443 HTTP/1.1",
        "CONNECT api.example.test:0 HTTP/1.1", "CONNECT api.example.test:65536 HTTP/1.1",
        "CONNECT api.example.test:+443 HTTP/1.1", "CONNECT a@api.example.test:443 HTTP/1.1",
        "CONNECT [::1%25lo]:443 HTTP/1.1", "CONNECT ::1:443 HTTP/1.1", "CONNECT [127.0.0.1:443 HTTP/1.1",
        "CONNECT api.example.test:443:443 HTTP/1.1", "CONNECT api.example.test/:443 HTTP/1.1",
        "GET ftp://api.example.test/ HTTP/1.1", "GET http:///a HTTP/1.1", "GET http://u:p@other.example.test/ HTTP/1.1",
        "GET http://other.example.test/#a HTTP/1.1", "GET http://other.example.test\\@a.example/ HTTP/1.1",
    ])
    func `anything else is none`(line: String) {
        #expect(way(line) == nil)
    }

    @Test func `is read strictly, and its fields as they are`() {
        let found = parsed("CONNECT a.example:443 HTTP/1.1", "Host: a.example:443", "X-A:  b c\t")
        #expect(found?.values(of: "x-a") == ["b c"] && found?.fields.count == 2)
        #expect(parsed("GET http://a.example/ HTTP/1.0")?.isChunkable == false)
        #expect(parsed("GET http://a.example/ HTTP/2.0") == nil)
        #expect(parsed("GET  http://a.example/ HTTP/1.1") == nil)
        #expect(parsed("GET http://a.example/ HTTP/1.1 x") == nil)
        #expect(parsed("GET http://a.example/ HTTP/1.1", "X : b") == nil)
        #expect(parsed("GET http://a.example/ HTTP/1.1", "X: a", " folded") == nil)
        #expect(parsed("GET http://a.example/ HTTP/1.1", "no colon") == nil)
        #expect(parsed("GET http://a.example/ HTTP/1.1", "X: a\u{0}b") == nil)
        #expect(ServedHead(proxied: Array("GET http://a.example/ HTTP/1.1\nHost: a\r\n\r\n".utf8)[...]) == nil)
        #expect(ServedHead(proxied: Array("GET http://a.example/ HTTP/1.1\r\nA: b\rc\r\n\r\n".utf8)[...]) == nil)
    }

    @Test func `goes on alone, and without what was for the proxy`() throws {
        let head = try #require(
            parsed(
                "POST http://other.example.test:8080/a HTTP/1.1", "Host: evil.example",
                "Proxy-Authorization: Basic cGE=",
                "Proxy-Connection: keep-alive", "Connection: keep-alive, X-Own", "Keep-Alive: 5", "X-Own: a",
                "TE: trailers",
                "Upgrade: h2c", "Transfer-Encoding: chunked", "Accept: */*"))
        let origin = Origin(scheme: "http", host: "other.example.test", port: 8080)
        #expect(
            String(decoding: head.forwarded(to: origin, target: "/a"), as: UTF8.self) == """
                POST /a HTTP/1.1\r\nHost: other.example.test:8080\r\nTransfer-Encoding: chunked\r\nAccept: */*\r
                Connection: close\r\n\r\n
                """)
    }

    /// The bytes of a body, in pieces of every size, with what is behind it.
    private func end(_ head: ServedHead, _ body: String, pieces size: Int) -> Int? {
        var end = BodyEnd(head), total = 0, bytes = Array(body.utf8)[...]
        while !bytes.isEmpty {
            let piece = bytes.prefix(size)
            guard let own = piece.withUnsafeBytes({ end.take($0) }) else { return nil }
            total += own
            if own < piece.count { return total }
            bytes = bytes.dropFirst(size)
        }
        return total
    }

    @Test(arguments: [1, 2, 3, 7, 1000]) func `ends where its body does`(size: Int) throws {
        let none = try #require(parsed("GET http://a.example/ HTTP/1.1"))
        #expect(end(none, "GET / HTTP/1.1\r\n", pieces: size) == 0)
        let five = try #require(parsed("PUT http://a.example/ HTTP/1.1", "Content-Length: 5"))
        #expect(end(five, "12345GET", pieces: size) == 5)
        let chunked = try #require(parsed("PUT http://a.example/ HTTP/1.1", "Transfer-Encoding: chunked"))
        let body = "3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n"
        #expect(end(chunked, body + "GET", pieces: size) == body.utf8.count)
        for broken in [
            "x\r\n", "-1\r\n", "3\nabc\r\n", "\r\n", "1234567890123456\r\n", String(repeating: "0", count: 5000),
        ] {
            #expect(end(chunked, broken, pieces: size) == nil, "\(broken.prefix(20))")
        }
    }
}

/// Where the proxy of a run leads nobody.
@Suite struct `An address that the proxy of a run judges` {
    @Test(arguments: [
        "127.0.0.1", "127.255.0.1", "0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.0.1", "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192", "::1", "::", "fe80::1", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::169.254.169.254", "64:ff9b::7f00:1", "64:ff9b:1::a9fe:a9fe", "2002:a9fe:a9fe::", "2002:7f00:1::1",
        "::169.254.169.254", "::ffff:0:169.254.169.254",
    ])
    func `is kept if it is this machine, its link, or where a cloud tells secrets`(text: String) throws {
        let address = try #require(PeerAddress(text: text))
        #expect(address.isKept)
    }

    @Test(arguments: [
        "10.0.0.1", "192.168.1.1", "198.51.100.7", "100.100.100.201", "192.0.0.193", "2001:db8::1", "fd00:ec3::254",
        "64:ff9b::198.51.100.7", "2002:c633:6407::1", "::ffff:198.51.100.7",
    ])
    func `is another host otherwise`(text: String) throws {
        let address = try #require(PeerAddress(text: text))
        #expect(!address.isKept && !address.isOwn)
    }

    @Test func `is this machine's own if a socket can be bound to it`() throws {
        #expect(try #require(PeerAddress(text: "127.0.0.1")).isOwn)
        #expect(try #require(PeerAddress(text: "0.0.0.0")).isOwn)
    }
}

/// The variables and files of `exec --unchanged`.
@Suite struct `The variables of an unchanged command` {
    @Test func `take the service's host out of the exceptions, and leave the others`() {
        func exceptions(_ list: String) -> String {
            UnchangedVariables.exceptions(from: list, without: "api.example.test")
        }
        #expect(exceptions("") == "127.0.0.1,localhost,::1")
        #expect(exceptions("localhost, .example.test,10.0.0.0/8") == "127.0.0.1,::1,localhost,10.0.0.0/8")
        for entry in [
            "api.example.test", "*", "example.test", ".test", "*.example.test", "API.example.test:443", "example.test.",
            ".test.",
            "\tapi.example.test",
        ] {
            #expect(exceptions("a.example,\(entry)") == "127.0.0.1,localhost,::1,a.example", "\(entry)")
        }
        #expect(exceptions("ample.test,fd00::1") == "127.0.0.1,localhost,::1,ample.test,fd00::1")
    }

    @Test func `lead nowhere for a name with an underscore, which GnuTLS does not accept`() {
        func problem(_ scheme: String, _ reach: UnchangedRun.Reach) -> String? {
            UnchangedRun.problem(with: Origin(scheme: scheme, host: "my_api.example.test", port: 8443), reach)
        }
        for reach in [UnchangedRun.Reach.here, .ownNetwork] {
            #expect(problem("https", reach) == "its name has an underscore, and GnuTLS accepts no such server name")
        }
        #expect(problem("http", .ownNetwork) == nil)
    }

    @Test func `are listed once each, in lines that fit into a terminal`() {
        let names = UnchangedVariables.table.flatMap(\.names)
        #expect(Set(names).count == names.count && !names.contains("AWS_CA_BUNDLE"))
        let lines = UnchangedVariables.help.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 && $0.hasPrefix("      ") })
        #expect(lines.flatMap { $0.split(separator: " ") }.map(String.init) == names)
    }

    @Test func `are set to the files of a folder that goes with the run`() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "unchanged-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: home) }
        try FileManager.default.createDirectory(atPath: home + "/mine", withIntermediateDirectories: false)
        for name in ["own.pem", "mine/8d33f237.0", "mine/notes.c"] {
            try name.write(toFile: "\(home)/\(name)", atomically: true, encoding: .utf8)
        }
        let authority = try RunAuthority(for: "api.example.test")
        let files = try AuthorityFiles(authority, in: home + "/run here")
        var environment = ProgramEnvironment([
            "CURL_CA_BUNDLE": home + "/own.pem", "JAVA_TOOL_OPTIONS": "-Xmx1g", "PHP_INI_SCAN_DIR": "/etc/php",
            "npm_config_cafile": home + "/own.pem", "SSL_CERT_DIR": "/my/certs", "REQUESTS_CA_BUNDLE": home + "/mine",
            "NO_PROXY": "api.example.test",
        ])
        let origin = Origin(scheme: "https", host: "api.example.test", port: 443)
        try files.apply(to: &environment, proxy: ("http://authctl:pa@127.0.0.1:1234", 1234), origin: origin)
        func text(_ name: String) throws -> String {
            try String(contentsOfFile: try #require(environment[name]), encoding: .utf8)
        }
        #expect(try text("CURL_CA_BUNDLE") == "own.pem\n" + authority.authority)
        #expect(environment["npm_config_cafile"] == environment["CURL_CA_BUNDLE"])
        #expect(environment["NPM_CONFIG_CAFILE"] == environment["CURL_CA_BUNDLE"])
        #expect(try text("REQUESTS_CA_BUNDLE") == "mine/8d33f237.0\n" + authority.authority)
        #expect(try text("NODE_EXTRA_CA_CERTS") == authority.authority)
        #expect(try text("SSL_CERT_FILE").hasSuffix(authority.authority))
        #expect(environment["SSL_CERT_FILE"] == environment["PIP_CERT"])
        #expect(environment["NO_PROXY"] == "127.0.0.1,localhost,::1")
        #expect(environment["https_proxy"] == "http://authctl:pa@127.0.0.1:1234")
        let all = try #require(environment["SSL_CERT_FILE"])
        #expect(try text("SYSTEM_WGETRC").hasSuffix("ca_certificate=\(all)\n"))
        let php = try #require(environment["PHP_INI_SCAN_DIR"])
        #expect(php.hasPrefix("/etc/php:"))
        #expect(
            try String(contentsOfFile: php.dropFirst("/etc/php:".count) + "/authctl.ini", encoding: .utf8)
                == "curl.cainfo=\(all)\nopenssl.cafile=\(all)\n")
        let folder = try #require(environment["SSL_CERT_DIR"])
        #expect(folder.hasSuffix("/certs:/my/certs"))
        #expect(
            try String(contentsOfFile: folder.dropLast(":/my/certs".count) + "/" + authority.fileName, encoding: .utf8)
                == authority.authority)
        let java = try #require(environment["JAVA_TOOL_OPTIONS"])
        let store = "\"\((all as NSString).deletingLastPathComponent)/authorities.jks\""
        #expect(java.hasPrefix("-Xmx1g -Djavax.net.ssl.trustStore=\(store) -Djavax"), "\(java)")
        files.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/run here").isEmpty)
    }

    @Test func `have an authority that signs for one host, whose key nobody has`() throws {
        let authority = try RunAuthority(for: "api.example.test")
        #expect(authority.authority.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(authority.served.certificate != authority.served.key && !authority.served.key.isEmpty)
        #expect(throws: LoginFault.self) { try RunAuthority(for: "a.example,permitted;DNS:b.example") }
        let other = try RunAuthority(for: "api.example.test")
        #expect(other.authority != authority.authority && other.fileName == authority.fileName)
    }

    @Test func `have a store for Java with each certificate`() {
        let pem = """
            text before
            -----BEGIN CERTIFICATE-----
            AQID
            -----END CERTIFICATE-----
            -----BEGIN CERTIFICATE-----
            BAUG
            BwgJ
            -----END CERTIFICATE-----

            """
        let entry = { (name: String, bytes: [UInt8]) in
            [0, 0, 0, 2, 0, 1] + Array(name.utf8) + [UInt8](repeating: 0, count: 8) + [0, 5] + Array("X.509".utf8)
                + [0, 0, 0, UInt8(bytes.count)] + bytes
        }
        let expected: [UInt8] = [0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2, 0, 0, 0, 2]
        #expect(JavaTrustStore.bytes(of: pem) == expected + entry("0", [1, 2, 3]) + entry("1", [4, 5, 6, 7, 8, 9]))
    }
}
