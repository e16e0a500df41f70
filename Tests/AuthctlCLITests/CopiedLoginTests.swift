@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// `login --paste` and `login --netrc-file`.
struct CopiedLoginTests {
    private static let wiki = """
        [profiles.wiki]
        url     = "https://wiki.example"
        method  = "cookie"
        login   = { post = "/login", form = { u = "{username}", p = "{password}" } }
        verify  = { get = "/me", username = "/name" }

        [profiles.api]
        url     = "https://api.example"
        verify  = { get = "/me", username = "/name" }

        """
    private let me = HTTPResponse.answer(200, #"{"name":"ann"}"#, cookies: [.named("sid", "s3cret")])

    private func pasting(_ text: String) throws -> TestWorld {
        let world = try TestWorld(config: Self.wiki)
        world.person = ScriptedPerson([])
        world.person.pasted = text
        world.terminals = [0]
        return world
    }

    @Test func `a session that was copied in a browser is verified and stored`() throws {
        let world = try pasting("curl 'https://wiki.example/x' -b 'sid=s3cret; a=b' -H 'accept: */*'")
        let me = HTTPResponse.answer(
            200, #"{"name":"ann"}"#, cookies: [.named("sid", "s3cret"), .named("a", "b")])
        let run = world.run("login", "wiki", "--paste", server: [.answer(401), me])
        #expect(run.code == 0 && run.talk.contains("Logged in to wiki") && run.talk.contains("as ann"), "\(run.talk)")
        #expect(["sid=s3cret", "a=b"].allSatisfy { world.requests.last?.contains($0) == true }, "\(world.requests)")
        #expect(!world.requests.contains { $0.hasPrefix("POST") })
        #expect(world.run("whoami", "wiki", server: [me]).output == "ann\n")
    }

    @Test(arguments: [
        ("Sec-Secure-Session-Id", "X-A", 1), ("sec-session-response", "X-A", 1), ("X-A", "Secure-Session-Challenge", 1),
        ("X-A", "sec-session-registration", 1), ("Secure-Session-Skipped", "Secure-Session-Registration", 1),
        ("X-A", "X-Session-Id", 0),
    ])
    func `a session that only the browser's device can renew is warned of, once`(
        copied: String, answered: String, warnings: Int
    ) throws {
        let world = try pasting("curl 'https://wiki.example/x' -b 'sid=s3cret' -H '\(copied): x'")
        let me = HTTPResponse.answer(
            200, #"{"name":"ann"}"#, headers: ["\(answered): x"], cookies: [.named("sid", "s3cret")])
        let run = world.run("login", "wiki", "--paste", server: [.answer(401), me])
        #expect(run.code == 0, "\(run.talk)")
        #expect(run.talk.ranges(of: "binds sessions to the device of a browser").count == warnings, "\(run.talk)")
        #expect(!world.run("whoami", "wiki", server: [me]).talk.contains("device"))
    }

    @Test func `a copied session that the service refuses is 3, and says what to copy`() throws {
        let world = try pasting("Cookie: sid=old")
        let run = world.run("login", "wiki", "--paste", server: [.answer(401), .answer(401)])
        #expect(run.code == 3 && run.talk.contains("does not accept the pasted session"), "\(run.talk)")
        #expect(run.talk.contains("log in again in the browser"), "\(run.talk)")
    }

    @Test(arguments: [
        ("curl https://evil.example/ -b sid=1", "wiki", 7, "evil.example"),
        ("Cookie: sid=1\nHost: evil.example", "wiki", 7, "evil.example"),
        ("Cookie: sid=1\n:authority: evil.example", "wiki", 7, "evil.example"),
        ("Cookie: sid=1\nHost: wiki.example\nHost: evil.example", "wiki", 7, "evil.example"),
        (
            "curl https://wiki.example/ -b sid=1 -H 'Host: wiki.example' -H 'host: evil.example'", "wiki", 7,
            "evil.example"
        ),
        ("curl https://wiki.example/ -H 'accept: x'", "wiki", 2, "no Cookie header"),
        ("curl https://wiki.example/ -b sid=1; id", "wiki", 2, "nothing of it was run"),
        ("fetch('x')", "wiki", 2, "copied as fetch"), ("Cookie: a=b", "api", 2, "is its credential"),
    ])
    func `a paste that gives no session of the profile sends nothing`(
        text: String, profile: String, code: Int32, words: String
    ) throws {
        let world = try pasting(text)
        let run = world.run("login", profile, "--paste", server: [])
        #expect(run.code == code && run.talk.contains(words), "\(run.code) \(run.talk)")
        #expect(world.requests.isEmpty)
    }

    @Test func `a cookies file gives the cookies of the host alone`() throws {
        let world = try pasting(
            "# Netscape HTTP Cookie File\n#HttpOnly_wiki.example\tFALSE\t/\tTRUE\t0\tsid\ts3cret\n"
                + ".example\tTRUE\t/\tTRUE\t0\tparent\tno\nevil.example\tFALSE\t/\tTRUE\t0\tsid\tno\n")
        let run = world.run("login", "wiki", "--paste", server: [.answer(401), me])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests.last?.contains("sid=s3cret") == true && world.requests.last?.contains("no") == false)
    }

    @Test(
        arguments: [
            ("wiki.example\tFALSE\t/\tTRUE\t100\tsid\tx\n", "have expired"),
            ("wiki.example\tFALSE\t/admin\tTRUE\t0\tsid\tx\n", "their paths are others"),
            (".example\tTRUE\t/\tTRUE\t0\tsid\tx\n", "no cookie of wiki.example itself"),
            ("wiki.example FALSE / TRUE 0 sid x\n", "where tabs belong"),
            (
                "Cookie: " + (0...50).map { "c\($0)=x" }.joined(separator: "; "),
                "more cookies than one request can hold"
            ),
            ("Cookie: sid=" + String(repeating: "x", count: 4096), "more cookies than one request can hold"),
        ])
    func `cookies that would never be sent are no refusal of the service`(text: String, words: String) throws {
        let world = try pasting(text)
        let run = world.run("login", "wiki", "--paste", server: [])
        #expect(run.code == 2 && run.talk.contains(words), "\(run.code) \(run.talk)")
        #expect(world.requests.isEmpty)
    }

    @Test(arguments: [
        "wiki.example\tFALSE\t/\tTRUE\t100\tsid\told\nwiki.example\tFALSE\t/\tTRUE\t-1\tsid\ts3cret\n",
        "wiki.example\tFALSE\t/\tTRUE\t10000000000000000000000000\tsid\ts3cret\r\n",
        "\u{FEFF}\ncurl https://wiki.example/\\[slug\\] -b sid=s3cret",
        "Cookie: a=1; sid=s3cret\r\nHost: wiki.example\r\n",
    ])
    func `a session in one of the forms that browsers and their extensions write is sent`(text: String) throws {
        let world = try pasting(text)
        let run = world.run("login", "wiki", "--paste", server: [.answer(401), me])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests.last?.contains("sid=s3cret") == true, "\(world.requests)")
    }

    @Test func `an origin with an IPv6 address is sent its cookies`() throws {
        let origin = Origin(scheme: "http", host: "[::1]", port: 8080)
        let cookie = CookieRecord.cookie("sid", Secret("x"), for: origin)
        #expect(cookie.record == Secret("::1\tFALSE\t/\tFALSE\t0\tsid\tx"))
    }

    @Test func `a netrc file is read if an option names it, and its line is named`() throws {
        let world = try TestWorld(config: Self.wiki)
        let entry = "machine api.example login ann password n3trc\n"
        let file = try world.home.write(entry, to: "netrc", mode: 0o644)
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"x\""])
        let loose = world.run("login", "api", "--netrc-file", file, server: [])
        #expect(loose.code == 2 && loose.talk.contains("chmod 600"), "\(loose.talk)")
        let safe = try world.home.write(entry, to: "netrc-safe")
        let run = world.run("login", "api", "--netrc-file", safe, server: [basic, me])
        #expect(run.code == 0 && run.talk.contains("line 1 of"), "\(run.talk)")
        #expect(world.run("whoami", "api", server: [me]).output == "ann\n")
        let other = world.run("login", "wiki", "--netrc-file", safe, server: [])
        #expect(other.code == 2 && other.talk.contains("no entry for the machine wiki.example"), "\(other.talk)")
        #expect(world.run("login", "api", "--netrc", "--paste", server: []).code == 2)
    }

    @Test(
        arguments: [
            ("machine api.example login ann password\nmachine other.example login bob password zzz", "line 1:"),
            ("machine api.example login ann password \"pw\nmachine other.example login bob password zzz", "line 1:"),
            ("machine api.example login ann password pw\nmachine other.example login bob account", "line 2:"),
            ("machine api.example login a:b password pw", "user name"),
            ("machine api.example login ann password \"\"", "--blank-password"),
            ("machine api.example login ann password \"p\\tw\"", "it came from line 1 of"),
        ])
    func `a netrc file that could be read in two ways sends nothing`(text: String, words: String) throws {
        let world = try TestWorld(config: Self.wiki)
        let run = world.run("login", "api", "--netrc-file", try world.home.write(text, to: "netrc"), server: [])
        #expect(run.code == 2 && run.talk.contains(words) && !run.talk.contains("zzz"), "\(run.code) \(run.talk)")
        #expect(world.requests.isEmpty)
    }

    @Test func `an entry without a login serves the name that -u gives`() throws {
        let world = try TestWorld(config: Self.wiki)
        let file = try world.home.write("machine api.example password n3trc\n", to: "netrc")
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"x\""])
        let run = world.run("login", "api", "-u", "ann", "--netrc-file", file, server: [basic, me])
        #expect(run.code == 0 && run.talk.contains("as ann"), "\(run.talk)")
    }
}
