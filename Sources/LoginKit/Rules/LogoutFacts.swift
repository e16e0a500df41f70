/// What is known of one login after its logout: all that a receipt is made of.
package struct LogoutFacts: Equatable, Sendable {
    /// What was sent to end the login.
    package enum Request: CaseIterable, Sendable {
        /// Nothing; only the local copy was erased.
        case nothing
        /// Nothing, since the profile has no logout.
        case noLogout
        /// Nothing, since the authorization server revokes no tokens of this client.
        case notOffered
        /// The profile's logout.
        case logout
        /// A request for each token (RFC 7009).
        case revocation
    }

    /// What the server answered about one session or token that it was told to end.
    package enum Reply: CaseIterable, Sendable {
        case notTold
        case accepted
        /// The server does not know it, or does not know it any more.
        case unknown
        /// The server does not revoke tokens of this kind (RFC 7009, section 2.2.1).
        case unsupported
        case failed
    }

    /// What verify answered to the old session after that.
    package enum Check: CaseIterable, Sendable {
        /// There is no verify, or no session to ask with: a password is accepted whatever was ended.
        case notAsked
        case refused
        case accepted
        case unclear
    }

    /// When the session ends by itself.
    enum End: CaseIterable, Sendable {
        case unknown
        case past
        case later
    }

    package var request: Request
    /// About the session, or the access token.
    package var session: Reply
    /// About the refresh token; `nil` where nothing can be refreshed.
    package var refreshToken: Reply?
    package var check: Check
    var end: End
    /// Whether the session is a token, which is not always more than a signed text, and not the service's own state.
    var isToken: Bool

    /// A login that nothing was sent about.
    init(request: Request = .nothing, isToken: Bool = false, canBeRefreshed: Bool = false, end: End = .unknown) {
        (self.request, self.isToken, self.end) = (request, isToken, end)
        (session, check, refreshToken) = (.notTold, .notAsked, canBeRefreshed ? .notTold : nil)
    }

    /// What may be left of a login.
    package enum Part: String, Sendable {
        case session
        case accessToken = "access token"
        case refreshToken = "refresh token"
    }

    /// The server's half of a logout, in a word.
    package enum Outcome: String, CaseIterable, Sendable {
        case ended = "revoked"
        case endedBefore = "ended before"
        case stillAccepted = "still accepted"
        /// The server was told; what came of it is not known.
        case unproven
        case notAsked = "not asked"
        /// The profile has no logout.
        case noLogout
        case notOffered = "not offered"
        case failed
    }

    /// Nothing has ended unless verify refused the old session.
    package var outcome: Outcome {
        switch request {
        case .nothing: return .notAsked
        case .noLogout: return .noLogout
        case .notOffered: return .notOffered
        case .logout, .revocation: break
        }
        if sessionIs == .over, refreshTokenIs == .over {
            return session == .unknown || (end == .past && refreshToken == nil) ? .endedBefore : .ended
        }
        if session == .failed || refreshToken == .failed { return .failed }
        return livesOn.isEmpty ? .unproven : .stillAccepted
    }

    /// What is known to live on although the server was told to end it.
    package var livesOn: [Part] {
        guard wasSent else { return [] }
        let session: [Part] = sessionIs == .alive ? [isToken ? .accessToken : .session] : []
        return session + (refreshTokenIs == .alive ? [.refreshToken] : [])
    }

    /// Whether a logout was tried and did not do what it is for. An access token that lives to an end that is known is what many
    /// services have by design.
    var isIncomplete: Bool {
        switch outcome {
        case .failed: true
        case .stillAccepted: livesOn != [.accessToken] || end != .later
        case .ended, .endedBefore, .unproven, .notAsked, .noLogout, .notOffered: false
        }
    }

    /// Whether the session may still be good at the server.
    package var mayLiveOn: Bool { sessionIs != .over && end != .past }

    package var wasSent: Bool { request == .logout || request == .revocation }

    private enum Life { case alive, over, unknown }

    private var sessionIs: Life {
        switch check {
        case .refused: .over
        case .accepted: .alive
        case .notAsked, .unclear: session == .unsupported && end != .past ? .alive : .unknown
        }
    }

    private var refreshTokenIs: Life {
        switch refreshToken {
        case nil, .accepted: return .over
        case .unsupported: return .alive
        case .failed: return .unknown
        case .notTold, .unknown: break
        }
        switch check {
        case .accepted: return .alive
        // A token that had expired is refused whatever became of the login.
        case .refused where end != .past: return .over
        case .refused, .notAsked, .unclear: break
        }
        // The server answered about that token alone.
        return session == .unknown && refreshToken == .notTold && end == .past ? .alive : .unknown
    }
}
