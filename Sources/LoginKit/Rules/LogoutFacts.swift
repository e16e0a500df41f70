/// The facts about one login after its logout: all that a receipt is made of.
package struct LogoutFacts: Equatable, Sendable {
    /// The request that was sent to end the login.
    enum Request: CaseIterable, Sendable {
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

    /// The server's response to a request to end one session or token.
    enum Reply: CaseIterable, Sendable {
        case notTold
        case accepted
        /// The server does not know it, or does not know it any more.
        case unknown
        /// The server does not revoke tokens of this kind (RFC 7009, section 2.2.1).
        case unsupported
        case failed
    }

    /// The result of a verify request with the old session after that.
    enum Check: CaseIterable, Sendable {
        /// There is no verify, or no session to ask with: a password is accepted whatever was ended.
        case notAsked
        case refused
        case accepted
        case unclear
    }

    /// The time at which the session ends by itself.
    enum End: CaseIterable, Sendable {
        case unknown
        case past
        case later
    }

    var request: Request
    /// About the session, or the access token.
    var session: Reply
    /// About the refresh token; `nil` where nothing can be refreshed.
    var refreshToken: Reply?
    var check: Check
    var end: End
    /// Whether the session is a token, which may be just a signed text rather than state of the service.
    var isToken: Bool

    /// Makes the facts of a login that no request was sent for.
    init(request: Request = .nothing, isToken: Bool = false, canBeRefreshed: Bool = false, end: End = .unknown) {
        (self.request, self.isToken, self.end) = (request, isToken, end)
        (session, check, refreshToken) = (.notTold, .notAsked, canBeRefreshed ? .notTold : nil)
    }

    /// A part of a login that may live on.
    enum Part: String, Encodable, Sendable {
        case session
        case accessToken = "access token"
        case refreshToken = "refresh token"
    }

    /// The result of a logout at the server.
    enum Outcome: String, CaseIterable, Encodable, Sendable {
        case ended = "revoked"
        case endedBefore = "ended before"
        case stillAccepted = "still accepted"
        /// The server was told; the effect is not known.
        case unproven
        case notAsked = "not asked"
        /// The profile has no logout.
        case noLogout
        case notOffered = "not offered"
        case failed
    }

    /// Nothing has ended unless verify refused the old session.
    var outcome: Outcome {
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

    /// The parts that are known to live on although the server was told to end them.
    var livesOn: [Part] {
        guard wasSent else { return [] }
        let session: [Part] = sessionIs == .alive ? [isToken ? .accessToken : .session] : []
        return session + (refreshTokenIs == .alive ? [.refreshToken] : [])
    }

    /// Whether a logout was tried and did not do its work. An access token that lives until a known end does not count: many
    /// services have that by design.
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

extension LogoutFacts.Check {
    /// Reads the response of verify to the old session, which it accepted once, or it would not be stored: what anybody gets, and 403, say
    /// that it does not any more.
    /// - Parameters:
    ///   - isAnonymous: whether it is what anonymous clients got.
    ///   - isOthers: whether it names another person.
    init(_ judgement: Judgement, isAnonymous: Bool, isOthers: Bool) {
        switch judgement {
        case .accepted: self = isOthers ? .refused : .accepted
        case .refused(let refusal):
            switch refusal.doubt {
            case nil, .sameForAnybody, .forbidden: self = .refused
            case .unnamed: self = isAnonymous ? .refused : .unclear
            case .otherChallenge, .unproven: self = .unclear
            }
        case .forbidden(let refusal): self = refusal.doubt == .forbidden ? .refused : .accepted
        case .needsSecondFactor, .pending, .unclear: self = .unclear
        }
    }
}
