/// How a service judges access tokens (RFC 6750).
struct BearerProtection: Sendable {
    enum Admission: Sendable {
        case admitted(Account)
        case refused(Reply)
    }

    /// The path that tokens may be restricted to (RFC 8707).
    let path: String
    /// What a challenge says besides the error, by name.
    let challenge: [(name: String, value: String)]

    /// Whether this request may do what needs that scope.
    func admit(_ call: Call, _ tokens: TokenFamilies, scope: String) -> Admission {
        guard let token = call.bearer else { return .refused(refusal(401, "Log in first", [])) }
        guard let access = tokens.access(token), access.resource ?? path == path else {
            return .refused(invalid("This access token is unknown, or for another service"))
        }
        let name = access.account.name
        guard access.end > call.now else { return .refused(invalid("This access token has expired", who: name)) }
        if access.account.trait == .suspended { return .refused(.trouble(Doorkeeper.suspended, who: name)) }
        guard access.scope.contains(scope) else {
            let need = [(name: "error", value: "insufficient_scope"), (name: "scope", value: scope)]
            return .refused(refusal(403, "This needs the scope \(scope)", need, who: name))
        }
        return .admitted(access.account)
    }

    private func invalid(_ words: String, who: String? = nil) -> Reply {
        refusal(401, words, [(name: "error", value: "invalid_token")], who: who)
    }

    private func refusal(
        _ status: Int, _ words: String, _ more: [(name: String, value: String)], who: String? = nil
    ) -> Reply {
        let names = Set(more.map(\.name))
        let fields = more + challenge.filter { !names.contains($0.name) }
        let value = fields.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ", ")
        return .json(status, ErrorWords(error: words), who: who).with("WWW-Authenticate", "Bearer \(value)")
    }
}
