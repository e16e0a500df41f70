@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// A response that judges no login.
struct Interference: CustomStringConvertible {
    let status: Int
    var body = ""
    var challenge: String?

    private static let page = "<!DOCTYPE html><title>Welcome</title><p>We are back soon."
    /// Fits the rules of a profile that name no status.
    private static let fitting = #"{"state": "noauth", "token": "", "user": {"name": ""}}"#

    static let all =
        [403, 404, 410, 200, 503].map { Interference(status: $0, body: page) } + [
            Interference(status: 403), .init(status: 404, body: #"{"detail": "Not found."}"#), .init(status: 405),
            .init(status: 302), .init(status: 200, body: #"{"detail": "maintenance"}"#),
            .init(status: 503, body: fitting),
            .init(status: 503), .init(status: 429, body: fitting), .init(status: 408, body: fitting),
            .init(status: 400),
            .init(status: 401), .init(status: 401, challenge: "Basic realm=\"gateway\""),
        ]

    var isPage: Bool { body.hasPrefix("<") }
    /// Whether no rule meets it that does not name its status.
    var isBeforeRules: Bool { [408, 429, 503].contains(status) }
    var description: String { "\(status) \(challenge ?? String(body.prefix(12)))" }

    func response(_ cookies: [Cookie]) -> HTTPResponse {
        let type = body.isEmpty ? nil : "Content-Type: \(isPage ? "text/html" : "application/json")"
        let portal = Origin(scheme: "https", host: "portal.example", port: 443)
        let redirect = Redirect(url: "\(portal)/welcome", origin: portal, target: "/welcome")
        return .answer(
            status, body, headers: [type, challenge.map { "WWW-Authenticate: \($0)" }].compactMap(\.self),
            cookies: cookies,
            redirect: status == 302 ? redirect : nil)
    }
}

/// A profile as in the examples of the manual, with a login of it in one of the stores.
struct SurvivingLogin: CustomTestStringConvertible {
    enum Kind: String { case wire, digest, blog, chat }
    /// What its rules for a refusal look for, none of which names a status: nothing, a value, that one is missing.
    enum Rules { case none, value, missing }
    enum Point { case verify, request, refresh }

    let kind: Kind
    var isNamed = true
    var rules = Rules.none
    var store = "plaintext"

    var testDescription: String { "\(kind)\(isNamed ? " with" : " without") username, rules: \(rules), in \(store)" }
    var name: String { kind.rawValue }
    private var url: String { "https://\(name).example" }
    private static let sid = CookieRecord.cookie(
        "sid", Secret("one"), expires: nil, domain: "blog.example", isSecure: true)
    private var cookies: [Cookie] { kind == .blog ? [Self.sid] : [] }

    private var config: String {
        let username = isNamed ? ", username = '/user/name'" : ""
        let (end, refusal) =
            switch rules {
            case .none: ("", "")
            case .value: (", logged-out = [{ '/state' = 'noauth' }]", ", refused = [{ '/state' = 'noauth' }]")
            case .missing: (", logged-out = [{ '/user/name' = '' }]", ", refused = [{ '/token' = '' }]")
            }
        let fields = "json = { name = '{username}', password = '{password}' }"
        let places = "token = '/token', refresh-token = '/refresh', expires-in = '/expires'"
        let own =
            switch kind {
            case .wire: ""
            case .digest: "method = 'digest'"
            case .blog: "method = 'cookie'\nlogin = { post = '/users/login', \(fields) }"
            case .chat:
                """
                method = 'token'
                login = { post = '/login', \(fields), \(places)\(refusal) }
                refresh = { post = '/refresh', json = { token = '{refresh-token}' }\(refusal) }
                """
            }
        return "[profiles.\(name)]\nurl = '\(url)'\n\(own)\nverify = { get = '/account/me'\(username)\(end) }\n"
    }

    /// Those that judge nothing by the rules of this profile: a session without a refresh ends with a 401, and a rule for a missing value
    /// fits JSON that lacks it.
    var answers: [Interference] {
        Interference.all.filter { answer in
            if kind == .blog, answer.status == 401, answer.challenge == nil { return false }
            return rules != .missing || answer.isBeforeRules || answer.isPage
        }
    }

    var requests: [[String]] {
        [["request", "\(url)/account/x", "-P", name], ["request", "POST", "\(url)/account/x", "-d", "x", "-P", name]]
    }

    func world() throws -> TestWorld {
        let world = try TestWorld(config: config, isInMemory: true)
        world.variables["AUTHCTL_STORE"] = store
        if store == "file" {
            let key = try world.home.write("0123456789abcdef0123456789abcdef", to: "key")
            #expect(world.run("store", "init", "file", "--key-file", key).code == 0)
        }
        world.person = ScriptedPerson([ScriptedPerson.types("ann", "hunter22")])
        let run = world.run(["login", name], at: service())
        try #require(run.code == 0, "\(run.talk) \(world.requests)")
        world.person = ScriptedPerson()
        return world
    }

    /// Everything secret that is stored; a credential that was refused is not among it.
    func kept(in world: TestWorld) throws -> StoredLogin {
        try world.withWorld { dependencies in
            let context = try LoginContext(dependencies, LoginContext.Options(), .silent)
            let profile = try context.profiles.profile(named: name)
            let account = try #require(try context.record(of: profile)?.activeAccount)
            #expect(!account.passwordRefused && account.store.description == store)
            return try context.accounts.keeper(of: account, in: profile).fill(account)
        }
    }

    func always(_ answer: Interference) -> ScriptedTransport { ScriptedTransport { _ in answer.response(cookies) } }

    func many(_ answer: Interference) -> [HTTPResponse] { Array(repeating: answer.response(cookies), count: 12) }

    /// The service as it is at other times.
    func service() -> ScriptedTransport {
        ScriptedTransport { request in
            switch request.url.dropFirst(url.count) {
            case "/users/login": return .answer(200, cookies: [Self.sid])
            case "/login", "/refresh":
                return .answer(200, #"{"token": "t\#(request.url.count)", "refresh": "r", "expires": 100}"#)
            default: break
            }
            let isKnown = request.basic != nil || request.headers.contains { $0.name == "Authorization" }
            if isKnown || request.cookies.contains(where: { $0.value == Self.sid.value }) {
                return .answer(200, #"{"user": {"name": "ann"}}"#, cookies: request.cookies)
            }
            let digest = #"WWW-Authenticate: Digest realm="wire", nonce="n", qop="auth", algorithm=SHA-256"#
            return .answer(
                401,
                headers: kind == .wire ? [#"WWW-Authenticate: Basic realm="wire""#] : kind == .digest ? [digest] : [])
        }
    }

    func expect(_ run: Run, _ answer: Interference, at point: Point, _ command: [String]) {
        let code = code(after: answer, at: point)
        #expect(run.code != 3 && (code == nil || run.code == code), "\(answer) \(point) \(command): \(run.talk)")
    }

    /// As docs/verdicts.md has it; `nil` for Digest, which asks for a challenge first.
    private func code(after answer: Interference, at point: Point) -> Int32? {
        if kind == .digest { return nil }
        return switch (point, answer.status) {
        case (_, 429), (_, 503): 12
        // A success without the token that it should have brought.
        case (.refresh, 200): answer.isPage ? 4 : 1
        case (.refresh, _): 4
        case (.request, 200), (.request, 302): 0
        case (.request, 403): 4
        case (.verify, 200) where !isNamed: 0
        // What is no statement has a refresh tried.
        case (.verify, 200): kind == .chat && !answer.isPage ? 1 : 4
        case (.verify, 302): 7
        case (.verify, 403): 4
        case (_, 401) where kind == .chat: answer.challenge != nil || rules == .none ? 4 : 1
        case (_, 401): 4
        case (.request, _): 11
        case (.verify, _): 1
        }
    }
}
