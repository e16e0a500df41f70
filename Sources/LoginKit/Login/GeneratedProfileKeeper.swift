package import LoginCore
import LoginWords
import LoginStores

/// Keeps a login by URL: right before it is saved its profile is written down, so that it is saved under a name that no
/// other login at the same time has taken.
package final class GeneratedProfileKeeper: LoginKeeper {
    private let target: LoginTarget
    /// With the profile under the name that it got.
    package private(set) var run: LoginRun

    package init(_ target: LoginTarget, _ run: LoginRun) {
        self.target = target
        self.run = run
    }

    package func prepare() throws(LoginError) { try run.keeper.prepare() }

    package func fill() throws(LoginError) -> StoredLogin { try run.keeper.fill() }

    package func reject(_ part: StoredLogin.Part) throws(LoginError) { try run.keeper.reject(part) }

    package func remember(_ exception: TrustedCertificate) throws(LoginError) { try run.keeper.remember(exception) }

    package func approve(_ login: Login, _ approval: Approval) throws(LoginError) {
        if case .login(let method) = approval { try remember(method) }
        run.context.warnOfStore(for: run.profile)
        try run.keeper.approve(login, approval)
    }

    /// Writes the profile down, where anything of the login is kept: without, `status` would tell of a login that is missing.
    package func remember(_ method: AuthenticationMethod?) throws(LoginError) {
        if run.keepsNothing { return }
        let profile = try run.context.remember(target, method: method)
        guard profile.name != run.profile.name else { return }
        run.context.topic.profile = profile.name
        run = try LoginRun(run.context, profile, run.settings)
        try run.keeper.prepare()
    }
}
