import ArgumentParser
import LoginCore
import LoginHTTP
import LoginStores

/// `authctl profile test [NAME]`
struct ProfileTestCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Log in step by step, show each request, answer and rule, and keep nothing.",
        discussion: "What is stored is not changed; where the profile has a logout, the new session is ended.")
    static let mayAsk = true

    @Argument(help: "The profile.", completion: .profiles)
    var name: String?

    @OptionGroup var login: LoginOptions
    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func validate() throws {
        guard login.store == nil, login.persist == nil, login.name == nil, !login.continueWithout else {
            throw ValidationError(
                "--store, --persist, --name and --continue-without are for login; a test keeps nothing.")
        }
    }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let profile = try login.applied(to: try invocation.selectProfile(name))
        let walk = LoginWalk(beginsAsStranger: !profile.provesByCertificate)
        do throws(LoginError) {
            let identity = try perform(walk, profile, invocation)
            try show(walk, identity, invocation)
            return .ok
        } catch {
            walk.stop(error)
            // The error is the one JSON value then.
            if printsJSON { invocation.say(walk.text) } else { try invocation.world.streams.result(walk.text) }
            throw error
        }
    }

    private func perform(
        _ walk: LoginWalk, _ profile: Profile, _ invocation: Invocation
    ) throws(LoginError) -> Identity {
        invocation.promptTimeout = login.promptTimeout
        invocation.trace = { walk.add($0) }
        let target = LoginTarget(profile: profile)
        var settings = try LoginRequest(invocation: invocation, target: target, options: login, force: true).settings()
        settings.persist = Persistence.none
        settings.showsNotice = false
        let run = try LoginRun(invocation, profile, settings)
        run.service.observer = { walk.add($0) }
        let keeper = NoKeeper()
        let (identity, _) = try run.run(through: keeper)
        if let login = keeper.login, profile.logout != nil {
            try end(login.session, of: identity, run)
        }
        return identity
    }

    /// As `logout` does it, what goes on after it included.
    private func end(_ session: Session, of identity: Identity, _ run: LoginRun) throws(LoginError) {
        var receipt = Receipt(
            profile: run.profile.name, place: run.endpoint.origin, username: identity.displayName, server: .notAsked,
            expires: session.expires)
        receipt.server = Receipt.Server(try run.service.logout(session, username: identity.username))
        receipt.noteEnd()
        if let problem = receipt.problem { throw .failure(.logoutIncomplete(problem)) }
        if receipt.server.mayLiveOn { run.invocation.say(receipt.server.words(problem: nil)) }
    }

    private func show(_ walk: LoginWalk, _ identity: Identity, _ invocation: Invocation) throws(LoginError) {
        if printsJSON {
            return try invocation.world.streams.result(
                json: WalkReport(steps: walk.steps, username: identity.displayName))
        }
        try invocation.world.streams.result(walk.text)
        let name = identity.displayName.isEmpty ? "" : " as \(SafeText.escaped(identity.displayName))"
        invocation.say("The login works\(name); nothing was kept.")
    }
}

/// What `profile test --json` prints of a login that works.
private struct WalkReport: Encodable {
    let steps: [LoginWalk.Step]
    let username: String
}
