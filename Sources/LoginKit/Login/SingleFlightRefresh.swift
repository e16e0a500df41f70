import Secrets

/// The service, with what is stored refreshed by one process at a time, be it by a refresh or by the password that is kept.
final class SingleFlightRefresh: Authenticator {
    private let service: Service
    private let keeper: StoreKeeper
    /// Until the first refresh.
    private var outdated: Session?
    /// Whether the authorization server's word is enough for a grant that it has refreshed.
    private let trustsGrants: Bool
    private var refreshed: Session?
    private let context: LoginContext
    /// Whether what is earned is kept, so that others have use for it.
    private let isShared: Bool

    /// - Parameter settings: with the session that was found to be over before this login began; `nil` for whichever is there.
    init(_ service: Service, _ keeper: StoreKeeper, _ request: LoginRequest, _ context: LoginContext) {
        self.context = context
        self.service = service
        self.keeper = keeper
        outdated = request.outdated
        trustsGrants = request.wantsTokenAlone
        isShared = request.persistence(of: service.profile) != Persistence.none
    }

    deinit { keeper.hold = nil }

    func prepare() throws(LoginFault) -> ProtectionSpace { try service.prepare() }

    var takenForLater: [CredentialField: Secret] { service.takenForLater }

    func hold(_ extraSecrets: [CredentialField: Secret]) { service.hold(extraSecrets) }

    /// Earns one session for all processes by a stored password or a machine's proof; only one sends a password that is refused.
    func begin(_ credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep {
        let provesItself = isShared && service.profile.provesItself && credential.kind == .ticket
        if provesItself, !keeper.mayRefresh { return try prove(credential) }
        guard let kept = keeper.password, kept.kind == credential.kind, !keeper.mayRefresh else {
            return try service.begin(credential, code: code)
        }
        if let earned = try keeper.beginRefresh(of: nil) {
            do throws(LoginFault) {
                return .accepted(try verify(earned, username: credential.username ?? ""))
            } catch .rejected {
                // It was the session that was refused, not the password.
                return try service.begin(credential, code: code)
            }
        }
        guard keeper.password != nil else { throw .loginRequired(LoginNeed(why: .sessionRefused)) }
        return try service.begin(credential, code: code)
    }

    /// Takes the token that another process got while this one waited.
    private func prove(_ credential: Credential) throws(LoginFault) -> LoginStep {
        let known = keeper.filled?.login.session
        let present = try keeper.beginRefresh(of: known)
        if let present, present != known {
            do throws(LoginFault) {
                let login = try verify(present, username: keeper.identity?.username ?? "")
                // What is kept beside the session is written anew with it.
                return .accepted(
                    Login(
                        identity: login.identity, session: login.session,
                        extraSecrets: credential.extraSecrets.asked.merging(login.extraSecrets) { $1 },
                        anonymousResponse: login.anonymousResponse, space: login.space))
            } catch .rejected {
                return try service.begin(credential, code: nil)
            }
        }
        return try service.begin(credential, code: nil)
    }

    func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginFault) -> LoginStep {
        try service.resume(partial, code: code)
    }

    func verify(_ session: Session, username: String) throws(LoginFault) -> Login {
        if isKnown(session) {
            return Login(
                identity: keeper.identity ?? Identity(username: username, serverName: nil), session: session)
        }
        let login = try service.verify(session, username: username)
        try keeper.confirm(login.identity, hiding: service.repeatsSecret)
        return login
    }

    /// Whether a session is a grant that was refreshed just now: a refresh token is bound to whoever it was given for (RFC 6749,
    /// section 6).
    private func isKnown(_ session: Session) -> Bool {
        trustsGrants && session == refreshed && session.terms != nil && keeper.filledRecord?.doubt == nil
    }

    func trust(_ exception: TrustedCertificate) { service.trust(exception) }

    /// - Returns: the session of another process, if that has refreshed it meanwhile.
    func refresh(_ session: Session, username: String) throws(LoginFault) -> Session? {
        refreshed = try next(session, username: username)
        return refreshed
    }

    private func next(_ session: Session, username: String) throws(LoginFault) -> Session? {
        let isNew = outdated.map { $0 != session } ?? false
        outdated = nil
        if isNew { return session }
        guard service.canRefresh(session) || keeper.password != nil else { return nil }
        var tries = 0
        repeat {
            let present = try keeper.beginRefresh(of: session)
            guard present == session else { return present }
            tries += 1
        } while try !keeper.isInTime(after: tries)
        let refresh: Service.RefreshedSession
        do throws(LoginFault) {
            guard let brought = try refreshed(session, username) else { return nil }
            refresh = brought
        } catch .rejected(let refusal) {
            if let newer = try keeper.newerSession(than: session) { return newer }
            throw .rejected(refusal)
        }
        if let other = keeper.identity.flatMap({ refresh.owner.otherPerson(than: $0) }) {
            try keeper.keep(refresh.session, of: other)
        }
        if !trustsGrants || refresh.session.terms == nil { keeper.expectRefresh() }
        return refresh.session
    }

    /// Sends a refresh. Its response must be saved even if the program is told to end meanwhile: the old token may be used up.
    /// What came for another person has ended the login, and nothing of it is kept.
    private func refreshed(_ session: Session, _ username: String) throws(LoginFault) -> Service.RefreshedSession? {
        keeper.hold = context.interruptionHold()
        var hasResponse = false
        defer { if !hasResponse { keeper.hold = nil } }
        do throws(LoginFault) {
            let refresh = try service.refresh(of: session, username: username)
            hasResponse = refresh != nil
            return refresh
        } catch {
            if case .oauth(.otherSubject) = error { try keeper.reject(.session) }
            if error.leavesTokenUnused { keeper.cancelSharedRefresh() }
            // A person may be asked next, and nobody is to wait for them.
            if case .busy(let fault) = error, fault.isDoubtful, keeper.password == nil { keeper.endRefresh() }
            throw error
        }
    }
}

extension LoginFault {
    /// Whether the refresh token is as good as before, since it was not sent, or not looked at. A response that was not heard may
    /// have used it up.
    fileprivate var leavesTokenUnused: Bool {
        switch self {
        case .rejected: false
        case .network(let fault):
            switch fault {
            case .nameNotResolved, .notConnected, .proxy, .handshakeLost, .notTLS, .noKerberosServer: true
            case .timedOut, .tooSlow, .connectionLost, .notHTTP, .endedUnanswered, .brokenResponse, .redirectLoop,
                .answerTooLarge, .other:
                false
            }
        default: true
        }
    }
}

extension LoginContext {
    /// Whether authctl gets a new session by itself once this one has ended: with a refresh token, or the password that is kept.
    ///
    /// Only the store knows; what cannot be read there is told of elsewhere.
    package func refreshes(_ account: AccountRecord, of profile: Profile) -> Bool {
        if account.passwordRefused { return false }
        if account.keepsPassword { return true }
        guard account.kind == .token, profile.refresh != nil || profile.oauth != nil else { return false }
        var session: Session?
        if account.store.isShared {
            guard let secret = lastRead(account, in: profile.name)?.secret else { return false }
            session = try? StoredLoginCodec.decodeShared(secret, of: profile.kind).login.session
        } else {
            var request = LoginRequest()
            request.username = account.username
            session = try? keeper(profile, account.origin, request).fill(account).session
        }
        guard case .token(let token) = session else { return false }
        return token.refreshToken != nil
    }
}
