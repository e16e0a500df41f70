import LoginCore

extension Session {
    /// Whether the server judges a password each time.
    var isPassword: Bool {
        if case .credential(let credential) = self { credential.secret != nil } else { false }
    }

    /// That the server has refused it.
    var refusal: String {
        switch self {
        case .credential(let credential) where credential.secret == nil: "the server refused the Kerberos ticket"
        case .credential: "the server refused the stored password"
        case .token, .cookies: "the server does not know the session any more"
        }
    }
}
