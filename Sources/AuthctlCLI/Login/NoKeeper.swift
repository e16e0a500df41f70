import LoginCore

/// A keeper that keeps nothing, and remembers the one login that came of a run.
final class NoKeeper: LoginKeeper {
    private(set) var login: Login?

    func prepare() throws(LoginError) {}

    func fill() throws(LoginError) -> StoredLogin { StoredLogin() }

    func approve(_ login: Login, _ approval: Approval) throws(LoginError) { self.login = login }

    func reject(_ part: StoredLogin.Part) throws(LoginError) { login = nil }

    func remember(_ exception: TrustedCertificate) throws(LoginError) {}
}
