package import LoginCore

/// A keeper that keeps nothing, and remembers the one login that came of a run.
package final class NoKeeper: LoginKeeper {
    package private(set) var login: Login?

    package init() {}

    package func prepare() throws(LoginFault) {}

    package func fill() throws(LoginFault) -> StoredLogin { StoredLogin() }

    package func approve(_ login: Login, _ approval: Approval) throws(LoginFault) { self.login = login }

    package func reject(_ part: StoredLogin.Part) throws(LoginFault) { login = nil }

    package func remember(_ exception: TrustedCertificate) throws(LoginFault) {}
}
