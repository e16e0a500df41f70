package import LoginCore

/// Keeps a login by URL: right before it is saved its profile is written down, so that it is saved under a name that no
/// other login at the same time has taken.
package final class GeneratedProfileKeeper: LoginKeeper {
    private var target: LoginTarget
    /// With the profile under the name that it got.
    package private(set) var run: LoginRun

    package init(_ target: LoginTarget, _ run: LoginRun) {
        self.target = target
        self.run = run
    }

    package func prepare() throws(LoginFault) { try run.keeper.prepare() }

    package func fill() throws(LoginFault) -> StoredLogin { try run.keeper.fill() }

    package func reject(_ part: StoredLogin.Part) throws(LoginFault) { try run.keeper.reject(part) }

    package func remember(_ exception: TrustedCertificate) throws(LoginFault) { try run.keeper.remember(exception) }

    package func approve(_ login: Login, _ approval: Approval) throws(LoginFault) {
        learn(from: login)
        if case .login(let method) = approval { try remember(method) }
        run.context.warnOfStore(for: run.profile)
        try run.keeper.approve(login, approval)
    }

    /// Notes for the next login the server that a person has agreed to, and the status that means 'logged in'.
    private func learn(from login: Login) {
        learnVerify()
        guard target.new != nil, case .token(let token) = login.session, let terms = token.terms else { return }
        target.profile.oauth?.issuer = terms.issuer
        target.profile.oauth?.resource = terms.resource
        target.profile.oauth?.scope = terms.scope
        guard let status = run.service.learnedStatus, case .verify(var rule) = target.profile.proof else { return }
        rule.response.loggedIn = [Condition(status: status)]
        target.profile.proof = .verify(rule)
        run.context.say("the status \(status) of \(run.service.guardedURL) with the new token counts as logged in")
    }

    /// Notes for the next login what proves one, as the search after this one has found it.
    private func learnVerify() {
        let service = run.service
        guard target.new?.table != nil, case .verify(var rule) = target.profile.proof else { return }
        if let place = service.foundPlace {
            let line = ProposedProfile.verify(place)
            rule = place.verify
            target.new?.table?["verify"] = line.value
            run.context.say("verify is now \(service.guardedURL): \(line.why ?? "")")
        }
        if let name = service.foundName, case .table(var verify)? = target.new?.table?["verify"] {
            rule.response.username = name
            verify["username"] = name.written
            target.new?.table?["verify"] = .table(verify)
        }
        if let logout = service.foundLogout {
            target.new?.table?["logout"] = logout.written
            run.context.say("logout: \(logout.evidence)")
        }
        target.profile.proof = .verify(rule)
    }

    /// Writes the profile down, where anything of the login is kept: without, `status` would tell of a login that is missing.
    package func remember(_ method: AuthenticationMethod?) throws(LoginFault) {
        if run.keepsNothing { return }
        let profile = try run.context.remember(target, method: method)
        guard profile.name != run.profile.name else { return }
        run.context.topic.profile = profile.name
        run = try LoginRun(run.context, profile, run.request)
        try run.keeper.prepare()
    }
}
