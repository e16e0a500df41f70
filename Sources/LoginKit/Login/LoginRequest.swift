package import LoginCore
import Secrets

/// Everything that one login is asked to do: what a person chose, then what variables and the profile add (`resolved`). It is
/// made once and handed down whole.
package struct LoginRequest {
    /// The rules of the flow: attempts, patience, force, trust, and whether a person may be asked.
    package var policy = LoginFlow.Policy()

    // What may be chosen.

    /// One of the methods that the profile accepts.
    package var method: AuthenticationMethod?
    /// The name of a store, or `auto`.
    package var store: String?
    /// The lifetime of the stored login.
    package var persist: Persistence?
    /// The name for the profile that is generated for a URL.
    package var name: String?
    /// Where the password is to be had from; `nil` for the variables and the profile's command.
    package var passwordSource: SuppliedCredential.Source?
    /// Where the code of a second factor is to be had from; `nil` for the variable and the profile's command.
    package var codeSource: SuppliedCredential.Source?
    /// The text that a person has copied in their browser, with the session in it.
    package var copied: Secret?
    /// The file that has the login as curl reads it (netrc(5)).
    package var netrc: String?
    /// Whether an empty password will do.
    package var allowsBlankPassword = false
    /// The way to approve at an authorization server.
    package var way: AuthorizationWay?
    /// The program that opens the URL of an authorization server, instead of the profile's.
    package var browser: String?
    /// In the place of the profile's scope.
    package var scope: String?
    /// Whether the URL of an authorization server is shown as a QR code, too.
    package var showsQR = false
    /// The requested lifetime of the token, in seconds.
    package var ttl: Int?
    /// Whether secrets may go over plain http.
    package var allowHTTP = false
    /// A URL, or `environment` for the usual variables.
    package var proxy: String?
    /// A file of certificate authorities, instead of the system's.
    package var caFile: String?

    // What is worked out, or known from before.

    /// The account, by the name typed or the server's; `nil` for the active one.
    package var username: String?
    /// A credential that was given.
    package var supplied: Credential?
    /// Where the entry of a netrc file stands that the password was taken from.
    package internal(set) var netrcEntry: (path: String, line: Int)?
    /// The code of a second factor, given beforehand.
    var code: SuppliedCode?
    /// Opens the key of the client certificate, or of a machine.
    var passphrase: Secret?
    /// Whether the key of a machine is opened only if something has to be signed, and nobody is asked for its passphrase.
    var mayDoWithoutKey = false
    /// Whether a certificate that alone is the proof may log in, not only be verified.
    var mayUseCertificate = false
    /// Whether a person is told that the server is being asked.
    package var showsNotice = false
    /// Whether nothing is known of the service but a URL.
    var learns = false
    /// The session for which the policy has the refresh come first: what another process has put in its place is not
    /// refreshed once more.
    var outdated: Session?
    /// The refusal of `outdated`; `nil` if it was not refused.
    var refusal: Refusal?
    /// Whether the user name is not needed, so that a refreshed grant costs one request.
    var wantsTokenAlone = false

    /// The defaults: what is stored, without a question.
    package init() {}
}

extension LoginRequest {
    /// The lifetime of a stored login; `nil` for the default.
    package func persistence(of profile: Profile) -> Persistence? { persist ?? profile.settings.persist }

    /// The store that was named; `nil` for `auto`.
    package func store(of profile: Profile) -> StoreName? {
        (store ?? profile.settings.store).flatMap { StoreName($0) }
    }

    /// Whether a person can consent although authctl has no terminal: they are told where to go, and asked nothing.
    var consentsElsewhere: Bool { way == .device || way == .browser(starts: false) }

    /// Whether an option was given that is for approving at an authorization server alone.
    var hasOptionsOfGrant: Bool {
        way.map { $0 != .browser(starts: true) } ?? false || scope != nil || showsQR
    }

    /// Whether an option was given that is for a login in a browser alone.
    var hasOptionsOfConsent: Bool { hasOptionsOfGrant || way != nil || browser != nil }

    /// The profile with what was chosen instead.
    package func applied(to profile: Profile) throws(LoginFault) -> Profile {
        var profile = profile
        profile.settings.allowHTTP = allowHTTP || profile.settings.allowHTTP
        if let proxy { (profile.settings.proxy, profile.settings.proxySource) = (proxy, .option) }
        if let caFile {
            // Where the profile is written down, another folder would be meant.
            profile.settings.caFile = try LoginContext.fromConfig { () throws(UsageFault) in try Paths.absolute(caFile)
            }
        }
        profile.settings.store = store ?? profile.settings.store
        profile.settings.persist = persist ?? profile.settings.persist
        return profile
    }
}
