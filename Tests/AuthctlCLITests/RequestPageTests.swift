@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// `request --page`: what a browser sends of a form that is on a page of the service.
struct RequestPageTests {
    private static let config = """
        [profiles.shop]
        url    = "https://shop.example"
        method = "cookie"
        login  = { post = "/login", json = { name = "{username}", password = "{password}" } }
        verify = { get = "/me", username = "/name" }

        """
    private func me(_ sid: String) -> HTTPResponse {
        .answer(200, #"{"name": "ann"}"#, cookies: [.named("sid", sid)])
    }

    private let done = HTTPResponse.answer(200, "ok", cookies: [.named("sid", "one")])

    private func page(_ html: String, _ sid: String = "one") -> HTTPResponse {
        .answer(200, html, headers: ["Content-Type: text/html"], cookies: [.named("sid", sid)])
    }

    private let form = """
        <form action="/search"><input name=q></form>
        <form action="/edit" method=post><input type=hidden name=nonce value="n 1"><input name=title value=old>
        <input type=checkbox name=mail><button name=do value=save>Save</button><button name=do value=drop>Drop</button></form>
        """

    private func loggedIn() throws -> TestWorld {
        let world = try TestWorld(config: Self.config)
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let server = [HTTPResponse.answer(401), .answer(200, cookies: [.named("sid", "one")]), me("one")]
        #expect(world.run("login", server: server).code == 0)
        world.person = ScriptedPerson()
        return world
    }

    @Test func `a form is sent as a browser would send it, with what the person fills in`() throws {
        let world = try loggedIn()
        let run = world.run(
            "request", "--page", "/edit?id=7", "POST", "/edit", "-d", "title=new",
            server: [page(form), done])
        #expect(run.code == 0 && run.output == "ok", "\(run.talk)")
        #expect(world.requests.first?.hasPrefix("GET https://shop.example/edit?id=7") == true)
        let sent = try #require(world.requests.last)
        #expect(sent.hasSuffix("\n\ntitle=new&nonce=n+1&do=save"), "\(sent)")
        #expect(sent.contains("Referer: https://shop.example/edit?id=7"))
        #expect(sent.contains("Origin: https://shop.example") && sent.contains("sid=one"), "\(sent)")
    }

    @Test func `a button that is named is the one that is pressed, and a form is sent with nothing filled in`() throws {
        let world = try loggedIn()
        _ = world.run(
            "request", "--page", "/edit", "POST", "/edit", "-d", "do=drop", server: [page(form), done])
        #expect(world.requests.last?.hasSuffix("\n\ndo=drop&nonce=n+1&title=old") == true)
        _ = world.run("request", "--page", "/edit", "POST", "/edit", server: [page(form), done])
        #expect(world.requests.last?.hasSuffix("\n\nnonce=n+1&title=old&do=save") == true)
    }

    @Test(arguments: [
        ("/html/expire?path=/a", "/html/expire;jsessionid=1?path=%2Fa&nonce=77"),
        ("/html/deploy", "/html/deploy?nonce=77"),
        ("/html/expire?path=/b", "/html/expire;jsessionid=1?path=/b&nonce=77"),
        ("/html/deploy?x=1", "/html/deploy?x=1"),
    ])
    func `a form is sent to its own address where that has more than the person wrote`(
        wanted: String, target: String
    ) throws {
        let forms = """
            <form method=post action="/html/expire;jsessionid=1?path=%2Fa&amp;nonce=77"><input name=idle value=30></form>
            <form method=post action="/html/expire;jsessionid=1?path=/b&amp;nonce=77"><input name=idle value=30></form>
            <form method=post action="/html/deploy?nonce=77"><input name=idle></form>
            <form method=post action="https://evil.example/html/expire?path=/a"><input name=idle></form>
            """
        let world = try loggedIn()
        let run = world.run(
            "request", "--page", "/html", "POST", wanted, "-d", "idle=60", server: [page(forms), done])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests.last?.hasPrefix("POST https://shop.example\(target)\n") == true, "\(world.requests)")
    }

    @Test func `a page without the form has verify asked, and after a login the form is fetched again`() throws {
        let world = try loggedIn()
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let login = page("<form action=/login method=post><input name=name><input type=password name=password></form>")
        let server = [
            login, HTTPResponse.answer(401), .answer(401), .answer(200, cookies: [.named("sid", "three")]), me("three"),
            page(form, "three"),
            .answer(200, "ok"),
        ]
        let run = world.run("request", "--page", "/edit", "POST", "/edit", server: server)
        #expect(run.code == 0 && run.output == "ok", "\(run.talk)")
        #expect(world.requests.filter { $0.hasPrefix("POST https://shop.example/edit") }.count == 1)
    }

    @Test func `where verify knows the session, a page without the form is a failure, and nothing was sent`() throws {
        let world = try loggedIn()
        for answer in [page("<p>Nothing."), .answer(200, "{}"), .answer(302)] {
            let run = world.run("request", "--page", "/edit", "POST", "/edit", server: [answer, me("one")])
            #expect(run.code == 1 && run.talk.contains("nothing was sent"), "\(run.code) \(run.talk)")
            #expect(!world.requests.contains { $0.hasPrefix("POST") })
        }
    }

    @Test func `a form that leads to another origin is refused with 7`() throws {
        let world = try loggedIn()
        let html =
            "<form action=/edit method=post><button formaction=https://evil.example/>Go</button><button>x</button></form>"
        let run = world.run("request", "--page", "/edit", "POST", "/edit", server: [page(html), me("one")])
        #expect(run.code != 0 && world.requests.allSatisfy { !$0.contains("evil.example") }, "\(run.code) \(run.talk)")
        #expect(!world.requests.contains { $0.hasPrefix("POST") })
    }

    @Test func `a password of Basic is sent to a page outside the folder that verified it only once that asks for it`()
        throws
    {
        let world = try TestWorld(
            config: "[profiles.wire]\nurl = \"https://wire.example\"\nverify = { get = \"/account/me\" }\n")
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "pw")])
        let challenge = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"W\""])
        #expect(world.run("login", server: [challenge, .answer(200)]).code == 0)
        let run = world.run(
            "request", "--page", "/edit", "POST", "/account/edit",
            server: [
                challenge, page("<form action=/account/edit method=post><button>x</button></form>"), .answer(200, "ok"),
            ])
        #expect(run.code == 0 && run.output == "ok", "\(run.talk)")
        #expect(world.requests.map { $0.contains("pw") } == [false, true, true], "\(world.requests)")
    }

    @Test(arguments: [
        (["--page", "/edit", "/edit"], "a body needs a method"),
        (["--page", "/edit", "PUT", "/edit"], "--page needs POST"),
        (["--page", "/edit", "POST", "/edit", "--json", "{}"], "--page fills in a form"),
        (["--page", "https://other.example/", "POST", "/edit"], "is not on the profile's origin"),
    ])
    func `what no form can be is a usage error`(arguments: [String], words: String) throws {
        let world = try TestWorld(config: Self.config)
        let run = world.run(["request"] + arguments, server: [])
        #expect([2, 7].contains(run.code) && world.requests.isEmpty, "\(run.code) \(run.talk)")
        if run.code == 2 { #expect(run.talk.contains(words), "\(run.talk)") }
    }
}
