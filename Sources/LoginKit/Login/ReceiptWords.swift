extension Receipt: Encodable {
    private enum CodingKeys: String, CodingKey {
        case profile, origin, username, server, livesOn, erased, expires, problem
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(profile, forKey: .profile)
        try container.encode(place.description, forKey: .origin)
        try container.encode(username, forKey: .username)
        // Scripts have known these two as one.
        try container.encode(facts.outcome == .noLogout ? .notAsked : facts.outcome, forKey: .server)
        if !facts.livesOn.isEmpty { try container.encode(facts.livesOn, forKey: .livesOn) }
        try container.encode(copy == .erased, forKey: .erased)
        try container.encodeIfPresent(expires, forKey: .expires)
        try container.encodeIfPresent(problem, forKey: .problem)
    }

    /// A sentence on what the logout did, and what is left.
    package func words(now: Int64) -> String {
        let who = username.isEmpty ? "" : "\(SafeText.name(username)) of "
        if fault != nil {
            return "\(who)\(profile) (\(place)): the login could not be deleted here; \(server)"
        }
        var words = "Logged out \(who)\(profile) (\(place)): \(here); \(server)"
        if hadTicket { words += " The Kerberos ticket is kept; kdestroy removes it." }
        if hadWindow { words += " A session at the provider where you logged in may live on." }
        return words + (end(now: now).map { " " + $0 } ?? "")
    }

    /// Says what is left at the server of a login that was not stored here.
    package func rest(now: Int64) -> String { server + (end(now: now).map { " " + $0 } ?? "") }

    private var here: String {
        switch copy {
        case .erased: sharedStore.map { "login deleted in '\($0)', for all machines" } ?? "login deleted here"
        case .none: sharedStore.map { "there was no login in '\($0)'" } ?? "there was no login here"
        case .neverStored: "the login was never stored"
        }
    }

    /// Returns a sentence on how long the session stays valid at the server; `nil` if there is nothing to say.
    private func end(now: Int64) -> String? {
        // Whoever erased a shared login has reported its end.
        guard hadSession, facts.mayLiveOn, sharedStore == nil || copy != .none else { return nil }
        let what = facts.livesOn.contains(.accessToken) ? "access token" : "session"
        let stays = facts.outcome == .unproven ? "may stay" : "stays"
        if let expires {
            return expires > now
                ? "The \(what) \(stays) valid at the server for \(Duration.inWords(expires - now))." : nil
        }
        return facts.wasSent || copy == .none
            ? nil : "The session stays valid at the server; when it expires is not known."
    }

    /// The server's half, as the end of a sentence.
    private var server: String {
        switch facts.outcome {
        case .ended: "session ended at the server."
        case .endedBefore: "the session had already ended at the server."
        case .failed where facts.check == .refused:
            "the server refuses the access token now, but did not end the login: \(problem ?? "unknown")."
        case .failed: "the server did not end the session: \(problem ?? "unknown")."
        case .notAsked: "the server was not asked."
        case .noLogout: "the profile has no logout."
        case .notOffered: "the authorization server revokes no tokens of this client."
        case .stillAccepted: done + remains.joined(separator: ", and ") + "."
        case .unproven: unproven
        }
    }

    /// Words for the token that was revoked although another part of the login still works; empty if none was.
    private var done: String {
        guard facts.request == .revocation else { return "" }
        if facts.refreshToken == .accepted { return "the refresh token was revoked; " }
        return facts.session == .accepted && facts.check == .refused ? "the access token was revoked; " : ""
    }

    private var unproven: String {
        guard hadSession else { return "the server accepted the logout." }
        let told =
            switch facts.request {
            case .revocation: "the server says that it has revoked the tokens"
            case .nothing, .noLogout, .notOffered, .logout: "the server was told to end the session"
            }
        switch facts.check {
        case .notAsked: return "\(told); the profile has no verify request to check that."
        case .unclear: return "\(told); verify gave no clear answer whether it did."
        case .refused, .accepted:
            return "\(told); the access token had expired before, so whether it did is not known."
        }
    }
}
