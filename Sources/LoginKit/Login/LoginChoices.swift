package import LoginCore
import Secrets

/// Options of one login, which override the profile.
package struct LoginChoices {
    /// One of the methods that the profile accepts.
    package var method: AuthenticationMethod?
    /// The name of a store, or `auto`.
    package var store: String?
    /// How long the login is kept.
    package var persist: Persistence?
    /// The name for the profile that is generated for a URL.
    package var name: String?
    /// The largest number of attempts.
    package var maxAttempts = 3
    /// How long a person has for each answer, in seconds.
    package var promptTimeout = 300
    /// Where the password is to be had from; `nil` for the variables and the profile's command.
    package var password: SuppliedCredential.Source?
    /// Where the code of a second factor is to be had from; `nil` for the variable and the profile's command.
    package var code: SuppliedCredential.Source?
    /// Options for approving at an authorization server.
    package var consent = ConsentChoices()
    /// Whether an empty password will do.
    package var blankPassword = false
    /// How long the token is to live, in seconds.
    package var ttl: Int?
    /// Whether secrets may go over plain http.
    package var allowHTTP = false
    /// A URL, or `environment` for the usual variables.
    package var proxy: String?
    /// A file of certificate authorities, instead of the system's.
    package var caFile: String?
    /// The certificate to be trusted although it does not verify.
    package var trustFingerprint: Fingerprint?

    /// Nothing was chosen.
    package init() {}

    /// Whether it was chosen where the password is.
    var namesPassword: Bool { password != nil }

    /// The policy for a certificate that does not verify.
    package func trustPolicy(mayAsk: Bool) -> TrustPolicy {
        TrustPolicy(fingerprint: trustFingerprint, mayAsk: mayAsk)
    }

    /// The profile with what was chosen instead.
    package func applied(to profile: Profile) throws(LoginFault) -> Profile {
        var profile = profile
        profile.settings.allowHTTP = allowHTTP || profile.settings.allowHTTP
        profile.settings.proxy = proxy ?? profile.settings.proxy
        if let caFile {
            // Where the profile is written down, another folder would be meant.
            profile.settings.caFile = try LoginContext.fromConfig { () throws(UsageFault) in try Paths.absolute(caFile)
            }
        }
        profile.settings.store = store ?? profile.settings.store
        profile.settings.persist = persist ?? profile.settings.persist
        return profile
    }

    /// The method that was chosen, else that of the variable.
    func chosenMethod(_ environment: Environment) throws(LoginFault) -> AuthenticationMethod? {
        if let method { return method }
        guard let name = environment["AUTHCTL_METHOD"] else { return nil }
        guard let method = AuthenticationMethod(rawValue: name) else {
            throw .usage(.badValue(option: "AUTHCTL_METHOD", problem: "there is no method \(SafeText.quoted(name))"))
        }
        return method
    }

    /// Where a given password is to be had from, what was chosen first.
    func suppliedSource(_ profile: Profile, _ environment: Environment, mayUseVariables: Bool) -> SuppliedCredential? {
        let source =
            password ?? SuppliedCredential.variable(environment, mayUseVariables)
            ?? profile.settings.passwordCommand.map { .command($0) }
        return source.map { SuppliedCredential(source: $0, allowsBlank: blankPassword) }
    }
}

extension LoginChoices {
    /// Where the code of a second factor is to be had from, what was chosen first; it is not read before it is needed.
    func suppliedCode(_ profile: Profile, _ dependencies: Dependencies, mayUseVariables: Bool) -> SuppliedCode? {
        let variable: SuppliedCredential.Source? =
            mayUseVariables && dependencies.environment.code != nil ? .variable : nil
        guard let source = code ?? variable ?? profile.settings.otpCommand.map({ .command($0) }) else { return nil }
        let supplied = SuppliedCredential(source: source, allowsBlank: false, kind: .code)
        return SuppliedCode(isSentAtOnce: profile.asksCodeAtOnce) { () throws(LoginFault) in
            try supplied.secret(dependencies)
        }
    }
}

extension SuppliedCredential {
    /// `AUTHCTL_PASSWORD`, else the file that `AUTHCTL_PASSWORD_FILE` names.
    static func variable(_ environment: Environment, _ mayUse: Bool) -> Source? {
        guard mayUse else { return nil }
        if environment.password != nil { return .variable }
        return environment["AUTHCTL_PASSWORD_FILE"].map { .file($0, option: "AUTHCTL_PASSWORD_FILE") }
    }
}
