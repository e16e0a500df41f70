@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `login` of a profile with `method = "browser"`, in a window that is a script.
struct WindowLoginTests {
    private static let wiki = """
        [profiles.wiki]
        url    = "https://wiki.example"
        method = "browser"
        verify = { get = "/me", username = "/name" }

        """
    private let me = HTTPResponse.answer(200, #"{"name":"ann"}"#, cookies: [.named("sid", "s3cret")])
    private static let provider = Origin(scheme: "https", host: "id.example", port: 443)
    private static let request = "/auth?redirect_uri=https%3A%2F%2Fwiki.example%2Fcb"
    private let sent = HTTPResponse.answer(
        302, redirect: Redirect(url: "\(provider)\(request)", origin: provider, target: request))

    private func world(_ sights: [ScriptedWindow.Sight], _ more: String = "") throws -> TestWorld {
        let world = try TestWorld(config: Self.wiki + more)
        world.person = ScriptedPerson([])
        world.window.sights = sights
        return world
    }

    @Test func `cookies of a window are the session once verify accepts them`() throws {
        let world = try world([
            .page("https://id.example/login?state=1", []),
            .page("https://wiki.example/", [.named("sid", "s3cret")]),
        ])
        let run = world.run("login", "wiki", server: [sent, me])
        #expect(run.code == 0 && run.talk.contains("as ann"), "\(run.talk)")
        #expect(world.window.opened == ["https://wiki.example/me"] && world.window.hasEnded)
        #expect(world.requests.count == 2 && world.requests[1].contains("sid=s3cret"), "\(world.requests)")
        #expect(world.run("whoami", "wiki", server: [me]).output == "ann\n")
        #expect(world.requests[0].contains("sid=s3cret"))
    }

    @Test func `a service that binds sessions to a device is told of, once the login is good`() throws {
        let world = try world([.page("https://wiki.example/", [.named("sid", "s3cret")])])
        let me = HTTPResponse.answer(
            200, #"{"name":"ann"}"#, headers: [#"Secure-Session-Registration: (ES256);path="/r""#],
            cookies: [.named("sid", "s3cret")])
        let run = world.run("login", "wiki", server: [sent, me])
        #expect(run.code == 0 && run.talk.contains("warning: wiki: the service binds sessions"), "\(run.talk)")
    }

    @Test func `a window is asked for cookies only while it shows the service`() throws {
        let world = try world([
            .page("https://id.example/", [.named("sid", "no")]),
            .page("https://wiki.example.evil.example/", [.named("sid", "no")]),
            .closed,
        ])
        let run = world.run("login", "wiki", server: [sent])
        #expect(run.code == 5 && run.talk.contains("--paste"), "\(run.talk)")
        #expect(world.requests.count == 1 && world.window.hasEnded)
    }

    @Test func `a window that is not logged in to in time is 13`() throws {
        let world = try world([.page("https://wiki.example/", [.named("sid", "a")])])
        let run = world.run(
            "login", "wiki", "--prompt-timeout", "20", server: [sent] + Array(repeating: sent, count: 12))
        #expect(run.code == 13, "\(run.talk)")
        // One try, and three later ones, the first once more with the browser's own name.
        #expect(world.requests.count == 1 + 1 + 3 + 1, "\(world.requests.count)")
    }

    @Test func `a window that is closed after the service has refused for good says why`() throws {
        let world = try world([.page("https://wiki.example/", [.named("sid", "a")]), .closed])
        let run = world.run("login", "wiki", server: [sent, .answer(403)])
        #expect(run.code == 10, "\(run.talk)")
    }

    @Test func `cookies of a parent domain are asked about only where the service wants them`() throws {
        let cookies = [WindowCookie.named("sid", "x"), .named("sso", "y", domain: ".example")]
        let refusing = try world([.page("https://wiki.example/", cookies)])
        let refused = refusing.run("login", "wiki", server: [sent, sent, me])
        #expect(refused.code == 7 && refusing.window.askedFor == ["example"], "\(refused.talk)")
        #expect(refusing.run("whoami", "wiki", server: []).code == 4)
        let agreeing = try world([.page("https://wiki.example/", cookies)])
        agreeing.window.agrees = true
        #expect(agreeing.run("login", "wiki", server: [sent, sent, me]).code == 0)
        let enough = try world([.page("https://wiki.example/", cookies)])
        #expect(enough.run("login", "wiki", server: [sent, me]).code == 0 && enough.window.askedFor.isEmpty)
        #expect(!enough.requests[1].contains("sso"))
        let written = try world([.page("https://wiki.example/", cookies)])
        try written.home.write(Self.wiki + "parent-cookies = true\n", to: "config/authctl/config.toml")
        #expect(written.run("login", "wiki", server: [sent, sent, me]).code == 0 && written.window.askedFor.isEmpty)
    }

    @Test func `the browser's own name is tried after a while, and sent with every request then`() throws {
        let world = try world([.page("https://wiki.example/", [.named("sid", "a")]), .nothing(for: 3000)])
        let run = world.run("login", "wiki", server: [sent, sent, sent, me, me])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.requests.map { $0.contains("Browser/1") } == [false, false, false, true, true])
        #expect(world.run("whoami", "wiki", server: [me]).code == 0 && world.requests[0].contains("Browser/1"))
        let request = world.run("request", "/x", "-P", "wiki", server: [.answer(200, "body")])
        #expect(request.code == 0 && world.requests.last?.contains("Browser/1") == true, "\(world.requests)")
        let first = try self.world([.page("https://wiki.example/", [.named("sid", "a")])])
        try first.home.write(Self.wiki + "user-agent = \"browser\"\n", to: "config/authctl/config.toml")
        #expect(first.run("login", "wiki", server: [sent, me]).code == 0 && first.requests[1].contains("Browser/1"))
    }

    @Test func `a header that the service's pages send is the session where the profile takes it`() throws {
        let world = try world([.page("https://wiki.example/", [])])
        try world.home.write(
            Self.wiki + "login = { page = \"/app\", take-header = \"Authorization\" }\n",
            to: "config/authctl/config.toml")
        world.window.headerValue = Secret("Bearer t0ken")
        let run = world.run("login", "wiki", server: [.answer(401), me])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.window.opened == ["https://wiki.example/app"] && world.window.taken?.name == "Authorization")
        #expect(world.run("token", "wiki", server: []).output == "t0ken\n")
    }

    @Test(arguments: [
        (WindowFault.noBrowser(other: nil), 1, "apt install chromium"),
        (.noBrowser(other: "firefox"), 1, "firefox"),
        (.confined(path: "/snap/bin/chromium", by: "snap"), 1, "is a snap"),
        (.root, 1, "--no-sandbox"), (.noDisplay(isRemote: true), 1, "ssh"),
        (.ended(program: "chromium", status: 21, words: "no X"), 1, "status 21"), (.closed, 5, "Google"),
    ])
    func `a window that cannot be had is told with the next command`(
        _ fault: WindowFault, _ code: Int32, _ words: String
    ) throws {
        let world = try world([])
        world.window.fault = fault
        let run = world.run("login", "wiki", server: [sent])
        #expect(run.code == code && run.talk.contains(words), "\(run.talk)")
        #expect(run.talk.contains("authctl login wiki --paste") && world.window.hasEnded, "\(run.talk)")
    }

    @Test func `nobody is shown a window without a terminal or where asking is forbidden`() throws {
        let world = try TestWorld(config: Self.wiki)
        let run = world.run("login", "wiki", server: [])
        #expect(run.code == 4 && run.talk.contains("login wiki --paste") && world.window.opened.isEmpty, "\(run.talk)")
        world.window.sights = [.page("https://wiki.example/", [.named("sid", "s")])]
        #expect(world.run("login", "wiki", "--browser", "chromium", "--no-prompt", server: []).code == 4)
        #expect(world.run("login", "wiki", "--browser", "chromium", server: [sent, me]).code == 0)
    }

    @Test(arguments: ["--device", "--no-browser", "--qr", "--password-stdin"])
    func `an option that means nothing to a window is refused`(_ option: String) throws {
        let world = try world([])
        #expect(world.run("login", "wiki", option, server: []).code == 2)
        #expect(world.window.opened.isEmpty)
    }

    @Test(arguments: [
        ("login = { post = \"/x\" }", "login"), ("parent-cookies = 1", "parent-cookies"),
        ("login = { take-header = \"Cookie\" }", "login.take-header"),
        ("session = { header = \"X-A: {token}\" }", "session"),
        ("login = { take-header = \"X-B\" }\nsession = { header = \"X-A: {token}\" }", "session"),
    ])
    func `a profile of a window with something wrong in it is refused`(_ line: String, _ key: String) throws {
        let world = try TestWorld(config: Self.wiki + line + "\n")
        let run = world.run("whoami", "wiki", server: [])
        #expect(run.code == 2 && run.talk.contains("profiles.wiki.\(key)"), "\(run.talk)")
    }

    @Test(arguments: ["parent-cookies = true", "user-agent = \"browser\""])
    func `a key of windows alone is refused elsewhere`(_ line: String) throws {
        let world = try TestWorld(config: Self.wiki.replacing("browser", with: "basic") + line + "\n")
        #expect(world.run("whoami", "wiki", server: []).code == 2)
    }

    @Test func `a URL that leads to a login on another origin is a window`() throws {
        let world = try world([.page("https://new.example/", [.named("sid", "s3cret")])])
        let run = world.run("discover", "https://new.example/me", server: [sent])
        #expect(run.code == 0 && run.output.contains("method = \"browser\""), "\(run.output)\(run.talk)")
        #expect(run.output.contains("the login is at https://id.example"))
        let moved = HTTPResponse.answer(
            301,
            redirect: Redirect(
                url: "https://www.example/me", origin: Origin(scheme: "https", host: "www.example", port: 443),
                target: "/me"))
        #expect(world.run("discover", "https://new.example/me", server: [moved]).code == 7)
    }

    @Test func `a page that a step names is shown, and its approval waited for`() throws {
        let world = try TestWorld(
            config: """
                [profiles.cloud]
                url     = "https://cloud.example"
                method  = "token"
                verify  = { get = "/me", username = "/name" }
                login   = [
                  { post = "/v2", take = { poll = "/poll/token", page = "/login" }, open = "{page}" },
                  { post = "/poll", form = { token = "{poll}" }, pending = [404], interval = 1, token = "/appPassword" },
                ]

                """)
        world.person = ScriptedPerson([])
        let begun = HTTPResponse.answer(200, #"{"poll":{"token":"p0ll"},"login":"https://cloud.example/flow/1"}"#)
        let done = HTTPResponse.answer(200, #"{"appPassword":"t0ken"}"#)
        let run = world.run("login", "cloud", server: [.answer(401), begun, .answer(404), done, me])
        #expect(run.code == 0 && run.talk.contains("as ann"), "\(run.talk)")
        #expect(world.consent.pages == ["https://cloud.example/flow/1"])
        let foreign = HTTPResponse.answer(200, #"{"poll":{"token":"p0ll"},"login":"https://evil.example/flow/1"}"#)
        let plain = HTTPResponse.answer(200, #"{"poll":{"token":"p0ll"},"login":"http://cloud.example/flow/1"}"#)
        world.person = ScriptedPerson([], confirms: false)
        #expect(world.run("login", "cloud", "--force", server: [.answer(401), foreign]).code == 5)
        let unsafe = world.run("login", "cloud", "--force", server: [.answer(401), plain])
        #expect(unsafe.code == 1 && unsafe.talk.contains("not an https URL"), "\(unsafe.talk)")
        #expect(world.consent.pages.count == 1)
    }
}
