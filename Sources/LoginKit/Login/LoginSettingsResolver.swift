package import LoginCore
import Secrets

/// Works out, from choices, variables and profile, what a login is run with.
package struct LoginSettingsResolver {
    private let context: LoginContext
    private let target: LoginTarget
    private let choices: LoginChoices
    private let force: Bool
    private let isLogin: Bool

    /// - Parameter isLogin: whether the login is what was asked for, which variables serve that belong to no profile.
    package init(
        context: LoginContext, target: LoginTarget, choices: LoginChoices, force: Bool, isLogin: Bool = true
    ) {
        (self.context, self.target, self.choices) = (context, target, choices)
        (self.force, self.isLogin) = (force, isLogin)
    }

    package func settings() throws(LoginFault) -> LoginSettings {
        let profile = target.profile
        // A URL that has no profile yet may turn out to be one of these, too.
        context.topic.asksForConsent = profile.traits.asksForConsent
        context.topic.ignoresVariables = ignoresVariables
        let username = context.options.username ?? target.user ?? variable("AUTHCTL_USERNAME")
        if let username { try check(username: username) }
        var settings = LoginSettings()
        settings.username = username
        settings.method = try choices.chosenMethod(context.dependencies.environment)
        if let fault = target.fault(of: settings.method) { throw fault }
        settings.store = profile.settings.store.flatMap { StoreName($0) }
        settings.persist = profile.settings.persist
        settings.ttl = choices.ttl
        try checkConsent()
        if choices.ttl != nil, !profile.usesTTL {
            context.say("--ttl has no effect: nothing in the profile \(profile.name) uses {ttl}")
        }
        settings.mayUseCertificate = true
        if let secret = try supplied() { try take(secret, into: &settings) }
        settings.code = choices.suppliedCode(profile, context.dependencies, mayUseVariables: mayUseVariables)
        settings.consent = choices.consent
        settings.learns = target.new != nil
        let mayConsent = profile.traits.asksForConsent && isLogin && choices.consent.needsNoTerminal
        settings.policy = LoginFlow.Policy(
            maxAttempts: choices.maxAttempts, mayAsk: context.mayAsk || mayConsent && !context.isPromptForbidden,
            force: force,
            hasSuppliedCredential: settings.supplied != nil, mayUseTicket: mayUseTicket(settings),
            trust: choices.trustPolicy(mayAsk: context.mayAsk), declines: [])
        settings.policy.patience = choices.promptTimeout
        settings.dialogue = context.dialogueSettings(choices)
        settings.showsNotice = context.showsNotice
        return settings
    }

    private func check(username: String) throws(LoginFault) {
        if target.profile.traits.answersChallenges { try context.checkBasic(username: username) }
    }

    /// Options of one kind of login mean nothing to another.
    private func checkConsent() throws(LoginFault) {
        guard target.profile.traits.asksForConsent else {
            guard !choices.consent.isNothing else { return }
            throw .usage(
                .other(
                    "--device, --no-browser, --browser, --qr and --scope are for profiles with method 'oauth', and "
                        + "\(target.profile.name) is none"))
        }
        if choices.code != nil {
            throw .usage(
                .badValue(option: "--otp-stdin", problem: "and --otp-command cannot be used with method 'oauth'"))
        }
        if choices.ttl != nil {
            throw .usage(.badValue(option: "--ttl", problem: "cannot be used with method 'oauth'"))
        }
    }

    private func take(_ secret: Secret, into settings: inout LoginSettings) throws(LoginFault) {
        let profile = target.profile
        if profile.traits.isProvedByCertificate { return settings.passphrase = secret }
        if profile.traits.asksForConsent { throw .usage(.takesNoPassword(method: .oauth)) }
        if profile.traits.answersChallenges, !secret.isFreeOfControls { throw .usage(.controlCharacter(.password)) }
        settings.supplied = try context.credential(secret, of: settings.username, profile)
    }

    /// Whether the server is worth asking although nobody can be. Where the server has still to say whether it wants a
    /// ticket, one has to be there.
    private func mayUseTicket(_ settings: LoginSettings) -> Bool {
        let profile = target.profile
        guard profile.kind.accepts(.negotiate), settings.supplied == nil, (settings.method ?? .auto).mayBeNegotiate
        else {
            return false
        }
        if profile.kind.schemes.contains(.negotiate) || settings.method == .negotiate || context.mayAsk {
            return true
        }
        guard case .valid = context.dependencies.tickets.find() else { return false }
        return true
    }

    private var mayUseVariables: Bool {
        context.mayUseSuppliedVariables(for: target.profile, isLogin: isLogin, url: target.url)
    }

    private func variable(_ name: String) -> String? {
        mayUseVariables ? context.dependencies.environment[name] : nil
    }

    /// Whether some are set, and are another's.
    private var ignoresVariables: Bool {
        let environment = context.dependencies.environment
        return !mayUseVariables
            && (environment["AUTHCTL_USERNAME"] != nil || SuppliedCredential.variable(environment, true) != nil)
    }

    private var otherOwner: String {
        let environment = context.dependencies.environment
        if let name = environment["AUTHCTL_PROFILE"] { return "is for \(SafeText.quoted(name))" }
        if environment["AUTHCTL_VERIFY_URL"] != nil { return "is for the URL in AUTHCTL_VERIFY_URL" }
        return "needs AUTHCTL_PROFILE=\(ShellCommand.quoted(target.profile.name))"
    }

    /// An option goes before a variable anyhow.
    private func sayWhatIsIgnored(_ environment: Environment) {
        let hasName = context.options.username == nil && target.user == nil && environment["AUTHCTL_USERNAME"] != nil
        let hasPassword = !choices.namesPassword && SuppliedCredential.variable(environment, true) != nil
        guard hasName || hasPassword else { return }
        let what = hasPassword ? "the password in the environment" : "AUTHCTL_USERNAME"
        context.say("\(what) \(otherOwner), and is not used here")
    }

    private func supplied() throws(LoginFault) -> Secret? {
        // An option goes before the URL, and the URL before a variable.
        if let password = target.password, !choices.namesPassword { return password }
        let environment = context.dependencies.environment
        if !mayUseVariables { sayWhatIsIgnored(environment) }
        let source = choices.suppliedSource(target.profile, environment, mayUseVariables: mayUseVariables)
        // With nobody to ask, what may be blank is.
        if source == nil, choices.blankPassword, !context.mayAsk { return Secret("") }
        return try source?.secret(context.dependencies) { context.warnOnce($0) }
    }
}

extension AuthenticationMethod {
    fileprivate var mayBeNegotiate: Bool { self == .negotiate || self == .auto }
}

extension Profile {
    /// Whether any of its requests sends the time that `--ttl` asks for.
    package var usesTTL: Bool {
        (loginSteps + [refresh, verify].compactMap { $0 }).contains { $0.slots.contains(.ttl) }
    }
}
