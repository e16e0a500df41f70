package import LoginCore

/// The result of a logout for one account.
package struct Receipt {
    package let profile: String
    package let place: Origin
    package let username: String
    package var server: Server
    package var erased = false
    /// When what lives on at the server ends, in seconds of Unix time.
    package var expires: Int64?
    /// The fault at the server.
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

    package init(profile: String, place: Origin, username: String, server: Server, expires: Int64?) {
        (self.profile, self.place, self.username) = (profile, place, username)
        (self.server, self.expires) = (server, expires)
    }

    /// The server's part, in a word.
    package enum Server: String {
        case revoked
        case endedBefore = "ended before"
        case stillAccepted = "still accepted"
        /// It was asked; the result is not known.
        case unproven
        case notAsked = "not asked"
        /// The profile has no logout.
        case noLogout
        /// The authorization server revokes no tokens of this client.
        case notOffered = "not offered"
        case failed

        package init(_ outcome: Service.LogoutOutcome) {
            self =
                switch outcome {
                case .notConfigured: .noLogout
                case .notOffered: .notOffered
                case .ended: .revoked
                case .alreadyEnded: .endedBefore
                case .stillAccepted: .stillAccepted
                case .unproven: .unproven
                }
        }

        /// Whether the session may still be good at the server.
        package var mayLiveOn: Bool {
            switch self {
            case .revoked, .endedBefore: false
            case .notAsked, .noLogout, .notOffered, .failed, .stillAccepted, .unproven: true
            }
        }

        /// Whether nothing has been done at the server.
        package var isUntouched: Bool {
            switch self {
            case .notAsked, .noLogout, .notOffered: true
            case .revoked, .endedBefore, .failed, .stillAccepted, .unproven: false
            }
        }
    }

    /// A session that goes on is a failure, unless its end is known and told.
    package mutating func noteEnd() {
        guard server == .stillAccepted, expires == nil else { return }
        problem = "the server still accepts the session, and does not say when it expires"
    }
}
