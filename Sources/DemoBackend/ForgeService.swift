/// A forge: personal access tokens in a header of its own, made beforehand (see `demo-backend --accounts`).
struct ForgeService: Service {
    static let routes = ["GET  /api/v4/user                      header PRIVATE-TOKEN"]

    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply? {
        guard call.isFor("GET", "/api/v4/user") else { return nil }
        let token = call.header("PRIVATE-TOKEN")
        guard let account = Account.all.first(where: { $0.accessToken == token }) else {
            return .json(401, ["message": "401 Unauthorized"])
        }
        if let away = door.trouble(of: account) { return trouble(away, who: account.name) }
        if account.trait == .suspended { return trouble(Doorkeeper.suspended, who: account.name) }
        return .json(200, ["username": account.name], who: account.name)
    }

    private func trouble(_ away: Doorkeeper.TurnedAway, who: String) -> Reply {
        .json(away.status, ["message": "\(away.status) \(away.words)"], who: who)
            .with("Retry-After", away.retryAfter.map { "\($0)" })
    }
}
