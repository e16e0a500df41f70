import LoginCore

/// What a machine proves itself with, for messages.
enum MachineProofName: Equatable, Sendable {
    case secret
    case key(file: String)
    case identity(String)
    case certificate
    /// A client that only says which one it is.
    case client

    /// - Returns: `nil` for the profile of a person.
    init?(_ oauth: OAuthProfile) {
        guard let machine = oauth.machine else { return nil }
        if let identity = machine.identity {
            self = .identity(identity.source.description)
        } else if let file = machine.keyFile {
            self = .key(file: file)
        } else if oauth.hasClientSecret {
            self = .secret
        } else {
            self = oauth.clientAuthentication == .tls ? .certificate : .client
        }
    }

    /// In a sentence.
    var words: String {
        switch self {
        case .secret: "client id or client secret"
        case .key(let file): "client, or assertion signed with \(SafeText.quoted(file))"
        case .identity(let source): "client, or \(source)"
        case .certificate: "client, or certificate"
        case .client: "client"
        }
    }

    /// The advice after a refusal.
    func check(_ profile: String?) -> String {
        switch self {
        case .secret: "check 'client-id' in the profile and the client secret"
        case .key:
            "check that the server knows the public key, and 'client-id' and 'audience-of-assertion' in the profile"
        case .identity:
            "compare its iss, sub and aud with the rule at the server: "
                + "\(ShellCommand("authctl", "whoami", profile ?? "PROFILE", "--explain"))"
        case .certificate: "check that the server knows the certificate, and 'client-id' in the profile"
        case .client: "check 'client-id' in the profile"
        }
    }
}

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
