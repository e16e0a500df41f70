import Foundation

/// Three services with a second factor: a code in a second request, a code in the same one, and an approval on another device.
struct SecondFactorService: Service {
    static let routes = [
        "POST /shop/auth/login                  JSON {username, password}; 401 while a code is wanted, with a token",
        "POST /shop/auth/2fa                    header X-Session-Token, JSON {code}; 400 for a wrong one",
        "GET  /shop/api/me                      header X-Session-Token",
        "POST /vault/token                      JSON {username, password}, header X-OTP",
        "GET  /vault/me                         Bearer token",
        "POST /bank/login                       JSON {username, password}; 202 and a ticket",
        "GET  /bank/approval                    header X-Ticket: 202, then 200 with a token",
        "GET  /bank/me                          Bearer token",
    ]

    /// Each is good once, until the server is reset.
    private static let codes = ["248163", "907214", "335518", "660427"]

    private var sessions: [String: Account] = [:]
    /// Logged in as far as the password goes, and how often they have asked.
    private var halfway: [String: (account: Account, asked: Int)] = [:]
    private var usedCodes: Set<String> = []

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("POST", "/shop/auth/login") { return shopLogin(call, &door) }
        if call.isFor("POST", "/shop/auth/2fa") { return shopCode(call) }
        if call.isFor("GET", "/shop/api/me") { return me(call.header("X-Session-Token")) }
        if call.isFor("POST", "/vault/token") { return vault(call, &door) }
        if call.isFor("POST", "/bank/login") { return bankLogin(call, &door) }
        if call.isFor("GET", "/bank/approval") { return approval(call) }
        if call.isFor("GET", "/vault/me") || call.isFor("GET", "/bank/me") { return me(call.bearer) }
        return nil
    }

    private struct Pair: Decodable {
        let username: String
        let password: String
    }

    private mutating func account(_ call: Call, _ door: inout Doorkeeper) -> Account? {
        guard let pair = call.json(Pair.self),
            case .accepted(let account) = door.judge(name: pair.username, password: pair.password)
        else { return nil }
        return account
    }

    private mutating func takes(_ code: String?) -> Bool {
        guard let code, Self.codes.contains(code) else { return false }
        return usedCodes.insert(code).inserted
    }

    private mutating func open(_ account: Account) -> String {
        let token = Token.fresh("session")
        sessions[token] = account
        return token
    }

    private mutating func wait(_ account: Account) -> String {
        let ticket = Token.fresh("halfway")
        halfway[ticket] = (account, 0)
        return ticket
    }

    private func me(_ token: String?) -> Reply {
        guard let account = token.flatMap({ sessions[$0] }) else {
            return .json(401, ErrorWords(error: "Log in first"))
        }
        return .json(200, ["username": account.name], who: account.name)
    }

    // MARK: a second request

    private struct Flows: Encodable {
        struct Data: Encodable { let flows: [Flow] }
        struct Flow: Encodable {
            let id: String
            let isPending: Bool
        }
        struct Meta: Encodable { let sessionToken: String }
        let data: Data
        let meta: Meta
    }

    private struct Mistakes: Encodable { let errors: [[String: String]] }

    private mutating func shopLogin(_ call: Call, _ door: inout Doorkeeper) -> Reply {
        guard let account = account(call, &door) else {
            return .json(400, Mistakes(errors: [["message": "The username or password is not correct."]]))
        }
        let flows = [Flows.Flow(id: "verify_email", isPending: false), .init(id: "mfa_authenticate", isPending: true)]
        let meta = Flows.Meta(sessionToken: wait(account))
        return .json(401, Flows(data: Flows.Data(flows: flows), meta: meta), who: account.name)
    }

    private mutating func shopCode(_ call: Call) -> Reply {
        guard let ticket = call.header("X-Session-Token"), let account = halfway[ticket]?.account else {
            return .json(401, ErrorWords(error: "Log in first"))
        }
        guard takes(call.json([String: String].self)?["code"]) else {
            return .json(400, Mistakes(errors: [["message": "Incorrect code."]]), who: account.name)
        }
        halfway[ticket] = nil
        return .json(200, ["meta": ["session_token": open(account)]], who: account.name)
    }

    // MARK: the same request

    private mutating func vault(_ call: Call, _ door: inout Doorkeeper) -> Reply {
        guard let account = account(call, &door) else { return .json(401, ["message": "wrong password"]) }
        guard let code = call.header("X-OTP") else {
            return .json(401, ["message": "OTP required: open your app"], who: account.name)
        }
        guard takes(code) else { return .json(401, ["message": "OTP wrong"], who: account.name) }
        return .json(201, ["token": open(account)], who: account.name)
    }

    // MARK: another device

    private mutating func bankLogin(_ call: Call, _ door: inout Doorkeeper) -> Reply {
        guard let account = account(call, &door) else { return .json(401, ErrorWords(error: "no")) }
        return .json(202, ["ticket": wait(account)], who: account.name)
    }

    /// The person is slow: the third question finds the approval.
    private mutating func approval(_ call: Call) -> Reply {
        guard let ticket = call.header("X-Ticket"), let (account, asked) = halfway[ticket] else {
            return .json(401, ErrorWords(error: "no such ticket"))
        }
        halfway[ticket] = (account, asked + 1)
        guard asked >= 2 else { return .json(202, ["status": "pending"], who: account.name) }
        return .json(200, ["token": open(account)], who: account.name)
    }
}
