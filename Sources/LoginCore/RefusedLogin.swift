/// What the server has refused in an answer outside of a login.
public struct RefusedLogin: Equatable, Sendable {
    /// What went along with the request that was refused.
    public let session: Session
    /// What the server said.
    public let refusal: Refusal

    /// - Parameter session: as it is stored, so that it can be told from what another process has saved since.
    public init(session: Session, refusal: Refusal) {
        self.session = session
        self.refusal = refusal
    }
}
