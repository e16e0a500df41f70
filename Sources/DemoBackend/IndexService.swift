import Foundation

/// A package index in the manner of devpi: the login's token is used as a Basic password, and the check answers 200 to
/// everyone; what it says is in the body.
struct IndexService: Service {
    static let routes = [
        "POST /+login                           JSON user, password; the token is a Basic password",
        "GET  /+api                             always 200: authstatus is “ok” or “noauth”",
    ]

    private static let lifetime = 36000.0

    private struct Login: Decodable {
        let user: String
        let password: String
    }
    private struct Grant: Encodable {
        struct Result: Encodable {
            let password: String
            let expiration: Int
        }
        let type = "proxyauth"
        let result: Result
    }
    private struct Check: Encodable {
        struct Result: Encodable {
            let authstatus: AuthStatus
        }
        let type = "apiconfig"
        let result: Result
    }
    /// A list of different things: a word, a name, and the groups, of which there are none.
    private struct AuthStatus: Encodable {
        let word: String
        let name: String

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(word)
            try list.encode(name)
            try list.encode([String]())
        }
    }

    private var tokens: [String: (name: String, end: Date)] = [:]

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("POST", "/+login") { return login(call, door: &door) }
        if call.isFor("GET", "/+api") { return check(call) }
        return nil
    }

    private mutating func login(_ call: Call, door: inout Doorkeeper) -> Reply {
        guard let asked = call.json(Login.self) else {
            return .json(400, ["message": "a JSON object with user and password is needed"])
        }
        let who = Doorkeeper.account(named: asked.user)?.name
        switch door.judge(name: asked.user, password: asked.password) {
        case .refused: return .json(401, ["message": "user could not be authenticated"], who: who)
        case .turnedAway(let away):
            return .json(away.status, ["message": away.words], who: who)
                .with("Retry-After", away.retryAfter.map { "\($0)" })
        case .accepted(let account):
            let token = Token.fresh("index")
            tokens[token] = (account.name, call.now + Self.lifetime)
            let result = Grant.Result(password: token, expiration: Int(Self.lifetime))
            return .json(200, Grant(result: result), who: who)
        }
    }

    private func check(_ call: Call) -> Reply {
        guard let pair = call.basic, let found = tokens[pair.password], found.end > call.now,
            Doorkeeper.sameBytes(found.name, pair.name)
        else { return .json(200, Check(result: .init(authstatus: AuthStatus(word: "noauth", name: "")))) }
        if Doorkeeper.account(named: found.name)?.trait == .suspended {
            return .json(403, ["message": Doorkeeper.suspended.words], who: found.name)
        }
        let status = AuthStatus(word: "ok", name: found.name)
        return .json(200, Check(result: .init(authstatus: status)), who: found.name)
    }
}
