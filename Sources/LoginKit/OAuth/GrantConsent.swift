import Secrets

/// Asks the person at the authorization server.
final class GrantConsent: ConsentSource {
    private let run: LoginRun
    private let dialogue: (AuthorizationSettings) -> any ConsentDialogue
    /// Held until the login is saved: whoever waits for it takes that login.
    private var lock: ConsentLock?

    /// - Parameter dialogue: with the person.
    init(_ run: LoginRun, _ dialogue: @escaping (AuthorizationSettings) -> any ConsentDialogue) {
        (self.run, self.dialogue) = (run, dialogue)
    }

    var mayAsk: Bool { run.mayAsk }

    func credential(_ asked: [CredentialField: Secret]) throws(LoginFault) -> Credential {
        if let kept = try takeLock() {
            return Credential(username: nil, .grant(AuthorizedGrant(kept: kept)), extraSecrets: asked)
        }
        let request = run.request, oauth = run.profile.oauth
        let document = oauth?.clientID == nil ? run.context.profiles.defaults.clientMetadata : nil
        if let document { try ClientMetadata.check(document, as: "client-metadata") }
        let dialogue = dialogue(try run.consentSettings())
        defer { dialogue.end() }
        var secret: Secret?
        if case .asked(let label) = oauth?.clientSecret {
            let kept = try run.keeper.fill().extraSecrets
            secret = asked[.secret(label)] ?? kept[.secret(label)]
        }
        let choice = AuthorizationWay.Choice(
            option: request.way, profile: oauth?.flow, canStartBrowser: dialogue.canStartBrowser)
        let policy = AuthorizationFlow.Policy(
            choice: choice, mayAsk: mayAsk, patience: request.policy.patience)
        let service = run.service, client = service.client
        var subject = try client.authorizationSubject()
        (subject.scope, subject.username, subject.secret) = (request.scope, request.username, secret)
        (subject.choosesAccount, subject.clientMetadata) = (request.policy.force, document)
        client.hide([secret])
        var transport = AuthorizationClient(client, service.others, by: subject.profile)
        transport.document = subject.profile.clientID ?? document
        let loop = AuthorizationLoop(
            subject: subject, transport: transport, browser: dialogue, device: dialogue, clock: service.clock)
        return try client.hiding { () throws(LoginFault) in
            let authorized = try loop.run(AuthorizationFlow(policy: policy))
            service.note(.token(authorized.grant.session), of: request.username ?? "")
            return Credential(username: nil, .grant(authorized), extraSecrets: asked)
        }
    }

    /// - Returns: what another process has logged in with, while this one waited.
    private func takeLock() throws(LoginFault) -> Grant? {
        guard lock == nil else { return nil }
        let (profile, username, context) = (run.profile.name, run.request.username, run.context)
        let taken = try fromStore(
            try context.registry.lockConsent(of: profile, username: username, wait: run.request.policy.patience) {
                context.person.warn("another authctl is logging in to \(profile); waiting for it")
            })
        lock = taken
        guard taken.wasTaken, !run.request.policy.force, case .token(let token)? = try run.keeper.fill().session,
            !context.dependencies.clock.isOver(token.expires)
        else { return nil }
        return Grant(token)
    }
}
