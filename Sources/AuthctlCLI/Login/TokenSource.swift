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
        let keeper = invocation.keeper(profile, account.origin, settings(account))
        let stored = try keeper.fill()
        guard let session = stored.session else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        if asksServer { try check(account) }
        if livesLongEnough(session) { return (asksServer ? try again(account) : session, account.username) }
        return (try renewed(session, account), account.username)
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

    private func check(_ account: AccountRecord) throws(LoginError) {
        _ = try LoginRun(invocation, profile, settings(account)).run()
    }

    private func again(_ account: AccountRecord) throws(LoginError) -> Session {
        let keeper = invocation.keeper(profile, account.origin, settings(account))
        guard let session = try keeper.fill().session else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        return session
    }

    /// By the profile's `refresh`; else by the password, where that is kept.
    private func renewed(_ session: Session, _ account: AccountRecord) throws(LoginError) -> Session {
        let run = try LoginRun(invocation, profile, settings(account))
        let stored = try run.keeper.fill()
        var login: Login?
        if case .token(let token) = session, token.refreshToken != nil, profile.refresh != nil {
            login = try refreshed(token, account, stored, run)
        }
        if login == nil, let credential = stored.credential { login = try run.service.authenticate(credential) }
        guard let login else { throw .loginRequired(LoginNeed(why: .sessionExpired, missing: profile.fields)) }
        try run.keeper.approve(login)
        guard livesLongEnough(login.session) else {
            let left = (login.session.expires ?? 0) - invocation.world.clock.now()
            throw .failure(.tokenTooShortLived(seconds: left))
        }
        return login.session
    }

    /// - Returns: nothing if the server refused the refresh token, which is then erased.
    private func refreshed(
        _ token: Token, _ account: AccountRecord, _ stored: StoredLogin, _ run: LoginRun
    ) throws(LoginError) -> Login? {
        do throws(LoginError) {
            let next = try run.service.refresh(token, username: account.username)
            return Login(identity: account.identity, session: .token(next), credential: stored.credential)
        } catch .rejected {
            try run.keeper.reject(.session)
            return nil
        }
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
