package import LoginCore

/// The result of a logout for one account.
package struct Receipt {
    package let profile: String
    package let place: Origin
    package let username: String
    /// What is known of the login at the server.
    package var facts: LogoutFacts
    package var copy = Copy.none
    /// When what lives on at the server ends, in seconds of Unix time.
    package var expires: Int64?
    /// What is left to be done at the server.
    package var problem: String?
    /// Whether it was made with a Kerberos ticket, which is not authctl's to end.
    package var hadTicket = false
    /// Whether the login was made in a window of a browser: at a provider, perhaps, which has a session of its own.
    package var hadWindow = false
    /// Whether there is a session at the server, which may live on; a credential that is sent each time has none.
    package var hadSession = true
    /// The store that other machines have the login in, too.
    package var sharedStore: StoreName?
    /// The fault that kept the local copy.
    package var fault: LoginFault?

    package init(profile: String, place: Origin, username: String, facts: LogoutFacts, expires: Int64?) {
        (self.profile, self.place, self.username) = (profile, place, username)
        (self.facts, self.expires) = (facts, expires)
    }

    /// The copy of the login on this machine.
    package enum Copy: Equatable {
        case erased
        /// There was none: the session had been refused, or another machine has logged out.
        case none
        /// The login was made for one command, and was never stored.
        case neverStored
    }

    /// The receipt of a login that was never stored, after its logout.
    package static func ofUnstored(
        _ identity: Identity, _ session: Session, of run: LoginRun, username: String
    ) -> Receipt {
        var receipt = Receipt(
            profile: run.profile.name, place: run.endpoint.origin, username: identity.displayName,
            facts: LogoutFacts(), expires: session.expires)
        receipt.copy = .neverStored
        receipt.hadWindow = run.profile.kind == .browser
        if case .credential(let credential) = session {
            (receipt.hadSession, receipt.hadTicket) = (false, credential.kind == .ticket)
        }
        receipt.end { () throws(LoginFault) in try run.service.logout(session, username: username) }
        return receipt
    }

    /// Ends the login at the server, and notes what came of it.
    /// - Parameter logout: returns `nil` where the server is not to be asked.
    mutating func end(_ logout: () throws(LoginFault) -> Service.LogoutOutcome?) {
        var fault: LoginFault?
        do throws(LoginFault) {
            guard let outcome = try logout() else { return }
            (facts, fault, expires) = (outcome.facts, outcome.fault, outcome.expires ?? expires)
        } catch {
            fault = error
            (facts.request, facts.session) = (.logout, .failed)
        }
        guard facts.isIncomplete else { return }
        let first = fault.map { [$0.message(about: ErrorContext()).what] } ?? []
        let untold = facts.refreshToken == .failed ? ["the refresh token may live on"] : []
        problem = (first + remains + untold).joined(separator: "; ")
    }

    /// What is known to live on at the server, a clause for each part.
    package var remains: [String] {
        facts.livesOn.map { part in
            switch part {
            case .session: "the server still accepts the session"
            case .accessToken where facts.check != .accepted: "the server does not revoke access tokens"
            case .accessToken:
                "the server still accepts the access token"
                    + (expires == nil ? ", and does not say when it expires" : "")
            case .refreshToken where facts.refreshToken == .unsupported: "the server does not revoke refresh tokens"
            case .refreshToken: "the refresh token was not ended"
            }
        }
    }
}
