import LoginCore
import LoginHTTP
import LoginStores
import Secrets

/// Works out, from options, variables and profile, what a `login` is run with.
struct LoginSettingsResolver {
    let invocation: Invocation
    let target: LoginTarget
    let options: LoginOptions
    let force: Bool
    /// Whether the command is `login`, which variables serve that belong to no profile.
    var isLogin = true

    func settings() throws(LoginError) -> LoginSettings {
        let profile = target.profile
        let username = invocation.options.username ?? target.user ?? variable("AUTHCTL_USERNAME")
        if let username, profile.answersChallenges, !profile.provesByCertificate {
            try invocation.checkBasic(username: username)
        }
        var settings = LoginSettings()
        settings.username = username
        settings.method = try options.chosenMethod(invocation.world.environment)
        settings.store = profile.settings.store.flatMap { StoreName($0) }
        settings.persist = profile.settings.persist
        settings.ttl = options.ttl
        if options.ttl != nil, !profile.usesTTL {
            invocation.say("authctl: --ttl has no effect: nothing in the profile \(profile.name) uses {ttl}")
        }
        settings.mayUseCertificate = true
        if profile.provesByCertificate {
            settings.passphrase = try supplied()
        } else if let secret = try supplied() {
            if profile.answersChallenges, !secret.isFreeOfControls { throw .usage(.controlCharacter(.password)) }
            settings.supplied = try invocation.credential(secret, of: username, profile)
        }
        settings.policy = LoginFlow.Policy(
            maxAttempts: options.maxAttempts, mayAsk: invocation.mayAsk, force: force,
            hasSuppliedCredential: settings.supplied != nil, mayUseTicket: mayUseTicket(settings),
            trust: options.trustPolicy(mayAsk: invocation.mayAsk), declines: [])
        settings.dialogue = invocation.dialogueSettings(options)
        settings.showsNotice = invocation.showsNotice
        return settings
    }

    /// Whether the server is worth asking although nobody can be. Where the server has still to say whether it wants a
    /// ticket, one has to be there.
    private func mayUseTicket(_ settings: LoginSettings) -> Bool {
        let profile = target.profile
        guard profile.mayUseTicket, settings.supplied == nil, (settings.method ?? .auto).mayBeNegotiate else {
            return false
        }
        if profile.methods.contains(.negotiate) || settings.method == .negotiate || invocation.mayAsk { return true }
        guard case .valid = invocation.world.tickets.find() else { return false }
        return true
    }

    private var mayUseVariables: Bool {
        invocation.mayUseSuppliedVariables(for: target.profile, isLogin: isLogin, url: target.url)
    }

    private func variable(_ name: String) -> String? {
        mayUseVariables ? invocation.world.environment[name] : nil
    }

    private var otherOwner: String {
        let environment = invocation.world.environment
        if let name = environment["AUTHCTL_PROFILE"] { return "is for \(SafeText.quoted(name))" }
        if environment["AUTHCTL_VERIFY_URL"] != nil { return "is for the URL in AUTHCTL_VERIFY_URL" }
        return "needs AUTHCTL_PROFILE=\(ShellCommand.quoted(target.profile.name)) beside it"
    }

    private func supplied() throws(LoginError) -> Secret? {
        // An option goes before the URL, and the URL before a variable.
        if let password = target.password, !options.namesPassword { return password }
        let environment = invocation.world.environment
        if !mayUseVariables, !options.namesPassword, SuppliedCredential.variable(environment, true) != nil {
            invocation.say("authctl: the password in the environment \(otherOwner), and is not used here")
        }
        let source = options.suppliedSource(target.profile, environment, mayUseVariables: mayUseVariables)
        // With nobody to ask, what may be blank is.
        if source == nil, options.blankPassword, !invocation.mayAsk { return Secret("") }
        return try source?.secret(invocation.world)
    }
}

extension AuthenticationMethod {
    fileprivate var mayBeNegotiate: Bool { self == .negotiate || self == .auto }
}

extension Profile {
    /// Whether any of its requests sends the time that `--ttl` asks for.
    var usesTTL: Bool {
        [login, refresh, verify].contains { $0?.slots.contains(.ttl) ?? false }
    }
}
