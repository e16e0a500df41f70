package import LoginCore
import Secrets

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

    func resolved() throws(LoginFault) -> LoginRequest {
        let profile = target.profile
        // A URL that has no profile yet may turn out to be one of these, too.
        context.topic.asksForConsent = profile.traits.asksForConsent
        context.topic.opensWindow = profile.kind == .browser
        context.topic.machine = profile.oauth.flatMap { MachineProofName($0) }
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
            context.say("--ttl has no effect: nothing in the profile \(profile.name) uses {ttl}")
        }
        request.mayUseCertificate = true
        if let text = chosen.copied {
            request.supplied = try context.credential(copiedIn: text, for: profile, username: username)
        } else if let path = chosen.netrc {
            let entry = try context.netrcEntry(
                in: path, for: profile, username: username, allowsBlank: chosen.allowsBlankPassword)
            if let name = entry.username { try check(username: name) }
            request.username = username ?? entry.username
            request.netrcEntry = (path, entry.line)
            try take(entry.password, into: &request)
        } else if let secret = try supplied() {
            try take(secret, into: &request)
        }
        request.code = chosen.suppliedCode(profile, context.dependencies, mayUseVariables: mayUseVariables)
        request.learns = target.new != nil
        request.showsNotice = context.showsNotice
        let isElsewhere = profile.kind == .browser ? chosen.browser != nil : chosen.consentsElsewhere
        let mayConsent = (profile.traits.asksForConsent || profile.opensPage) && isLogin && isElsewhere
        request.policy.mayAsk = context.mayAsk || mayConsent && !context.isPromptForbidden
        request.policy.hasSuppliedCredential = request.supplied != nil
        request.policy.mayUseTicket = mayUseTicket(request)
        request.policy.trust.mayAsk = context.mayAsk
        request.policy.declines = []
        return request
    }

    /// The method that was chosen, else that of the variable.
    private func method() throws(LoginFault) -> AuthenticationMethod? {
        if let method = chosen.method { return method }
        guard let name = context.dependencies.environment["AUTHCTL_METHOD"] else { return nil }
        guard let method = AuthenticationMethod(rawValue: name) else {
            throw .usage(.badValue(option: "AUTHCTL_METHOD", problem: "there is no method \(SafeText.quoted(name))"))
        }
        return method
    }

    private func check(username: String) throws(LoginFault) {
        if target.profile.traits.answersChallenges { try context.checkBasic(username: username) }
    }

    /// Options of one kind of login mean nothing to another.
    private func checkConsent() throws(LoginFault) {
        let profile = target.profile, takesBrowser = profile.kind == .browser
        if profile.opensPage, chosen.way != .device, chosen.scope == nil { return }
        if profile.kind == .machine, chosen.way == nil, chosen.browser == nil, !chosen.showsQR { return }
        if profile.kind != .oauth, takesBrowser ? chosen.hasOptionsOfGrant : chosen.hasOptionsOfConsent {
            let options =
                profile.opensPage ? "--device" : "--device, --no-browser, \(takesBrowser ? "" : "--browser, ")--qr"
            throw .usage(
                .other("\(options) and --scope are for profiles with method 'oauth', and \(profile.name) is none"))
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
        request.supplied = try context.credential(secret, of: request.username, profile)
    }

    /// Whether the server is worth asking although nobody can be. Where the server has still to say whether it wants a
    /// ticket, one has to be there.
    private func mayUseTicket(_ request: LoginRequest) -> Bool {
        let profile = target.profile
        guard profile.kind.accepts(.negotiate), request.supplied == nil, (request.method ?? .auto).mayBeNegotiate
        else {
            return false
        }
        if profile.kind.schemes.contains(.negotiate) || request.method == .negotiate || context.mayAsk {
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
        let hasPassword = chosen.passwordSource == nil && SuppliedCredential.variable(environment, true) != nil
        guard hasName || hasPassword else { return }
        let what = hasPassword ? "the password in the environment" : "AUTHCTL_USERNAME"
        context.say("\(what) \(otherOwner), and is not used here")
    }

    private func supplied() throws(LoginFault) -> Secret? {
        // An option goes before the URL, and the URL before a variable.
        if let password = target.password, chosen.passwordSource == nil { return password }
        let environment = context.dependencies.environment
        if !mayUseVariables { sayWhatIsIgnored(environment) }
        let source = chosen.suppliedPassword(target.profile, environment, mayUseVariables: mayUseVariables)
        // With nobody to ask, what may be blank is.
        if source == nil, chosen.allowsBlankPassword, !context.mayAsk { return Secret("") }
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

extension Profile {
    /// A key that a secret opens which is given for a login, should it be encrypted.
    enum LockedKey { case certificate, machineKey }

    /// The key that such a secret is for; `nil` where it is a password.
    var givenPassphrase: LockedKey? {
        if traits.isProvedByCertificate { return .certificate }
        guard kind == .machine, let oauth, !oauth.needsClientSecret else { return nil }
        if oauth.machine?.keyFile != nil { return .machineKey }
        return oauth.clientAuthentication == .tls ? .certificate : nil
    }
}
