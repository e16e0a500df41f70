import LoginCore

extension MachineIdentity.Source {
    /// Whose token it is and for whom, which is what a rule at the server compares; nothing more of it.
    func facts(of token: JSONWebToken?, now: Int64) -> String {
        guard let token else { return "\(description): no JSON Web Token." }
        let claims = ["iss", "sub", "aud"].map { name in
            "\(name) \(token.texts(name).map { SafeText.quoted($0) }.joined(separator: ", "))"
        }
        let end = token.expiry.flatMap { Int64(exactly: $0.rounded()) }.map {
            "\($0 > now ? "ends" : "ended") \(LocalTime.words(of: $0))"
        }
        return "\(description): \((claims + (end.map { [$0] } ?? [])).joined(separator: "; "))."
    }
}
