/// Where a credential is valid: the part of a server that shares one login (RFC 9110, section 11.5).
public struct ProtectionSpace: Equatable, Sendable {
    /// The server that asks; a credential never goes to another one.
    public let origin: Origin
    /// The server's own word for the space; not to be trusted, and escaped wherever it is shown.
    public let realm: String?
    /// The method by which the credential would be sent there.
    public let method: AuthenticationMethod

    /// - Parameter realm: `nil` if the server names none, or is not asked by a challenge.
    public init(origin: Origin, realm: String? = nil, method: AuthenticationMethod) {
        self.origin = origin
        self.realm = realm
        self.method = method
    }
}

/// A way to prove who one is, named as in a profile's `method`.
public enum AuthenticationMethod: String, CaseIterable, Sendable, Codable {
    /// Whatever scheme of HTTP authentication the server asks for, the strongest first.
    case auto
    /// A client certificate in the TLS handshake.
    case certificate
    /// A Kerberos ticket (RFC 4559).
    case negotiate
    /// A user name and a digest of the password (RFC 7616).
    case digest
    /// User name and password (RFC 7617).
    case basic
    /// A login request that is answered with cookies (RFC 6265).
    case cookie
    /// A bearer token (RFC 6750), pasted or returned by a login request.
    case token
    /// A token that an authorization server issues once a person has approved (RFC 6749).
    case oauth
    /// The cookies of a window in which a person logs in.
    case browser

    /// Whether a colon ends the user name in what is sent (RFC 7617, section 2; RFC 7616, section 3.4.2), so that no name has one.
    var endsNameAtColon: Bool {
        switch self {
        case .basic, .digest: true
        case .auto, .certificate, .negotiate, .cookie, .token, .oauth, .browser: false
        }
    }
}

/// One thing that a login asks a person for.
public enum CredentialField: Hashable, Sendable {
    /// The name of the account.
    case username
    /// Its password.
    case password
    /// A token that the service has issued, to be pasted.
    case token
    /// The passphrase of the key that belongs to the client's certificate.
    case passphrase
    /// A secret that a profile calls `{secret:LABEL}`; without a label, the passphrase of a machine's key.
    case secret(String)
    /// The code of a second factor, where it is asked for together with the password; blank where there is none.
    case code
    /// A value that a response of the login gave for later requests, by its name in `take`; nobody is asked for it.
    case taken(String)

    /// The word for it in a sentence. A label is not escaped yet.
    public var name: String {
        switch self {
        case .username: "user name"
        case .password: "password"
        case .token: "token"
        case .passphrase: "passphrase"
        case .secret(let label): label
        case .code: "code"
        case .taken(let name): name
        }
    }
}

/// A question for a credential.
public struct Challenge: Equatable, Sendable {
    /// The reason for a question.
    public enum Reason: Equatable, Sendable {
        /// No login is stored.
        case notLoggedIn
        /// A new login was asked for, whatever is stored.
        case forced
        /// The stored session is over: since this time, in seconds of Unix time, or since the server does not accept it
        /// any more.
        case sessionEnded(at: Int64?)
        /// A password is stored that the server refused before; it was not sent again.
        case passwordRefusedBefore
        /// The response of verify to the stored login judges nothing.
        case undecided(Refusal)
        /// Nothing has judged the credential of the question before.
        case unjudged
        /// The server refused the credential of the question before.
        case refused(Refusal)
        /// The server refused the password that was stored.
        case storedRefused(Refusal)
        /// The field was left blank; nothing was sent.
        case leftBlank(CredentialField)
    }

    /// The name of the profile that the login is for.
    public let profile: String
    /// The server and realm that the answer is for; a prompt shows it before anything is typed.
    public let protectionSpace: ProtectionSpace
    /// The fields to ask for, in this order.
    public let fields: [CredentialField]
    /// The user name to propose, such as the one typed before.
    public let proposedUsername: String?
    /// The number of credentials that the server has refused in this login, the stored one included.
    public let previousFailureCount: Int
    /// The number of this question, from 1.
    public let attempt: Int
    /// The largest number of questions, this one included.
    public let maxAttempts: Int
    /// The reason for the question.
    public let reason: Reason
    /// The URL of a page where a person can register, where the question is the first one.
    public var signup: String?
    /// Whether the password is the secret of a machine's client.
    var asksForClientSecret = false

    /// Makes a question as a login asks it, for tests of a delegate.
    /// - Parameter previousFailureCount: refusals only; a field that was left blank is none.
    public init(
        profile: String, protectionSpace: ProtectionSpace, fields: [CredentialField], proposedUsername: String? = nil,
        previousFailureCount: Int = 0, attempt: Int = 1, maxAttempts: Int = 3, reason: Reason = .notLoggedIn
    ) {
        self.profile = profile
        self.protectionSpace = protectionSpace
        self.fields = fields
        self.proposedUsername = proposedUsername
        self.previousFailureCount = previousFailureCount
        self.attempt = attempt
        self.maxAttempts = maxAttempts
        self.reason = reason
    }
}

/// A refusal, as the server expressed it.
public struct Refusal: Equatable, Sendable {
    /// The status of the answer (RFC 9110, section 15).
    public let status: Int
    /// The server's own words, unescaped.
    public internal(set) var words: String?
    /// Whether this server would answer the same for a good credential without rights, so that both readings have to
    /// be named.
    var mayMeanForbidden = false
    /// Why the response judges nothing; `nil` for a statement about the login.
    var doubt: Doubt?
    /// Whether it is what anonymous clients got when verify last accepted a login.
    var isAsAtLastLogin = false
    /// Whether it was a Kerberos ticket that was refused.
    var hadTicket = false
    /// The scope to ask for at the next login, if the token's is insufficient (RFC 6750, section 3.1).
    var scope: String?
    /// The difference of the clocks, if it may be the reason.
    var clockDifference: ClockDifference?
}

extension Refusal {
    /// The reason that a response of verify says nothing about the login that was sent.
    enum Doubt: Equatable, Sendable {
        /// Anybody gets this response, and its status refuses nothing by itself.
        case sameForAnybody
        /// 403: the login may have ended, or the account may not.
        case forbidden
        /// There is no user name at this place of the profile, or one that anybody is shown.
        case unnamed(place: String)
        /// Nobody else gets this response, and it proves nothing by itself.
        case unproven
        /// 401 of another protection space than the one that anonymous clients are asked for: these are its challenges and theirs.
        case otherChallenge(String, than: String)
    }

    /// - Parameter words: unescaped, as the server sent them.
    public init(status: Int, words: String? = nil) {
        self.init(status: status, words: words, mayMeanForbidden: false)
    }
}
