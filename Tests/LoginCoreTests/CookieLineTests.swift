@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// cookies.txt as curl, wget and the extensions of browsers write it.
struct CookieLineTests {
    private static let origin = Origin(scheme: "https", host: "wiki.example", port: 443)
    private static let now: Int64 = 1_800_000_000

    private func cookies(
        _ text: String, for origin: Origin = Self.origin, path: String? = "/me"
    ) throws(CopyFault) -> [CookieLine] {
        var found: [CookieLine] = []
        _ = try CopiedRequest(Secret(text)) { (text) throws(CopyFault) in
            found = try CookieLine.cookies(in: text, for: origin, path: path, now: Self.now)
            return []
        }
        return found
    }

    @Test(
        arguments: [
            ("0", nil), ("-1", nil), ("", nil), ("10000000000000000000000000", nil), ("1900000000", 1_900_000_000),
            ("1900000000.25", 1_900_000_000), ("Session", nil), ("1.9e9", nil), ("9223372036854775807", .max),
        ] as [(String, Int64?)])
    func `an expiry that is no time to come is a session's`(text: String, expires: Int64?) throws {
        let found = try cookies("wiki.example\tFALSE\t/\tTRUE\t\(text)\tsid\ts3cret\n")
        #expect(found.map(\.expires) == [expires] && found.map(\.value) == [Secret("s3cret")])
    }

    @Test(
        arguments: [
            ("wiki.example\tFALSE\t/\tTRUE\t100\tsid\told\n", .unsent(.expired)),
            (
                "wiki.example\tFALSE\t/admin\tTRUE\t0\tsid\tx\nwiki.example\tFALSE\t/m\tTRUE\t0\tb\ty",
                .unsent(.otherPath)
            ),
            ("wiki.example\tFALSE\t/me/\tTRUE\t0\tsid\tx", .unsent(.otherPath)),
            (
                ".example\tTRUE\t/\tTRUE\t0\tsid\tx\nevil.example\tFALSE\t/\tTRUE\t0\tsid\tx",
                .unsent(.otherHost("wiki.example"))
            ),
            ("wiki.example FALSE / TRUE 0 sid s3cret", .blanksForTabs),
            ("wiki.example\tFALSE\t/ TRUE\t0\tsid\ts3cret", .blanksForTabs),
            ("wiki.example\tFALSE\t/\tTRUE\t0 sid\ts3cret", .blanksForTabs),
            ("wiki.example\tFALSE\t/\tTRUE\t0\tsid s3cret", .blanksForTabs),
            ("wiki.example FALSE\t/\tTRUE\t0\tsid\ts3cret", .blanksForTabs),
            ("# a comment\n#HttpOnly_wiki.example  FALSE  /  TRUE  0  sid  s3cret", .blanksForTabs),
        ] as [(String, CopyFault)])
    func `cookies that would not be sent are named, and not tried`(text: String, fault: CopyFault) {
        #expect(throws: fault) { try cookies(text) }
    }

    @Test func `an expired line does not hide a good one, and the later of two lines counts`() throws {
        let line = { (expires: String, path: String, value: String) in
            "wiki.example\tFALSE\t\(path)\tTRUE\t\(expires)\tsid\t\(value)\r\n"
        }
        let text =
            line("100", "/", "old") + line("0", "/", "good") + line("0", "/admin", "other") + line("100", "/", "old")
        #expect(try cookies(text).map(\.value) == [Secret("good"), Secret("other")])
        #expect(try cookies(line("0", "/", "a") + line("0", "/", "b")).map(\.value) == [Secret("b")])
    }

    @Test(arguments: ["::1", "[::1]", "#HttpOnly_[::1]", "# x\n.[::1]"])
    func `an IPv6 address stands with brackets or without`(
        domain: String
    )
        throws
    {
        let origin = Origin(scheme: "http", host: "[::1]", port: 80)
        #expect(try cookies("\(domain)\tFALSE\t/\tTRUE\t0\tsid\tx", for: origin).map(\.host) == ["::1"])
    }

    @Test func `a cookie for https is not sent over http, but on this machine`() throws {
        let text = "wiki.example\tFALSE\t/\tTRUE\t0\tsid\tx\nlocalhost\tFALSE\t/\tTRUE\t0\tsid\tx"
        #expect(throws: CopyFault.unsent(.onlyHTTPS)) {
            try cookies(text, for: Origin(scheme: "http", host: "wiki.example", port: 80))
        }
        #expect(try cookies(text, for: Origin(scheme: "http", host: "localhost", port: 80)).count == 1)
    }

    /// Browsers take none of these that is not for https.
    @Test(arguments: ["__Secure-sid", "__Host-sid", "__host-sid"])
    func `a cookie whose name says that it is for https is one`(name: String) throws {
        #expect(try cookies("wiki.example\tFALSE\t/\tFALSE\t0\t\(name)\tx").map(\.isSecure) == [true])
    }

    @Test(arguments: ["sid\tx; admin=1", "a=1; sid\tx", "sid=a\tx", "sid\tx\ty", "sid\tx\u{1}"])
    func `a line that would be sent as two cookies is none`(end: String) throws {
        let line = "wiki.example\tFALSE\t/\tTRUE\t0\t"
        #expect(try cookies(line + end + "\n" + line + "b c\ty z").map(\.name) == ["b c"])
    }

    /// Each secret takes guarded memory, of which there is little.
    @Test func `cookies beyond all measure are told, and those of other hosts do not count`() throws {
        let lines = { (host: String) in
            (0..<10_000).map { "\(host)\tFALSE\t/\tTRUE\t0\tc\($0)\tx\n" }.joined()
        }
        #expect(throws: CopyFault.tooManyCookies) { try cookies(lines("wiki.example")) }
        let others = lines("other.example") + "wiki.example\tFALSE\t/\tTRUE\t0\tsid\tx\n"
        #expect(try cookies(others).map(\.name) == ["sid"])
    }

    /// The writer of the file knows which line is whose.
    @Test func `whatever a cookies file sends to a host stands in a line of that host`() {
        let hosts = ["wiki.example", "xwiki.example", "wiki.example.evil", "example", "[::1]"]
        var found = 0, tried = 0
        for seed in Thoroughness.seeds {
            let file = WrittenCookies(seed: seed, hosts: hosts, now: Self.now)
            let (scheme, path) = [("https", "/me/x"), ("http", "/admin/x"), ("https", "/")][Int(seed % 3)]
            // In a full run each text is read for all of them.
            for host in Thoroughness.isFull ? hosts : [hosts[Int(seed % UInt64(hosts.count))]] {
                tried += 1
                let shown = "seed \(seed), \(scheme)://\(host)\(path):\n\(file.text.debugDescription)"
                let origin = Origin(scheme: scheme, host: host, port: 443)
                let read = try? cookies(file.text, for: origin, path: path)
                let sent = read?.map { "\($0.path) \($0.value.unprotectedText)" } ?? []
                let expected = file.sent(to: origin, path: path, now: Self.now)
                #expect(sent == expected, "\(shown)")
                found += expected.isEmpty ? 0 : 1
            }
        }
        #expect(found * 10 > tried)
    }
}

/// A file, and what its writer meant by it.
private struct WrittenCookies {
    private struct Line {
        let host, path, name, value: String
        let isSecure: Bool
        let expires: Int64?
    }

    private(set) var text = ""
    private var lines: [Line] = []
    private var random: SeededGenerator

    init(seed: UInt64, hosts: [String], now: Int64) {
        random = SeededGenerator(seed: seed)
        if random.isOne(in: 4) { text = "\u{FEFF}" }
        if random.isOne(in: 2) { text += "# Netscape HTTP Cookie File\n\n" }
        for index in 0..<Int.random(in: 1...8, using: &random) {
            let host = random.pick(hosts), value = random.pick(["", "\"", "a=b ", "ä#"]) + "v\(index)"
            let line = Line(
                host: host, path: random.pick(["/", "/", "/admin", "/me/"]), name: random.pick(["sid", "b", "__c"]),
                value: value, isSecure: random.isOne(in: 2), expires: random.pick([nil, nil, now + 1000, now - 1000]))
            write(line, now)
            text += random.pick(["\n", "\r\n", "\r", "\n\n"])
        }
    }

    private mutating func write(_ line: Line, _ now: Int64) {
        let bare = line.host == "[::1]" && random.isOne(in: 2) ? "::1" : line.host
        let domain = random.pick(["", ".", "#HttpOnly_", "#HttpOnly_."]) + random.pick([bare, bare.uppercased()])
        let path = line.path == "/" ? random.pick(["/", ""]) : line.path
        var expiry = random.pick(["0", "-1", "", "1" + String(repeating: "0", count: 25)])
        if let expires = line.expires { expiry = "\(expires)" + random.pick(["", ".5"]) }
        var fields = [domain, random.pick(["TRUE", "false"]), path, line.isSecure ? "TRUE" : "FALSE", expiry]
        fields += [line.name, line.value]
        switch Int.random(in: 0..<12, using: &random) {
        // No cookies: a comment, too few and too many fields, a flag that is none.
        case 0: fields[0] = random.pick(["# ", "#"]) + line.host
        case 1: fields.removeLast(2)
        case 2: fields.append("more")
        case 3: fields[3] = "maybe"
        default: lines.append(line)
        }
        text += fields.joined(separator: "\t")
    }

    /// The cookies that a browser would have, by the rules of the manual.
    func sent(to origin: Origin, path: String, now: Int64) -> [String] {
        let usable = lines.filter {
            $0.host == origin.host && $0.expires ?? .max > now
                && (!$0.isSecure || origin.scheme == "https" || origin.host == "[::1]")
        }
        let paths = ["/me/x": ["/", "/me/"], "/admin/x": ["/", "/admin"], "/": ["/"]][path] ?? []
        guard usable.contains(where: { paths.contains($0.path) }) else { return [] }
        return usable.enumerated().filter { index, line in
            !usable[(index + 1)...].contains { $0.name == line.name && $0.path == line.path }
        }.map { "\($1.path) \($1.value)" }
    }
}
