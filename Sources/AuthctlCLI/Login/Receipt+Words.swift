import LoginCore
import LoginKit

extension Receipt: Encodable {
    private enum CodingKeys: String, CodingKey {
        case profile, origin, username, server, erased, expires, problem
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(profile, forKey: .profile)
        try container.encode(place.description, forKey: .origin)
        try container.encode(username, forKey: .username)
        try container.encode(server == .noLogout ? .notAsked : server, forKey: .server)
        try container.encode(erased, forKey: .erased)
        try container.encodeIfPresent(expires, forKey: .expires)
        try container.encodeIfPresent(problem, forKey: .problem)
    }

    func words(now: Int64) -> String {
        let who = username.isEmpty ? "" : "\(SafeText.name(username)) of "
        if fault != nil {
            return "\(who)\(profile) (\(place)): the login could not be deleted here; \(server.words(problem: problem))"
        }
        let deleted = sharedStore.map { "login deleted in '\($0)', for all machines" } ?? "login deleted here"
        let copy = erased ? deleted : sharedStore.map { "there was no login in '\($0)'" } ?? "there was no login here"
        var words = "Logged out \(who)\(profile) (\(place)): \(copy); "
        words += server.words(problem: problem)
        if hadTicket { words += " The Kerberos ticket is kept; kdestroy removes it." }
        if hadWindow { words += " A session at the provider where you logged in may live on." }
        // Whoever erased a shared login has reported its end.
        if sharedStore != nil, !erased { return words }
        if server.mayLiveOn, let expires, expires > now {
            words += " The session stays valid at the server for \(Duration.inWords(expires - now))."
        } else if erased, server.isUntouched, hadSession, expires == nil {
            words += " The session stays valid at the server; when it expires is not known."
        }
        return words
    }
}

extension Receipt.Server: Encodable {
    /// The server's part of a logout, as the end of a sentence.
    func words(problem: String?) -> String {
        switch self {
        case .revoked: "session ended at the server."
        case .endedBefore: "the session had already ended at the server."
        case .failed: "the server did not end the session: \(problem ?? "unknown")."
        case .notAsked: "the server was not asked."
        case .noLogout: "the service has no logout to call."
        case .notOffered: "the authorization server revokes no tokens of this client."
        case .stillAccepted: "the server still accepts the session."
        case .unproven: "the server was asked to end the session; its response does not say whether it did."
        }
    }
}
