import LoginCore
import Secrets

/// Answers the question for a credential with a grant: the person is asked by the authorization server. All other questions are put
/// as ever.
final class ConsentPrompt: Prompt {
    private let prompt: any Prompt
    private let run: LoginRun
    private var grant: Grant?
    /// Until the login is saved: who waits for it takes that.
    private var turn: ConsentLock?

    init(prompt: any Prompt, run: LoginRun) {
        self.prompt = prompt
        self.run = run
    }

    /// Ends at the server what was given and is not kept.
    func revoke() {
        if let grant { run.service.discard(grant) }
        grant = nil
    }

    func ask(_ question: Question) throws(LoginFault) -> Answer {
        if case .replacement(let replacement) = question, !run.mayAsk {
            throw .loginRequired(LoginNeed(why: .otherPerson(replacement)))
        }
        guard case .credential(let challenge) = question else { return try prompt.ask(question) }
        guard challenge.fields.isEmpty else {
            let answer = try prompt.ask(question)
            guard case .credential(let credential, _) = answer else { return answer }
            return .credential(try consented(credential.extraSecrets))
        }
        return .credential(try consented([:]))
    }

    /// - Parameter asked: what the client needs beside the person's consent.
    private func consented(_ asked: [CredentialField: Secret]) throws(LoginFault) -> Credential {
        if let kept = try takeTurn() {
            return Credential(username: nil, .grant(AuthorizedGrant(kept: kept)), extraSecrets: asked)
        }
        let settings = run.settings
        let dialogue = run.context.dependencies.consent(try run.context.consentSettings(run))
        defer { dialogue.end() }
        var grantOptions = Service.GrantOptions()
        grantOptions.scope = settings.consent.scope
        grantOptions.username = settings.username
        grantOptions.choosesAccount = settings.policy.force
        grantOptions.way = settings.consent.way
        grantOptions.canStartBrowser = dialogue.canStartBrowser
        grantOptions.mayAsk = run.mayAsk
        grantOptions.patience = settings.policy.patience
        if case .asked(let label) = run.profile.oauth?.clientSecret {
            let kept = try run.keeper.fill().extraSecrets
            grantOptions.secret = asked[.secret(label)] ?? kept[.secret(label)]
        }
        let authorized = try run.service.authorize(grantOptions, browser: dialogue, device: dialogue)
        grant = authorized.grant
        return Credential(username: nil, .grant(authorized), extraSecrets: asked)
    }

    /// - Returns: what another process has logged in with, while this one waited.
    private func takeTurn() throws(LoginFault) -> Grant? {
        guard turn == nil else { return nil }
        let (profile, username, context) = (run.profile.name, run.settings.username, run.context)
        let taken = try fromStore(
            try context.registry.lockConsent(of: profile, username: username, wait: run.settings.policy.patience) {
                context.warn("another authctl is logging in to \(profile); waiting for it")
            })
        turn = taken
        guard taken.wasTaken, !run.settings.policy.force, case .token(let token)? = try run.keeper.fill().session,
            !context.dependencies.clock.isOver(token.expires)
        else { return nil }
        return Grant(token)
    }

    func showWaiting(_ notice: String?) { prompt.showWaiting(notice) }

    func wait(seconds: Int) throws(LoginFault) { try prompt.wait(seconds: seconds) }
}
