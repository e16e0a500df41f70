public import LoginCore

// Renewing what is stored, one process at a time.
extension StoreKeeper {
    /// Takes the right to renew the sessions of this profile, and looks again at what is stored.
    ///
    /// A refresh token is often good once, and a second use of it ends the session for everybody (RFC 9700, section
    /// 4.14.2). The right ends with the next `approve` or `reject`, or with this keeper; where a password is kept beside
    /// a session that is rejected, only once the password is judged too.
    ///
    /// - Returns: the session that is stored now; if it is not `session`, another process has judged or renewed that
    ///   meanwhile, and whoever waits for the right may have it at once.
    /// - Throws: `store(.locked)` if another process has the right for too long.
    public func beginRenewal(of session: Session?) throws(LoginError) -> Session? {
        do throws(StoreFault) {
            renewal = try book.lockRenewal(of: subject.profile)
        } catch {
            throw .store(error)
        }
        let present = try fill().session
        // Without a session the password beside it is tried next, by one process too.
        if present != session && (present != nil || password == nil) { renewal = nil }
        return present
    }
}
