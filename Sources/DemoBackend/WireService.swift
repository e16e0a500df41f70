/// Row 1: HTTP Basic (RFC 7617) against a verify-credentials endpoint, and an open endpoint that proves nothing.
struct WireService: Service {
    static let routes = [
        "GET  /account/verify_credentials.json  HTTP Basic, realm “Demo Wire”",
        "GET  /open.json                        open to anyone, proves nothing",
    ]

    private struct Person: Encodable {
        let screenName: String
        let name: String
    }

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        if call.isFor("GET", "/open.json") { return .json(200, ["message": "Anyone may read this"]) }
        guard call.isFor("GET", "/account/verify_credentials.json") else { return nil }
        guard let pair = call.basic else { return challenge("Log in to see your account", who: nil) }
        let who = Doorkeeper.account(named: pair.name)?.name
        switch door.judge(name: pair.name, password: pair.password) {
        case .refused: return challenge("Could not authenticate you", who: who)
        case .turnedAway(let away): return .trouble(away, who: who)
        case .accepted(let account):
            if account.trait == .suspended { return .trouble(Doorkeeper.suspended, who: who) }
            return .json(200, Person(screenName: account.name, name: "\(account.name) of the demo"), who: who)
        }
    }

    private func challenge(_ words: String, who: String?) -> Reply {
        .json(401, ErrorWords(error: words), who: who)
            .with("WWW-Authenticate", "Basic realm=\"Demo Wire\", charset=\"UTF-8\"")
    }
}
