package import LoginCore
import Secrets

/// The resolved settings of one login.
package struct LoginSettings {
    package var policy = LoginFlow.Policy()
    /// The session for which the policy has the refresh come first: what another process has put in its place is not
    /// refreshed once more.
    var outdated: Session?
    /// Whether the user name is not needed, so that a refreshed grant costs one request.
    var wantsTokenAlone = false
    /// The refusal of `outdated`; `nil` if it was not refused.
    var refusal: Refusal?
    /// The account, by the name typed or the server's; `nil` for the active one.
    package var username: String?
    package var supplied: Credential?
    /// Of a second factor, given beforehand.
    var code: SuppliedCode?
    /// Opens the key of the client certificate.
    var passphrase: Secret?
    /// Whether a certificate that alone is the proof may log in, not only be verified.
    var mayUseCertificate = false
    package var method: AuthenticationMethod?
    /// Nothing for `auto`.
    package var store: StoreName?
    package var persist: Persistence?
    package var ttl: Int?
    var dialogue = Dependencies.DialogueSettings()
    /// Whether a person is told that the server is being asked.
    package var showsNotice = false
    /// Whether nothing is known of the service but a URL.
    var learns = false
    /// Options for approving at an authorization server.
    var consent = ConsentChoices()

    /// Nothing was chosen: what is stored, without a question.
    package init() {}
}

extension LoginSettings {
    /// The lifetime of a stored login; `nil` for the default.
    package func persistence(of profile: Profile) -> Persistence? { persist ?? profile.settings.persist }

    /// The store that was named; `nil` for `auto`.
    package func store(of profile: Profile) -> StoreName? { store ?? profile.settings.store.flatMap { StoreName($0) } }
}
