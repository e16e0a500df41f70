import LoginCore
import LoginHTTP
import LoginStores
import Secrets

/// What became of one account at logout.
struct Receipt: Encodable {
    let profile: String
    let place: Origin
    let username: String
    var server: Server
    var erased = false
    /// When what lives on at the server ends, in seconds of Unix time.
    var expires: Int64?
    /// Why the server's half failed.
    var problem: String?
    /// Whether it was made with a Kerberos ticket, which is not authctl's to end.
    var hadTicket = false

    private enum CodingKeys: String, CodingKey {
        case profile, origin, username, server, erased, expires, problem
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(profile, forKey: .profile)
        try container.encode(place.description, forKey: .origin)
        try container.encode(username, forKey: .username)
        try container.encode(server, forKey: .server)
        try container.encode(erased, forKey: .erased)
        try container.encodeIfPresent(expires, forKey: .expires)
        try container.encodeIfPresent(problem, forKey: .problem)
    }

    /// What the server did, as the JSON of a receipt has it.
    enum Server: String, Encodable {
        case revoked
        case endedBefore = "ended before"
        case stillAccepted = "still accepted"
        /// It was asked, and nobody knows what came of it.
        case unproven
        case notAsked = "not asked"
        case failed

        init(_ outcome: Service.LogoutOutcome) {
            self =
                switch outcome {
                case .notConfigured: .notAsked
                case .ended: .revoked
                case .alreadyEnded: .endedBefore
                case .stillAccepted: .stillAccepted
                case .unproven: .unproven
                }
        }

        /// What the server did, as the end of a sentence.
        func words(problem: String?) -> String {
            switch self {
            case .revoked: "session ended at the server."
            case .endedBefore: "the server did not know the session any more."
            case .failed: "the server did not end the session: \(problem ?? "unknown")."
            case .notAsked: "the server was not asked."
            case .stillAccepted: "the server still accepts the session."
            case .unproven: "the server was asked to end the session; its answer does not tell whether it did."
            }
        }

        /// Whether the session may still be good at the server.
        var mayLiveOn: Bool {
            switch self {
            case .revoked, .endedBefore: false
            case .notAsked, .failed, .stillAccepted, .unproven: true
            }
        }
    }

    /// A session that goes on is a failure, unless its end is known and told.
    mutating func noteEnd() {
        guard server == .stillAccepted, expires == nil else { return }
        problem = "the server still accepts the session, and does not tell when it ends"
    }

    func words(now: Int64) -> String {
        let who = username.isEmpty ? "" : "\(SafeText.escaped(username)) of "
        let copy = erased ? "local copy erased from the store" : "no local copy was left"
        var words = "Logged out \(who)\(profile) (\(place)): \(copy); "
        words += server.words(problem: problem)
        if hadTicket { words += " The Kerberos ticket is left as it is: kdestroy ends it." }
        if server.mayLiveOn, let expires, expires > now {
            words += " There the session lives on for \(Duration.inWords(expires - now))."
        }
        return words
    }
}

/// Ends the login of one account: at the server where the profile says how, then here, whatever the server said.
struct AccountLogout {
    let invocation: Invocation
    let profile: ProfileRecord
    let account: AccountRecord

    func perform(asksServer: Bool) throws(LoginError) -> Receipt {
        invocation.topic = ErrorContext(profile: profile.name, origin: account.origin)
        var receipt = Receipt(
            profile: profile.name, place: account.origin, username: account.identity.displayName,
            server: .notAsked, expires: account.kind == .basic ? nil : account.expires)
        receipt.hadTicket = account.kind == .ticket
        if asksServer, account.origin == profile.origin {
            do throws(LoginError) {
                receipt.server = try askServer()
                receipt.noteEnd()
            } catch {
                receipt.server = .failed
                receipt.problem = error.message(about: ErrorContext()).what
            }
        }
        let shelf = invocation.shelf()
        receipt.erased = try fromStore { () throws(StoreFault) in
            try invocation.book.forget(account.id(in: profile.name)) { (name) throws(StoreFault) in
                try shelf.open(name)
            }
        }
        return receipt
    }

    private func askServer() throws(LoginError) -> Receipt.Server {
        guard invocation.profiles.source(of: profile.name) != nil else { return .notAsked }
        let profile = try invocation.profile(named: profile.name)
        guard profile.logout != nil, try invocation.record(of: profile) != nil else { return .notAsked }
        var settings = LoginSettings()
        settings.username = account.username
        let run = try LoginRun(invocation, profile, settings)
        let stored = try run.keeper.fill()
        guard let session = stored.session else { return .notAsked }
        run.service.hold(stored.extraSecrets)
        return Receipt.Server(try run.service.logout(session, username: account.username))
    }
}
