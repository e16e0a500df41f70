import Foundation
@testable import LoginKit

/// A generated server with the way in which authctl is told of it: one combination of the axes.
struct GeneratedLogin: Sendable, CustomStringConvertible {
    /// What is given of the service.
    enum Way: Hashable, Sendable {
        /// A path of its URL.
        case url(String)
        case profile(verify: Bool, username: Bool)

        var isURL: Bool { if case .url = self { true } else { false } }
        var readsName: Bool { self == .profile(verify: true, username: true) }
        var hasVerify: Bool { self != .profile(verify: false, username: false) }
    }

    let server: GeneratedServer
    let way: Way
    /// Who types the wrong password: somebody that the service knows, or does not.
    let wrongName: String

    var description: String {
        let given =
            switch way {
            case .url(let path): "URL \(path)"
            case .profile(let verify, let username):
                "profile\(verify ? "" : " without verify")\(username ? "" : verify ? " without username" : "")"
            }
        let verify =
            server.kind.isHTTP ? "strangers \(server.stranger)" : "verify \(server.stranger) | \(server.session)"
        let wrong = wrongName == GeneratedServer.name ? server.wrong : "\(server.unknown) (unknown name)"
        return
            "\(server.kind.rawValue), \(given), \(verify), right \(server.right), wrong \(wrong), cookie \(server.cookies)"
    }

    /// The six lines, for a service at `url`; nothing for a URL alone.
    func profile(at url: String) -> String? {
        guard case .profile(let hasVerify, let hasName) = way else { return nil }
        let password = "pw = \"{password}\"", user = "user = \"{username}\""
        let (method, login) =
            switch server.kind {
            case .basic, .digest: (server.kind.rawValue, nil as String?)
            case .form: ("cookie", "{ page = \"/login\", post = \"/login\", form = { \(user), \(password) } }")
            case .json: ("cookie", "{ post = \"/login\", json = { \(user), \(password) } }")
            case .token: ("token", "{ post = \"/login\", json = { \(user), \(password) }, token = \"/token\" }")
            case .formToken: ("token", "{ post = \"/login\", form = { \(user), \(password) }, token = \"/token\" }")
            case .steps:
                (
                    "cookie",
                    """
                    [{ page = "/login", post = "/login", form = { \(user) } },
                      { post = "/password", form = { \(user), \(password) } }]
                    """
                )
            }
        var lines = ["[profiles.s]", "url = \"\(url)\"", "method = \"\(method)\""]
        if let login { lines.append("login = \(login)") }
        let name = hasName ? ", username = \"/name\"" : ""
        if hasVerify { lines.append("verify = { get = \"\(GeneratedServer.guarded)\"\(name) }") }
        return lines.joined(separator: "\n") + "\n"
    }
}

// The axes.
extension GeneratedLogin {
    /// What a wrong password is answered with.
    static let wrong = [
        "400", "401 challenge", "401", "401 other", "403", "404", "405", "407", "410", "418", "422", "429", "451",
        "503",
        "302 /denied", "302 /login?error", "302 /", "303 /login", "200 form", "401 form", "403 form", "422 form",
        "200 page",
        #"200 {"ok":false}"#, #"200 {"token":""}"#, "200 {}", "204",
    ]
    private static let names = [
        #"200 {"name":"ann"}"#, "200 {}", #"200 {"name":null}"#, #"200 {"name":""}"#, #"200 {"name":false}"#,
        #"200 {"name":[]}"#, #"200 {"name":"Guest"}"#,
    ]
    private static let landings = ["302 /", "302 /home", "303 /home", "200 home", "201", "204"]
    private static let guest = #"200 {"name":"Guest"}"#

    /// What the login answers the right password; where HTTP's own schemes are wanted, the guarded place.
    private static func rights(_ kind: GeneratedServer.Kind) -> [String] {
        switch kind {
        case .basic, .digest:
            names + landings + ["200 page", "200 stream", "404", "405", "422", "501", "503", "403", "401 other"]
        case .form, .json, .steps: names.prefix(2) + landings
        case .token, .formToken: [#"200 {"token":"t-ann"}"#, #"201 {"token":"t-ann","name":"ann"}"#]
        }
    }

    /// What the guarded place answers strangers, and those who have logged in; for HTTP's own schemes strangers alone.
    private static func verifies(_ kind: GeneratedServer.Kind, _ way: Way) -> [(stranger: String, session: String)] {
        if kind.isHTTP {
            // Without a challenge, a URL shows no login, and Digest has no nonce.
            if way.isURL { return [("401 challenge", "")] }
            let silent = kind == .digest ? [] : ["404", "403", "400", "302 /login"]
            return (Array(repeating: "401 challenge", count: 3) + [guest] + silent).map { ($0, "") }
        }
        let ann = names[0]
        // A place that answers so leads to the page of the login.
        if way.isURL { return ["302 /login", "200 form"].flatMap { [($0, ann), ($0, "200 home"), ($0, $0)] } }
        let known = ["401", "401 challenge", "401 other", "403", "404", "302 /login", "200 form"]
        let differing = names.dropFirst() + ["404", "405", "422", "204", "403", "503", "401 other", "200 stream"]
        let same = [
            "401", "401 other", "403", "404", "405", "410", "501", "503", "302 /login", "301 /v2/me", "200 page",
        ]
        var pairs = known.flatMap { [($0, ann), ($0, "200 home")] } + differing.map { ("401", $0) }
        pairs += [guest, #"200 {"name":null}"#, "200 {}"].map { ($0, ann) } + [("302 /login", "302 /home")]
        return pairs + (same + [guest, "200 stream"]).map { ($0, $0) }
    }

    private static func cookies(_ kind: GeneratedServer.Kind, _ way: Way) -> [GeneratedServer.Cookies] {
        // By its URL alone, a form that sets no cookie is none.
        GeneratedServer.Cookies.allCases.filter { $0 != .none || !(way.isURL && kind == .form) }
    }

    static func ways(_ kind: GeneratedServer.Kind) -> [Way] {
        let profiles = [true, false].map { Way.profile(verify: true, username: $0) }
        return switch kind {
        case .basic, .digest: [.url(GeneratedServer.guarded)] + profiles
        case .form:
            [.url("/login"), .url(GeneratedServer.guarded)] + profiles + [.profile(verify: false, username: false)]
        case .json, .token, .formToken, .steps: profiles + [.profile(verify: false, username: false)]
        }
    }

    private init(
        _ kind: GeneratedServer.Kind, _ way: Way, _ verify: (stranger: String, session: String), _ right: String,
        _ cookies: GeneratedServer.Cookies, wrong number: Int = 0, wrongName: String = GeneratedServer.name
    ) {
        server = GeneratedServer(
            kind: kind, cookies: cookies, stranger: verify.stranger, session: kind.isHTTP ? right : verify.session,
            right: right, wrong: Self.wrong[number], unknown: Self.wrong[(number + 7) % Self.wrong.count])
        (self.way, self.wrongName) = (way, wrongName)
    }

    /// Every wrong answer with every answer of verify, or of the guarded place; the other axes are drawn, three times for each of
    /// the latter.
    static let all: [GeneratedLogin] = GeneratedServer.Kind.allCases.flatMap { kind in
        var generator = SeededGenerator(seed: UInt64(kind.rawValue.utf8.count))
        return ways(kind).flatMap { way in
            let verifies = verifies(kind, way), rights = rights(kind), cookies = cookies(kind, way)
            return (kind.isHTTP ? rights.indices : verifies.indices).flatMap { index in
                let drawn = (0..<3).map { _ in
                    (
                        verify: kind.isHTTP ? generator.pick(verifies) : verifies[index],
                        right: kind.isHTTP ? rights[index] : generator.pick(rights), cookies: generator.pick(cookies)
                    )
                }
                return wrong.indices.map { number in
                    let (verify, right, cookies) = drawn[number % drawn.count]
                    return GeneratedLogin(
                        kind, way, verify, right, cookies, wrong: number,
                        wrongName: generator.isOne(in: 3) ? GeneratedServer.unknownName : GeneratedServer.name)
                }
            }
        }
    }

    /// What right passwords show at any of the servers, or wrong ones.
    static func sights(right isRight: Bool) -> Set<String> {
        var sights: Set<String> = []
        for kind in GeneratedServer.Kind.allCases {
            for way in ways(kind) {
                for verify in verifies(kind, way) {
                    for cookies in cookies(kind, way) {
                        let logins =
                            isRight
                            ? rights(kind).map { GeneratedLogin(kind, way, verify, $0, cookies) }
                            : wrong.indices.map {
                                GeneratedLogin(kind, way, verify, rights(kind)[0], cookies, wrong: $0)
                            }
                        sights.formUnion(logins.map { $0.sight(right: isRight) })
                    }
                }
            }
        }
        return sights
    }
}

// What can be told.
extension GeneratedLogin {
    /// All that a login shows, as far as it means something to who does not know the service: a 404 says no more than a
    /// 410, and one page no more than another.
    func sight(right isRight: Bool) -> String {
        let name = isRight ? GeneratedServer.name : wrongName
        let password = isRight ? GeneratedServer.password : GeneratedServer.wrongPassword
        let server = server
        var jar: [String: String] = [:], seen: [GeneratedServer.Response] = [], token: String?
        func ask(_ path: String, _ body: String? = nil, as client: GeneratedServer.Client = .known)
            -> GeneratedServer.Response
        {
            var request = GeneratedServer.Request(method: body == nil ? "GET" : "POST", path: path, body: body ?? "")
            if client != .stranger { (request.cookies, request.authorization) = (jar, token) }
            let response = server.response(to: request)
            if client != .stranger { jar.merge(response.cookies) { $1 } }
            return response
        }
        func look(_ path: String) { seen += [ask(path, as: .stranger), ask(path)] }
        if server.kind.isHTTP {
            // Both schemes are answered alike.
            let (kind, pair) = (GeneratedServer.Kind.basic, Data("\(name):\(password)".utf8).base64EncodedString())
            let basic = GeneratedServer(
                kind: kind, cookies: server.cookies, stranger: server.stranger, session: server.session,
                right: server.right,
                wrong: server.wrong, unknown: server.unknown)
            for path in [GeneratedServer.guarded] {
                let answer = basic.response(to: .init(path: path, authorization: "Basic \(pair)"))
                seen += [basic.response(to: .init(path: path)), answer]
                guard way.isURL else { continue }
                let target = answer.location ?? path
                let method = answer.status == 405 ? "OPTIONS" : "GET"
                seen += [nil, "Basic \(pair)"].map {
                    basic.response(to: .init(method: method, path: target, authorization: $0))
                }
            }
        } else {
            _ = ask("/login")
            if server.kind == .steps { _ = ask("/login", "user=\(name)") }
            let answer = ask(server.kind == .steps ? "/password" : "/login", "h=7&user=\(name)&pw=\(password)")
            if server.kind.hasToken { token = answer.body.contains("t-ann") ? "Bearer t-ann" : "Bearer none" }
            seen.append(answer)
            if way.hasVerify { look(GeneratedServer.guarded) }
            if way.isURL {
                for path in [answer.location ?? "/", "/home", "/"] { look(String(path.prefix { $0 != "?" })) }
            }
        }
        return "\(server.kind) \(way): " + seen.map(\.sight).joined(separator: "; ")
    }

    /// Whether the service shows a proof of the person where it is asked for one: 2xx that strangers do not get, with the
    /// name where the profile says that there is one.
    var hasProof: Bool {
        let (stranger, session) = (server.stranger, server.session)
        if !server.kind.isHTTP {
            if !way.hasVerify || way.isURL { return true }
            if keepsNobody { return false }
        }
        if way.readsName { return session.contains("\"ann\"") }
        let leadsOn = session.hasPrefix("3") || ["405", "501"].contains(session)
        return session != stranger && !isOpen && (session.hasPrefix("2") || leadsOn && way.isURL)
    }

    /// Whether nothing but a name tells a stranger's verify from the person's: there, too, 2xx, and not the form of the login.
    var isOpen: Bool {
        let isForm = server.stranger == "200 form" && [.form, .steps].contains(server.kind)
        return way.hasVerify && server.stranger.hasPrefix("2") && !isForm
    }

    /// Whether the service takes a right password, and leaves nothing to come back with.
    var keepsNobody: Bool { !server.kind.isHTTP && !server.kind.hasToken && server.cookies == .none }

    /// What a right login hangs on: the same for all wrong answers.
    var rightLogin: String {
        "\(server.kind) \(way) \(server.stranger) \(server.session) \(server.right) \(server.cookies)"
    }
}

extension GeneratedServer.Response {
    fileprivate var sight: String {
        let kind =
            switch status {
            case 200..<300: "2xx"
            case 300..<400: location?.hasPrefix("/login") == true ? "to the login" : "redirect"
            case 401: "401 \(challenge ?? "")"
            case 403: "403"
            case 429, 502...: "busy"
            case _: "other"
            }
        var parts = [kind]
        parts.append(
            body.contains("type=\"password\"") ? "form" : type.map { String($0.prefix { $0 != ";" }) } ?? "nothing")
        if body.contains("id=\"who\"") || body.contains("\"name\":\"ann\"") { parts.append("ann") }
        if body.contains("t-ann") { parts.append("token") }
        if !cookies.isEmpty { parts.append("cookie") }
        return parts.joined(separator: " ")
    }
}
