public import LoginCore

// Renewing what is stored, one process at a time.
extension StoreKeeper {
    /// Takes the right to renew the sessions of this profile, and looks again at what is stored.
    ///
    /// A refresh token is often good once, and a second use of it ends the session for everybody (RFC 9700, section
    /// 4.14.2). The right ends with the next `approve` or `reject`, or with this keeper.
    ///
    /// - Returns: the session that is stored now; if it is not the one that the caller has, another process has renewed
    ///   it meanwhile.
    /// - Throws: `store(.locked)` if another process has the right for too long.
    public func beginRenewal() throws(LoginError) -> Session? {
        do throws(StoreFault) {
            renewal = try book.lockRenewal(of: subject.profile)
        } catch {
            throw .store(error)
        }
        return try fill().session
    }
}
