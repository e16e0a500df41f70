import Secrets

/// Asks the person at the authorization server, and holds the grant until the login is saved.
final class GrantConsent: ConsentSource {
    private let run: LoginRun
    private var grant: Grant?
    /// Held until the login is saved: whoever waits for it takes that login.
    private var lock: ConsentLock?

    init(_ run: LoginRun) { self.run = run }

    var mayAsk: Bool { run.mayAsk }

    /// Ends a grant that is not kept at the server.
    func revoke() {
        if let grant { run.service.discard(grant) }
        grant = nil
    }

    func credential(_ asked: [CredentialField: Secret]) throws(LoginFault) -> Credential {
        if let kept = try takeLock() {
            return Credential(username: nil, .grant(AuthorizedGrant(kept: kept)), extraSecrets: asked)
        }
        let request = run.request, oauth = run.profile.oauth
        let document = oauth?.clientID == nil ? run.context.profiles.defaults.clientMetadata : nil
        if let document { try ClientMetadata.check(document, as: "client-metadata") }
        let dialogue = run.context.dependencies.consent(try run.context.consentSettings(run))
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
        let authorized = try run.service.authorize(by: policy, browser: dialogue, device: dialogue) { subject in
            (subject.scope, subject.username, subject.secret) = (request.scope, request.username, secret)
            subject.choosesAccount = request.policy.force
            subject.clientMetadata = document
        }
        grant = authorized.grant
        return Credential(username: nil, .grant(authorized), extraSecrets: asked)
    }

    /// - Returns: what another process has logged in with, while this one waited.
    private func takeLock() throws(LoginFault) -> Grant? {
        guard lock == nil else { return nil }
        let (profile, username, context) = (run.profile.name, run.request.username, run.context)
        let taken = try fromStore(
            try context.registry.lockConsent(of: profile, username: username, wait: run.request.policy.patience) {
                context.warn("another authctl is logging in to \(profile); waiting for it")
            })
        lock = taken
        guard taken.wasTaken, !run.request.policy.force, case .token(let token)? = try run.keeper.fill().session,
            !context.dependencies.clock.isOver(token.expires)
        else { return nil }
        return Grant(token)
    }
}

extension Service {
    /// Asks a person to approve at the profile's authorization server.
    /// - Parameter asking: adds what this one login asks for.
    /// - Throws: what `AuthorizationFlow` ends with.
    func authorize(
        by policy: AuthorizationFlow.Policy, browser: any BrowserDialogue, device: any DeviceDialogue,
        asking: (inout AuthorizationSubject) -> Void
    ) throws(LoginFault) -> AuthorizedGrant {
        var subject = try client.authorizationSubject((procedure as? OAuthLogin)?.challenge)
        asking(&subject)
        client.hide([subject.secret])
        var transport = AuthorizationClient(client, others, by: subject.profile)
        transport.document = subject.profile.clientID ?? subject.clientMetadata
        let loop = AuthorizationLoop(
            subject, transport: transport, browser: browser, device: device, clock: clock)
        return try client.shielded { () throws(LoginFault) in try loop.run(AuthorizationFlow(policy: policy)) }
    }

    /// To the server that a grant names.
    private func authorizationClient() -> AuthorizationClient {
        AuthorizationClient(client: client, others: others, named: nil)
    }

    /// Refreshes a grant by what it was issued with (RFC 6749, section 6).
    /// - Returns: `nil` if there is no refresh token.
    /// - Throws: `LoginFault.rejected` only if the server refused the refresh token; `otherSubject` where what came is about another
    ///   person: it is revoked by then, as far as that is possible, and so is the grant.
    func refreshed(_ grant: Grant) throws(LoginFault) -> RefreshedSession? {
        guard let call = OAuthCall.refresh(grant) else { return nil }
        let answer = try TokenResponse(
            try authorizationClient().send(try call.request().lasting(Self.leastTime)), at: .refresh)
        let issued = try answer.refreshed(grant)
        let new = grant.refreshed(by: issued, at: clock.now())
        client.hide(new.secrets)
        let subject = issued.identityToken.flatMap { JSONWebToken($0)?.subject }
        if let (was, now) = grant.terms.otherSubject(than: subject) {
            throw .oauth(.otherSubject(was: was, now: now, isRevoked: end(new, grant)))
        }
        let subjects = RefreshOwner.Subjects(
            old: JSONWebToken(grant.token.value)?.subject, new: JSONWebToken(new.token.value)?.subject)
        return RefreshedSession(
            session: .token(new.session), owner: RefreshOwner(named: nil, subjects: subjects))
    }

    /// Revokes the tokens of a grant (RFC 7009), the refresh token first, and deletes the client that was registered for it
    /// (RFC 7592).
    func revoke(_ grant: Grant, noting outcome: inout LogoutOutcome) throws(LoginFault) {
        let assertion =
            grant.terms.revocation == nil ? nil : try (procedure as? MachineLogin)?.assertion(for: grant)
        let (replies, fault) = try revoke(OAuthCall.revocations(grant, assertion: assertion), andClientOf: grant)
        outcome.fault = fault
        outcome.facts.request = replies.isEmpty ? .notOffered : .revocation
        outcome.facts.session = replies.last ?? .notTold
        if grant.token.refreshToken != nil { outcome.facts.refreshToken = replies.first ?? .notTold }
    }

    private func revoke(
        _ calls: [OAuthCall], andClientOf grant: Grant
    ) throws(LoginFault) -> (replies: [LogoutFacts.Reply], fault: LoginFault?) {
        var replies: [LogoutFacts.Reply] = [], fault: LoginFault?
        // One that fails does not keep the others from being tried.
        for call in calls {
            do throws(LoginFault) {
                replies.append(try revoke(call))
            } catch {
                fault = fault ?? error
                replies.append(.failed)
            }
        }
        do throws(LoginFault) {
            undeletedClient = try deleteClient(of: grant)
        } catch {
            undeletedClient = grant.terms.client.id
        }
        if fault == .cancelled { throw .cancelled }
        return (replies, fault)
    }

    private func revoke(_ call: OAuthCall) throws(LoginFault) -> LogoutFacts.Reply {
        let response = try authorizationClient().send(try call.request())
        switch RevocationResponse(response) {
        case .revoked: return .accepted
        case .unsupported: return .unsupported
        case .failed(let status):
            throw .failure(.unexpectedStatus(status, step: OAuthStep.revocation.rawValue, words: nil))
        }
    }

    /// Revokes what a refresh brought, and then what there was before.
    /// - Returns: whether the server revoked all of it.
    private func end(_ new: Grant, _ old: Grant) -> Bool {
        let calls = OAuthCall.revocations(new), others = OAuthCall.revocations(old).filter { !calls.contains($0) }
        do throws(LoginFault) {
            let replies = try revoke(calls + others, andClientOf: new).replies
            return !replies.isEmpty && replies.allSatisfy { $0 == .accepted }
        } catch {
            return false
        }
    }

    /// Revokes a grant that is not kept, ignoring failures.
    fileprivate func discard(_ grant: Grant) {
        var outcome = LogoutOutcome(facts: LogoutFacts())
        do throws(LoginFault) {
            try revoke(grant, noting: &outcome)
        } catch {
            return
        }
    }

    /// - Returns: the client that lives on, as its server knows it; `nil` if none was registered or it is deleted.
    private func deleteClient(of grant: Grant) throws(LoginFault) -> String? {
        let client = grant.terms.client
        guard client.isRegistered else { return nil }
        guard let request = client.deletion else { return client.id }
        let status = try authorizationClient().send(request).status
        // One that is gone already is no loss.
        return (200..<300).contains(status) || status == 404 ? nil : client.id
    }
}

extension LoginRun {
    /// Shows a person the page at which they approve this login, and opens it if a browser can be started.
    /// - Parameter origins: where it may be without a question, beside the profile's own origin.
    func openApprovalPage(_ url: String, allowing origins: [String]) throws(LoginFault) {
        let settings = try context.consentSettings(self)
        guard BrowserStart.isSafe(url, plainOrigin: settings.plainOrigin), !url.contains("@") else {
            throw .failure(
                .other("the login page that the service named is not an https URL, so it was not opened"))
        }
        let origin = try context.parse(url).origin
        var known = [endpoint.origin]
        for text in origins { known.append(try context.parse(text).origin) }
        if !known.contains(origin) { try ask(origin) }
        let dialogue = context.dependencies.consent(settings)
        defer { dialogue.end() }
        try dialogue.show(page: url, starts: request.way != .browser(starts: false) && dialogue.canStartBrowser)
    }

    private func ask(_ origin: Origin) throws(LoginFault) {
        guard context.mayAsk else { throw .untrusted(.otherOrigin(target: origin.description)) }
        let question =
            "\(profile.name) (\(endpoint.origin)) asks you to approve this login at \(origin), which is another server."
        guard try context.dependencies.dialogue(context.dialogueSettings(request)).confirm(question, typing: "yes")
        else {
            throw .cancelled
        }
    }
}
