package import LoginCore

extension StoreKeeper {
    /// In the place of what was accepted for the origin before. A login that is kept nowhere leaves no exception either.
    package func remember(_ exception: TrustedCertificate) throws(LoginFault) {
        if keepsNothing { return }
        _ = try fromStore(try registry.update { $0.trust(exception) })
    }
}
