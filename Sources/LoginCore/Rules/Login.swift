package import Secrets

/// A login that the verify endpoint has confirmed: what is kept.
package struct Login: Equatable, Sendable {
    /// The identity that verify confirmed.
    package let identity: Identity
    /// The session for all later requests.
    package let session: Session
    /// The credential for a new session; kept only if the profile says `keep-password`.
    package let credential: Credential?
    /// Secrets that later requests need beside the session, kept with it.
    package let extraSecrets: [CredentialField: Secret]
    /// The response of verify without a login; `nil` if it was not asked or is of no use.
    package let anonymousResponse: AnonymousResponse?
    /// Where it was verified, if that was by HTTP authentication just now.
    package let space: VerifiedSpace?

    /// Without a credential, a login that cannot earn itself a new session.
    package init(
        identity: Identity, session: Session, credential: Credential? = nil,
        extraSecrets: [CredentialField: Secret] = [:],
        anonymousResponse: AnonymousResponse? = nil, space: VerifiedSpace? = nil
    ) {
        self.anonymousResponse = anonymousResponse
        self.identity = identity
        self.session = session
        self.credential = credential
        self.extraSecrets = extraSecrets
        self.space = space
    }
}

extension [CredentialField: Secret] {
    /// The secrets that a person was asked for, without those that a login returned.
    package var asked: Self { filter { !$0.key.isTaken } }

    /// The values of these names that a login returned.
    package func taken(_ names: Set<String>) -> Self {
        filter { if case .taken(let name) = $0.key { names.contains(name) } else { false } }
    }
}

extension CredentialField {
    /// The name of the browser that a login was made in, where the service wants it from whoever has the session. No profile has a
    /// value with a blank in its name.
    package static let userAgent = CredentialField.taken("user agent")

    /// The passphrase of a machine's encrypted key. No profile can have it sent: a label in one is never empty.
    package static let keyPassphrase = CredentialField.secret("")

    var isTaken: Bool { if case .taken = self { true } else { false } }
}
