import LoginCore
import LoginStores

extension LoginOptions {
    /// What becomes of a certificate that does not verify.
    func trustPolicy(mayAsk: Bool) -> TrustPolicy {
        TrustPolicy(fingerprint: trustFingerprint.flatMap { Fingerprint($0) }, mayAsk: mayAsk)
    }
}

extension Invocation {
    /// How the person is asked in a login with these options.
    func dialogueSettings(_ options: LoginOptions) -> World.DialogueSettings {
        var settings = dialogueSettings
        settings.allowsBlankPassword = options.blankPassword
        return settings
    }

    /// What is accepted of an origin: in this run, else remembered.
    func exception(for origin: Origin) throws(LoginError) -> TrustedCertificate? {
        if let accepted = acceptance?.exception, accepted.origin == origin { return accepted }
        return try document().exception(for: origin)
    }

    /// Sends a request before the login itself has begun. The decision about a certificate that does not verify then holds
    /// for the whole run; it is made by the same policy as in the login.
    func send(
        _ request: HTTPRequest, over transport: any Transport, _ options: LoginOptions
    ) throws(LoginError) -> HTTPResponse {
        do throws(LoginError) {
            return try showingNotice { () throws(LoginError) in try transport.send(request) }
        } catch .untrusted(.certificate(let trust)) where acceptance == nil {
            acceptance = try accepted(trust, options)
        }
        if let exception = acceptance?.exception { transport.trust(exception) }
        return try showingNotice { () throws(LoginError) in try transport.send(request) }
    }

    /// Whether a person is told that a server is asked. The lines of -v stand where the notice would, and say more.
    var showsNotice: Bool { !options.quiet && !options.verbose && world.hasTerminal() }

    /// Shows the notice of a login while the server is asked outside of one.
    func showingNotice<Result>(_ ask: () throws(LoginError) -> Result) throws(LoginError) -> Result {
        guard showsNotice else { return try ask() }
        let prompt = world.dialogue(dialogueSettings)
        prompt.showWaiting("Authenticating, please wait…")
        defer { prompt.showWaiting(nil) }
        return try ask()
    }

    private func accepted(_ trust: ServerTrust, _ options: LoginOptions) throws(LoginError) -> TrustAcceptance {
        switch options.trustPolicy(mayAsk: mayAsk).decision(on: trust) {
        case .refuse(let error): throw error
        case .accept: return TrustAcceptance(trust.exception, isLasting: true)
        case .ask: break
        }
        let answer = try world.dialogue(dialogueSettings(options)).ask(about: trust)
        guard let acceptance = answer.acceptance(of: trust) else { throw .untrusted(.certificateRejected) }
        return acceptance
    }
}
