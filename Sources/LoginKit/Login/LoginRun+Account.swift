import Secrets

// Lets one thread, process or machine refresh at a time.
extension LoginRun: LoginKeeper {
    /// Whether what is earned is kept, so that others have use for it.
    private var isShared: Bool { request.persistence(of: profile) != Persistence.none }

    /// Whether it is a login of its own, which neither waits for the refresh of what is stored nor takes its outcome.
    private var isForced: Bool { request.policy.force || purpose == .trial }

    private var isForAction: Bool { if case .action = purpose { true } else { false } }

    func resume(_ partial: any PartialLogin, code: Secret?) throws(LoginFault) -> LoginStep {
        try withoutSharedName(try service.resume(partial, code: code))
    }

    /// Earns one session for all processes by a stored password or a machine's proof; only one sends a password that is refused. Takes
    /// the session that another process got while this one waited.
    func begin(_ credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep {
        try withoutSharedName(try earned(by: credential, code: code))
    }

    private func earned(by credential: Credential, code: Secret?) throws(LoginFault) -> LoginStep {
        let isProof = isShared && service.profile.provesItself && credential.kind == .ticket
        let sharesSession =
            !isForced && saver.refresh == nil && (isProof || saver.password?.kind == credential.kind)
        guard sharesSession else { return try service.begin(credential, code: code) }
        let known = isProof ? saver.filled?.login.session : nil
        if let earned = try saver.beginRefresh(of: known), earned != known {
            do {
                let username = isProof ? saver.identity?.username : credential.username
                let login = try verify(earned, username: username ?? "")
                guard isProof else { return .accepted(login) }
                // What is kept beside the session is written anew with it.
                return .accepted(
                    Login(
                        identity: login.identity, session: login.session,
                        extraSecrets: credential.extraSecrets.asked.merging(login.extraSecrets) { $1 },
                        anonymousResponse: login.anonymousResponse, space: login.space))
            } catch .rejected {
                // It was the session that was refused, not the password.
            }
        } else if !isProof, saver.password == nil {
            throw .loginRequired(LoginNeed(why: .sessionRefused))
        }
        return try service.begin(credential, code: isProof ? nil : code)
    }

    /// A login that goes by the typed name if the place which a search found for the server's names another account alike: then it
    /// tells of no person (`Group: <b>admin</b>`), and leaves the profile. Not where nothing else tells a login from none.
    private func withoutSharedName(_ step: LoginStep) throws(LoginFault) -> LoginStep {
        guard purpose != .trial, case .accepted(var login) = step, let name = login.identity.serverName,
            profile.fields.contains(.username), login.anonymousResponse?.isToldWithoutName == true,
            case .verify(var rule) = service.client.profile.proof
        else { return step }
        let others = try context.record(of: profile)?.accounts.filter {
            !$0.username.isSame(as: login.identity.username) && $0.serverName?.isSame(as: name) == true
        }
        guard let others, !others.isEmpty, try GeneratedProfiles(context).removeFoundUsername(from: profile) else {
            return step
        }
        let ids = others.map { $0.id(in: profile.name) }
        _ = try fromStore(
            try keeper.registry.update { for id in ids { $0.updateAccount(id) { $0.serverName = nil } } })
        rule.response.username = nil
        service.client.profile.proof = .verify(rule)
        context.person.say(
            "the profile no longer looks for a user name in the page: it shows \(SafeText.quoted(name)) to several accounts"
        )
        login.identity = Identity(username: login.identity.username, serverName: nil)
        return .accepted(login)
    }

    func verify(_ session: Session, username: String) throws(LoginFault) -> Login {
        if isForced { return try service.verify(session, username: username) }
        if isKnown(session) {
            return Login(
                identity: saver.identity ?? Identity(username: username, serverName: nil), session: session)
        }
        let login = try service.verify(session, username: username)
        try saver.confirm(login.identity, hiding: service.repeatsSecret)
        return login
    }

    /// Whether the session is a grant that was just refreshed, and only a token is wanted: then the server's word is enough (RFC 6749,
    /// section 6).
    private func isKnown(_ session: Session) -> Bool {
        request.wantsTokenAlone && session == lastRefreshed && session.terms != nil
            && saver.filledRecord?.doubt == nil
    }

    /// - Returns: the session of another process, if that has refreshed it meanwhile.
    func refresh(_ session: Session, username: String) throws(LoginFault) -> Session? {
        lastRefreshed =
            isForced
            ? try service.refresh(session, username: username)?.session : try refreshAlone(session, username: username)
        return lastRefreshed
    }

    /// Refreshes while no other process does.
    /// - Returns: the session of another process, if that came first.
    private func refreshAlone(_ session: Session, username: String) throws(LoginFault) -> Session? {
        let isNew = outdated.map { $0 != session } ?? false
        outdated = nil
        if isNew { return session }
        guard service.canRefresh(session) || saver.password != nil else { return nil }
        repeat {
            let present = try saver.beginRefresh(of: session)
            guard present == session else { return present }
        } while try !saver.isInTime()
        // The response must be saved even if the program is told to end meanwhile: the old token may be used up.
        saver.hold = context.person.interruptionHold()
        var refresh: Service.RefreshedSession?
        defer { if refresh == nil { saver.hold = nil } }
        do {
            refresh = try service.refresh(session, username: username)
        } catch {
            // What came for another person has ended the login, and nothing of it is kept.
            if case .oauth(.otherSubject) = error { try saver.reject(.session) }
            if error.leavesTokenUnused { saver.cancelSharedRefresh() }
            // A person may be asked next, and nobody is to wait for them.
            if case .busy(let fault) = error, fault.isDoubtful, saver.password == nil { saver.endRefresh() }
            if case .rejected = error, let newer = try saver.newerSession(than: session) { return newer }
            throw error
        }
        guard let refresh else { return nil }
        if let other = saver.identity.flatMap({ refresh.owner.otherPerson(than: $0) }) {
            try saver.keep(refresh.session, of: other)
        }
        if !request.wantsTokenAlone || refresh.session.terms == nil { saver.doubt = .unverified }
        return refresh.session
    }
}

// Keeping what came of it.
extension LoginRun {
    func prepareStore() throws(LoginFault) {
        if purpose == .trial { return }
        do {
            try saver.prepare()
        } catch {
            try goOn(without: error)
        }
    }

    func fill() throws(LoginFault) -> StoredLogin {
        if purpose == .trial { return StoredLogin() }
        let stored = if let alreadyRead { alreadyRead } else { try saver.fill() }
        alreadyRead = nil
        (session, password) = (stored.session, stored.credential?.secret)
        return stored
    }

    func approve(_ login: Login, _ approval: Approval) throws(LoginFault) {
        (session, space) = (login.session, login.space ?? space)
        password = login.credential?.secret ?? password
        try keep(login, approval)
        (identity, isKept) = (login.identity, true)
        service.client.handover?.given.removeAll(where: \.isConfirmed)
    }

    private func keep(_ login: Login, _ approval: Approval) throws(LoginFault) {
        if purpose == .trial { return }
        guard hasStore else { return saver.endRefresh() }
        if let chooseKeeper { saver = try chooseKeeper(login, approval) }
        if isForAction { context.accounts.warnOfStore(for: profile) }
        do {
            try saver.approve(login, approval)
        } catch {
            try goOn(without: error)
        }
    }

    /// The session that holds: the new one, else the one that is stored.
    func standing() throws(LoginFault) -> Session? {
        isKept || purpose == .trial ? session : try saver.fill().session ?? session
    }

    /// Keeps what verify has refreshed after the login.
    func take(_ session: Session) throws(LoginFault) {
        guard hasStore, purpose != .trial, self.session?.hasValues(of: session) == false else { return }
        try saver.approve(Login(identity: identity, session: session), .refresh)
        self.session = session
    }

    /// Has no login of the profile end another one from now on.
    func leaveReplaced() throws(LoginFault) {
        warn(
            "when the session that this login replaces was ended, the service ended the new one, too; from now on a login "
                + "leaves it to expire. Logging in once more")
        if saver.keepsNothing { return }
        let subject = saver.subject
        _ = try fromStore(
            try saver.registry.update { document in
                document.updateProfile(subject.profile, url: subject.url, origin: subject.origin) {
                    $0.leavesReplaced = true
                }
            })
        context.lookAgain()
    }

    /// Takes note of whom the service names for the stored session.
    func confirm(_ identity: Identity, hiding isSecret: (String) -> Bool) throws(LoginFault) {
        if hasStore { try saver.confirm(identity, hiding: isSecret) }
    }

    func beginWaiting() {
        saver.refresh = nil
        outdated = request.outdated
    }

    func hasChanged(since stored: StoredLogin) throws(LoginFault) -> Bool {
        if isForced { return false }
        let now = try saver.fill()
        return now.session.map { $0 != stored.session } ?? now.credential.map { $0 != stored.credential } ?? false
    }

    /// With a password that was given the action needs no store.
    private func goOn(without fault: LoginFault) throws(LoginFault) {
        guard purpose == .action(withoutStore: true), case .store = fault else { throw fault }
        hasStore = false
        context.person.say("the login was not stored: \(fault.message().what)")
    }

    func reject(_ part: StoredLogin.Part) throws(LoginFault) {
        session = nil
        if purpose == .trial { return }
        try saver.reject(part)
        // Another machine may still have the session that comes next, so that it was not erased.
        guard isForAction, saver.unfinished == nil else { return }
        context.topic.done.append(part == .session ? .sessionErased : .passwordMarked)
    }

    func remember(_ exception: TrustedCertificate) throws(LoginFault) {
        if purpose != .trial { try saver.remember(exception) }
    }
}

extension AnonymousResponse {
    /// Whether each anonymous look differs from a login by more than a missing name.
    fileprivate var isToldWithoutName: Bool { all.allSatisfy { $0.isRefusedByRule || $0.status >= 300 } }
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
                .answerTooLarge, .unanswered, .other:
                false
            }
        default: true
        }
    }
}
