import Secrets

/// One login by one profile: builds what a `LoginFlow` needs, runs it, and holds the result afterwards.
package final class LoginRun {
    /// The use that is made of a login.
    package enum Purpose: Equatable {
        /// Gets a login; says nothing of what was erased, and does not warn of its store.
        case login
        /// Gets a session for an action, which goes on `withoutStore` if no store works.
        case action(withoutStore: Bool)
        /// Makes a login for one command: uses no stored session, and keeps nothing.
        case trial
    }

    /// Returns the keeper of a new login, right before that is kept.
    package typealias KeeperChoice = (Login, Approval) throws(LoginFault) -> StoreKeeper

    package let context: LoginContext
    package let profile: Profile
    package let endpoint: ServiceEndpoint
    package let request: LoginRequest
    package let service: Service
    /// Reads the login that is there.
    package let keeper: StoreKeeper
    /// The secrets stored beside the session: those that were given, and the passphrases of a machine's key, and of the certificate's key
    /// unless the certificate is the credential.
    package let extraSecrets: [CredentialField: Secret]
    let beside: (identity: ClientIdentity?, options: Service.Options, method: LoginMethodMaker?)

    var purpose = Purpose.login
    var chooseKeeper: KeeperChoice?
    /// The keeper that was read from, later the one that keeps the login.
    var saver: StoreKeeper
    /// The answer to the first fill, since another read of the store may run gpg.
    var alreadyRead: StoredLogin?
    /// The session to be replaced, until the first refresh after a question.
    var outdated: Session?
    /// The result of the last refresh.
    var lastRefreshed: Session?
    /// The account's identity, once the run has ended.
    var identity = Identity(username: "", serverName: nil)
    /// Whether the login was there already.
    package internal(set) var wasThere = false
    /// Whether the login was made or refreshed now, and is kept.
    var isKept = false
    /// Whether the service has ended it together with those that it has replaced.
    var isEndedWithOthers = false
    /// False once a store has turned out not to work.
    var hasStore = true
    /// The stored session, later the new one.
    var session: Session?
    /// The password that is stored beside a session.
    var password: Secret?
    /// The protection space in which this run verified the login.
    var space: VerifiedSpace?

    package init(_ context: LoginContext, _ profile: Profile, _ request: LoginRequest) throws(LoginFault) {
        (self.context, self.profile) = (context, profile)
        // A URL may have become a profile with other fields since.
        context.topic.fields = profile.fields
        let endpoint = try context.connections.endpoint(profile)
        self.endpoint = endpoint
        var request = request
        request.policy.provesItself = profile.provesItself
        var transport = try context.connections.transportSettings(profile, for: endpoint.origin)
        transport.fingerprint = request.policy.trust.fingerprint
        let handover = Handover(context.dependencies.postponement)
        transport.isCancelled = { [isCancelled = transport.isCancelled] in
            handover.isInterrupted || isCancelled?() == true
        }
        // Signals wait there until nothing of the browser is left.
        if profile.traits.opensWindow { transport.isCancelled = HeldSignals.orPending(transport.isCancelled) }
        let unlocker = ClientCertificateUnlocker(context: context, profile: profile, request: request) {
            context.accounts.keeper(profile, endpoint.origin, $0)
        }
        transport.identity = try unlocker.applied(to: &request)
        self.request = request
        keeper = context.accounts.keeper(profile, endpoint.origin, request)
        saver = keeper
        let feature = context.dependencies.features(profile.kind)
        let opened = try feature.opening?(context, profile, request, keeper)
        // Where the certificate is the proof, it is the credential.
        let ofCertificate = profile.traits.isProvedByCertificate ? nil : transport.identity?.passphrase
        let passphrases: [CredentialField: Secret] = [.passphrase: ofCertificate, .keyPassphrase: opened?.passphrase]
            .compactMapValues { $0 }
        extraSecrets = request.secrets.merging(passphrases) { $1 }
        // A new login needs none, and may be the way out where an old one is refused.
        let needsNone =
            request.policy.force || request.supplied != nil || request.persistence(of: profile) == Persistence.none
        if !needsNone, keeper.rules.sharedStore != nil { try context.accounts.adopt(by: keeper) }
        let record = try context.document().profile(profile.name)
        // What a person has written since goes before what worked once.
        let pinned = record.flatMap { $0.origin == endpoint.origin ? $0.pinnedMethod : nil }
            .flatMap { profile.accepts($0) ? $0 : nil }
        // A password that a person gives is their answer to whether Negotiate is too strong a pin.
        let isTooStrong = request.supplied != nil && pinned == .negotiate
        let method = try Self.method(request.method, isTooStrong ? nil : pinned, profile)
        let account = request.username.map { record?.account(named: $0) } ?? record?.activeAccount
        try fromStore(try context.registry.check(account, of: profile.name, record))
        var options = Service.Options(
            ttl: request.ttl, pinnedMethod: method, hasPassword: request.supplied != nil,
            username: request.username.map { record?.account(named: $0)?.username ?? $0 },
            anonymousResponse: account.flatMap { $0.origin == endpoint.origin ? $0.anonymousResponse : nil })
        if let record, record.origin == endpoint.origin, let accepted = record.accepted {
            options.lastAccepted = record.url == profile.url ? accepted : AcceptedVerify(request: "", anonymous: nil)
        }
        options.learns =
            request.learns
            && (profile.traits.asksForGrant || profile.traits.answersChallenges || profile.kind == .pasted)
        options.findsVerify = (request.learns || profile.verifiesByForm) && profile.kind == .exchange(for: .cookies)
        beside = (transport.identity, options, opened?.makeMethod)
        service = context.dependencies.service(
            profile, endpoint, transport, others: context.connections.otherTransports(of: profile, like: transport),
            options,
            method: opened?.makeMethod)
        service.client.handover = handover
    }

    /// Whether a person is at a terminal and may be asked; approving in a browser needs none.
    var mayAsk: Bool { context.person.mayBeAsked && request.policy.mayAsk }

    /// Describes a machine's identity token; `nil` for a profile without one.
    package func identityFacts() throws(LoginFault) -> String? {
        try service.loginMethod.identityFacts()
    }

    /// Whether a new login is stored nowhere.
    package var keepsNothing: Bool {
        request.persistence(of: profile) == Persistence.none || request.store(of: profile) == StoreName.none
    }

    /// Gets a login: the stored one, or another.
    /// - Parameters:
    ///   - known: what the keeper has just read, if it has.
    ///   - keeper: returns the keeper of a new login; the run's own unless said.
    package func run(
        for purpose: Purpose = .login, known: StoredLogin? = nil, keeper chosen: KeeperChoice? = nil
    ) throws(LoginFault) -> AccountSession {
        let dependencies = context.dependencies
        var leavesReplaced = try context.record(of: profile)?.leavesReplaced == true
        (self.purpose, chooseKeeper, alreadyRead) = (purpose, chosen, known)
        // It may hold this run, which would never be released.
        defer { chooseKeeper = nil }
        while true {
            (saver, outdated, lastRefreshed) = (keeper, request.outdated, nil)
            (isKept, isEndedWithOthers, hasStore) = (false, false, true)
            (session, password, space) = (nil, nil, nil)
            // Whatever was postponed for a session takes effect once none is left over.
            defer {
                service.client.handover?.given = []
                service.client.handover?.settle()
            }
            let dialogue: any Prompt =
                mayAsk || request.policy.trust.mayAsk || request.showsNotice
                ? context.person.dialogue(allowsBlankPassword: request.allowsBlankPassword) : NoPrompt()
            service.client.opener = { (url, origins) throws(LoginFault) in
                try self.openApprovalPage(url, allowing: origins)
            }
            defer {
                // It holds this run, which holds the service.
                service.client.opener = nil
                saver.hold = nil
            }
            let loop = LoginLoop(
                keeper: self, service: service, prompt: dialogue, showsNotice: request.showsNotice,
                consent: dependencies.features(profile.kind).consent?(self),
                supplied: try supplied(), code: request.code, extraSecrets: extraSecrets, refused: request.refused)
            var hasBegun = false
            let outcome = loop.run(try flow(lookingAgain: &hasBegun))
            endOthers(leavesReplaced: leavesReplaced)
            guard isEndedWithOthers else { return try finish(outcome) }
            try leaveReplaced()
            (leavesReplaced, alreadyRead) = (true, nil)
        }
    }

    private func finish(_ outcome: LoginFlow.Outcome) throws(LoginFault) -> AccountSession {
        switch outcome {
        case .failed(.loginRequired(let need)): throw .loginRequired(told(need))
        case .failed(let error): throw error
        // No prompt of the command line answers so.
        case .continuedWithout: throw .loginRequired(LoginNeed(why: .nothingStored))
        case .alreadyLoggedIn(let identity): (self.identity, wasThere) = (identity, true)
        case .loggedIn(let identity): self.identity = identity
        }
        sayIfOtherWasSet()
        try sayIfTrustedOnce()
        if !wasThere {
            warnOfNewLogin()
            sayIfOtherName(identity)
        }
        guard let session else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        return AccountSession(self, session, identity)
    }

    /// A need with what the flow does not know, and without a name of the server's that repeats a secret.
    private func told(_ need: LoginNeed) -> LoginNeed {
        if let machine = keeper.unfinished { return LoginNeed(why: .unfinishedRefresh(machine: machine)) }
        if need.why == .nothingStored, let other = keeper.filledRecord?.otherPerson {
            return LoginNeed(why: .sessionOfAnother(other), missing: need.missing)
        }
        if case .sessionOfAnother(let other) = need.why {
            return LoginNeed(why: .sessionOfAnother(other.hiding(service.repeatsSecret)), missing: need.missing)
        }
        return need
    }

    /// Completes a given password with given secrets, and with stored ones that are asked for only once.
    private func supplied() throws(LoginFault) -> Credential? {
        guard let supplied = request.supplied, profile.asksForMore else { return request.supplied }
        return supplied.completed(by: extraSecrets).completed(by: try keeper.fill().extraSecrets)
    }

    /// The account that the login is for, if the registry has it.
    func account() throws(LoginFault) -> AccountRecord? { try fromStore(try keeper.account()) }

    /// - Parameter isAgain: whether other processes may have logged in since the last one, which is so from the second on.
    private func flow(lookingAgain isAgain: inout Bool) throws(LoginFault) -> LoginFlow {
        if isAgain {
            context.lookAgain()
            if let exception = try context.connections.exception(for: endpoint.origin) { service.trust(exception) }
        }
        isAgain = true
        let account = try account()
        let remembered = account?.username
        var fields = profile.fields
        fields.removeAll { $0 == .username && request.username != nil || request.secrets[$0] != nil }
        let space = ProtectionSpace(origin: endpoint.origin, method: profile.methods.first ?? .auto)
        var subject = LoginFlow.Subject(
            profile: profile.name, protectionSpace: space, fields: fields, accounts: try storedIdentities(account),
            account: request.username == nil ? nil : account?.username)
        (subject.signup, subject.asksForClientSecret) = (profile.signupURL, profile.oauth?.needsClientSecret ?? false)
        if profile.traits.asksForConsent { subject.wanted = request.username }
        var policy = request.policy
        policy.hasSuppliedCredential = request.supplied != nil
        policy.hasSuppliedCode = request.code != nil
        // A fresh grant that is refused is not got better by another one.
        if profile.traits.asksForConsent { policy.maxAttempts = 1 }
        return LoginFlow(
            subject: subject, policy: policy,
            proposedUsername: profile.fields.contains(.username)
                ? request.username ?? remembered ?? profile.user : nil,
            acceptance: context.acceptance)
    }

    /// - Parameter account: the one that is meant.
    private func storedIdentities(_ account: AccountRecord?) throws(LoginFault) -> [Identity] {
        // What is not kept takes nobody's place.
        guard !keepsNothing, let record = try context.document().profile(profile.name) else { return [] }
        // A login takes the place of the account that was named; `status` names each of a thousand.
        if let account, request.username != nil { return [account.identity] }
        return record.accounts.filter { $0.origin == endpoint.origin }.map(\.identity)
    }

    /// `--method` only chooses among what the profile accepts.
    private static func method(
        _ asked: AuthenticationMethod?, _ pinned: AuthenticationMethod?, _ profile: Profile
    ) throws(LoginFault) -> AuthenticationMethod? {
        guard let asked, asked != .auto else { return pinned }
        guard profile.accepts(asked) else {
            let accepted = profile.methods.map(\.rawValue).joined(separator: ", ")
            throw .usage(.badValue(option: "--method", problem: "the profile accepts \(accepted)"))
        }
        return asked
    }
}

// What a person is told of a login that was good.
extension LoginRun {
    /// Tells a person who may have expected another name; an upper-case letter more is none.
    private func sayIfOtherName(_ identity: Identity) {
        guard let name = identity.serverName, !identity.username.isEmpty,
            name.lowercased() != identity.username.lowercased()
        else { return }
        context.person.say("you typed \(SafeText.name(identity.username)); the service says \(SafeText.name(name))")
    }

    /// Warns if verify set another user's session, which is not used; the login is still good.
    private func sayIfOtherWasSet() {
        guard let other = service.result.otherUser else { return }
        warn(words(of: other))
        service.result.otherUser = nil
    }

    /// Prints a warning, with the profile's name in front.
    func warn(_ words: String) { context.person.warn("warning: \(profile.name): \(words)") }

    /// Describes another user's session that a response has set, without names that repeat a secret.
    func words(of other: Replacement) -> String { other.hiding(service.repeatsSecret).responseWords }

    /// The next command refuses the certificate again, and the login that is stored now with it.
    private func sayIfTrustedOnce() throws(LoginFault) {
        guard !keepsNothing, let accepted = service.accepted ?? context.acceptance?.exception,
            try fromStore(try context.registry.read()).exception(for: accepted.origin) == nil
        else { return }
        context.person.say(
            """
            the certificate of \(accepted.origin) is trusted for this command only, so the next one cannot use this login; \
            log in again and type always to accept it for good: \(ShellCommand("authctl", "login", profile.name))
            """)
    }

    /// A place of the profile is wrong, or the service or the clock is; the login is still good.
    private func warnOfNewLogin() {
        if case .loginResponse = profile.proof {
            warn("only the response to login says that it worked; a 'verify' in the profile would have it checked")
        }
        if service.result.keepsAnonymousSession {
            context.person.warn(
                """
                warning: \(profile.name) (\(endpoint.origin)) set no new session cookie at login: whoever knew \
                the old one is now logged in too; tell the service's administrator
                """)
        }
        if let difference = service.result.clockDifference {
            context.person.warn("\(difference.warning(of: profile.name))")
        }
        // Other sessions than a browser's are bound to nothing.
        if service.result.bindsToDevice, request.copied != nil || profile.traits.opensWindow {
            context.person.warnOnce(DeviceBinding.warning(of: profile.name))
        }
        let held = service.takenForLater
        for name in profile.takenForLater.sorted() where held[.taken(name)] == nil {
            let place = SafeText.quoted(profile.place(ofTaken: name) ?? "{\(name)}")
            context.person.warn(
                "warning: \(profile.name): the response to login has no \(name) at \(place), which another request "
                    + "of the profile needs; check that place in the profile")
        }
    }
}

extension LoginRun {
    /// A service for requests beside those of this run, since each is used by one thread. A transfer may stand still for as
    /// long as somebody waits for it.
    func serviceBeside(isCancelled: @escaping @Sendable () -> Bool) throws(LoginFault) -> Service {
        var settings = try context.connections.transportSettings(profile, for: endpoint.origin)
        settings.identity = beside.identity
        settings.stallTime = TransportSettings.longestTransfer
        settings.isCancelled = isCancelled
        var options = beside.options
        options.pinnedMethod = service.protectionSpace?.method ?? options.pinnedMethod
        let other = context.dependencies.service(
            profile, endpoint, settings, others: context.connections.otherTransports(of: profile, like: settings),
            options,
            method: beside.method)
        if let accepted = service.accepted { other.trust(accepted) }
        return other
    }
}
