@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// `authctl discover URL`: what GET requests without credentials find out.
struct DiscoverTests {
    private static let origin = Origin(scheme: "https", host: "app.example", port: 443)
    private static let loginPage = """
        <form action="/login/" method="post"><input type="hidden" name="csrf" value="x"><input name="q" type="search">
        <input name="user" type="text"><input name="pass" type="password"><button name="go" value="In">Log in</button></form>
        """

    private static func page(_ html: String, status: Int = 200) -> HTTPResponse {
        .answer(status, html, headers: ["Content-Type: text/html; charset=utf-8"])
    }

    private static func json(_ text: String) -> HTTPResponse {
        .answer(200, text, headers: ["Content-Type: application/json"])
    }

    private static func redirect(_ target: String, to origin: Origin = origin) -> HTTPResponse {
        .answer(302, redirect: Redirect(url: "\(origin)\(target)", origin: origin, target: target))
    }

    private func discover(_ target: String, _ server: [HTTPResponse], _ more: String...) throws -> (Run, [String]) {
        let world = try TestWorld()
        let run = world.run(
            ["discover", "https://app.example\(target)"] + more, server: server.map { .success($0) })
        return (run, world.requests)
    }

    @Test func `a challenge makes a profile of four lines`() throws {
        let (run, requests) = try discover("/api/me", [.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""])])
        #expect(run.code == 0)
        #expect(
            run.output == """
                # Written by authctl discover https://app.example/api/me; 1 GET request without
                # credentials, on app.example.
                [profiles."app.example"]
                url    = "https://app.example"
                method = "basic"                            # WWW-Authenticate: "Basic realm=\\"r\\""
                verify = { get = "/api/me" }                # 401 without a login

                """)
        #expect(run.talk.contains("authctl login app.example"))
        #expect(requests.count == 1 && requests[0].hasPrefix("GET https://app.example/api/me"))
    }

    @Test func `where the page's own URL is one session's alone, the profile names the one that leads there`() throws {
        let there = Self.redirect("/in?AuthState=_c2770011aabbccdd"), page = Self.page(Self.loginPage)
        let missing = Self.page("AuthState is missing", status: 400)
        for (server, path) in [([there, page, missing], "/app/"), ([there, page, page], "/in")] {
            let (run, requests) = try discover("/app/", server)
            #expect(run.output.contains("page = \"\(path)\""), "\(run.output)\(run.talk)")
            #expect(requests.count == 3 && requests[2] == "GET https://app.example/in", "\(requests)")
        }
        let (direct, _) = try discover("/in?AuthState=_c2770011aabbccdd", [page])
        #expect(direct.output.contains("page = \"/in\""), "\(direct.output)")
    }

    @Test func `a Bearer challenge is followed through the metadata of service and server`() throws {
        let challenge =
            "WWW-Authenticate: Bearer resource_metadata=\"https://app.example/.well-known/r\", scope=\"notes\""
        let resource = """
            {"resource":"https://app.example/mcp","authorization_servers":["https://id.example/"]}
            """
        let server = """
            {"issuer":"https://id.example/","authorization_endpoint":"https://id.example/a",
             "token_endpoint":"https://id.example/t","registration_endpoint":"https://id.example/reg"}
            """
        let (run, requests) = try discover(
            "/mcp", [.answer(401, headers: [challenge]), Self.json(resource), Self.json(server)])
        #expect(run.code == 0, "\(run.talk)")
        let sentences = run.output.replacing("\n# ", with: " ")
        #expect(sentences.contains("; 3 requests without credentials, on app.example and id.example.\n"))
        #expect(run.output.contains("\nmethod = \"oauth\""))
        #expect(
            run.output.contains(
                """
                [profiles."app.example".oauth]
                issuer   = "https://id.example/"            # authorization_servers in "https://app.example/.well-known/r"
                resource = "https://app.example/mcp"        # resource in "https://app.example/.well-known/r"
                scope    = "notes"                          # scope from the challenge or the metadata
                # client-id is not needed: "https://id.example/reg" registers clients
                # flows: browser; does not revoke
                """))
        #expect(run.output.contains("\nmcp    = \"/mcp\""), "\(run.output)")
        #expect(run.output.contains("\n# for an MCP client: authctl mcp app.example\n"), "\(run.output)")
        #expect(requests.count == 3)
    }

    @Test(arguments: [
        ("/v1/mcp/", "Bearer", #"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Unauthorized"},"id":null}"#, true),
        ("/mcp", "Bearer", #"{"error":"invalid_token"}"#, true), ("/mcp", "Basic", "{}", false),
        ("/api", "Bearer", #"{"jsonrpc":"2.0"}"#, false),
    ])
    func `an MCP server is told by its path together with its refusal`(
        target: String, scheme: String, body: String, speaks: Bool
    ) throws {
        let refusal = HTTPResponse.answer(401, body, headers: ["WWW-Authenticate: \(scheme)"])
        let (run, _) = try discover(target, [refusal] + (0..<11).map { _ in .answer(404) })
        #expect(run.code == 0, "\(run.talk)")
        #expect(run.output.contains("\nmcp    = \"\(target)\"") == speaks, "\(run.output)")
        #expect(run.output.contains("authctl mcp app.example") == speaks, "\(run.output)")
    }

    @Test(arguments: [400, 405, 406])
    func `an MCP server that takes no GET is asked by initialize, which is then verify`(status: Int) throws {
        let refusal = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Bearer"])
        let missing = (0..<10).map { _ in HTTPResponse.answer(404) }
        let (run, requests) = try discover("/v1/mcp", [.answer(status), refusal] + missing)
        #expect(run.code == 0, "\(run.talk)")
        #expect(requests[1].hasPrefix("POST https://app.example/v1/mcp\n") && requests[1].contains("\"initialize\""))
        #expect(run.output.contains("\nmcp    = \"/v1/mcp\"") && run.output.contains("\nmethod = \"token\""))
        #expect(!run.output.contains("verify ="), "\(run.output)")
        // What takes both from anybody, or has another name, is none.
        for (target, answer) in [("/v1/mcp", HTTPResponse.answer(200)), ("/v1/other", refusal)] {
            let (run, _) = try discover(target, [.answer(status), answer] + missing)
            #expect(!run.output.contains("mcp    ="), "\(run.output)")
        }
    }

    @Test func `a redirect to a login form is a profile, and login by the same URL uses it after a yes`() throws {
        let there = [Self.redirect("/login/?next=/home"), Self.page(Self.loginPage)]
        let (run, _) = try discover("/home", there)
        #expect(run.code == 0)
        #expect(
            run.output.contains(
                """
                login  = { page = "/login/?next=/home", post = "/login/", form = { pass = "{password}", user = "{username}" } }
                # 302 to "/login/" without a login
                verify = { get = "/home", logged-out = [401, { status = 302, "header:Location" = "/login/*" }] }
                """))
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
        let cookie = HTTPResponse.answer(302, cookies: [.named("sid", "s1")])
        let login = world.run(
            "login", "https://app.example/home",
            server: there + [
                Self.redirect("/login/"), Self.page(Self.loginPage), Self.page(Self.loginPage), cookie, .answer(200),
            ])
        #expect(login.code == 0, "\(login.talk)")
        let decision = try #require(world.person.prompt.decisions.first)
        #expect(decision.question == "Found a login form at /login/?next=/home (user, pass).")
        #expect(decision.details?.contains("[profiles.\"app.example\"]\nurl") == true, "\(decision)")
        let next = "\nSaved as the profile app.example. Next: authctl request https://app.example/home\n"
        #expect(login.talk.contains(next), "\(login.talk)")
        let sent = try #require(world.requests.first { $0.hasPrefix("POST https://app.example/login/") })
        #expect(
            sent.contains("user=anna") && sent.contains("pass=pw") && sent.contains("csrf=x") && sent.contains("go=In"))
        #expect(try world.home.read("config/authctl/profiles/app.example.toml").contains("/login/?next=/home"))
        let again = world.run("login", "https://app.example/home", server: [.answer(200)])
        #expect(again.code == 0 && again.talk.hasPrefix("Already logged in"), "\(again.talk)")
    }

    /// The server's responses from the person's yes on, to a login at a page that shows its form to everybody.
    private static func openLogin(_ after: [HTTPResponse]) -> [HTTPResponse] {
        let cookie = HTTPResponse.answer(
            302, cookies: [.named("sid", "s1")],
            redirect: Redirect(url: "\(origin)/home", origin: origin, target: "/home"))
        let form = page(loginPage)
        return [form, form, form, form, cookie] + after
    }

    @Test
    func `a login by a page that shows its form to everybody finds afterwards what proves it, a name and a logout`()
        throws
    {
        let home = Self.page("<p>Hello <b class=me>anna</b></p><a href=/bye>Log out</a>")
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
        let run = world.run(
            "login", "https://app.example/login/", server: Self.openLogin([home, Self.redirect("/login/"), home]))
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            run.talk.contains("verify is now https://app.example/home: 302 to \"/login/\" without a login"),
            "\(run.talk)")
        #expect(run.talk.contains("logout: GET \"/bye\", a link on \"/home\""), "\(run.talk)")
        let made = try world.home.read("config/authctl/profiles/app.example.toml")
        #expect(made.contains("\"/home\"") && made.contains("<b class=me>*<") && made.contains("\"/bye\""), "\(made)")
        #expect(run.talk.contains(". Next: authctl request https://app.example/home\n"), "\(run.talk)")
        let later = world.run("whoami", server: [home])
        #expect(later.code == 0 && later.output == "anna\n", "\(later.talk)")
        let again = world.run("login", "https://app.example/login/", server: [home])
        #expect(again.code == 0 && again.talk.hasPrefix("Already logged in"), "\(again.talk)")
    }

    @Test func `a profile that discover has saved gets the verify that its login shows`() throws {
        let home = Self.page("<p>Hello <b class=me>anna</b></p>"), form = Self.page(Self.loginPage)
        let world = try TestWorld()
        let found = world.run(
            "discover", "https://app.example/login/", "--save", "--name", "app", server: [form, form])
        #expect(found.code == 0, "\(found.talk)")
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let after = Self.openLogin([home, Self.redirect("/login/"), home])
        let run = world.run("login", "app", server: Array(after.dropFirst()))
        #expect(run.code == 0 && run.talk.contains("verify is now https://app.example/home"), "\(run.talk)")
        #expect(try world.home.read("config/authctl/profiles/app.toml").contains("\"/home\""))
        let later = world.run("whoami", server: [home])
        #expect(later.code == 0 && later.output == "anna\n", "\(later.talk)")
    }

    @Test func `a place that names two accounts alike leaves the profile, and each goes by its typed name`() throws {
        let home = Self.page("<p>Group: <b>admin</b></p><a href=/bye>Log out</a>")
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("admin", "pw")], confirms: true)
        let first = world.run(
            "login", "https://app.example/login/", server: Self.openLogin([home, Self.redirect("/login/"), home]))
        #expect(first.code == 0 && first.talk.contains(" as admin."), "\(first.talk)")
        let file = "config/authctl/profiles/app.example.toml"
        #expect(try world.home.read(file).contains("<p>Group: <b>*<"))
        world.person = ScriptedPerson([ScriptedPerson.types("bob", "pw")])
        let form = Self.page(Self.loginPage), cookie = HTTPResponse.answer(302, cookies: [.named("sid", "s2")])
        let second = world.run(
            "login", "app.example", "-u", "bob", server: [Self.redirect("/login/"), form, form, cookie, home])
        #expect(second.code == 0 && second.talk.contains(" as bob."), "\(second.talk)")
        #expect(second.talk.contains("it shows \"admin\" to several accounts"), "\(second.talk)")
        let made = try world.home.read(file)
        #expect(!made.contains("Group") && made.contains("\"/home\"") && made.contains("{username}"), "\(made)")
        #expect(world.run("whoami", server: [home]).output == "bob\n")
        #expect(world.run("whoami", "-u", "admin", server: [home]).output == "admin\n")
    }

    @Test func `a place that a person wrote stays, whatever it shows`() throws {
        let config = """
            [profiles.app]
            url    = "https://app.example"
            method = "cookie"
            login  = { post = "/login/", form = { user = "{username}", pass = "{password}" } }
            verify = { get = "/home", logged-out = [{ status = 302 }], username = ["text", "<p>Group: <b>*<"] }
            """
        let home = Self.page("<p>Group: <b>admin</b></p>")
        let world = try TestWorld(config: config)
        for name in ["admin", "bob"] {
            world.person = ScriptedPerson([ScriptedPerson.types(name, "pw")])
            let cookie = HTTPResponse.answer(302, cookies: [.named("sid", name)])
            let run = world.run("login", "app", "-u", name, server: [Self.redirect("/login/"), cookie, home])
            #expect(run.code == 0 && run.talk.contains(" as admin."), "\(run.talk)")
        }
    }

    /// The server's responses from the person's yes on, to a login whose response leads back to the page of its form.
    private static func ledBack(_ after: HTTPResponse...) -> [HTTPResponse] {
        let form = page(loginPage)
        return [form, form, form, form, redirect("/login/")] + after + [form]
    }

    @Test func `what a form asks for beside name and password is asked for, and is part of the profile`() throws {
        let form = """
            <form action="/in" method="post"><table><tr><th>Server<td><input name="auth[server]"></table>
            <label>Domain: <input name="d" value="here"></label> <label for="t">Tenant</label><input id="t" name="tenant">
            <input name="user"><input name="pass" type="password"><button>Log in</button></form>
            """
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("ada", "pw")], confirms: true)
        world.person.texts = ["Server: ": "db.example"]
        let run = world.run(
            "login", "https://app.example/me",
            server: [
                Self.redirect("/login"), Self.page(form), Self.redirect("/login"), Self.page(form), Self.page(form),
                Self.redirect("/me"), Self.page("<p>Hello</p>"),
            ])
        #expect(run.code == 0, "\(run.talk)")
        let file = try world.home.read("config/authctl/profiles/app.example.toml")
        #expect(file.contains("db.example") && !file.contains("tenant") && !file.contains("here"), "\(file)")
        #expect(world.requests.contains { $0.contains("auth%5Bserver%5D=db.example") && $0.contains("d=here") })
        let (shown, _) = try discover("/me", [Self.redirect("/login"), Self.page(form)])
        #expect(
            shown.output.replacing("\n# ", with: " ").contains(
                #"the form also asks for "Server": 'login.form' may have the field "auth[server]""#))
        #expect(shown.output.contains(#"the form also asks for "Tenant""#) && !shown.output.contains("Domain"))
    }

    @Test func `a list of names is where a login takes its user name from`() throws {
        let form = """
            <form action="/in" method="post"><select name="lang"><option>de<option>en</select>
            <select name="userid"><option value="">choose<option value="1">Ada<option value="2">Grace</select>
            <input name="pass" type="password"><button>Log in</button></form>
            """
        let (run, _) = try discover("/me", [Self.redirect("/login"), Self.page(form)])
        #expect(run.output.contains("userid = \"{username}\""), "\(run.output)")
        #expect(run.output.contains(#"name: field "userid" (one of "1", "2")"#), "\(run.output)")
    }

    @Test func `a login that leads back to its form is refused, unless the page names the person`() throws {
        let named = "<p>Hello <b class=me>anna</b></p>"
        for (name, status, code) in [("", 200, Int32(3)), (named, 200, 2), (named, 403, 3)] {
            let world = try TestWorld()
            world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
            let server = Self.ledBack(
                Self.page(name + Self.loginPage, status: status), Self.page(Self.loginPage))
            let run = world.run("login", "https://app.example/login/", "--max-attempts", "1", server: server)
            #expect(run.code == code, "\(run.talk)")
        }
    }

    @Test(arguments: [
        page("<p>Solve this riddle</p>"), redirect("/riddle"), redirect("/login/failed"),
    ])
    func `a page that only the login leads to proves none without a name or a logout, nor does the form's absence`(
        loginPage: HTTPResponse
    ) throws {
        for (home, code) in [("<p>Sorry</p>", Int32(2)), ("<a href=/bye>Log out</a>", 0), ("<b class=me>anna</b>", 0)] {
            let world = try TestWorld()
            world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
            let last = code == 0 ? Self.page(home) : loginPage
            let run = world.run(
                "login", "https://app.example/login/",
                server: Self.openLogin([Self.page(home), Self.redirect("/login/"), last, Self.page(Self.loginPage)]))
            #expect(run.code == code, "\(home): \(run.talk)")
            #expect(code == 0 || run.talk.contains("nothing was saved"), "\(run.talk)")
        }
    }

    @Test
    func `a login page that leads where the login led proves it if that page is open to everybody, unless it posts`()
        throws
    {
        for (page, code) in [
            ("<form method=post><input type=hidden name=data></form>", Int32(0)),
            ("<form method=post><input name=riddle></form>", 2),
        ] {
            let world = try TestWorld()
            world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
            let server = [
                Self.page(page), Self.page("<p>Log in first</p>"), Self.redirect("/home"), Self.page(Self.loginPage),
            ]
            let run = world.run("login", "https://app.example/login/", server: Self.openLogin(server))
            #expect(run.code == code, "\(run.talk) \(world.requests)")
        }
    }

    private static let passwordPage = page(
        "<form method=post><input name=pass type=password><button>In</button></form>")

    /// The run of a login by a page at `/` with a password alone, which the service answers with `/` again.
    private func logInAtFrontPage(_ after: [HTTPResponse], form: HTTPResponse = passwordPage) throws -> Run {
        let sent = HTTPResponse.answer(302, cookies: [.named("sid", "s1")], redirect: Self.redirect("/").redirect)
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
        return world.run("login", "https://app.example/", server: [form, form, form, form, sent] + after)
    }

    @Test(arguments: [
        page("<h1>Board</h1>"), page("<div id=app></div><script src=app.js></script>"),
        page("<a href=/>Home</a><a href=/items>Items</a>"), page("<form action=/find><input name=q></form>"),
        page("<a href=/items>Items</a><a href=/new>New</a><form method=post><input name=task></form>"),
        page("<a href='?t=1'>1</a><form method=post><input name=t></form><form><input type=submit name=logout></form>"),
    ])
    func `a page with a password alone that turns into the program proves the login`(program: HTTPResponse) throws {
        let form = Self.passwordPage
        let run = try logInAtFrontPage([program, form, program, form, program])
        #expect(run.code == 0, "\(run.talk)")
    }

    @Test(arguments: [
        page("<form method=post><input name=riddle></form>"), page("<p>Locked</p><a href=/>Back</a>"),
        page("<a href=/help>Help</a><form method=post><input name=riddle></form>"),
        page("<p>Locked</p><a href='?l=de'>Deutsch</a><a href='?l=en'>English</a>"),
        page("<form action=/new method=post><input type=password name=a><input type=password name=b></form>"),
    ])
    func `a page with a password alone that asks for something else, or only leads back, proves none`(
        page: HTTPResponse
    ) throws {
        let form = Self.passwordPage
        let run = try logInAtFrontPage([page, form, page, form])
        #expect(run.code == 2, "\(run.talk)")
    }

    @Test func `a page that loses its form for any cookie, for one look, or that asks for a user name proves none`()
        throws
    {
        let form = Self.passwordPage, program = Self.page("<h1>Board</h1>")
        #expect(try logInAtFrontPage([program, form, program, program]).code == 2)
        #expect(try logInAtFrontPage([program, form, form, form]).code != 0)
        let named = Self.page("<form method=post><input name=user><input name=pass type=password></form>")
        #expect(try logInAtFrontPage([program, named, program, named], form: named).code == 2)
    }

    @Test func `a page inside that shows the form of the login to a fresh session is no login`() throws {
        let form = Self.page(Self.loginPage), out = Self.redirect("/login/")
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
        let server = [out, form, out, form, form, Self.redirect("/app"), form, form, out]
        let run = world.run("login", "https://app.example/app", "--max-attempts", "1", server: server)
        #expect(run.code == 3, "\(run.talk) \(world.requests)")
    }

    @Test func `a front page that shows its form to whoever is logged in leads on to a page that proves it`() throws {
        let front = Self.page("<a href=/account>Account</a>" + Self.loginPage)
        for (account, code) in [(Self.page("<p>Hello</p>"), Int32(0)), (Self.redirect("/login/"), 3)] {
            let world = try TestWorld()
            world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
            let back = Self.redirect("/"), out = Self.redirect("/login/")
            let server = [front, front, front, front, back, front, front, account, out, account, account]
            let run = world.run("login", "https://app.example/", "--max-attempts", "1", server: server)
            #expect(run.code == code, "\(run.talk) \(world.requests)")
        }
    }

    @Test func `a login page that leads whoever is logged in elsewhere verifies by that`() throws {
        let there = [Self.redirect("/login/?next=/"), Self.page(Self.loginPage)]
        let cookie = HTTPResponse.answer(
            302, cookies: [.named("sid", "s1")],
            redirect: Redirect(url: "\(Self.origin)/", origin: Self.origin, target: "/"))
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
        let on = Self.redirect("/app"), out = Self.redirect("/login/?next=/")
        let run = world.run(
            "login", "https://app.example/", server: there + [out] + [there[1], there[1], cookie, on, on, out, on])
        #expect(run.code == 0, "\(run.talk)")
        #expect(world.run("whoami", server: [on]).code == 0)
        #expect(world.run("whoami", server: [out]).code == 4)
    }

    @Test func `a page that refuses may link to the login, whose address may have a query`() throws {
        let refusal = Self.page("<a href='/index?x=1'>x</a><a href='/index?page=UserLogin'>Log in</a>", status: 403)
        // Its metadata is asked for first.
        let none = Array(repeating: HTTPResponse.answer(404), count: 3)
        let (run, requests) = try discover("/", [refusal] + none + [Self.page(Self.loginPage)])
        #expect(run.code == 0, "\(run.talk) \(requests)")
        #expect(run.output.contains("page = \"/index?page=UserLogin\""), "\(run.output)")
        #expect(run.output.contains("verify = { get = \"/\", logged-out = [401, 403] }"), "\(run.output)")
        #expect(!requests.contains { $0.contains("x=1") })
    }

    @Test func `a page that refuses is searched for links although the service fails when asked for its metadata`()
        throws
    {
        let refusal = Self.page("<a href='/-/login'>Log in</a>", status: 403)
        let (run, requests) = try discover("/", [refusal, .answer(500), Self.page(Self.loginPage)])
        #expect(run.code == 0 && run.output.contains("page = \"/-/login\""), "\(run.talk) \(requests)")
    }

    @Test func `a page that is too long is compared after a login as far as it was read`() throws {
        let page = Self.page("<p>Hello <b class=me>anna</b></p>")
        let home = HTTPResponse(
            status: 200, headers: page.headers, body: page.body, unread: .network(.answerTooLarge(limit: 1)))
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
        let run = world.run(
            "login", "https://app.example/login/", server: Self.openLogin([home, Self.redirect("/login/"), home]))
        #expect(run.code == 0 && run.talk.contains("verify is now https://app.example/home"), "\(run.talk)")
    }

    @Test func `a search after a login ends after six requests, and asks nothing that may end or lose something`()
        throws
    {
        let pages = (1...4).map { Self.page("<a href=/user/\($0)>u</a><a href=/logout>x</a><a href=/me/delete>x</a>") }
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
        let server = Self.openLogin(pages + [Self.page(Self.loginPage)])
        let run = world.run("login", "https://app.example/login/", server: server)
        #expect(run.code == 2 && run.talk.contains("the service took the password, but"), "\(run.talk)")
        let posted = try #require(world.requests.firstIndex { $0.hasPrefix("POST ") })
        #expect(
            world.requests.last?.hasPrefix("GET https://app.example/login/") == true, "the login page is asked last")
        let after = world.requests[(posted + 1)...].map { String($0.split(separator: "\n")[0]) }
        #expect(after.count <= 6 && after.count >= 5, "\(after)")
        #expect(
            after.allSatisfy {
                $0.hasPrefix("GET https://app.example/") && !$0.contains("logout") && !$0.contains("delete")
            })
    }

    @Test func `a search sends back the cookies that it was given, and follows a page that leads on by itself`() throws
    {
        let start = HTTPResponse.answer(
            302, cookies: [.named("seen", "1")],
            redirect: Redirect(url: "\(Self.origin)/check", origin: Self.origin, target: "/check"))
        let leaving = HTTPResponse.answer(
            200, "<meta http-equiv=Refresh content=\"0; URL='/login/'\">", headers: ["Content-Type: text/html"],
            cookies: [.named("seen", "1")])
        let (run, requests) = try discover("/", [start, leaving, Self.page(Self.loginPage)])
        #expect(run.code == 0 && run.output.contains("page = \"/login/\""), "\(run.talk)")
        #expect(requests.map { $0.contains("seen=1") } == [false, true, true], "\(requests)")
    }

    @Test func `a refusal that names the service's description leads to the login that stands there`() throws {
        let description =
            #"{"openapi":"3.1.0","paths":{"/me":{"get":{"security":[{"b":[]}]}}},"#
            + #""components":{"securitySchemes":{"b":{"type":"http","scheme":"basic"}}}}"#
        let bare = HTTPResponse.answer(
            401, "{}", headers: ["Link: </x>; rel=next, </api.json>; rel=\"service-desc\"; type=\"application/json\""])
        let json = HTTPResponse.answer(200, description, headers: ["Content-Type: application/json"])
        let (run, requests) = try discover("/", [bare, .answer(404), .answer(404), .answer(404), json, .answer(401)])
        #expect(requests.contains { $0.hasPrefix("GET https://app.example/api.json") }, "\(requests)")
        #expect(run.code == 0 && run.output.contains("/me"), "\(run)")
    }

    @Test func `a search passes a server that looks whether cookies come back`() throws {
        let cookies = [Cookie.named("seen", "1")]
        func check(_ target: String) -> HTTPResponse {
            .answer(
                302, cookies: cookies,
                redirect: Redirect(url: "\(Self.origin)\(target)", origin: Self.origin, target: target))
        }
        let (run, requests) = try discover("/in", [check("/in?check=1"), check("/in"), Self.page(Self.loginPage)])
        #expect(run.code == 0 && run.output.contains("page = \"/in\""), "\(run.talk)")
        #expect(requests.count == 3)
        let (loop, more) = try discover("/in", [check("/in?check=1"), check("/in"), check("/in?check=1")])
        #expect(loop.code == 6 && more.count == 3, "\(loop.talk)")
    }

    @Test(arguments: ["/cacti/index.php", "/cacti/index.php?x", "/cacti/auth_profile.php"])
    func `a preset is named with the folder in which its paths lie`(target: String) throws {
        let page = Self.page(
            "<title>Login to Cacti</title><form method=post><input name=u><input name=p type=password></form>")
        let (run, _) = try discover(target, [page])
        let sentences = run.output.replacing("\n# ", with: " ")
        #expect(sentences.contains("login cacti --url https://app.example/cacti "), "\(run.output)")
    }

    @Test(arguments: [
        "0;url=https://other.example/", "30;url=/login/", "0", "0;url=/", "x;url=/login/", "0;url=javascript:alert(1)",
    ])
    func `a page that leads nowhere, elsewhere or much later stays`(content: String) throws {
        let page = Self.page(
            "<meta http-equiv=refresh content=\"\(content)\"><form method=post><input name=u>"
                + "<input name=p type=password><button>In</button></form><script></script>")
        let (run, requests) = try discover("/", [page])
        #expect(run.code == 0 && requests.count == 1 && run.output.contains("page = \"/\""), "\(run.talk)")
    }

    @Test func `a form that has neither address nor button on a page of scripts is theirs`() throws {
        let page = Self.page("<form method=post><input name=u><input name=p type=password></form><script></script>")
        let (run, _) = try discover("/", [page])
        #expect(run.code == 1, "\(run.talk)")
    }

    @Test func `nobody to ask: the command that saves the profile is named`() throws {
        let world = try TestWorld()
        let there = [Self.redirect("/login/"), Self.page(Self.loginPage)]
        let run = world.run("login", "https://app.example/home", server: there)
        #expect(run.code == 2 && run.talk.contains("authctl discover --save https://app.example/home"), "\(run.talk)")
    }

    @Test func `what lets anonymous clients in leads on by its links, to what refuses them and to the form`() throws {
        let home = Self.page("<a href=/about>a</a><a href=/x?y>b</a><a href=/account/>c</a><a href=/login/>d</a>")
        let form = Self.page(Self.loginPage)
        let (run, requests) = try discover("/", [home, form, Self.redirect("/login/"), form])
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            requests.map { String($0.split(separator: "\n")[0]) } == [
                "GET https://app.example/", "GET https://app.example/login/", "GET https://app.example/account/",
                "GET https://app.example/login/",
            ])
        #expect(
            run.output.contains("# 302 to \"/login/\" without a login; named by \"/\"\nverify = { get = \"/account/\""))
        // A page that is only there for logging in may show its form to everybody.
        let (alone, _) = try discover("/", [Self.page("<a href=/login/>d</a>"), form])
        #expect(
            alone.code == 0 && alone.output.contains("if this page shows its form to logged-in users"),
            "\(alone.output)")
    }

    @Test func `a slash that is missing is no refusal, and an error page with a login box guards nothing`() throws {
        let slash = Self.redirect("/admin/")
        let (run, _) = try discover("/admin", [slash, Self.redirect("/login/"), Self.page(Self.loginPage)])
        #expect(
            run.output.contains(
                "get = \"/admin/\", logged-out = [401, { status = 302, \"header:Location\" = \"/login/*\" }]"))
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic"])
        #expect(try discover("/admin", [slash, basic]).0.output.contains("verify = { get = \"/admin/\" }"))
        let box = Self.page(Self.loginPage, status: 404)
        #expect(try discover("/", [Self.page("<a href=/gone/>x</a>"), box]).0.code == 2)
    }

    @Test func `a description leads to no other origin, and puts nothing into a header but a name`() throws {
        func description(_ paths: String, _ scheme: String) -> HTTPResponse {
            Self.json("{\"openapi\":\"3\",\"paths\":{\(paths)},\"components\":{\"securitySchemes\":{\"P\":\(scheme)}}}")
        }
        let guarded = "{\"get\":{\"security\":[{\"P\":[]}]}}"
        let header = "{\"type\":\"apiKey\",\"in\":\"header\",\"name\":\"Cookie: a={token}; X\"}"
        let (away, requests) = try discover("/", [description("\"7/x\":\(guarded),\".evil/x\":\(guarded)", header)])
        #expect(away.code == 1 && requests.count == 1, "\(requests)")
        let (smuggled, _) = try discover("/", [description("\"/me\":\(guarded)", header), .answer(401)])
        #expect(smuggled.code == 1 && !smuggled.output.contains("a={token}"), "\(smuggled.output)")
    }

    @Test func `how the server was reached is part of the profile`() throws {
        let world = try TestWorld()
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic"])
        let run = world.run(
            "discover", "http://app.example/me", "--allow-http", "--proxy", "http://p.example:1", "--save",
            server: [basic])
        #expect(run.code == 0 && run.output.contains("allow-http = true"), "\(run.output)")
        #expect(try world.home.read("config/authctl/profiles/app.example.toml").contains("proxy"), "\(run.talk)")
    }

    @Test func `metadata that was only tried is no reason to fail`() throws {
        let refused = HTTPResponse.answer(401)
        let (run, _) = try discover("/api", [refused, .answer(503), .answer(503)])
        #expect(run.code == 1 && run.output.contains("answers 401"), "\(run.output)\(run.talk)")
    }

    @Test func `a page that shows its form to anonymous clients proves a login, and may send others on`() throws {
        let (run, _) = try discover("/", [Self.page(Self.loginPage)])
        #expect(run.code == 0 && run.output.contains("logged-in = [200, 302, 303]"), "\(run.output)")
        let files = Self.loginPage.replacing("<form ", with: "<form enctype=\"multipart/form-data\" ")
        let (multipart, _) = try discover("/", [Self.page(files)])
        #expect(multipart.code == 1 && multipart.output.contains("multipart/form-data"), "\(multipart.output)")
    }

    @Test func `an API description names what needs a login, and how its tokens are had`() throws {
        let description = """
            {"openapi":"3.1.0","paths":{"/items":{"get":{}},"/users/me":{"get":{"security":[{"P":[]}]}},
             "/users/{id}":{"get":{"security":[{"P":[]}]}},"/out/logout":{"post":{"security":[{"P":[]}]}}},
             "components":{"securitySchemes":{"P":{"type":"oauth2","flows":{"password":{"tokenUrl":"token"}}}}}}
            """
        let docs = Self.page("<script>const ui = Swagger({url: '/openapi.json'})</script>")
        let refused = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Bearer"])
        let (run, requests) = try discover(
            "/docs", [docs, Self.json(description), refused, .answer(404), .answer(404), .answer(404), .answer(404)])
        #expect(run.code == 0, "\(run.talk) \(requests)")
        #expect(run.output.contains("verify = { get = \"/users/me\" }"))
        #expect(run.output.contains("post = \"/token\"") && run.output.contains("token = \"/access_token\""))
        #expect(run.output.contains("refused = [400, 401]"), "\(run.output)")
        #expect(run.output.contains("logout = { post = \"/out/logout\" }"), "\(run.output)")
    }

    @Test func `a front page that shows its form to everybody is proposed, as login with that URL does it`() throws {
        let (run, _) = try discover("/", [Self.page(Self.loginPage), Self.page("<p>Hello")])
        #expect(run.code == 0 && run.output.contains("post = \"/login/\""), "\(run.output)")
        #expect(!run.output.contains("no way to log in"), "\(run.output)")
    }

    @Test func `a URL that refuses and does not say how to log in leaves the line that is known`() throws {
        let (run, _) = try discover("/api/me", [.answer(403)] + (0..<11).map { _ in .answer(404) })
        #expect(
            run.code == 1 && run.output.contains("verify = { get = \"/api/me\", logged-out = [401, 403] }"),
            "\(run.output)")
    }

    @Test(arguments: ["frame", "iframe"]) func `a login form in a frame is found`(name: String) throws {
        let front = Self.page("<a href=/about>About</a><\(name) src='/in?lang=en'></\(name)>")
        let (run, requests) = try discover("/", [front, Self.page(Self.loginPage)])
        #expect(run.code == 0 && run.output.contains("page = \"/in?lang=en\""), "\(run.output)")
        #expect(requests[1] == "GET https://app.example/in?lang=en", "\(requests)")
    }

    @Test func `a link of XHTML that is sent as XML is followed`() throws {
        let front = HTTPResponse.answer(
            200, "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><a href='/login'>In</a></html>",
            headers: ["Content-Type: text/xml; charset=utf-8"])
        let (run, requests) = try discover("/", [front, Self.page(Self.loginPage)])
        #expect(run.code == 0 && run.output.contains("page = \"/login\""), "\(run.output)")
        #expect(requests.count == 2)
    }

    @Test func `a redirect of metadata is followed on its origin, and no other`() throws {
        let challenge = "WWW-Authenticate: Bearer resource_metadata=\"https://app.example/r\""
        let resource = #"{"resource":"https://app.example/mcp","authorization_servers":["https://app.example"]}"#
        let server = """
            {"issuer":"https://app.example","authorization_endpoint":"https://app.example/a",
             "token_endpoint":"https://app.example/t"}
            """
        let refusal = HTTPResponse.answer(401, headers: [challenge])
        let (run, requests) = try discover(
            "/mcp", [refusal, Self.redirect("/r/"), Self.json(resource), Self.redirect("/m"), Self.json(server)])
        #expect(run.code == 0 && run.output.contains("issuer   = \"https://app.example\""), "\(run)")
        #expect(requests.count == 5 && requests[2].hasPrefix("GET https://app.example/r/\n"), "\(requests)")
        let other = Origin(scheme: "https", host: "evil.example", port: 443)
        for place in [Self.redirect("/r", to: other), Self.redirect("/login"), Self.redirect("/r")] {
            let (_, requests) = try discover("/mcp", [refusal] + (0..<20).map { _ in place })
            #expect(!requests.contains { $0.contains("evil.example") || $0.contains("/login") }, "\(requests)")
            #expect(requests.count <= Discovery.mostRequests)
        }
    }

    @Test func `a URL that refuses without a word leads from login to discover, and there to a profile to complete`()
        throws
    {
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let answers = (0..<20).map { _ in HTTPResponse.answer(401) }
        let login = world.run("login", "https://app.example/api/me", server: answers)
        let advice = "profile to complete: authctl discover https://app.example/api/me"
        #expect(login.code != 0 && login.talk.contains(advice), "\(login)")
        let (run, requests) = try discover("/api/me", answers)
        #expect(
            run.output.contains(
                """
                #   url    = "https://app.example"
                #   method = "browser"
                #   verify = { get = "/api/me" }

                """), "\(run.output)")
        #expect(run.output.replacing("\n# ", with: " ").contains("(authctl login NAME --paste)"), "\(run.output)")
        #expect(!run.output.contains("discover URL"), "\(run.output)")
        #expect(requests.contains("GET https://app.example/"), "\(requests)")
        #expect(requests.count <= Discovery.mostRequests)
    }

    @Test func `a URL that refuses without a word is logged in to by the form of the front page`() throws {
        let world = try TestWorld()
        let server = ScriptedTransport { request in
            request.url == "https://app.example/api/me"
                ? .answer(401) : request.url == "https://app.example/" ? Self.page(Self.loginPage) : .answer(404)
        }
        let run = world.run(["discover", "https://app.example/api/me"], at: server)
        #expect(run.code == 0 && run.output.contains("page = \"/\""), "\(run.output)")
        #expect(run.output.contains("verify = { get = \"/api/me\" }"), "\(run.output)")
    }

    @Test(arguments: [405]) func `login and discover do not lead to one another for the same URL`(status: Int)
        throws
    {
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let answers = (0..<20).map { _ in HTTPResponse.answer(status) }
        let login = world.run("login", "https://app.example/api/me", server: answers)
        #expect(login.code != 0 && !login.talk.contains("authctl discover https://app.example/api/me"), "\(login.talk)")
        #expect(login.talk.contains("authctl discover https://app.example/)"), "\(login.talk)")
        let root = world.run("login", "https://app.example/", server: answers)
        #expect(!root.talk.contains("authctl discover"), "\(root.talk)")
    }

    @Test func `after a login the page to which it led is searched for a logout`() throws {
        let there = [Self.redirect("/login/"), Self.page(Self.loginPage)]
        let cookie = HTTPResponse.answer(
            302, cookies: [.named("sid", "s1")],
            redirect: Redirect(url: "\(Self.origin)/start", origin: Self.origin, target: "/start"))
        let start = Self.page("<a href=/bye>Log out</a>")
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")], confirms: true)
        let run = world.run(
            "login", "https://app.example/api/me",
            server: there + [
                Self.redirect("/login/"), Self.page(Self.loginPage), Self.page(Self.loginPage), cookie,
                .answer(200, "{}", cookies: [.named("sid", "s1")]), Self.redirect("/login/"), start,
            ])
        #expect(run.code == 0 && run.talk.contains("logout: GET \"/bye\", a link on \"/start\""), "\(run.talk)")
    }

    @Test func `what lets everybody in is 2, two passwords or scripts are 1, a form that leads elsewhere is 7`()
        throws
    {
        #expect(try discover("/", [Self.page("<p>Hello")]).0.code == 2)
        let two = Self.loginPage.replacing("<button", with: "<input type=password name=again><button")
        let (sets, _) = try discover("/", [Self.page(two)])
        #expect(sets.code == 1 && sets.output.contains("several password fields"), "\(sets.output)")
        let (scripts, _) = try discover("/", [Self.page("<script src=/app.js></script>")])
        #expect(scripts.code == 1 && scripts.output.contains("without JavaScript"))
        let elsewhere = Self.loginPage.replacing("/login/", with: "https://evil.example/login")
        #expect(try discover("/", [Self.page(elsewhere)]).0.code == 7)
        let other = Origin(scheme: "https", host: "evil.example", port: 443)
        #expect(try discover("/", [Self.redirect("/", to: other)]).0.code == 7)
        #expect(try discover("/", [.answer(503)]).0.code == 12)
        #expect(try discover("/", [.answer(404)]).0.code == 2)
    }

    @Test func `a form that a script sends is not proposed`() throws {
        let html = "<form method=post><input name=u><input name=p type=password></form><script></script>"
        let (run, _) = try discover("/", [Self.page(html)])
        #expect(run.code == 1 && run.output.contains("JavaScript submits it"), "\(run.output)")
    }

    @Test func `twelve requests at most, however much a page names`() throws {
        let links = (0..<500).map { "<a href=/p\($0)>" }.joined()
        let (run, requests) = try discover("/", [Self.page(links)] + (0..<40).map { _ in Self.page(links) })
        #expect(run.code == 2 && requests.count == Discovery.mostRequests, "\(requests.count)")
        let form = String(repeating: "<form method=post action=/x></form>", count: 10_000)
        #expect(try discover("/", [Self.page(form)]).0.code == 2)
        let large = String(repeating: "<p>x</p>\n", count: 120_000)
        let (tooLarge, _) = try discover("/", [Self.page(large)])
        #expect(tooLarge.code == 1 && tooLarge.output.contains("too large"), "\(tooLarge.output)")
    }

    @Test func `a search at a slow server ends after a minute`() throws {
        let world = try TestWorld()
        world.pace = 25
        let links = Self.page((0..<20).map { "<a href=/p\($0)>" }.joined())
        let run = world.run(["discover", "https://app.example/"], server: (0..<20).map { _ in .success(links) })
        #expect(run.code == 1 && world.requests.count == 4, "\(run)")
        #expect(run.output.contains("the search ended after 60 seconds; \"/p3\" would have been asked next"))
    }

    @Test func `a service that calls itself as a preset is called gets it named`() throws {
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"Transmission\""])
        let line = "authctl login transmission --url https://app.example"
        #expect(try discover("/rpc", [basic]).0.output.contains("# authctl has a profile for transmission"))
        #expect(try discover("/rpc", [basic]).0.output.replacing("\n# ", with: " ").contains(line))
        let titled = Self.page("<head><title>Log in - Jupyter Server</title></head>" + Self.loginPage)
        #expect(try discover("/login", [titled]).0.output.replacing("\n# ", with: " ").contains("login jupyter --url"))
        let generated = Self.page("<head><meta name=Generator content=\"DokuWiki 2022\"></head>" + Self.loginPage)
        #expect(
            try discover("/login", [generated]).0.output.replacing("\n# ", with: " ").contains("login dokuwiki --url"))
        #expect(try !discover("/login", [Self.page(Self.loginPage)]).0.output.contains("authctl has a profile"))
        let world = try TestWorld()
        world.person = ScriptedPerson([.cancelled])
        let run = world.run(["login", "https://app.example/rpc"], server: [.success(basic)])
        #expect(run.talk.contains(line), "\(run)")
    }

    @Test func `a page of scripts that says what it is gets its preset named before the error`() throws {
        let page = Self.page("<title>Jupyter Server</title><script src=app.js></script>")
        let (run, _) = try discover("/", [page])
        #expect(
            run.code != 0 && (run.talk + run.output).replacing("\n# ", with: " ").contains("login jupyter --url"),
            "\(run.talk)")
        let world = try TestWorld()
        world.person = ScriptedPerson([], confirms: true)
        let login = world.run("login", "https://app.example/", server: [page, page, page])
        #expect(login.code == 2 && login.talk.contains("login jupyter --url"), "\(login.talk)")
    }

    private static func registry(_ tokens: String) -> HTTPResponse {
        .answer(401, headers: ["WWW-Authenticate: Bearer realm=\"\(tokens)\",service=\"app\""])
    }

    @Test func `a container registry that verifies passwords on its own origin is logged in to there`() throws {
        let registry = Self.registry("https://app.example/token")
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"tokens\""])
        let (run, requests) = try discover("/v2/", [registry, basic])
        #expect(run.code == 0 && run.output.contains("method = \"basic\""), "\(run.output) \(run.talk)")
        #expect(run.output.contains("verify = { get = \"/token?service=app\" }"), "\(run.output)")
        #expect(requests == ["GET https://app.example/v2/", "GET https://app.example/token?service=app"])
        let world = try TestWorld()
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        let login = world.run(
            "login", "https://app.example/v2/", server: [registry, basic, basic, .answer(200, "{\"token\":\"t\"}")])
        #expect(login.code == 0 && login.talk.contains(" as anna."), "\(login.talk)")
        #expect(world.requests.last == "GET https://app.example/token?service=app\nbasic anna:pw")
    }

    @Test(arguments: [
        ("https://auth.example/token", []), ("http://app.example/token", []),
        ("https://app.example/token", [HTTPResponse.answer(200, "{\"token\":\"of anybody\"}")]),
    ])
    func `a container registry at which no password can be verified is named, and docker's login as well`(
        tokens: String, more: [HTTPResponse]
    ) throws {
        let server = [Self.registry(tokens)] + more
        for command in ["login", "discover"] {
            let world = try TestWorld()
            let run = world.run(command, "https://app.example/v2/", server: server)
            #expect(run.code == 2 && run.talk.contains("is a container registry that takes tokens"), "\(run.talk)")
            #expect(run.talk.contains("\(tokens)?service=app") && run.talk.contains("docker login app.example"))
            #expect(world.requests.count == server.count && world.requests.allSatisfy { !$0.contains("basic") })
        }
    }

    @Test func `metadata that loops is not followed`() throws {
        let loop = Self.redirect("/.well-known/oauth-protected-resource")
        let challenge = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Bearer"])
        let (run, requests) = try discover("/api", [challenge] + (0..<20).map { _ in loop })
        #expect(run.code == 0 && run.output.contains("method = \"token\""), "\(run.output)")
        #expect(requests.count <= Discovery.mostRequests)
    }

    @Test func `a server's words are quoted, cut and obeyed by no terminal`() throws {
        let realm = "\u{1b}[2J\u{202e}" + String(repeating: "x", count: 400)
        let (run, _) = try discover("/", [.answer(401, headers: ["WWW-Authenticate: Basic realm=\"\(realm)\""])])
        #expect(run.code == 0)
        #expect(run.output.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "…" || (0x20...0x7e).contains($0.value) })
        #expect(run.output.split(separator: "\n").allSatisfy { $0.count < 200 })
        let form = Self.loginPage.replacing("name=\"user\"", with: "name=\"us\u{202e}er{x}\"")
        let (named, _) = try discover("/", [Self.page(form)])
        #expect(named.code == 0 && named.output.contains("us\\u202Eer"), "\(named.output)")
    }

    @Test func `a saved profile is that of the output, and JSON has the same with its evidence`() throws {
        let world = try TestWorld()
        let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic"])
        let run = world.run("discover", "https://app.example/me", "--save", "--name", "app", server: [basic])
        #expect(run.code == 0 && run.talk.contains("authctl login app"), "\(run.talk)")
        #expect(try world.home.read("config/authctl/profiles/app.toml").contains("verify = { get = \"/me\" }"))
        world.person = ScriptedPerson([ScriptedPerson.types("anna", "pw")])
        #expect(world.run("login", "app", server: [basic, .answer(200)]).code == 0)
        let json = world.run("discover", "https://app.example/me", "--json", server: [basic])
        #expect(json.output.contains("\"from\" : \"WWW-Authenticate: \\\"Basic\\\"\""), "\(json.output)")
        #expect(world.run("discover", "https://u:p@app.example/me").code == 2)
    }
}
