import LoginCore
import Secrets

// Refreshing what is stored, one process at a time.
extension StoreKeeper {
    /// Takes the right to refresh the sessions of this profile, and looks again at what is stored.
    ///
    /// A refresh token is often good once, and a second use of it ends the session for everybody (RFC 9700, section
    /// 4.14.2). The right ends with the next `approve` or `reject`, or with this keeper; where a password is kept beside
    /// a session that is rejected, only once the password is judged too.
    ///
    /// - Returns: the session that is stored now; if it is not `session`, another process has judged or refreshed that
    ///   meanwhile, and whoever waits for the right may have it at once.
    /// - Throws: `store(.locked)` if another process has the right for too long; `store(.noSpace)`, or another fault, if what
    ///   a refresh brings could not be kept.
    func beginRefresh(of session: Session?) throws(LoginFault) -> Session? {
        refresh = nil
        refresh = try fromStore(try registry.lockRefresh(of: [subject.profile], wait: refreshPatience))
        // Before the other locks: another machine may be at it for long.
        try beginSharedRefresh()
        let begun = filled
        do throws(LoginFault) {
            return try fromStore(try present(insteadOf: session))
        } catch {
            // Nothing was sent, and the other machines are not to wait for that.
            if let begun { (begun.store as? SharedStore)?.cancelRefresh(of: begun.id) }
            throw error
        }
    }

    private func present(insteadOf session: Session?) throws(StoreFault) -> Session? {
        let present = try registry.changing(loginsOf: [subject.profile]) { () throws(StoreFault) in
            let present = try read().session
            // Without a session the password beside it is tried next, by one process too.
            if present != session && (present != nil || password == nil) { refresh = nil }
            if refresh != nil { try testRoom() }
            return present
        }
        if refresh != nil { try reserveSpace() } else { cancelSharedRefresh() }
        return present
    }

    /// Gives up the right to refresh, where nothing will be kept.
    func endRefresh() {
        cancelSharedRefresh()
        (refresh, hold, space) = (nil, nil, [])
    }

    /// Writes what was just read once more, to a store that is no file: that takes as much space and changes nothing.
    private func testRoom() throws(StoreFault) {
        guard let filled, !(filled.store is any FileStore), !(filled.store is SharedStore) else { return }
        try filled.store.save(filled.bytes, for: filled.id, expires: filled.login.lastUse)
    }

    /// Takes the space for a new version of the registry, and of a store that is a file: a refresh token that was sent is used up,
    /// so what comes back has to be kept.
    private func reserveSpace() throws(StoreFault) {
        guard let filled else { return }
        let growth = 2 * filled.bytes.count + Self.spare
        space = [try registry.file.reserveSpace(adding: Self.spare)]
        if let shared = filled.store as? SharedStore {
            // Sealed and as base64, twice: in the journal, and as what was read last.
            space.append(try shared.memory(filled.id).file.reserveSpace(adding: 2 * growth))
        }
        guard let file = filled.store as? any FileStore else { return }
        space.append(try file.reserveSpace(adding: growth))
    }

    /// In bytes: more than a login usually grows by.
    private static let spare = 4096

    /// Has what a refresh brought kept, but not used before it is confirmed: the old one is used up, and whose the new one is
    /// was not said yet.
    func expectRefresh() { doubt = .unverified }

    /// Keeps a session that was refreshed for somebody else, and never uses it: what there was is used up.
    /// - Throws: `loginRequired`, always.
    func keep(_ session: Session, of other: Replacement) throws(LoginFault) {
        doubt = other.doubt
        let identity = Identity(username: other.stored.username, serverName: nil)
        try approve(Login(identity: identity, session: session), .refresh)
        throw .loginRequired(LoginNeed(why: .sessionOfAnother(other)))
    }

    /// Takes note of whom the service names for the session that was read: another person's stays, and is not used any more.
    /// - Parameter isSecret: whether a name repeats a secret.
    /// - Throws: `loginRequired` where that was in doubt since a refresh, and is another person.
    func confirm(_ identity: Identity, hiding isSecret: (String) -> Bool) throws(LoginFault) {
        guard let record = filledRecord, let filled else { return }
        let other = Replacement(of: record.identity, by: identity)?.hiding(isSecret)
        guard record.doubt == .unverified || other != nil else { return }
        filledRecord?.doubt = other?.doubt
        try fromStore(
            try registry.changing(loginsOf: [subject.profile]) { () throws(StoreFault) in
                // Saved by another process since: of that, nothing was said.
                guard try unchanged(filled) != nil else { return }
                try changeDetails { $0.doubt = other?.doubt }
            })
        if let other, record.doubt == .unverified { throw .loginRequired(LoginNeed(why: .sessionOfAnother(other))) }
    }
}

extension Replacement {
    fileprivate var doubt: AccountRecord.RefreshDoubt {
        .otherPerson(was: stored.serverName ?? "", now: confirmed.serverName ?? "")
    }
}

extension AccountRecord {
    /// The person who got the refreshed session in place of this account's.
    var otherPerson: Replacement? {
        guard case .otherPerson(let was, let now) = doubt else { return nil }
        return Replacement(
            of: Identity(username: username, serverName: was), by: Identity(username: username, serverName: now))
    }

    /// The time by which the clock was set back since this was saved, where an expiry depends on it.
    func clockDifference(at clock: WallClock) -> ClockDifference? {
        expires == nil ? nil : ClockDifference(settingBack: clock, since: savedAt)
    }
}
