extension String {
    /// Whether a URL looks like a login page on another origin that will come back to `origin`: by the parameters of OpenID Connect, SAML,
    /// CAS or WS-Federation, or by the words of a login together with the name of the origin. A service that has moved leads on without them.
    func asksForLogin(for origin: Origin) -> Bool {
        let lower = lowercased()
        guard let query = lower.firstIndex(of: "?").map({ lower[$0...] }) else { return lower.speaksOfLogin }
        let names = ["samlrequest=", "client_id=", "redirect_uri=", "wtrealm=", "relaystate=", "service=http"]
        return names.contains { query.contains("?\($0)") || query.contains("&\($0)") }
            || lower.speaksOfLogin && query.contains(origin.host.lowercased())
    }
}
