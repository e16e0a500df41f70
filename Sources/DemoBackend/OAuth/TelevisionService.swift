/// A television, whose login takes a code to a browser elsewhere. It does not say where to log in, nor who is logged in.
struct TelevisionService: Sendable {
    static let routes = ["GET  /tv/v1/status                     Bearer token with the scope watch; names nobody"]

    func answer(_ call: Call, _ tokens: TokenFamilies) -> Reply? {
        guard call.isFor("GET", "/tv/v1/status") else { return nil }
        let protection = BearerProtection(path: "/tv", challenge: [(name: "realm", value: "Demo television")])
        switch protection.admit(call, tokens, scope: "watch") {
        case .refused(let reply): return reply
        case .admitted(let account): return .json(200, ["channel": 4], who: account.name)
        }
    }
}
