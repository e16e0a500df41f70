/// A session that was not earned here: verify alone judges it.
public struct CopiedSession: Equatable, Sendable {
    package let session: Session

    package init(_ session: Session) { self.session = session }
}
