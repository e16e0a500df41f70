/// Writes the profile of a login by URL just before the login is saved, under a name that no concurrent login has taken.
package final class ProfileGeneration {
    private var target: LoginTarget
    /// With the profile under the name that it got.
    package private(set) var run: LoginRun

    package init(_ target: LoginTarget, _ run: LoginRun) {
        self.target = target
        self.run = run
    }

    /// The URL for a first request with the new login: that of verify, or the front page where verify is the login page or takes no GET.
    package var firstURL: String {
        let profile = target.profile
        guard let verify = profile.verify, verify.method == "GET",
            verify.path.source != profile.loginSteps.first?.page
        else { return profile.url + "/" }
        return (profile.url + verify.path.shown).withoutURLSecrets
    }

    /// Writes the profile, and returns the keeper for its final name.
    package func writeProfile(for login: Login, _ approval: Approval) throws(LoginFault) -> StoreKeeper {
        if target.isFound { learn(from: login) } else { try learnVerify() }
        if case .login(let method) = approval { try remember(method) }
        run.context.accounts.warnOfStore(for: run.profile)
        return run.keeper
    }

    /// Notes for the next login the server that a person has agreed to, and what proves one, as this one has shown it.
    private func learn(from login: Login) {
        let service = run.service
        if case .token(let token) = login.session, let terms = token.terms {
            target.profile.oauth?.issuer = terms.issuer
            target.profile.oauth?.resource = terms.resource
            target.profile.oauth?.scope = terms.scope
        }
        guard case .verify(var rule) = target.profile.proof else { return }
        if let place = service.result.verifyPlace {
            let line = ProposedProfile.verify(place)
            rule = place.verify
            target.new?.table?["verify"] = line.value
            say(line)
        }
        if let verify = service.result.otherVerify {
            rule = verify
            if let path = verify.mcpPath, verify == .initializingMCP(at: path) { target.profile.mcp = path }
            run.context.person.say("verify is now \(verify.method) \(service.client.guardedURL), which proves a login")
        }
        if let status = service.result.loggedInStatus {
            rule.response.loggedIn = [Condition(status: status)]
            noteInVerify("logged-in", .array([.integer(Int64(status))]))
            run.context.person.say(
                "the status \(status) of \(service.client.guardedURL) with the new login counts as logged in")
        }
        if let name = service.result.usernamePlace {
            rule.response.username = name
            noteInVerify("username", name.written)
            if name == Place("/sub") {
                run.context.person.say("the service names the account by 'sub' alone, an id that it made up")
            }
        }
        if let logout = service.result.logout, target.new?.table != nil {
            target.new?.table?["logout"] = logout.written
            run.context.person.say("logout: \(logout.evidence)")
        }
        target.profile.proof = .verify(rule)
    }

    /// Notes what has proved a login of a profile that was there, whose verify was made of a form and proves none.
    private func learnVerify() throws(LoginFault) {
        guard let place = run.service.result.verifyPlace else { return }
        let line = ProposedProfile.verify(place), name = target.profile.name
        if try GeneratedProfiles(run.context).replaceVerify(of: name, by: line.value) {
            say(line)
        } else {
            run.context.person.say(
                "\(name): 'verify' of the profile proves no login afterwards; write there: \(line.written)")
        }
    }

    private func say(_ verify: ProposedProfile.Line) {
        run.context.person.say("verify is now \(run.service.client.guardedURL): \(verify.why ?? "")")
    }

    /// Where a profile was proposed; else it is written from what the target's own profile has by then.
    private func noteInVerify(_ key: String, _ value: ConfigValue) {
        guard case .table(var verify)? = target.new?.table?["verify"] else { return }
        verify[key] = value
        target.new?.table?["verify"] = .table(verify)
    }

    /// Writes the profile down, where anything of the login is kept: without, `status` would tell of a login that is missing.
    package func remember(_ method: AuthenticationMethod?) throws(LoginFault) {
        if run.keepsNothing { return }
        let profile = try GeneratedProfiles(run.context).remember(target, method: method)
        guard profile.name != run.profile.name else { return }
        run.context.topic.profile = profile.name
        run = try LoginRun(run.context, profile, run.request)
        try run.keeper.prepare()
    }
}
