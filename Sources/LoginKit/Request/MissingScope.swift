import LoginCore

extension HTTPResponse {
    /// The scope for the next login: what is granted by now, and what this request needs (RFC 6750, section 3.1).
    /// - Returns: `nil` if the server does not say it, or no authorization server has issued the token.
    func missingScope(of session: Session) -> String? {
        guard let terms = session.terms else { return nil }
        return lacksScope?.parameters["scope"].map { terms.scope(with: $0) }
    }
}
