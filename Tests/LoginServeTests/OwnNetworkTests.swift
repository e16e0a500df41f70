import Foundation
@testable import LoginKit
import Testing

/// The first message of a client, by which a connection in a network of its own is told.
@Suite struct `The beginning of TLS` {
    private static func vector(_ size: Int, _ bytes: [UInt8]) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
    }

    private static func names(_ entries: [(kind: UInt8, name: String)]) -> [UInt8] {
        [0, 0] + vector(2, vector(2, entries.flatMap { [$0.kind] + vector(2, Array($0.name.utf8)) }))
    }

    /// A message with these extensions; none at all without a list.
    private static func message(_ extensions: [[UInt8]]?, kind: UInt8 = 1) -> [UInt8] {
        let body =
            [3, 3] + [UInt8](repeating: 7, count: 32) + vector(1, []) + vector(2, [0x13, 1]) + vector(1, [0])
            + (extensions.map { vector(2, $0.flatMap { $0 }) } ?? [])
        return [kind] + vector(3, body)
    }

    /// The same in records of this size.
    private static func records(_ message: [UInt8], of size: Int = 16384) -> [UInt8] {
        stride(from: 0, to: message.count, by: size).flatMap {
            [22, 3, 1] + vector(2, Array(message[$0..<min($0 + size, message.count)]))
        }
    }

    private static let other: [UInt8] = [0, 43] + vector(2, [2, 3, 4])

    private static func named(_ name: String) -> [UInt8] { message([other, names([(0, name)]), other]) }

    @Test(arguments: [1, 5, 40, 16384]) func `names the server, in whatever pieces it comes`(size: Int) {
        let bytes = Self.records(Self.named("API.example.test"), of: size)
        #expect(ClientHello(bytes[...]) == .server("api.example.test"))
        #expect(
            ClientHello((bytes + [23, 3, 3, 0, 1, 0])[...]) == .server("api.example.test"), "what follows is no part")
        for count in 0..<bytes.count { #expect(ClientHello(bytes[..<count]) == nil, "\(count)") }
    }

    @Test func `may name none`() {
        #expect(ClientHello(Self.records(Self.message(nil))[...]) == .server(nil))
        #expect(ClientHello(Self.records(Self.message([Self.other]))[...]) == .server(nil))
    }

    @Test(
        arguments: [
            Array("GET / HTTP/1.1\r\n".utf8), [22, 3, 1, 0, 0], [22, 3, 1, 0xFF, 0xFF], [21, 3, 1, 0, 2, 1, 0],
            records(message([], kind: 2)), records([1, 0, 0, 0]),
            records([1, 0, 0, 40] + [UInt8](repeating: 3, count: 40)),
            records(message([names([(0, "a.example"), (0, "b.example")])])),
            records(message([names([(1, "a.example")])])),
            records(message([names([(0, "a.example")]), names([(0, "b.example")])])), records(message([names([])])),
            records(named("")), records(named("a.example.")), records(named("a example")),
            records(named("a\u{0}.example")),
            records(named("[::1]")), records(named(String(repeating: "a", count: 300))),
            records(message([[0, 0, 0, 9, 0]])),
        ] as [[UInt8]])
    func `is nothing else`(bytes: [UInt8]) {
        #expect(ClientHello(bytes[...]) == .malformed)
    }

    @Test func `never ends the program, whatever byte of it is wrong`() {
        let good = Self.records(Self.named("api.example.test"), of: 30)
        for place in good.indices {
            for value in [0, 1, 127, 255] as [UInt8] {
                var bytes = good
                bytes[place] = value
                if case .server(let name?) = ClientHello(bytes[...]) { #expect(HostName.isUsable(name)) }
            }
        }
    }
}

/// The resolver in a network of its own.
@Suite struct `The answer to a query for a name` {
    private static let address: [UInt8] = [198, 18, 0, 1]
    private static let question: [UInt8] = [3] + Array("api".utf8) + [7] + Array("example".utf8) + [0]

    private func query(
        _ kind: UInt8, operation: UInt8 = 0x01, count: UInt8 = 1, name: [UInt8] = question, more: [UInt8] = []
    ) -> [UInt8] {
        [0xAB, 0xCD, operation, 0, 0, count, 0, 0, 0, 0, 0, UInt8(more.isEmpty ? 0 : 1)] + name + [0, kind, 0, 1] + more
    }

    private func answer(_ query: [UInt8]) -> [UInt8]? { NameAnswer.bytes(to: query, address: Self.address) }

    @Test(arguments: [[], [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
    func `has the address of every name`(more: [UInt8]) {
        let expected: [UInt8] =
            [0xAB, 0xCD, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + Self.question + [0, 1, 0, 1, 0xC0, 12, 0, 1, 0, 1]
            + [0, 0, 0, 60, 0, 4, 198, 18, 0, 1]
        #expect(answer(query(1, more: more)) == expected)
        #expect(answer(query(255))?.suffix(4) == Self.address[...])
    }

    /// AAAA, PTR, MX, HTTPS.
    @Test(arguments: [28, 12, 15, 65] as [UInt8]) func `has no record of another kind, and no error`(kind: UInt8) {
        #expect(
            answer(query(kind))
                == [0xAB, 0xCD, 0x85, 0x80, 0, 1, 0, 0, 0, 0, 0, 0] + Self.question + [0, kind, 0, 1])
    }

    @Test func `says what is malformed, or of another kind`() {
        let head: [UInt8] = [0xAB, 0xCD, 0x85, 0x81, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(answer(query(1, count: 2)) == head)
        #expect(answer(query(1, name: [0xC0, 12])) == head)
        #expect(answer(query(1, name: [UInt8](repeating: 1, count: 400))) == head)
        #expect(answer(query(1, name: [63])) == head)
        #expect(answer(query(1, operation: 0x29)) == [0xAB, 0xCD, 0xAD, 0x84, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func `is none to what is no query, and to a part of one an error at most`() {
        #expect(answer(query(1, operation: 0x81)) == nil, "two of them would answer each other for ever")
        let whole = query(1)
        for count in 0..<whole.count {
            let answer = answer(Array(whole[..<count]))
            #expect(count < 12 ? answer == nil : answer?[3] == 0x81, "\(count)")
        }
    }
}

/// What a command finds in a network of its own.
@Suite struct `A network of a command's own` {
    @Test func `has hosts looked up by the resolver alone, and leaves users and groups`() {
        #expect(
            OwnNetworkFiles.nameServices(
                from: "# a\npasswd: files sss\n\thosts: resolve mdns4 files\nhosts:nis\ngroup:\tfiles")
                == "# a\npasswd: files sss\ngroup:\tfiles\nhosts: files dns\n")
        #expect(OwnNetworkFiles.nameServices(from: "") == "hosts: files dns\n")
    }

    @Test func `has no variable for a proxy, and files over those of the system`() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "network-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: home) }
        let authority = try RunAuthority(for: "api.example.test")
        let files = try AuthorityFiles(authority, in: home + "/run")
        defer { files.remove() }
        var environment = ProgramEnvironment(["https_proxy": "http://proxy.example:3128", "HTTP_PROXY": "x"])
        let origin = Origin(scheme: "https", host: "api.example.test", port: 443)
        try files.apply(to: &environment, proxy: nil, origin: origin)
        for name in ["https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy"] { #expect(environment[name] == nil) }
        #expect(environment["JAVA_TOOL_OPTIONS"]?.contains("proxyHost") == false)
        #expect(environment["CURL_CA_BUNDLE"] != nil)
        let covers = try files.covers()
        #expect(Set(covers.map(\.place)).count == covers.count)
        for (file, place) in covers {
            let text = try String(contentsOfFile: file, encoding: .isoLatin1)
            if OwnNetworkFiles.authorities.contains(place) { #expect(text.hasSuffix(authority.authority)) }
            if place == "/etc/resolv.conf" { #expect(text == "nameserver 127.0.0.1\n") }
        }
    }

    @Test func `leads to the hosts of the whole Internet alone`() throws {
        for text in ["10.0.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "fd00::1", "64:ff9b::10.0.0.1"] {
            #expect(try #require(PeerAddress(text: text)).isLocal, "\(text)")
        }
        #expect(try !#require(PeerAddress(text: "1.1.1.1")).isLocal)
        #expect(OtherHosts.allCases.map(\.rawValue) == ["refuse", "public", "all"])
    }

    /// The reason why there is no connection to a host, for somebody who is gone before there can be one.
    private func fault(at host: String, among hosts: OtherHosts) -> OtherHostDialer.Fault? {
        do throws(OtherHostDialer.Fault) {
            let origin = Origin(scheme: "https", host: host, port: 443)
            _ = try OtherHostDialer(hosts: hosts, environment: [:]).connect(to: origin) { true }
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["10.1.2.3", "10.66051", "0xa.1.2.3", "167838211", "192.168.1.1", "100.64.0.1", "[fd00::1]"])
    func `dials no number of a private network where others are public`(host: String) {
        #expect(fault(at: host, among: .public) == .refused)
        #expect(fault(at: host, among: .all) == .failed)
    }

    @Test(arguments: [
        "169.254.169.254", "[fd00:ec2::254]", "[fd00:ec2::23]", "100.100.100.200", "[fd00:100::100:200]",
        "168.63.129.16", "192.0.0.192", "[fd00:c1::a9fe:a9fe]", "[fd20:ce::254]", "[fd00:42::42]",
        "[fd00:a9fe:a9fe::1]",
    ])
    func `dials none where a cloud tells a machine its secrets, whatever others are reached`(host: String) {
        #expect(fault(at: host, among: .all) == .refused)
    }

    @Test func `dials no address that means one of those`() {
        for host in ["[::ffff:10.1.2.3]", "[64:ff9b::a01:203]", "[2002:a01:203::]"] {
            #expect(fault(at: host, among: .public) == .refused, "\(host)")
        }
        #expect(fault(at: "1.1.1.1", among: .public) == .failed)
        #expect(fault(at: "1.1.1.1", among: .refuse) == .refused)
    }
}
