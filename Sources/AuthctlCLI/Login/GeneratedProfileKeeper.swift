import LoginCore
import LoginStores

/// Keeps a login by URL: right before it is saved its profile is written down, so that it is saved under a name that no
/// other login at the same time has taken.
final class GeneratedProfileKeeper: LoginKeeper {
    private let target: LoginTarget
    /// With the profile under the name that it got.
    private(set) var run: LoginRun

    init(_ target: LoginTarget, _ run: LoginRun) {
        self.target = target
        self.run = run
    }

    func prepare() throws(LoginError) { try run.keeper.prepare() }

    func fill() throws(LoginError) -> StoredLogin { try run.keeper.fill() }

    func reject(_ part: StoredLogin.Part) throws(LoginError) { try run.keeper.reject(part) }

    func remember(_ exception: TrustedCertificate) throws(LoginError) { try run.keeper.remember(exception) }

    func approve(_ login: Login, _ approval: Approval) throws(LoginError) {
        if case .login(let method) = approval { try remember(method) }
        run.invocation.warnOfStore(for: run.profile)
        try run.keeper.approve(login, approval)
    }

    /// Writes the profile down, where anything of the login is kept: without, `status` would tell of a login that is missing.
    func remember(_ method: AuthenticationMethod?) throws(LoginError) {
        if run.keepsNothing { return }
        let profile = try run.invocation.remember(target, method: method)
        guard profile.name != run.profile.name else { return }
        run.invocation.topic.profile = profile.name
        run = try LoginRun(run.invocation, profile, run.settings)
        try run.keeper.prepare()
    }
}
