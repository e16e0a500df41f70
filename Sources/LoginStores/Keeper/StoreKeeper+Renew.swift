public import LoginCore

// Renewing what is stored, one process at a time.
extension StoreKeeper {
    /// Exchanges the stored session for a new one, and keeps that.
    ///
    /// A refresh token is often good once, and a second use of it ends the session for everybody (RFC 9700, section
    /// 4.14.2): so whoever renews holds the profile's lock, and looks first whether another process has done it.
    ///
    /// - Parameters:
    ///   - old: the session that is over, as it was read.
    ///   - exchange: asks the server; nothing if it refuses.
    /// - Returns: nothing if the server refused, here or to another process.
    /// - Throws: `store(.locked)` if another process holds the lock for too long.
    public func renew(
        _ old: Session, by exchange: () throws(LoginError) -> Session?
    ) throws(LoginError) -> Session? {
        let lock: FileLock
        do throws(StoreFault) {
            lock = try book.lockRenewal(of: subject.profile)
        } catch {
            throw .store(error)
        }
        let present = try fill()
        var next = present.session
        if next == old {
            next = try exchange()
            let identity = Identity(username: present.username, serverName: nil)
            if let next { try approve(Login(identity: identity, session: next)) }
        }
        _ = consume lock
        return next
    }
}
