import Secrets

/// Everything that one login is asked to do: what a person chose, then what variables and the profile add (`resolved`). It is
/// made once and handed down whole.
package struct LoginRequest {
    /// The rules of the flow: attempts, patience, force, trust, and whether a person may be asked.
    package var policy: LoginFlow.Policy

    // What may be chosen.

    /// One of the methods that the profile accepts.
    package var method: AuthenticationMethod?
    /// The name of a store, or `auto`.
    package var store: String?
    /// The lifetime of the stored login.
    package var persist: Persistence?
    /// The name for the profile that is generated for a URL or a preset.
    package var name: String?
    /// The URL of the service that a preset is for.
    package var url: String?
    /// Where the password is to be had from; `nil` for the variables and the profile's command.
    package var passwordSource: SuppliedCredential.Source?
    /// Where the code of a second factor is to be had from; `nil` for the variable and the profile's command.
    package var codeSource: SuppliedCredential.Source?
    /// Where secrets that the profile names are to be had from, by their labels.
    package var secretSources: [String: SuppliedCredential.Source] = [:]
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
    var username: String?
    /// A credential that was given.
    package var supplied: Credential?
    /// The profile's command for a password, which runs once what is stored logs nobody in.
    var passwordCommand: String?
    /// The secrets that the profile names and that were given.
    var secrets: [CredentialField: Secret] = [:]
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
    /// The session that was refused; `nil` if none was.
    var refused: RefusedLogin?
    /// Whether the user name is not needed, so that a refreshed grant costs one request.
    var wantsTokenAlone = false

    /// Without arguments: what is stored of the active account.
    package init(username: String? = nil, mayAsk: Bool = true) {
        (self.username, policy) = (username, LoginFlow.Policy(mayAsk: mayAsk))
    }
}

extension LoginRequest {
    /// The lifetime of a stored login; `nil` for the default.
    package func persistence(of profile: Profile) -> Persistence? { persist ?? profile.settings.persist }

    /// The store that was named; `nil` for `auto`.
    package func store(of profile: Profile) -> StoreName? {
        (store ?? profile.settings.store).flatMap { StoreName($0) }
    }

    /// Whether a person can consent although authctl has no terminal: they are told where to go, and asked nothing.
    fileprivate var consentsElsewhere: Bool { way == .device || way == .browser(starts: false) }

    /// Whether an option was given that is for approving at an authorization server alone.
    fileprivate var hasOptionsOfGrant: Bool {
        way.map { $0 != .browser(starts: true) } ?? false || scope != nil || showsQR
    }

    /// Whether an option was given that is for a login in a browser alone.
    fileprivate var hasOptionsOfConsent: Bool { hasOptionsOfGrant || way != nil || browser != nil }

    /// The profile with what was chosen instead.
    package func applied(to profile: Profile) throws(LoginFault) -> Profile {
        var profile = profile
        profile.settings.allowHTTP = allowHTTP || profile.settings.allowHTTP
        if let proxy { (profile.settings.proxy, profile.settings.proxySource) = (proxy, .option) }
        if let caFile {
            // Where the profile is written down, another folder would be meant.
            profile.settings.caFile = try fromUsage(try Paths.absolute(caFile))
        }
        profile.settings.store = store ?? profile.settings.store
        profile.settings.persist = persist ?? profile.settings.persist
        return profile
    }
}

extension LoginRequest {
    /// Whether a profile lets this log in by a Kerberos ticket.
    func mayBeNegotiate(_ profile: Profile) -> Bool {
        profile.kind.accepts(.negotiate) && [nil, .auto, .negotiate].contains(method)
    }

    /// Where the code of a second factor is to be had from, what was chosen first; it is not read before it is needed.
    func suppliedCode(_ profile: Profile, _ dependencies: Dependencies, mayUseVariables: Bool) -> SuppliedCode? {
        let variable: SuppliedCredential.Source? =
            mayUseVariables && dependencies.environment.code != nil ? .variable : nil
        guard let source = codeSource ?? variable ?? profile.settings.otpCommand.map({ .command($0) }) else {
            return nil
        }
        let supplied = SuppliedCredential(source: source, allowsBlank: false, field: .code)
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

extension LoginRequest {
    /// Completes what was chosen by variables and the profile.
    /// - Parameter isLogin: whether the login is what was asked for, which variables serve that belong to no profile.
    package func resolved(
        for target: LoginTarget, in context: LoginContext, isLogin: Bool = true
    ) throws(LoginFault) -> LoginRequest {
        try Resolver(context: context, target: target, chosen: self, isLogin: isLogin).resolved()
    }
}

private struct Resolver {
    let context: LoginContext
    let target: LoginTarget
    let chosen: LoginRequest
    let isLogin: Bool

    private var environment: Environment { context.dependencies.environment }

    func resolved() throws(LoginFault) -> LoginRequest {
        let profile = target.profile
        // A URL that has no profile yet may turn out to be one of these, too.
        context.topic.take(profile)
        context.topic.mayHaveDeviceCodes = profile.oauth?.mayHaveDeviceCodes ?? true
        context.topic.ignoresVariables = ignoresVariables
        let username = context.options.username ?? target.user ?? variable("AUTHCTL_USERNAME")
        if let username { try check(username: username) }
        var request = chosen
        request.username = username
        request.method = try method()
        if let fault = target.fault(of: request.method) { throw fault }
        (request.store, request.persist) = (profile.settings.store, profile.settings.persist)
        try checkConsent()
        if chosen.ttl != nil, !profile.usesTTL {
            context.person.say("--ttl has no effect: nothing in the profile \(profile.name) uses {ttl}")
        }
        request.mayUseCertificate = true
        request.secrets = try secrets()
        if let text = chosen.copied {
            request.supplied = try context.dependencies.readCopiedLogin(context, text, profile, username)
        } else if let path = chosen.netrc {
            let entry = try context.dependencies.readNetrc(
                context, path, profile, username, chosen.allowsBlankPassword)
            if let name = entry.username { try check(username: name) }
            request.username = username ?? entry.username
            request.netrcEntry = (path, entry.line)
            try take(entry.password, into: &request)
        } else if let secret = try supplied() {
            try take(secret, into: &request)
        } else if commandWaits {
            request.passwordCommand = profile.settings.passwordCommand
        } else if let credential = credential(of: request) {
            request.supplied = credential
        }
        request.code = chosen.suppliedCode(profile, context.dependencies, mayUseVariables: mayUseVariables)
        request.learns = target.isFound
        request.showsNotice = context.person.showsNotice
        let isElsewhere = profile.traits.opensWindow ? chosen.browser != nil : chosen.consentsElsewhere
        let mayConsent = (profile.traits.asksForConsent || profile.opensPage) && isLogin && isElsewhere
        request.policy.mayAsk = context.person.mayBeAsked || mayConsent && !context.person.isPromptForbidden
        request.policy.mayUseTicket = mayUseTicket(request)
        request.policy.trust.mayAsk = context.person.mayBeAsked
        request.policy.declines = []
        return request
    }

    /// The method that was chosen, else that of the variable.
    private func method() throws(LoginFault) -> AuthenticationMethod? {
        if let method = chosen.method { return method }
        guard let name = environment["AUTHCTL_METHOD"] else { return nil }
        guard let method = AuthenticationMethod(rawValue: name) else {
            throw .usage(.badValue(option: "AUTHCTL_METHOD", problem: "there is no method \(SafeText.quoted(name))"))
        }
        return method
    }

    private func check(username: String) throws(LoginFault) {
        if target.profile.traits.answersChallenges { try fromUsage(try BasicCredential.check(username: username)) }
    }

    /// Options of one kind of login mean nothing to another.
    private func checkConsent() throws(LoginFault) {
        let profile = target.profile, takesBrowser = profile.traits.opensWindow
        if profile.opensPage, chosen.way != .device, chosen.scope == nil { return }
        if profile.traits.isForMachines, chosen.way == nil, chosen.browser == nil, !chosen.showsQR { return }
        if !profile.traits.asksForGrant, takesBrowser ? chosen.hasOptionsOfGrant : chosen.hasOptionsOfConsent {
            let options =
                profile.opensPage ? "--device" : "--device, --no-browser, \(takesBrowser ? "" : "--browser, ")--qr"
            throw .usage("\(options) and --scope are for profiles with method 'oauth', and \(profile.name) is none")
        }
        guard profile.traits.asksForConsent else { return }
        let method = profile.methods[0].rawValue
        if chosen.codeSource != nil {
            throw .usage(
                .badValue(option: "--otp-stdin", problem: "and --otp-command cannot be used with method '\(method)'"))
        }
        if chosen.ttl != nil {
            throw .usage(.badValue(option: "--ttl", problem: "cannot be used with method '\(method)'"))
        }
    }

    private func take(_ secret: Secret, into request: inout LoginRequest) throws(LoginFault) {
        let profile = target.profile
        if let given = profile.givenPassphrase {
            request.passphrase = secret
            // As a password that is given: what it opens is tried, and kept beside a new token.
            if given == .machineKey, isLogin { request.policy.force = true }
            return
        }
        if profile.traits.asksForConsent || profile.provesItself {
            throw .usage(.takesNoPassword(method: profile.methods[0]))
        }
        if profile.traits.answersChallenges, !secret.isFreeOfControls { throw .usage(.controlCharacter(.password)) }
        request.supplied = try context.accounts.credential(secret, of: request.username, profile)
    }

    private func secrets() throws(LoginFault) -> [CredentialField: Secret] {
        var secrets: [CredentialField: Secret] = [:]
        for (label, source) in chosen.secretSources {
            let field = CredentialField.secret(label)
            guard target.profile.fields.contains(field) else {
                throw .usage("\(target.profile.name) needs no secret \(field.shownName)")
            }
            secrets[field] = try SuppliedCredential(source: source, allowsBlank: false, field: field)
                .secret(context.dependencies) { context.person.warnOnce($0) }
        }
        return secrets
    }

    /// The credential of a login that needs no more than given secrets and a name.
    private func credential(of request: LoginRequest) -> Credential? {
        let profile = target.profile, name = request.username ?? profile.user
        let known = request.secrets.keys + (name == nil ? [] : [.username])
        guard case .exchange = profile.kind, !request.secrets.isEmpty, Set(profile.fields).isSubset(of: known) else {
            return nil
        }
        return Credential(username: profile.fields.contains(.username) ? name : nil, profile.traits.withoutSecret)
    }

    /// Whether the server is worth asking although nobody can be. Where the server has still to say whether it wants a
    /// ticket, one has to be there.
    private func mayUseTicket(_ request: LoginRequest) -> Bool {
        let profile = target.profile
        guard request.mayBeNegotiate(profile), request.supplied == nil else { return false }
        return profile.kind.schemes.contains(.negotiate) || request.method == .negotiate || context.person.mayBeAsked
            || context.dependencies.tickets.isValid
    }

    private var mayUseVariables: Bool {
        context.dependencies.environment.mayGiveCredential(for: target.profile, isLogin: isLogin, url: target.url)
    }

    private func variable(_ name: String) -> String? {
        mayUseVariables ? environment[name] : nil
    }

    /// Whether some are set, and are another's.
    private var ignoresVariables: Bool {
        !mayUseVariables
            && (environment["AUTHCTL_USERNAME"] != nil || SuppliedCredential.variable(environment, true) != nil)
    }

    private var otherOwner: String {
        if let name = environment["AUTHCTL_PROFILE"] { return "is for \(SafeText.quoted(name))" }
        if environment["AUTHCTL_VERIFY_URL"] != nil { return "is for the URL in AUTHCTL_VERIFY_URL" }
        return "needs AUTHCTL_PROFILE=\(ShellCommand.quoted(target.profile.name))"
    }

    /// An option goes before a variable anyhow.
    private func sayWhatIsIgnored() {
        let hasName = context.options.username == nil && target.user == nil && environment["AUTHCTL_USERNAME"] != nil
        let hasPassword = chosen.passwordSource == nil && SuppliedCredential.variable(environment, true) != nil
        guard hasName || hasPassword else { return }
        let what = hasPassword ? "the password in the environment" : "AUTHCTL_USERNAME"
        context.person.say("\(what) \(otherOwner), and is not used here")
    }

    /// Whether a stored session goes before the profile's command, which costs a login at the service and a code each time.
    private var commandWaits: Bool {
        let profile = target.profile, traits = profile.traits
        return !isLogin && profile.settings.passwordCommand != nil && profile.givenPassphrase == nil
            && !profile.provesItself && !traits.asksForConsent && !traits.answersChallenges
    }

    private func supplied() throws(LoginFault) -> Secret? {
        // An option goes before the URL, and the URL before a variable.
        if let password = target.password, chosen.passwordSource == nil { return password }
        if !mayUseVariables { sayWhatIsIgnored() }
        let source =
            chosen.passwordSource ?? SuppliedCredential.variable(environment, mayUseVariables)
            ?? (commandWaits ? nil : target.profile.settings.passwordCommand.map { .command($0) })
        guard let source else {
            // With nobody to ask, what may be blank is.
            return chosen.allowsBlankPassword && !context.person.mayBeAsked && !commandWaits ? Secret("") : nil
        }
        return try context.password(from: source, allowsBlank: chosen.allowsBlankPassword)
    }
}

extension Profile {
    /// Whether any of its requests sends the time that `--ttl` asks for.
    package var usesTTL: Bool {
        (loginSteps + [refresh, verify].compactMap { $0 }).contains { $0.slots.contains(.ttl) }
    }
}

extension Profile {
    /// A key that a secret opens which is given for a login, should it be encrypted.
    enum LockedKey { case certificate, machineKey }

    /// The key that such a secret is for; `nil` where it is a password.
    var givenPassphrase: LockedKey? {
        if traits.isProvedByCertificate { return .certificate }
        guard traits.isForMachines, let oauth, !oauth.needsClientSecret else { return nil }
        if oauth.machine?.keyFile != nil { return .machineKey }
        return oauth.clientAuthentication == .tls ? .certificate : nil
    }
}
