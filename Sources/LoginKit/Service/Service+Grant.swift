import Secrets

// The life of a grant after its login, by what it was issued with.
extension Service {
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
            grant.terms.revocation == nil ? nil : try loginMethod.assertion(for: grant)
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
            do {
                replies.append(try revoke(call))
            } catch {
                fault = fault ?? error
                replies.append(.failed)
            }
        }
        do {
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
        guard let replies = try? revoke(calls + others, andClientOf: new).replies else { return false }
        return !replies.isEmpty && replies.allSatisfy { $0 == .accepted }
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
