import LoginCore

extension Session {
    /// Whether the server judges a password or a key with each request.
    var isPassword: Bool { credential?.password != nil || passphrase != nil }

    /// Says that the server has refused it.
    var refusal: String {
        switch self {
        case .token, .cookies: return "the server no longer accepts the session"
        case .credential(let credential):
            switch credential.kind {
            case .ticket: return "the server refused the Kerberos ticket"
            case .password, .token, .grant, .noSecret, .copied: return "the server refused the stored password"
            case .certificate: return "the server refused the client certificate"
            }
        }
    }
}
