import LoginCore

extension AccountRecord.SessionKind {
    /// - Parameter method: by which it was verified.
    init(of session: Session, by method: AuthenticationMethod) {
        switch session {
        case .token: self = .token
        case .cookies: self = .cookies
        case .credential(let credential):
            switch credential.kind {
            case .certificate: self = .certificate
            case .ticket: self = .ticket
            case .password, .token, .grant, .noSecret, .copied: self = method == .digest ? .digest : .basic
            }
        }
    }

    /// The method of HTTP authentication by which it was verified, where the kind tells.
    var challengeMethod: AuthenticationMethod? {
        switch self {
        case .basic: .basic
        case .digest: .digest
        case .token, .cookies, .ticket, .certificate: nil
        }
    }
}
