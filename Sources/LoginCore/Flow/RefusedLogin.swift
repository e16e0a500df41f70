/// A refusal outside of a login.
package struct RefusedLogin: Equatable, Sendable {
    /// The credential that was sent with the refused request.
    package let session: Session
    /// The server's refusal.
    package let refusal: Refusal

    /// - Parameter session: as it is stored, so that it can be told from what another process has saved since.
    package init(session: Session, refusal: Refusal) {
        self.session = session
        self.refusal = refusal
    }
}
