import Secrets
import Testing

@testable import LoginKit

/// What a login by a form is proved by, looked for after it.
@Suite struct VerifySearchTests {
    private static let origin = Origin(scheme: "https", host: "app.example", port: 443)

    private static func redirect(_ target: String, _ origin: Origin? = origin) -> Redirect {
        Redirect(url: "\(origin.map { "\($0)" } ?? "")\(target)", origin: origin, target: target)
    }

    private static func link(_ target: String, _ text: String = "", _ origin: Origin? = origin) -> PageLink {
        PageLink(relations: [], place: redirect(target, origin), text: text)
    }

    private static func page(_ links: [PageLink] = [], forms: [PageForm] = [], at target: String = "/home") -> LoginPage
    {
        LoginPage(origin: origin, target: target, forms: forms, links: links)
    }

    private static func look(
        _ status: Int, _ body: String = "", location: String? = nil, forms: [PageForm] = [], json: JSONValue? = nil
    ) -> PageLook {
        let response = HTTPResponse(status: status, body: Secret(body), redirect: location.map { redirect($0) })
        let facts = ParsedResponse(
            response: response, json: json, origin: origin, wrote: false, asksAgain: forms.contains(form))
        return PageLook(facts, page(forms: forms), loginPaths: ["/login"])
    }

    private static let form = PageForm(
        methods: ["post"], actions: [redirect("/login")],
        fields: [PageField(name: "u"), PageField(name: "p", type: "password")])

    private static func candidates(after redirect: Redirect? = nil, _ pages: LoginPage...) -> [String] {
        var search = VerifySearch(on: origin, after: redirect, asked: "/login", loginPaths: ["/login"])
        for page in pages { search.add(page) }
        var found: [String] = []
        while let next = search.next() { found.append(next.target) }
        // Above the login, where nothing else is told.
        return redirect == nil && found.first == "/" ? Array(found.dropFirst()) : found
    }

    private static func place(_ loggedIn: PageLook, _ anonymous: PageLook...) -> GuardedPlace? {
        VerifySearch.Candidate(target: "/home", namedBy: "a test").place(
            loggedIn: loggedIn, anonymous: anonymous, username: "anna")
    }

    @Test func `a page that sends on only who is logged in is the last resort`() {
        let candidate = VerifySearch.Candidate(target: "/home", namedBy: "a test")
        let place = candidate.placeThatSendsOn(loggedIn: Self.look(302, location: "/list"), anonymous: [Self.look(200)])
        #expect(place?.refusal == .status(200) && place?.loggedIn == [302])
        #expect(place?.verify.response.loggedOut == [Condition(status: 401), Condition(status: 200)])
        for (loggedIn, anonymous) in [
            (Self.look(200), Self.look(200)), (Self.look(302, location: "/login"), Self.look(200)),
            (Self.look(302, location: "/list"), Self.look(302, location: "/list")),
        ] {
            #expect(candidate.placeThatSendsOn(loggedIn: loggedIn, anonymous: [anonymous]) == nil)
        }
    }

    @Test func `where the login leads is asked first, then three links that speak of the person`() {
        let links = ["/about", "/settings", "/profile", "/account", "/api", "/login"].map { Self.link($0) }
        let found = Self.candidates(after: Self.redirect("/home"), Self.page(links))
        #expect(found == ["/home", "/profile", "/account", "/settings"])
    }

    @Test func `only the page that the person named, and one above the login's, cannot tell of a failure`() {
        let search = VerifySearch(on: Self.origin, after: nil, asked: "/app", loginPaths: ["/in/login/", "/in/do"])
        for (target, isKnown) in [
            ("/app", true), ("/app?failed", false), ("/", true), ("/in/", true), ("/in/login/", false),
            ("/IN/login", false), ("/in/login/failed", false), ("/riddle", false), ("/other/", false),
        ] {
            #expect(search.wasKnown(target) == isKnown, "\(target)")
        }
        let own = VerifySearch(on: Self.origin, after: nil, asked: "/", loginPaths: ["/"])
        #expect(!own.wasKnown("/"))
    }

    @Test(arguments: [
        ("/?_task=mail&_token=L2Rm1egKx", "/?_task=mail"), ("/in?SessionID=7", "/in"),
        ("/a?x=4f3a9c1d22&y=1", "/a?y=1"),
        ("/a?view=list", "/a?view=list"), ("/a?", "/a"), ("/a", "/a"),
    ])
    func `where the login leads is asked without what is this session's alone`(target: String, asked: String) {
        #expect(Self.candidates(after: Self.redirect(target)) == [asked])
    }

    @Test(arguments: [
        link("/logout"), link("/profile/delete"), link("/account?do=reset"), link("/profile", "Abmelden"),
        link("/konto", "Konto l\u{f6}schen"), link("/account", "D\u{e9}connexion"), link("/about"),
        link("/profile", "", Origin(scheme: "https", host: "other.example", port: 443)), link("/profile", "", nil),
    ])
    func `a link that may end or lose something or leads elsewhere is never asked`(link: PageLink) {
        #expect(Self.candidates(Self.page([link])).isEmpty)
    }

    @Test func `frames are asked before links, and links with a query last, where that names a page or the person`() {
        var frame = Self.link("/status.cgi?x=1&y=2")
        frame.isFrame = true
        let links = ["/?view=console", "/?tab=Admin", "/settings"].map { Self.link($0) }
        #expect(Self.candidates(Self.page(links)) == ["/settings", "/?tab=Admin", "/?view=console"])
        #expect(Self.candidates(Self.page([links[0], frame])) == ["/status.cgi?x=1&y=2", "/?view=console"])
        #expect(Self.candidates(Self.page([Self.link("/?id=7", "My profile")])) == ["/?id=7"])
        #expect(Self.candidates(Self.page([Self.link("/?view=list&sid_token=4f3a9c1d22")])) == ["/?view=list"])
    }

    @Test(arguments: [
        "/?view=logout", "/?view=restart", "/?page=admin&set=1", "/?cmd=ping", "/?view=a;b=c", "/?on",
        "/account?do=reset",
    ])
    func `a link whose query may be a command is never asked`(target: String) {
        #expect(Self.candidates(Self.page([Self.link(target)])).isEmpty)
    }

    @Test func `a frame of a page that may tell of a failure may do so, too`() {
        var frame = Self.link("/main")
        frame.isFrame = true
        for mayTell in [true, false] {
            var search = VerifySearch(on: Self.origin, after: nil, asked: "/app", loginPaths: ["/login"])
            let page = VerifySearch.Candidate(target: "/done", namedBy: "a test", mayTellOfFailure: mayTell)
            search.add(Self.page([frame, Self.link("/profile")], at: "/done"), of: page)
            #expect(search.next()?.mayTellOfFailure == mayTell)
            #expect(search.next()?.mayTellOfFailure == false)
        }
    }

    @Test(arguments: ["/logout?next=/", "/session/revoke"])
    func `a login that leads to an end is not followed`(target: String) {
        #expect(Self.candidates(after: Self.redirect(target)).isEmpty)
    }

    @Test func `a page that anonymous clients are refused, sent away from or asked to log in at is taken`() {
        let home = Self.look(200, "<p>Hello</p>")
        #expect(Self.place(home, Self.look(401))?.refusal == .status(401))
        #expect(Self.place(home, Self.look(404))?.refusal == .status(404))
        #expect(
            Self.place(home, Self.look(302, location: "/login?next=/home"))?.refusal
                == .redirect(status: 302, path: "/login"))
        #expect(Self.place(home, Self.look(200, forms: [Self.form]))?.refusal == .form(status: 200))
    }

    @Test func `what the cookies of the login page get alone proves nothing`() {
        let home = Self.look(200, "<p>Hello</p>"), away = Self.look(302, location: "/login?next=/home")
        #expect(Self.place(home, away, home) == nil)
        #expect(Self.place(Self.look(200, forms: [Self.form]), away, Self.look(200, forms: [Self.form])) == nil)
        // The form tells the two apart, and what a client without cookies gets is no login by it either.
        #expect(Self.place(home, away, Self.look(200, forms: [Self.form]))?.refusal == .form(status: 200))
        #expect(Self.place(home, away, away)?.refusal == .redirect(status: 302, path: "/login"))
        let named = Self.look(200, "<title>anna</title>")
        #expect(Self.place(named, Self.look(200, "<title>Log in</title>"), named) == nil)
        let candidate = VerifySearch.Candidate(target: "/home", namedBy: "a test"),
            sent = Self.look(302, location: "/list")
        #expect(candidate.placeThatSendsOn(loggedIn: sent, anonymous: [Self.look(200), sent]) == nil)
    }

    @Test func `a form that sets a password is not the form of the login`() {
        let other = PageForm(
            methods: ["post"], actions: [Self.redirect("/preferences")],
            fields: [PageField(name: "p", type: "password"), PageField(name: "again", type: "password")])
        let preferences = Self.look(200, "<p>Hello</p>", forms: [other])
        #expect(Self.place(preferences, Self.look(200, forms: [Self.form]))?.refusal == .form(status: 200))
    }

    @Test func `a page that looks the same to both, or says nothing, is not taken`() {
        let home = Self.look(200, "<p>Hello</p>")
        #expect(Self.place(home, home) == nil)
        #expect(Self.place(home, Self.look(503)) == nil)
        #expect(Self.place(home, Self.look(429)) == nil)
        #expect(Self.place(Self.look(404), Self.look(302, location: "/login")) == nil)
        // Whoever is asked for the password again was refused.
        for anonymous in [Self.look(302, location: "/login"), Self.look(401), Self.look(404)] {
            #expect(Self.place(Self.look(200, forms: [Self.form]), anonymous) == nil)
        }
        #expect(Self.place(Self.look(200, forms: [Self.form]), Self.look(200, forms: [Self.form])) == nil)
    }

    @Test func `a redirect that leads a session elsewhere than to the login page is taken`() {
        let place = Self.place(Self.look(302, location: "/user/anna/"), Self.look(302, location: "/login"))
        #expect(place?.refusal == .redirect(status: 302, path: "/login") && place?.loggedIn == [200, 302])
        #expect(Self.place(Self.look(302, location: "/login"), Self.look(302, location: "/login")) == nil)
        #expect(Self.place(Self.look(302, location: "/Login/failed"), Self.look(302, location: "/login")) == nil)
        #expect(Self.place(Self.look(302, location: "/a"), Self.look(302, location: "/b")) == nil)
    }

    @Test func `a name that only the logged-in page repeats tells the two apart, and its place goes along`() {
        let home = Self.look(200, "<title>anna</title><a href=\"/me\" title=\"anna\">anna</a> <b>anna</b>")
        let place = Self.place(home, Self.look(200, "<title>Log in</title>"))
        #expect(place?.refusal == .name(status: 200))
        // Without a login the title would be a name, too.
        #expect(place?.username == .between(.text, before: "<a href=\"/me\" title=\"anna\">", after: "<"))
        #expect(Self.place(home, home) == nil)
    }

    @Test func `a page that asks for a password proves nothing by a name that it repeats`() {
        let failed = Self.look(200, "<p>Login failed for</p><b>anna</b>", forms: [Self.form])
        #expect(Self.place(failed, Self.look(200, forms: [Self.form])) == nil)
        #expect(Self.place(failed, Self.look(200)) == nil)
    }

    @Test(arguments: [
        "<script>user = 'anna'; </script>", "<a title=\"anna\">x</a>", "<b>annabel</b>", "<b>joanna</b>",
        "<b id=\"4f3a9c1d22\">anna</b>", "anna",
    ])
    func `a name in a script, an attribute, another word or beside a nonce has no place`(body: String) {
        #expect(Self.look(200, body).facts.place(of: "anna", missingIn: nil) == nil)
    }

    @Test(arguments: [
        ("<p>Welcome</p> <em>anna</em>", "<p>Welcome</p> <em>"), ("<i></i><em class=who>anna</em>", "<em class=who>"),
        ("<em id=me>!</em><em>anna</em>", "<em id=me>!</em><em>"), ("<h1>Hello, anna</h1>", "<h1>Hello, "),
        ("<em>Ciao \u{2013} anna</em>", "<em>Ciao \u{2013} "), ("<em>anna</em>", nil), ("<br/><em >anna</em>", nil),
        ("<li><em>&nbsp;&#187; anna</em>", nil), ("<b>\u{bb} anna</b>", nil), ("<title>anna</title>", nil),
        ("<em>anna</em> is here", nil), ("</p><em>anna</em>", nil),
    ])
    func `a name has a place only beside words or behind an attribute, since any notice fits a bare tag`(
        body: String, before: String?
    ) {
        let place = Self.look(200, body).facts.place(of: "anna", missingIn: nil)
        #expect(place == before.map { .between(.text, before: $0, after: "<") })
    }

    @Test func `a name in JSON has its pointer`() {
        let json = JSONValue.object(["a": .string("x"), "user": .object(["na/me": .string("anna")])])
        let place = Self.look(200, json: json).facts.place(of: "anna", missingIn: nil)
        #expect(place == .json(JSONPointer(steps: ["user", "na/me"])))
        #expect(JSONPointer(steps: ["user", "na/me"]).escaped == "/user/na~1me")
    }

    @Test func `a form that a page shows twice, for narrow screens and wide ones, is one`() throws {
        let leave = PageForm(methods: ["post"], actions: [Self.redirect("/logout")], fields: [PageField(name: "csrf")])
        var other = leave
        other.fields = []
        let search = PageForm(methods: ["post"], actions: [Self.redirect("/search")])
        let twice = Self.page(forms: [search, leave, leave])
        #expect(twice.logout == .form(page: "/home", action: "/logout"))
        #expect(try twice.form(with: [], leadingTo: "/logout") == leave)
        #expect(throws: LoginFault.self) {
            try Self.page(forms: [leave, other]).form(with: [], leadingTo: "/logout")
        }
    }

    @Test func `a link that a script posts is a form with the page's value against forged requests`() throws {
        let link = PageLink(relations: [], place: Self.redirect("/logout"), text: "Sign out", method: "delete")
        var page = Self.page([link, link, Self.link("/me")], forms: [PageForm(methods: ["get"], actions: [])])
        page.guardValue = PageField(name: "authenticity_token", type: "hidden", value: Secret("v"))
        #expect(page.logout == .form(page: "/home", action: "/logout"))
        let form = try page.form(with: [], leadingTo: "/logout")
        #expect(form.fields.map(\.name) == ["authenticity_token", "_method"])
        #expect(page.link(to: "/logout") == nil)
        #expect(throws: LoginFault.self) { try page.form(with: [], leadingTo: "/other") }
    }

    @Test func `the one logout of a page is its form, else its link without a nonce`() {
        var leave = PageForm(methods: ["post"], actions: [Self.redirect("/logout")])
        #expect(Self.page(forms: [leave]).logout == .form(page: "/home", action: "/logout"))
        #expect(Self.page([Self.link("/bye", "Sign out")]).logout == .link(page: "/home", target: "/bye"))
        #expect(Self.page([Self.link("/logout"), Self.link("/logout", "Log out")]).logout != nil)
        #expect(Self.page([Self.link("/logout"), Self.link("/logout/all")]).logout == nil)
        let guarded = Self.page([Self.link("/in"), Self.link("/in?action=logout&nonce=4f3a9c1d22"), Self.link("/x?y")])
        #expect(guarded.logout == .linkWithNonce(page: "/home", path: "/in"))
        #expect(guarded.link(to: "/in") == "/in?action=logout&nonce=4f3a9c1d22")
        #expect(guarded.link(to: "/x") == "/x?y" && guarded.link(to: "/y") == nil)
        #expect(Self.page([Self.link("/logout/4f3a9c1d22aa")]).logout == nil)
        let tab = Self.link("/home", "Logout")
        #expect(Self.page([tab, Self.link("/?logout=1")]).logout == .link(page: "/home", target: "/?logout=1"))
        #expect(Self.page([Self.link("/logout", "", nil)]).logout == nil)
        #expect(Self.page([Self.link("/logout", "", nil), Self.link("/bye", "Sign out")]).logout != nil)
        leave.fields = [PageField(name: "p", type: "password")]
        #expect(Self.page(forms: [leave]).logout == nil)
    }
}
