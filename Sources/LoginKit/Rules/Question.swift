public import Secrets

/// The questions of a login.
public enum Question: Equatable, Sendable {
    /// A user name and a password, a token, or whatever else the profile's login needs.
    case credential(Challenge)
    /// Whether to trust a certificate that does not verify.
    case certificate(ServerTrust)
    /// Whether the login of another person may take the place of what is stored.
    case replacement(Replacement)
    /// Whether to send the same credential again. A delegate returns no sooner than the server allows (`Retry-After`).
    case retry(RetryRequest)
    /// The code of a second factor.
    case code(CodeRequest)

    /// The case alone, for a message that must not show what is in it.
    var name: String {
        switch self {
        case .credential: "asking"
        case .certificate: "asking whether to trust"
        case .replacement: "asking whose login to keep"
        case .retry: "asking whether to try again"
        case .code: "asking for a code"
        }
    }
}

/// The answer of a person, or of a program in their place.
public enum Answer: Equatable, Sendable {
    /// Log in with this; `code` where it is asked for together with the password.
    case credential(Credential, code: Secret? = nil)
    /// With the user name that was typed before it, to be offered again.
    case leftBlank(CredentialField, username: String? = nil)
    /// The code of a second factor.
    case code(Secret)
    /// The decision about a certificate that does not verify.
    case trust(TrustAnswer)
    /// Yes, to a question that takes no other answer than yes or no.
    case yes
    /// No, to such a question.
    case no
    /// Go on without a login: what the service answers then is for the caller to see.
    case continueWithout
    /// Neither: what needed the login does not happen.
    case cancelled
    /// No credential for this protection space. After a refusal, the login ends with that refusal.
    case declined
}

/// A failure that says nothing about the credential, such as an overloaded server.
public struct RetryRequest: Equatable, Sendable {
    /// The reason why it was not judged.
    let fault: LoginFault

    /// Any fault will do; the flow decides which ones are asked about.
    init(_ fault: LoginFault) { self.fault = fault }
}

/// A question for the code of a second factor: from a device, an app, or a list on paper.
public struct CodeRequest: Equatable, Sendable {
    /// The name of the profile that the login is for.
    public let profile: String
    /// The server that wants it.
    public let origin: Origin
    /// The server's own words, unescaped.
    public let words: String?
    /// The refusal of the previous code; `nil` at the first question.
    let refusal: Refusal?
    /// The number of this question, from 1.
    public let attempt: Int
    /// The largest number of questions, this one among them.
    public let maxAttempts: Int
}

extension CodeRequest {
    /// Makes the first question for a code or, with a greater `attempt`, the one after a refusal, for tests of a delegate.
    /// - Parameter words: unescaped, as the server sent them.
    public init(profile: String, origin: Origin, words: String? = nil, attempt: Int = 1, maxAttempts: Int = 3) {
        self.init(
            profile: profile, origin: origin, words: words, refusal: attempt > 1 ? Refusal(status: 401) : nil,
            attempt: attempt, maxAttempts: maxAttempts)
    }
}
