package import LoginCore
import LoginWords
package import LoginHTTP
package import LoginStores
import Secrets

/// What became of one account at logout.
package struct Receipt {
    package let profile: String
    package let place: Origin
    package let username: String
    package var server: Server
    package var erased = false
    /// When what lives on at the server ends, in seconds of Unix time.
    package var expires: Int64?
    /// Why the server's half failed.
    package var problem: String?
    /// Whether it was made with a Kerberos ticket, which is not authctl's to end.
    package var hadTicket = false
    /// Whether there is a session at the server, which may live on; a credential that is sent each time has none.
    package var hadSession = true

    package init(profile: String, place: Origin, username: String, server: Server, expires: Int64?) {
        (self.profile, self.place, self.username) = (profile, place, username)
        (self.server, self.expires) = (server, expires)
    }

    /// What the server did, in a word.
    package enum Server: String {
        case revoked
        case endedBefore = "ended before"
        case stillAccepted = "still accepted"
        /// It was asked, and nobody knows what came of it.
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

/// Ends the login of one account: at the server where the profile says how, then here, whatever the server said.
package struct AccountLogout {
    package let context: LoginContext
    package let profile: ProfileRecord
    package let account: AccountRecord

    private let made: Profile?

    /// - Parameter made: the profile where no file has it.
    package init(context: LoginContext, profile: ProfileRecord, account: AccountRecord, as made: Profile? = nil) {
        (self.context, self.profile, self.account) = (context, profile, account)
        self.made = made
    }

    package func perform(asksServer: Bool) throws(LoginError) -> Receipt {
        context.topic = ErrorContext(profile: profile.name, origin: account.origin)
        var receipt = Receipt(
            profile: profile.name, place: account.origin, username: account.identity.displayName,
            server: .notAsked, expires: account.kind == .basic ? nil : account.expires)
        receipt.hadTicket = account.kind == .ticket
        receipt.hadSession = account.kind == .token || account.kind == .cookies
        if asksServer, account.origin == profile.origin {
            do throws(LoginError) {
                receipt.server = try askServer()
                receipt.noteEnd()
            } catch {
                receipt.server = .failed
                receipt.problem = error.message(about: ErrorContext()).what
            }
        }
        let shelf = context.shelf()
        receipt.erased = try fromStore(
            try context.book.forget(account.id(in: profile.name)) { (name) throws(StoreFault) in
                try shelf.open(name)
            })
        return receipt
    }

    private func askServer() throws(LoginError) -> Receipt.Server {
        guard made != nil || context.profiles.source(of: profile.name) != nil else { return .notAsked }
        let profile = if let made { made } else { try context.profile(named: profile.name) }
        guard profile.logout != nil || profile.oauth != nil else { return .noLogout }
        guard try context.record(of: profile) != nil else { return .notAsked }
        var settings = LoginSettings()
        settings.username = account.username
        let run = try LoginRun(context, profile, settings)
        let stored = try run.keeper.fill()
        guard let session = stored.session else { return .notAsked }
        run.service.hold(stored.extraSecrets)
        defer {
            if let id = run.service.undeletedClient {
                context.say(
                    "the client \(SafeText.quoted(id)), registered for this login, could not be deleted at the authorization server"
                )
            }
        }
        return Receipt.Server(try run.service.logout(session, username: account.username))
    }
}
