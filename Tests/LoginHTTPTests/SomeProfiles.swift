@testable import LoginKit
@testable import LoginTestSupport
import Secrets

/// The profiles of the manual, as values.
enum SomeProfiles {
    static func wire(_ methods: [AuthenticationMethod] = [.auto]) throws -> Profile {
        var verify = try rule("GET", "/account/verify_credentials.json")
        verify.response.username = Place("/screen_name")
        return Profile(name: "wire", url: "https://api.wire.example", methods: methods, verify: verify)
    }

    static func blog() throws -> Profile {
        var verify = try rule("GET", "/users/me")
        verify.response.username = Place("/name")
        verify.response.loggedOut = [Condition(status: 401), Condition(status: 403)]
        var profile = Profile(name: "blog", url: "https://blog.example", methods: [.cookie], verify: verify)
        profile.login = try rule(
            "POST", "/users/login",
            json: .object([try member("name", "{username}"), try member("password", "{password}")]))
        return profile
    }

    static func screencast() throws -> Profile {
        var verify = try rule("GET", "/home/index.json")
        verify.response.username = Place("/user/username")
        var profile = Profile(name: "screencast", url: "https://screencast.example", methods: [.token], verify: verify)
        var login = try rule("POST", "/auth/login.json")
        login.content = .form([try parameter("username", "{username}"), try parameter("password", "{password}")])
        login.query = [try parameter("ttl", "{ttl}")]
        login.response.token = Place("/auth_token")
        login.response.expiry = Place("/expires_at").map { .at($0) }
        login.response.message = Place("/error")
        profile.login = login
        profile.session = try header("auth_token", "{token}")
        return profile
    }

    static func forge() throws -> Profile {
        var verify = try rule("GET", "/user")
        verify.response.username = Place("/username")
        var profile = Profile(name: "forge", url: "https://forge.example/api/v4", methods: [.token], verify: verify)
        profile.session = try header("PRIVATE-TOKEN", "{token}")
        return profile
    }

    static func admin() throws -> Profile {
        var verify = try rule("GET", "/api/me/")
        verify.response.username = Place("/username")
        let location = Condition.PlacePattern(place: .header("Location"), pattern: TextPattern("/login/*"))
        verify.response.loggedOut = [Condition(status: 401), Condition(status: 302, places: [location])]
        var profile = Profile(name: "admin", url: "https://admin.example", methods: [.cookie], verify: verify)
        var login = try rule("POST", "/login/")
        login.page = "/login/"
        login.content = .form([try parameter("username", "{username}"), try parameter("password", "{password}")])
        profile.login = login
        var session = SessionRule(cookies: true)
        session.writeHeaders = [HeaderRule(name: "X-CSRFToken", value: try Template(parsing: "{cookie:csrftoken}"))]
        profile.session = session
        return profile
    }

    static func chat() throws -> Profile {
        var verify = try rule("GET", "/account/whoami")
        verify.response.username = Place("/user_id")
        var profile = Profile(
            name: "chat", url: "https://chat.example/_matrix/client/v3", methods: [.token], verify: verify)
        var login = try rule(
            "POST", "/login",
            json: .object([
                .init(
                    name: "identifier",
                    value: .object([try member("type", "m.id.user"), try member("user", "{username}")])),
                try member("password", "{password}"), .init(name: "refresh_token", value: .bool(true)),
                try member("type", "m.login.password"),
            ]))
        login.response.token = Place("/access_token")
        login.response.refreshToken = Place("/refresh_token")
        login.response.expiry = Place("/expires_in_ms").map { .inMilliseconds($0) }
        login.response.message = Place("/error")
        login.response.refused = [Condition(status: 403)]
        profile.login = login
        profile.refresh = try rule("POST", "/refresh", json: .object([try member("refresh_token", "{refresh-token}")]))
        profile.logout = try rule("POST", "/logout")
        return profile
    }

    static func index() throws -> Profile {
        var verify = try rule("GET", "/+api")
        verify.response.username = Place("/result/authstatus/1")
        let state = Condition.PlacePattern(
            place: Place("/result/authstatus/0") ?? .header(""), pattern: TextPattern("noauth"))
        verify.response.loggedOut = [Condition(places: [state])]
        var profile = Profile(name: "index", url: "https://index.example", methods: [.token], verify: verify)
        var login = try rule(
            "POST", "/+login", json: .object([try member("password", "{password}"), try member("user", "{username}")]))
        login.response.token = Place("/result/password")
        login.response.expiry = Place("/result/expiration").map { .inSeconds($0) }
        profile.login = login
        var session = SessionRule()
        session.basic = SessionRule.BasicRule(
            username: try Template(parsing: "{username}"), password: try Template(parsing: "{token}"))
        profile.session = session
        return profile
    }

    static func rule(_ method: String, _ path: String, json: JSONTemplate? = nil) throws -> RequestRule {
        var rule = RequestRule(method: method, path: try Template(parsing: path))
        if let json { rule.content = .json(json) }
        return rule
    }

    static func member(_ name: String, _ text: String) throws -> JSONTemplate.Member {
        JSONTemplate.Member(name: name, value: .string(try Template(parsing: text)))
    }

    static func parameter(_ name: String, _ text: String) throws -> RequestRule.Parameter {
        RequestRule.Parameter(name: name, value: try Template(parsing: text))
    }

    static func header(_ name: String, _ value: String) throws -> SessionRule {
        var rule = SessionRule()
        rule.headers = [HeaderRule(name: name, value: try Template(parsing: value))]
        return rule
    }
}

/// A service over a server that answers by a script.
struct Exchange {
    static let now: Int64 = 1_000_000

    let service: Service
    private let transport: ScriptedTransport
    private let kind: LoginKind

    init(_ profile: Profile, _ answers: [HTTPResponse], options: Service.Options = Service.Options()) {
        self.init(profile, answers.map { .success($0) }, options: options)
    }

    init(
        _ profile: Profile, _ answers: [Result<HTTPResponse, LoginFault>], tickets: TicketCache = SomeTickets.none,
        options: Service.Options = Service.Options()
    ) {
        transport = ScriptedTransport(answers)
        kind = profile.kind
        let host = String(profile.url.dropFirst(8).prefix { $0 != "/" })
        let origin = Origin(scheme: "https", host: host, port: 443)
        service = Service(
            profile: profile, endpoint: ServiceEndpoint(origin: origin, base: profile.url), transport: transport,
            clock: WallClock { Self.now }, tickets: tickets, options: options,
            method: Service.method(of:))
    }

    /// Every request, byte for byte.
    var requests: [String] { transport.requests.map(\.dump) }

    /// How many answers were not asked for.
    var rest: Int { transport.rest }

    func login(_ username: String? = "añna", _ secret: String = "p ä\"&") throws -> Login {
        try service.authenticate(Credential(username: username, kind.traits.credential(Secret(secret))))
    }
}

extension Service {
    /// The login method of the profile's kind, as the program makes it.
    static func method(of parts: LoginMethodParts) -> any LoginMethod {
        Dependencies.features()(parts.client.profile.kind).makeMethod(parts)
    }
}
