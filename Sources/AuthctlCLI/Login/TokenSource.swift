import LoginCore
import LoginHTTP
import LoginStores
import Secrets

/// The stored session of a profile, renewed if it does not live long enough. Without need, nothing is asked of the
/// network.
struct TokenSource {
    let invocation: Invocation
    let profile: Profile
    /// Seconds that the session has to live at least.
    let minimum: Int64
    let asksServer: Bool

    func session() throws(LoginError) -> (session: Session, username: String) {
        if invocation.mayUseGivenVariables(for: profile, isLogin: false),
            GivenCredential.variable(invocation.world.environment, true) != nil
        {
            return try loggedInWithGiven()
        }
        let account = try invocation.account(profile)
        if account.passwordRefused && account.kind == .basic {
            throw .loginRequired(LoginNeed(why: .passwordRefusedBefore))
        }
        // May renew what is stored.
        if asksServer { _ = try LoginRun(invocation, profile, settings(account)).run() }
        let keeper = invocation.keeper(profile, account.origin, settings(account))
        guard let session = try keeper.fill().session else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        return (livesLongEnough(session) ? session : try renewed(session, account), account.username)
    }

    private func settings(_ account: AccountRecord) -> LoginSettings {
        var settings = LoginSettings()
        settings.username = account.username
        settings.policy = LoginFlow.Policy(mayAsk: false)
        settings.store = account.store
        return settings
    }

    private func livesLongEnough(_ session: Session) -> Bool {
        guard let expires = session.expires else { return true }
        return expires - invocation.world.clock.now() >= max(minimum, 1)
    }

    /// By the profile's `refresh`; else by the password, where that is kept.
    private func renewed(_ session: Session, _ account: AccountRecord) throws(LoginError) -> Session {
        let run = try LoginRun(invocation, profile, settings(account))
        if run.service.canRenew(session) {
            if let next = try run.renewed(session, username: account.username) { return try checked(next) }
            try run.keeper.reject(.session)
        }
        guard let credential = try run.keeper.fill().credential else {
            throw .loginRequired(LoginNeed(why: .sessionExpired, missing: profile.fields))
        }
        let login = try run.service.authenticate(credential)
        try run.keeper.approve(login)
        return try checked(login.session)
    }

    private func checked(_ session: Session) throws(LoginError) -> Session {
        guard livesLongEnough(session) else {
            let left = (session.expires ?? 0) - invocation.world.clock.now()
            throw .failure(.tokenTooShortLived(seconds: left))
        }
        return session
    }

    /// With a password from the environment: kept where a store works, and used all the same where none does.
    private func loggedInWithGiven() throws(LoginError) -> (session: Session, username: String) {
        let run = try StoredCheck(invocation, profile, persist: nil).run
        guard let given = run.settings.given else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        let login = try run.service.authenticate(given)
        do throws(LoginError) {
            try run.keeper.prepare()
            try run.keeper.approve(login)
        } catch {
            invocation.say("authctl: the login is not kept: \(error.message(about: invocation.topic).what)")
        }
        return (login.session, login.identity.username)
    }
}
