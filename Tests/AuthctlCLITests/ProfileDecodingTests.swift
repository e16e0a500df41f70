@testable import LoginKit
import Testing

@testable import AuthctlCLI

/// The profiles of the manual and of the promise to users, as they are written there.
struct ProfileDecodingTests {
    private func profile(_ name: String, _ text: String) throws -> Profile {
        guard case .table(let members) = try ConfigValue.parse(text, file: "config.toml"),
            let table = try StrictTable(members, file: "config.toml", path: "")["profiles"]?.inner()[name]?.inner()
        else { throw UsageFault.other("no such table") }
        return try ProfileDecoder(folder: "/etc/authctl", home: "/home/anna").profile(named: name, table)
    }

    private func rule(_ method: String, _ path: String, _ answer: (inout ResponseRule) -> Void = { _ in }) throws
        -> RequestRule
    {
        var rule = RequestRule(method: method, path: try Template(parsing: path))
        answer(&rule.response)
        return rule
    }

    private func member(_ name: String, _ text: String) throws -> JSONTemplate.Member {
        JSONTemplate.Member(name: name, value: .string(try Template(parsing: text)))
    }

    @Test func `wire: HTTP Basic against a verify endpoint`() throws {
        let profile = try profile("wire", Examples.wire)
        #expect(profile.name == "wire" && profile.url == "https://api.wire.example")
        #expect(profile.methods == [.auto] && profile.kind == .challenge([]))
        #expect(
            profile.verify
                == (try rule("GET", "/account/verify_credentials.json") { $0.username = Place("/screen_name") }))
        #expect(profile.login == nil && profile.refresh == nil && profile.logout == nil && profile.session == nil)
        #expect(profile.settings == Profile.Settings())
        #expect(profile.fields == [.username, .password])
    }

    @Test func `the text {null} in json is JSON's null`() throws {
        let table = """
            [profiles.p]
            url = "https://p.example"
            method = "cookie"
            login = { post = "/l", json = { a = "{null}", b = ["{null}", "{{null}"], c = "{password}" } }
            """
        let nulls = JSONTemplate.array([.null, .string(Template(literal: "{null}"))])
        #expect(
            try profile("p", table).login?.content
                == .json(
                    .object([
                        .init(name: "a", value: .null), .init(name: "b", value: nulls), try member("c", "{password}"),
                    ])))
    }

    @Test func `blog: a posted JSON object, a cookie stays`() throws {
        let profile = try profile("blog", Examples.blog)
        #expect(profile.methods == [.cookie] && profile.kind == .exchange(for: .cookies))
        var login = try rule("POST", "/users/login")
        login.content = .json(.object([try member("name", "{username}"), try member("password", "{password}")]))
        #expect(profile.login == login)
        #expect(
            profile.verify
                == (try rule("GET", "/users/me") {
                    $0.username = Place("/name")
                    $0.loggedOut = [Condition(status: 401), Condition(status: 403)]
                }))
        #expect(profile.sessionRule == SessionRule(cookies: true))
    }

    @Test func `screencast: a posted form, a token that expires, its own header`() throws {
        let profile = try profile("screencast", Examples.screencast)
        #expect(profile.methods == [.token] && profile.kind == .exchange(for: .token))
        var login = try rule("POST", "/auth/login.json") {
            $0.token = Place("/auth_token")
            $0.expiry = Place("/expires_at").map { .at($0) }
            $0.message = Place("/error")
        }
        login.content = .form([
            RequestRule.Parameter(name: "password", value: try Template(parsing: "{password}")),
            RequestRule.Parameter(name: "username", value: try Template(parsing: "{username}")),
        ])
        login.query = [RequestRule.Parameter(name: "ttl", value: try Template(parsing: "{ttl}"))]
        #expect(profile.login == login)
        #expect(
            profile.sessionRule.headers == [HeaderRule(name: "auth_token", value: try Template(parsing: "{token}"))])
        #expect(profile.verify?.response.username == Place("/user/username"))
    }

    @Test func `forge: a token that is pasted`() throws {
        let profile = try profile("forge", Examples.forge)
        #expect(profile.url == "https://forge.example/api/v4")
        #expect(profile.kind == .pasted && profile.fields == [.token])
        #expect(
            profile.sessionRule.headers == [HeaderRule(name: "PRIVATE-TOKEN", value: try Template(parsing: "{token}"))])
    }

    @Test func `chat: a nested body, 403 refuses, milliseconds, a refresh token`() throws {
        let profile = try profile("chat", Examples.chat)
        var login = try rule("POST", "/login") {
            $0.token = Place("/access_token")
            $0.refreshToken = Place("/refresh_token")
            $0.expiry = Place("/expires_in_ms").map { .inMilliseconds($0) }
            $0.message = Place("/error")
            $0.refused = [Condition(status: 403)]
        }
        login.content = .json(
            .object([
                .init(
                    name: "identifier",
                    value: .object([try member("type", "m.id.user"), try member("user", "{username}")])),
                try member("password", "{password}"), .init(name: "refresh_token", value: .bool(true)),
                try member("type", "m.login.password"),
            ]))
        #expect(profile.login == login)
        var refresh = try rule("POST", "/refresh")
        refresh.content = .json(.object([try member("refresh_token", "{refresh-token}")]))
        #expect(profile.refresh == refresh)
        #expect(profile.logout == (try rule("POST", "/logout")))
        #expect(profile.sessionRule == .bearer)
    }

    @Test func `index: the token is a Basic password`() throws {
        let profile = try profile("index", Examples.index)
        #expect(
            profile.sessionRule.basic
                == SessionRule.BasicRule(
                    username: try Template(parsing: "{username}"), password: try Template(parsing: "{token}")))
        let noauth = Condition.PlacePattern(
            place: try #require(Place("/result/authstatus/0")), pattern: TextPattern("noauth"))
        #expect(profile.verify?.response.loggedOut == [Condition(places: [noauth])])
        #expect(profile.login?.response.expiry == Place("/result/expiration").map { .inSeconds($0) })
    }

    @Test func `intranet: a ticket once, then the cookie that it earned`() throws {
        let profile = try profile("intranet", Examples.intranet)
        #expect(profile.kind == .challenge([.negotiate]) && profile.fields.isEmpty)
        #expect(profile.login?.method == "GET" && profile.sessionRule == SessionRule(cookies: true))
    }

    @Test(arguments: ["[\"basic\", \"digest\"]", "[\"digest\", \"basic\", \"digest\"]"])
    func `a list of methods means the strongest first, however it is written`(list: String) throws {
        let profile = try profile(
            "p", "[profiles.p]\nurl = \"https://p.example\"\nmethod = \(list)\nverify = { get = \"/me\" }\n")
        #expect(profile.methods == [.digest, .basic] && profile.kind == .challenge([.digest, .basic]))
    }

    @Test func `the settings are the options of the same names`() throws {
        let profile = try profile(
            "p",
            """
            [profiles.p]
            url = "https://p.example"
            verify = { get = "/" }
            user = "anna"
            allow-http = true
            proxy = "environment"
            ca-file = "~/ca.pem"
            timeout = 7
            store = "helper:pass"
            persist = "session"
            keep-password = true
            password-command = "pass show 'my blog'"
            """)
        #expect(profile.user == "anna")
        var settings = Profile.Settings()
        settings.allowHTTP = true
        settings.proxy = "environment"
        settings.caFile = "/home/anna/ca.pem"
        settings.timeout = 7
        settings.store = "helper:pass"
        settings.persist = .session
        settings.keepPassword = true
        settings.passwordCommand = "pass show 'my blog'"
        #expect(profile.settings == settings)
    }

    @Test(arguments: [("ca.pem", "/etc/authctl/ca.pem"), ("/x/ca.pem", "/x/ca.pem"), ("../ca", "/etc/authctl/../ca")])
    func `files are relative to the folder of the file that names them`(written: String, path: String) throws {
        let profile = try profile(
            "p", "profiles.p = { url = \"https://p.example\", verify = { get = \"/\" }, ca-file = \"\(written)\" }")
        #expect(profile.settings.caFile == path)
    }

    @Test func `a request in all its words`() throws {
        let profile = try profile(
            "p",
            """
            [profiles.p]
            url = "https://p.example"
            [profiles.p.verify]
            send = "PROPFIND /dav/{username}?x=1"
            header = ["Depth: 0", "X-Empty:", "X:  a:b "]
            query = { a = ["1", "2"], b = "{{" }
            body = "<x>{username}</x>"
            logged-out = [ 401, { status = 302, "header:Location" = "/login/*", "/ok" = false, "/n" = 3 } ]
            """)
        let verify = try #require(profile.verify)
        #expect(verify.method == "PROPFIND" && verify.path.parts == [.text("/dav/"), .slot(.username), .text("?x=1")])
        #expect(verify.headers.map(\.name.shown) == ["Depth", "X-Empty", "X"])
        #expect(verify.headers.map(\.value.parts) == [[.text("0")], [], [.text("a:b ")]])
        #expect(verify.query.map(\.name) == ["a", "a", "b"])
        #expect(verify.content == .body("<x>{username}</x>"))
        let patterns = try #require(verify.response.loggedOut?.last)
        #expect(patterns.status == 302)
        #expect(
            Set(patterns.places.map { "\($0.place)=\($0.pattern.text)" }) == [
                "header:Location=/login/*", "/ok=false", "/n=3",
            ])
    }
}

/// The fault of a call that reads configuration.
func usageFault(_ call: () throws -> Void) -> UsageFault? {
    do {
        try call()
        return nil
    } catch {
        return error as? UsageFault
    }
}
