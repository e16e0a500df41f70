@testable import LoginTestSupport
import Secrets
import Testing

@testable import LoginKit

/// Where a search for a login goes next, and what it keeps of what it sees.
struct LinkSearchTests {
    private static func lead(_ target: String, _ schemes: APIDescription.Scheme...) -> LinkSearch.Lead {
        LinkSearch.Lead(target: target, namedBy: "/openapi.json", schemes: schemes)
    }

    private static func place(_ target: String, _ refusal: GuardedPlace.Refusal = .status(401)) -> GuardedPlace {
        GuardedPlace(target: target, refusal: refusal, namedBy: nil)
    }

    private static let form = FoundForm(
        page: "/in", action: "/in", usernameField: "u", passwordField: "p", isSubmittable: true)

    private static func leading(_ leads: LinkSearch.Lead...) -> Glimpse {
        Glimpse(place: nil, login: nil, leads: leads)
    }

    private func rest(of search: LinkSearch) -> [String] {
        var search = search, targets: [String] = []
        while let lead = search.next() { targets.append(lead.target) }
        return targets
    }

    @Test func `each target is tried once, and what a description names before all links`() {
        var search = LinkSearch(Self.leading(Self.lead("/a"), Self.lead("/"), Self.lead("/a")), at: "/")
        search.take(Self.leading(Self.lead("/b"), Self.lead("/me", .basic), Self.lead("/a")), from: Self.lead("/x"))
        #expect(rest(of: search) == ["/me", "/a", "/b"])
        #expect(rest(of: LinkSearch(nil, at: "/")).isEmpty)
    }

    @Test func `the first place and the first login stay`() {
        var search = LinkSearch(Glimpse(place: Self.place("/a"), login: nil), at: "/")
        #expect(search.complete == nil)
        search.take(Glimpse(place: Self.place("/b"), login: .form(Self.form)), from: Self.lead("/b"))
        search.take(Glimpse(place: nil, login: .challenge([.basic], field: "Basic")), from: Self.lead("/c"))
        #expect(search.complete?.place == Self.place("/a") && search.complete?.login == .form(Self.form))
        #expect(search.formAlone == nil)
    }

    @Test func `a page that shows its own form guards nothing, and the form stays alone`() {
        let shown = Glimpse(place: Self.place("/in", .form(status: 200)), login: .form(Self.form))
        var search = LinkSearch(nil, at: "/")
        search.take(shown, from: Self.lead("/in"))
        #expect(search.place == nil && search.complete == nil && search.formAlone == Self.form)
        search.take(Glimpse(place: Self.place("/me"), login: nil), from: Self.lead("/me"))
        #expect(search.formAlone == nil && search.complete?.place.target == "/me")
    }

    private static let described: [(scheme: APIDescription.Scheme, login: FoundLogin?)] = [
        (.basic, .challenge([.basic], field: "")), (.bearer, .token(header: nil, field: "")),
        (.header("X-Key"), .token(header: "X-Key: {token}", field: "")), (.header("a b"), nil), (.header(""), nil),
        (.header("X: {token}\r\nY"), nil), (.header("Ä"), nil), (.header(String(repeating: "x", count: 101)), nil),
        (
            .header(String(repeating: "x", count: 100)),
            .token(header: String(repeating: "x", count: 100) + ": {token}", field: "")
        ),
        (.passwordGrant(path: "/t"), .passwordGrant(path: "/t", description: "/openapi.json")), (.other, nil),
    ]

    @Test(arguments: described.indices) func `what refuses without a word is proved as its description says`(index: Int)
    {
        let (scheme, login) = Self.described[index]
        var search = LinkSearch(nil, at: "/")
        search.take(Glimpse(place: Self.place("/me"), login: nil), from: Self.lead("/me", scheme))
        #expect(search.login == login && search.place?.target == "/me")
    }

    @Test func `of several schemes the first that a profile has a word for counts`() {
        var search = LinkSearch(nil, at: "/")
        let lead = Self.lead("/me", .other, .header("a b"), .basic, .bearer)
        search.take(Glimpse(place: Self.place("/me"), login: nil), from: lead)
        #expect(search.login == .challenge([.basic], field: ""))
    }

    @Test func `a description says more than a bare token, and less than a form or a challenge`() {
        let seen: [(FoundLogin, FoundLogin)] = [
            (.token(header: nil, field: "Bearer"), .passwordGrant(path: "/t", description: "/openapi.json")),
            (.challenge([.digest], field: "Digest"), .challenge([.digest], field: "Digest")),
            (.form(Self.form), .form(Self.form)),
        ]
        for (login, expected) in seen {
            var search = LinkSearch(Glimpse(place: Self.place("/first"), login: nil), at: "/")
            search.take(
                Glimpse(place: Self.place("/me"), login: login), from: Self.lead("/me", .passwordGrant(path: "/t")))
            #expect(search.login == expected)
            #expect(search.place?.target == (login == expected ? "/first" : "/me"), "the place that it is about")
        }
    }

    @Test func `what is open is no place, whatever its description says`() {
        var search = LinkSearch(nil, at: "/")
        search.take(Glimpse(place: nil, login: nil), from: Self.lead("/me", .basic))
        #expect(search.login == nil && search.place == nil)
    }
}

/// What a page names, and which of its forms is the login.
struct PageLinkTests {
    private static let origin = Origin(scheme: "https", host: "app.example", port: 443)

    private static func there(_ target: String, on origin: Origin? = origin) -> Redirect {
        Redirect(url: "https://app.example\(target)", origin: origin, target: target)
    }

    private static func page(_ links: [PageLink] = [], forms: [PageForm] = []) -> LoginPage {
        LoginPage(origin: origin, target: "/home", forms: forms, links: links)
    }

    private static func link(_ target: String, _ relations: String...) -> PageLink {
        PageLink(relations: relations, place: there(target))
    }

    @Test func `links on this origin are tried once, those that speak of a login first`() {
        let other = Origin(scheme: "https", host: "evil.example", port: 443)
        let links =
            [
                "/docs/", "/about", "/my/account", "/news", "/Sign-In", "/about", "/home", "/in?next=/x", "/logout",
                "/a.PNG",
            ]
            .map { Self.link($0) }
            + [PageLink(relations: [], place: Self.there("/login", on: other)), Self.link("/login", "nofollow")]
            + [Self.link("/user", "noopener", "nofollow"), Self.link("/auth", "noopener")]
        #expect(Self.page(links).targetsToTry == ["/Sign-In", "/auth", "/my/account", "/docs/", "/about", "/news"])
    }

    @Test func `frames are tried before links, also with a query`() {
        var frame = PageLink(relations: [], place: Self.there("/main?x=1"))
        frame.isFrame = true
        var foreign = PageLink(
            relations: [], place: Self.there("/ad", on: Origin(scheme: "https", host: "ad.example", port: 443)))
        foreign.isFrame = true
        #expect(Self.page([Self.link("/login"), foreign, frame]).targetsToTry == ["/main?x=1", "/login"])
    }

    @Test func `a description is what is linked as one`() {
        let other = PageLink(relations: ["service-desc"], place: Self.there("/x", on: nil))
        let page = Self.page([Self.link("/a"), Self.link("/api.json", "service-desc", "alternate"), other])
        #expect(page.descriptions == ["/api.json"] && page.targetsToTry == ["/a"])
    }

    private static func form(_ fields: [PageField], multipart: Bool = false, to target: String = "/in") -> PageForm {
        var form = PageForm(methods: ["post"], actions: [there(target)], fields: fields)
        form.isMultipart = multipart
        return form
    }

    private static let password = PageField(name: "p", type: "password")

    @Test func `the name is the last field before the password that one is typed into`() throws {
        let fields = [
            PageField(name: "q", type: "search"), PageField(name: "realm", type: "text"),
            PageField(name: "mail", type: "email"), PageField(name: "csrf", type: "hidden"), Self.password,
            PageField(name: "otp", type: "text"),
        ]
        let found = try #require(try Self.page(forms: [Self.form(fields, to: "/in?x=1")]).loginForm())
        #expect(found.usernameField == "mail" && found.passwordField == "p")
        #expect(found.page == "/home" && found.action == "/in?x=1")
        #expect(try Self.page(forms: [Self.form([Self.password])]).loginForm()?.usernameField == nil)
    }

    @Test func `a list of one name is the user name, too`() throws {
        var name = PageField(name: "username", type: "select")
        name.options = ["cn=admin"]
        let found = try Self.page(forms: [Self.form([name, Self.password])]).loginForm()
        #expect(found?.usernameField == "username" && found?.usernames == ["cn=admin"])
    }

    @Test func `what is one session's alone is no part of the page and of the address that a profile writes`() throws {
        let form = Self.form([Self.password], to: "/in;jsessionid=0A1B2C3D4E5F.n1?AuthState=_c2770011aabbccdd&go=on")
        let page = LoginPage(
            origin: Self.origin, target: "/in?go=on&AuthState=_c2770011aabbccdd%3Ahttps", forms: [form])
        let found = try #require(try page.loginForm())
        #expect(found.page == "/in?go=on" && found.action == "/in?go=on")
    }

    @Test func `A form whose default button is disabled is no way to log in, one whose button leads on is`() throws {
        var form = Self.form([Self.password], to: "/in")
        form.submitButtons = [SubmitButton(isDisabled: true)]
        #expect(try Self.page(forms: [form]).loginForm() == nil)
        form.actions.append(Self.there("/session"))
        form.submitButtons = [SubmitButton(action: 1), SubmitButton(isDisabled: true)]
        #expect(try Self.page(forms: [form]).loginForm()?.action == "/session")
    }

    @Test func `a login that stands in the bar and in the page is one, whatever is ticked there`() throws {
        let box = { PageField(name: "keep", type: "checkbox", value: Secret("1"), isChosen: $0) }
        var label = box(true)
        label.label = "Stay logged in"
        let bar = Self.form([Self.password, box(false)], to: "/login")
        let body = Self.form([Self.password, label], to: "/login")
        #expect(try Self.page(forms: [bar, body]).loginForm()?.action == "/login")
        #expect(try Self.page(forms: [bar, Self.form([Self.password, box(false)], to: "/up")]).loginForm() == nil)
    }

    @Test func `where it is not clear which form is the login, none is`() throws {
        let form = Self.form([Self.password]), two = Self.form([Self.password, PageField(name: "q", type: "password")])
        let other = Self.form([Self.password, PageField(name: "to", type: "hidden", value: Secret("bar"))])
        #expect(try Self.page(forms: [form, other]).loginForm() == nil)
        let both = Self.page(forms: [two, Self.form([PageField(name: "q")]), form])
        #expect(try both.loginForm() == nil && both.setsPassword && !both.takesFiles)
        let apart = Self.page(forms: [two, Self.form([Self.password], to: "/login?x")])
        #expect(try apart.loginForm()?.action == "/login?x")
        let files = Self.page(forms: [Self.form([Self.password], multipart: true)])
        #expect(try files.loginForm() == nil && files.takesFiles && !files.setsPassword)
    }
}
