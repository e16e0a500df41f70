@testable import LoginTestSupport
@testable import LoginKit
import Testing

/// The profile that follows from what was found, and what a person is told beside it.
struct ProposedProfileTests {
    private static let origin = Origin(scheme: "https", host: "app.example", port: 443)

    private static func place(
        _ target: String = "/me", _ refusal: GuardedPlace.Refusal = .status(401), namedBy: String? = nil
    ) -> GuardedPlace {
        GuardedPlace(target: target, refusal: refusal, namedBy: namedBy)
    }

    private func proposed(
        _ login: FoundLogin?, _ place: GuardedPlace? = place(), name: String = "app", seen: [Sighting] = [],
        connection: [String: ConfigValue] = [:]
    ) -> ProposedProfile {
        ProposedProfile(
            name: name, origin: Self.origin,
            found: Discovered(
                guarded: place, login: login, seen: seen, names: [], requests: 1, origins: [Self.origin]),
            connection: connection)
    }

    private func value(_ key: String, of profile: ProposedProfile) -> String? { profile.table[key]?.inline }

    private static let form = FoundForm(
        page: "/in?a={b}", action: "/in", usernameField: nil, passwordField: "p w", isSubmittable: true)

    private static let logins: [(login: FoundLogin, method: String?)] = [
        (.challenge([.digest], field: "Digest"), "\"digest\""), (.challenge([.digest, .basic], field: "x"), nil),
        (.token(header: nil, field: "Bearer"), "\"token\""), (.form(form), "\"cookie\""),
        (.passwordGrant(path: "/t", description: "/api.json"), "\"token\""),
        (
            .oauth(
                FoundServer(
                    issuer: nil, resource: nil, scope: nil, endpoints: [:], revocationAuthentication: nil, evidence: [])
            ),
            "\"oauth\""
        ),
    ]

    @Test(arguments: logins.indices) func `a method is written where there is one alone`(index: Int) {
        let (login, method) = Self.logins[index]
        let profile = proposed(login)
        #expect(value("method", of: profile) == method && profile.isUsable)
        #expect(
            value("url", of: profile) == "\"https://app.example\""
                && value("verify", of: profile) == "{ get = \"/me\" }")
    }

    @Test(
        arguments: [
            (.status(401), "{ get = \"/me\" }"), (.status(403), "{ get = \"/me\", logged-out = [401, 403] }"),
            (
                .redirect(status: 303, path: "/in"),
                "{ get = \"/me\", logged-out = [401, { status = 303, \"header:Location\" = \"/in*\" }] }"
            ),
            (
                .form(status: 200),
                "{ get = \"/me\", logged-in = [200, 302, 303] }"
            ),
        ] as [(GuardedPlace.Refusal, String)])
    func `a place proves a login by how it refuses`(refusal: GuardedPlace.Refusal, rule: String) {
        #expect(value("verify", of: proposed(.challenge([.basic], field: ""), Self.place("/me", refusal))) == rule)
    }

    @Test(
        arguments: [
            .status(401), .status(404), .status(200), .redirect(status: 302, path: "/in"),
            .form(status: 200),
            .name(status: 200),
        ] as [GuardedPlace.Refusal])
    func `a place that a login has found is written as the rule that was tried`(refusal: GuardedPlace.Refusal) throws {
        var place = Self.place("/me", refusal)
        place.username = .between(.text, before: "<b title=\"it's\">", after: "</")
        if case .redirect = refusal { place.sendsOn = 303 }
        if refusal == .status(200) { place.sendsOn = 302 }
        let table = StrictTable(
            proposed(.form(Self.form), place).table.merging(["url": .string("https://app.example")]) { $1 }, file: "x",
            path: "")
        let profile = try ProfileDecoder(folder: "/etc", home: "/home").profile(named: "app", table)
        #expect(profile.verify == place.verify)
    }

    @Test func `the question says what was found, without the profile, and quotes what is neither a name nor a URL`() {
        var server = FoundServer(
            issuer: "https://id.example", resource: nil, scope: nil, endpoints: [:], revocationAuthentication: nil,
            evidence: [])
        server.elsewhere = [Origin(scheme: "https", host: "other.example", port: 443)]
        var form = FoundForm(
            page: "/in", action: "/in", usernameField: "user", passwordField: "pw", isSubmittable: true)
        form.usernames = ["a", "b c"]
        let questions =
            [
                (.challenge([.digest, .basic], field: "x"), "Found a login at /me (HTTP digest, basic)."),
                (
                    .token(header: "X-Key: {token}", field: ""),
                    "Found a service that takes a token, which you make there (header X-Key)."
                ),
                (.form(form), "Found a login form at /in (user: one of a, \"b c\", pw)."),
                (.form(Self.form), "Found a login form at /in?a={b} (\"p w\")."),
                (.browser(at: Self.origin), "Found a login for a browser at https://app.example."),
                (.passwordGrant(path: "/t", description: ""), "Found a login with user name and password at /t."),
                (
                    .oauth(server),
                    """
                    Found an OAuth login at https://id.example. Its metadata leads to other servers: https://other.example; go on \
                    only if you know why.
                    """
                ),
            ] as [(FoundLogin, String)]
        for (login, question) in questions { #expect(proposed(login).question == question) }
    }

    @Test func `what a page names is literal text, and no slot`() {
        let profile = proposed(.form(Self.form), Self.place("/{username}"))
        #expect(value("verify", of: profile) == "{ get = \"/{{username}\" }")
        #expect(
            value("login", of: profile) == """
                { page = "/in?a={{b}", post = "/in", form = { "p w" = "{password}" } }
                """)
    }

    @Test func `a token's header is the session, and a grant's request is a form`() {
        let header = proposed(.token(header: "X-Key: {token}", field: ""))
        #expect(value("session", of: header) == "{ header = \"X-Key: {token}\" }")
        #expect(value("session", of: proposed(.token(header: nil, field: ""))) == nil)
        let grant = proposed(.passwordGrant(path: "/to{k}", description: "/api.json"))
        #expect(
            value("login", of: grant) == """
                { post = "/to{{k}", form = { grant_type = "password", password = "{password}", username = "{username}" }, \
                token = "/access_token", refused = [400, 401] }
                """)
    }

    @Test func `a document has a heading in a larger file, none alone, and reads as the table`() throws {
        let server = FoundServer(
            issuer: "https://id.example", resource: nil, scope: "a b", endpoints: [:], revocationAuthentication: nil,
            evidence: ["/.well-known/r"])
        let profile = proposed(.oauth(server), name: "app.example", connection: ["proxy": .string("http://p:1")])
        for (isAlone, path) in [(true, []), (false, ["profiles", "app.example"])] {
            let text = profile.document(head: "Head.", isAlone: isAlone)
            #expect(text.hasPrefix("# Head.\n") && text.contains("[profiles.") == !isAlone)
            var read = try ConfigValue.parse(text, file: "f")
            for key in path {
                guard case .table(let members) = read else { continue }
                read = members[key] ?? .bool(false)
            }
            #expect(read == .table(profile.table), "\(text)")
        }
        #expect(profile.table["oauth"] == .table(["issuer": .string("https://id.example"), "scope": .string("a b")]))
    }

    @Test func `a reason stands behind its line, above a long one, and says nothing for what was given`() {
        let long = Self.place("/" + String(repeating: "x", count: 40), namedBy: "/api.json")
        let lines = proposed(.challenge([.basic], field: "Basic"), long).document(head: "h", isAlone: true)
            .split(separator: "\n").map(String.init)
        #expect(lines[1] == "url    = \"https://app.example\"")
        #expect(lines[2] == "method = \"basic\"".padding(to: 44) + "# WWW-Authenticate: \"Basic\"")
        #expect(
            lines[3] == "# 401 without a login; named by \"/api.json\"" && lines[4].hasPrefix("verify = { get = \"/xxx")
        )
    }

    @Test func `a server whose metadata leads elsewhere is remarked on before a profile names it`() {
        var server = FoundServer(
            issuer: "https://id.example", resource: nil, scope: nil, endpoints: [:], revocationAuthentication: nil,
            evidence: [])
        server.elsewhere = [Origin(scheme: "https", host: "xn--ggle-55da.example", port: 443)]
        let found = Discovered(
            guarded: nil, login: .oauth(server), seen: [], names: [], requests: 3, origins: [])
        #expect(found.remarks.contains { $0.contains("other servers: https://xn--ggle-55da.example;") })
    }

    @Test func `what is no profile is remarks alone, with a profile to complete`() {
        let seen: [Sighting] = [.unknownChallenge(target: "/", scheme: "Hawk"), .refused(target: "/me", status: 403)]
        for (login, place) in [(nil, Self.place()), (FoundLogin.form(Self.form), nil), (nil, nil)] {
            let profile = proposed(login, place, seen: seen)
            let text = profile.document(head: "h", isAlone: false)
            #expect(!profile.isUsable && text.split(separator: "\n").allSatisfy { $0.hasPrefix("# ") }, "\(text)")
            #expect(text.contains("wants \"Hawk\", which") && text.contains("answers 403"))
            let draft = "\n#   url    = \"https://app.example\"\n#   method = \"browser\"\n#   verify = { get = \""
            #expect(text.contains(draft) == (login == nil), "\(text)")
        }
    }

    @Test func `the ways to consent are the endpoints', and the client is named where none can register`() throws {
        func server(_ endpoints: OAuthEndpoint...) -> FoundServer {
            let url = EndpointURL(origin: Self.origin, path: "/x")
            return FoundServer(
                issuer: nil, resource: nil, scope: nil,
                endpoints: Dictionary(uniqueKeysWithValues: endpoints.map { ($0, url) }),
                revocationAuthentication: nil, evidence: [])
        }
        let both = proposed(.oauth(server(.deviceAuthorization, .authorization, .registration, .revocation)))
        #expect(both.flows == ["browser", "device"])
        #expect(
            both.remarks.contains("flows: browser, device; revokes") && both.remarks[0].hasSuffix("registers clients"))
        let none = proposed(.oauth(server()))
        #expect(none.flows.isEmpty && none.remarks.contains("flows: none; does not revoke"))
        #expect(none.remarks[0].hasPrefix("client-id has to be added"))
        #expect(proposed(.form(Self.form)).flows.isEmpty)
    }
}

extension String {
    fileprivate func padding(to count: Int) -> String { self + String(repeating: " ", count: count - self.count) }
}
