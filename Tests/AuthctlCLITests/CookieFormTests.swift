import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `token --as cookies` and `--as playwright`.
struct CookieFormTests {
    private static let warning = "warning: blog: these cookies are the session: whoever has them is logged in as you"

    private func blog(_ cookies: [Cookie], pasted text: String? = nil, headers: [String] = []) throws -> TestWorld {
        let world = try TestWorld(config: Examples.blog)
        let me = HTTPResponse.answer(200, #"{"name":"anna"}"#, headers: headers, cookies: cookies)
        if let text {
            world.person = ScriptedPerson([])
            world.person.pasted = text
            world.terminals = [0]
            let run = world.run("login", "--paste", server: [.answer(401), me])
            #expect(run.code == 0, "\(run.talk)")
        } else {
            world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
            let run = world.run("login", server: [.answer(401), .answer(200, cookies: cookies), me])
            #expect(run.code == 0, "\(run.talk)")
        }
        (world.person, world.terminals) = (ScriptedPerson(), [])
        return world
    }

    private let cookies = [
        CookieRecord.cookie(
            "sid", Secret("c1"), expires: 2_000_000, domain: "blog.example", isSecure: true, isHTTPOnly: true),
        CookieRecord.cookie(
            "theme", Secret(#"a"b"#), expires: nil, domain: ".blog.example", path: "/users", isSecure: false),
    ]

    @Test func `cookies are a file in the Netscape format, with a warning`() throws {
        let world = try blog(cookies)
        let run = world.run("token", "--as", "cookies")
        #expect(run.code == 0 && run.talk.contains(Self.warning), "\(run.talk)")
        #expect(
            run.output.split(separator: "\n") == [
                "# Netscape HTTP Cookie File",
                "blog.example\tFALSE\t/\tTRUE\t2000000\tsid\tc1",
                ".blog.example\tTRUE\t/users\tFALSE\t0\ttheme\ta\"b",
            ])
        #expect(world.requests.isEmpty)
        #expect(world.run("token", "--as", "cookies", "-q").talk.isEmpty)
    }

    @Test func `cookies are the storage state of Playwright, with a warning`() throws {
        let run = try blog(cookies).run("token", "--as", "playwright")
        #expect(run.code == 0 && run.talk.contains(Self.warning), "\(run.talk)")
        let state = try JSONDecoder().decode(State.self, from: Data(run.output.utf8))
        #expect(
            state
                == State(
                    cookies: [
                        State.Entry(
                            name: "sid", value: "c1", domain: "blog.example", path: "/", expires: 2_000_000,
                            httpOnly: true, secure: true, sameSite: "Lax"),
                        State.Entry(
                            name: "theme", value: #"a"b"#, domain: ".blog.example", path: "/users", expires: -1,
                            httpOnly: false, secure: false, sameSite: "Lax"),
                    ], origins: []))
    }

    private struct State: Decodable, Equatable {
        let cookies: [Entry]
        let origins: [String]

        struct Entry: Decodable, Equatable {
            let name, value, domain, path: String
            let expires: Int64
            let httpOnly, secure: Bool
            let sameSite: String
        }
    }

    @Test func `a cookie that has ended is left out`() throws {
        let ending = CookieRecord.cookie(
            "hint", Secret("h"), expires: 1_500_000, domain: "blog.example", isSecure: true)
        let world = try blog(cookies + [ending])
        #expect(world.run("token", "--as", "cookies").output.contains("\thint\th\n"))
        world.now = 1_600_000
        let file = world.run("token", "--as", "cookies").output
        #expect(file.contains("\tsid\tc1\n") && !file.contains("hint"), "\(file)")
    }

    @Test func `a value with a tab does not fit a cookie file, and is refused without being shown`() throws {
        let torn = CookieRecord.cookie(
            "sid", Secret("s3cret\tx"), expires: nil, domain: "blog.example", isSecure: true)
        let world = try blog([torn])
        let file = world.run("token", "--as", "cookies")
        #expect(file.code == 2 && file.output.isEmpty && !file.talk.contains("s3cret"), "\(file)")
        #expect(file.talk.contains("the value of the cookie \"sid\" has a tab"), "\(file.talk)")
        #expect(world.run("token", "--as", "playwright").output.contains(#"s3cret\tx"#))
    }

    @Test func `a value that is not UTF-8 does not fit JSON, and is refused without being shown`() throws {
        let bytes: [UInt8] = [0x73, 0x33, 0xFF]
        let odd = CookieRecord.cookie(
            "sid", bytes.withUnsafeBytes { Secret(copying: $0) }, expires: nil, domain: "blog.example", isSecure: true)
        let run = try blog([odd]).run("token", "--as", "playwright")
        #expect(run.code == 2 && run.output.isEmpty && run.talk.contains("is not UTF-8"), "\(run)")
        #expect(!run.talk.contains("s3"), "\(run.talk)")
    }

    @Test(arguments: ["cookies", "playwright"])
    func `a login that is not made of cookies has no cookies to print, and is told what it has`(form: String) throws {
        let world = try TestWorld(config: Examples.forge)
        world.person = ScriptedPerson([ScriptedPerson.pastes("tok")])
        #expect(world.run("login", server: [.answer(401), .answer(200, #"{"username":"anna"}"#)]).code == 0)
        let run = world.run("token", "--as", form)
        #expect(run.code == 2 && run.output.isEmpty, "\(run)")
        #expect(run.talk.contains("not a session of cookies") && run.talk.contains("--as header"), "\(run.talk)")
        #expect(run.talk.contains("authctl exec --serve"), "\(run.talk)")
    }

    @Test(arguments: [
        ("curl 'https://blog.example/x' -b 'sid=c1' -H 'Sec-Secure-Session-Id: x'", "X-A: x", true),
        ("curl 'https://blog.example/x' -b 'sid=c1'", "Secure-Session-Registration: x", true),
        ("curl 'https://blog.example/x' -b 'sid=c1'", "X-A: x", false),
    ])
    func `cookies that the service binds to a device are warned of`(
        text: String, header: String, isBound: Bool
    ) throws {
        let world = try blog([.named("sid", "c1")], pasted: text, headers: [header])
        let run = world.run("token", "--as", "cookies")
        #expect(run.code == 0 && run.talk.contains(Self.warning), "\(run.talk)")
        #expect(run.talk.contains("binds sessions to the device of a browser") == isBound, "\(run.talk)")
    }

    @Test func `a login with a password is never bound to a browser's device`() throws {
        let me = HTTPResponse.answer(
            200, #"{"name":"anna"}"#, headers: ["Secure-Session-Registration: x"], cookies: cookies)
        let world = try TestWorld(config: Examples.blog)
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        #expect(world.run("login", server: [.answer(401), .answer(200, cookies: cookies), me]).code == 0)
        let run = world.run("token", "--as", "cookies")
        #expect(run.code == 0 && !run.talk.contains("device"), "\(run.talk)")
    }

    @Test func `the User-Agent that the service wants with the cookies is told`() throws {
        let world = try TestWorld(
            config: Examples.blog.replacing("method = ", with: "user-agent = \"Mozilla/5.0 (X)\"\nmethod = "))
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let me = HTTPResponse.answer(200, #"{"name":"anna"}"#, cookies: cookies)
        #expect(world.run("login", server: [.answer(401), .answer(200, cookies: cookies), me]).code == 0)
        let run = world.run("token", "--as", "cookies")
        #expect(run.talk.contains("blog: they are to be sent with the User-Agent \"Mozilla/5.0 (X)\""), "\(run.talk)")
    }
}
