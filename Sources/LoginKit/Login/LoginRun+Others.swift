import Secrets

// The sessions that a login leaves behind at the service.
extension LoginRun {
    /// Seconds for all of them.
    private static let longestEnding = 10

    /// Ends at the service, as a logout does, the session that a new login has replaced, and those that were given up on the way: after the
    /// new one is saved, and unless they are tied to it. Verify then tells whether that has survived.
    func endOthers(leavesReplaced: Bool) {
        guard profile.logout != nil || profile.oauth != nil, !(isKept && leavesReplaced) else { return }
        let others = others, end = ContinuousClock.now + .seconds(Self.longestEnding)
        var wasSent = false
        for (other, isReplaced) in others {
            var receipt = Receipt(
                profile: profile.name, place: endpoint.origin, username: other.username, facts: LogoutFacts(),
                expires: other.session.expires)
            receipt.end { () throws(LoginFault) in
                do throws(LoginFault) {
                    let service = try serviceBeside { end <= .now }
                    service.hold(other.extraSecrets)
                    defer { context.person.sayIfUndeleted(service) }
                    return try service.logout(other.session, username: other.username, checks: false)
                } catch .cancelled {
                    throw .network(.timedOut(seconds: Self.longestEnding))
                }
            }
            wasSent = wasSent || receipt.facts.wasSent
            tell(
                receipt, isReplaced ? "the session that this login replaces" : "a session that this login has given up")
        }
        if isKept, wasSent { confirm(until: end) }
    }

    /// Without what has nothing to end: a password, a ticket, a token that a person has brought, and what is past its end.
    private var others: [(other: Handover.Given, isReplaced: Bool)] {
        var others = service.client.handover?.given.map { (other: $0, isReplaced: false) } ?? []
        if let replaced = saver.replaced, let session = replaced.session, profile.kind != .pasted {
            let other = Handover.Given(
                session: session, username: replaced.username, extraSecrets: replaced.extraSecrets)
            others.append((other, true))
        }
        guard !others.isEmpty else { return [] }
        let standing: Session?
        do {
            standing = try self.standing()
        } catch {
            warn("the sessions that this login leaves were not ended at the service: \(error.message().what)")
            return []
        }
        let clock = context.dependencies.clock
        let anybodys = (service.client.anonymousCookies ?? []) + service.client.cookiesBeforeLogin
        return others.filter { other, _ in
            let session = other.session
            if session.credential != nil || standing?.isTied(to: session, besides: anybodys) == true { return false }
            return !clock.isOver(session.expires) || service.canRefresh(session)
        }
    }

    private func tell(_ receipt: Receipt, _ what: String) {
        if let problem = receipt.problem {
            warn("\(what) was not ended at the service, and may stay valid there until it expires: \(problem)")
        } else if receipt.facts.wasSent {
            context.trace?("* \(what) was ended at the service")
        }
    }

    /// Asks verify about the new login, now that others have ended.
    private func confirm(until end: ContinuousClock.Instant) {
        guard let session, session.credential == nil else { return }
        let verified: Session
        do {
            let service = try serviceBeside { end <= .now }
            let client = service.client
            (client.profile, client.anonymousResponse) = (
                self.service.client.profile, self.service.client.anonymousResponse
            )
            service.hold(self.service.client.extraSecrets)
            verified = try service.verify(session, username: identity.username).session
        } catch .rejected(let refusal) where refusal.doubt == nil {
            return isEndedWithOthers = true
        } catch {
            context.trace?("* verify did not say whether the new login is still good: \(error.message().what)")
            return
        }
        do {
            try take(verified)
        } catch {
            warn("the refreshed session was not stored: \(error.message().what)")
        }
    }
}
