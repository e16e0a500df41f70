/// Where a credential is valid: the part of a server that shares one login (RFC 9110, section 11.5).
public struct ProtectionSpace: Equatable, Sendable {
    public let origin: Origin
    /// The server's own word for the space; not to be trusted, and escaped wherever it is shown.
    public let realm: String?
    public let method: AuthenticationMethod

    public init(origin: Origin, realm: String? = nil, method: AuthenticationMethod) {
        self.origin = origin
        self.realm = realm
        self.method = method
    }
}

/// How a person proves themselves, in the words of a profile's `method`.
public enum AuthenticationMethod: String, CaseIterable, Sendable, Codable {
    case auto, certificate, negotiate, digest, basic, cookie, token
}

/// One thing that a login asks a person for.
public enum CredentialField: Hashable, Sendable {
    case username, password, token
    /// Of the key that belongs to the client's certificate.
    case passphrase
    /// What a profile calls `{secret:LABEL}`.
    case secret(String)

    /// What it is called in a sentence; of a label not yet escaped.
    public var name: String {
        switch self {
        case .username: "user name"
        case .password: "password"
        case .token: "token"
        case .passphrase: "passphrase"
        case .secret(let label): label
        }
    }
}

/// A question to a person: for which protection space, what was offered before, and why it is asked (again).
public struct Challenge: Equatable, Sendable {
    /// Why the question is put.
    public enum Reason: Equatable, Sendable {
        /// Nothing usable is stored.
        case notLoggedIn
        /// The server refused the credential of the question before.
        case refused(Refusal)
        /// The server refused the password that was stored.
        case storedRefused(Refusal)
        /// The field was left blank; nothing was sent.
        case leftBlank(CredentialField)
    }

    public let profile: String
    public let protectionSpace: ProtectionSpace
    public let fields: [CredentialField]
    /// The user name that is offered again, to be edited.
    public let proposedUsername: String?
    /// How many of the answers so far the server has refused.
    public let previousFailureCount: Int
    public let maxAttempts: Int
    public let reason: Reason

    public init(
        profile: String, protectionSpace: ProtectionSpace, fields: [CredentialField], proposedUsername: String?,
        previousFailureCount: Int, maxAttempts: Int, reason: Reason
    ) {
        self.profile = profile
        self.protectionSpace = protectionSpace
        self.fields = fields
        self.proposedUsername = proposedUsername
        self.previousFailureCount = previousFailureCount
        self.maxAttempts = maxAttempts
        self.reason = reason
    }
}

/// What a server said when it refused: facts, without judging them.
public struct Refusal: Equatable, Sendable {
    public let status: Int
    /// The server's own words, unescaped.
    public let words: String?
    /// Whether this server would answer the same for a good credential without rights, so that both readings have to
    /// be named.
    public let mayMeanForbidden: Bool
    /// Whether it was a Kerberos ticket that was refused.
    public let hadTicket: Bool

    public init(status: Int, words: String? = nil, mayMeanForbidden: Bool = false, hadTicket: Bool = false) {
        self.status = status
        self.words = words
        self.mayMeanForbidden = mayMeanForbidden
        self.hadTicket = hadTicket
    }
}
