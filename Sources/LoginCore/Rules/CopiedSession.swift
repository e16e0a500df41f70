/// A session that was not earned here: verify alone judges it.
public struct CopiedSession: Equatable, Sendable {
    package let session: Session

    /// What verify has said of it already.
    package let login: Login?

    package init(_ session: Session) { (self.session, login) = (session, nil) }

    /// One that verify has accepted just now.
    package init(_ login: Login) { (session, self.login) = (login.session, login) }
}
