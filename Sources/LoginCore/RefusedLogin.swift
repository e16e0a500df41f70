/// What the server has refused in an answer outside of a login.
package struct RefusedLogin: Equatable, Sendable {
    /// What went along with the request that was refused.
    package let session: Session
    /// What the server said.
    package let refusal: Refusal

    /// - Parameter session: as it is stored, so that it can be told from what another process has saved since.
    package init(session: Session, refusal: Refusal) {
        self.session = session
        self.refusal = refusal
    }
}
