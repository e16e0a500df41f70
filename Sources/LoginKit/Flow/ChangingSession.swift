/// The session of a command whose responses change it.
///
/// A response may set the cookie of another account. So a value that a response brings waits until verify has named the same user
/// for it; only then does another request use it, and is it stored. Many services encrypt their cookie anew in each response, so
/// verify is asked once a minute, and at the end of the command; until then the last verified value goes on being used.
struct ChangingSession {
    /// The session that requests go out with.
    private(set) var used: Session
    /// The newest value of a response, until verify has said whose it is.
    private(set) var waiting: Session?
    /// Whether the service may have changed whose session the used one is.
    private(set) var isInDoubt = false
    /// Whether the used value may be stored: verify has named the same user for it.
    private(set) var isProven = true
    /// Whether the service refuses an old value as soon as there is a new one, so that none may wait.
    private(set) var rotates = false
    private let identity: Identity
    /// When verify was last asked about a value that waited.
    private var asked: ContinuousClock.Instant?

    /// Between two requests to verify about what waits.
    private static let interval = Duration.seconds(60)

    /// - Parameter identity: the account's, as far as it is known.
    init(_ session: Session, of identity: Identity) {
        (used, self.identity) = (session, identity)
    }

    /// Takes note of what a response has made of the session.
    mutating func note(_ session: Session) {
        guard session != used else { return }
        // A cookie that lives longer is nobody else's.
        if session.hasValues(of: used) { used = session } else { waiting = session }
    }

    /// Takes note of a request that may have logged in another account behind the same session.
    mutating func doubt() { isInDoubt = true }

    /// Whether verify is to be asked now about what waits.
    /// - Parameter isLast: no other request follows.
    func isDue(at now: ContinuousClock.Instant, isLast: Bool) -> Bool {
        guard waiting != nil else { return false }
        return isLast || rotates || asked.map { now - $0 >= Self.interval } ?? true
    }

    /// The values that the service may still know after it has refused a request: the newest first, since the former one may
    /// have been good for one response only.
    /// - Parameter refreshed: what the refusal itself has made of the session.
    func candidates(after refreshed: Session?) -> [Session] {
        var candidates: [Session] = []
        for session in [refreshed, waiting, used].compactMap(\.self) where !candidates.contains(session) {
            candidates.append(session)
        }
        return candidates
    }

    /// Takes a value that verify has accepted, unless it is another user's.
    /// - Parameters:
    ///   - login: as verify returned it, with whatever the response has refreshed.
    ///   - replacesRefused: whether the service has refused the used value although it waited for this one.
    /// - Returns: the other user.
    mutating func accept(
        _ session: Session, _ login: Login, replacesRefused: Bool = false, at now: ContinuousClock.Instant
    ) -> Replacement? {
        let isOld = session == used
        if !isOld { asked = now }
        if session == waiting { waiting = nil }
        if let other = RefreshOwner(named: login.identity.serverName).otherPerson(than: identity) {
            if isOld { isInDoubt = true }
            return other
        }
        if !isOld { isProven = identity.serverName != nil && login.identity.serverName != nil }
        rotates = rotates || replacesRefused
        (used, isInDoubt) = (login.session, false)
        return nil
    }

    /// Drops a value that verify does not accept.
    mutating func refuse(_ session: Session, at now: ContinuousClock.Instant) {
        if session == waiting { (waiting, asked) = (nil, now) }
    }

    /// Lets a value wait on, of which verify could not say anything.
    mutating func postpone(at now: ContinuousClock.Instant) { asked = now }
}

extension Session {
    /// Whether each of its cookies has the value that it has in `other`, and no cookie came or went.
    func hasValues(of other: Session) -> Bool {
        guard cookies.count == other.cookies.count, cookies.haveValues(of: other.cookies) else { return false }
        return switch (self, other) {
        case (.cookies, .cookies): true
        case (.token(let new), .token(let old)): new.with([]) == old.with([])
        case (.credential, _), (.token, _), (.cookies, _): self == other
        }
    }
}

extension [Cookie] {
    /// The names of `others` under which there is a value that none of that name has there.
    func changedNames(from others: [Cookie]) -> Set<String> {
        Set(
            filter { cookie in others.contains { $0.name == cookie.name } && ![cookie].haveValues(of: others) }.map(
                \.name))
    }

    /// The names of `others` under which there is nothing any more.
    func lostNames(from others: [Cookie]) -> Set<String> { Set(others.map(\.name)).subtracting(map(\.name)) }
}
