import ArgumentParser
import LoginCore
import LoginHTTP
import LoginStores
import Secrets

/// `authctl login [PROFILE or URL]`
struct LoginCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in, and keep the login.",
        discussion: """
            A stored login that the server still accepts is used without asking. A URL needs no profile: it is the \
            endpoint that tells who is logged in, and a working login is remembered as a profile.
            """)
    static let mayAsk = true

    @Argument(help: ArgumentHelp("A profile, or a URL that answers only who is logged in.", valueName: "profile-or-url"))
    var target: String?

    @Flag(help: "Ask although there is a login already.")
    var force = false

    @OptionGroup var login: LoginOptions
    @OptionGroup var report: ReportOptions
    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { report.json }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        switch try invocation.loginTarget(target, options: login) {
        case .profile(let profile):
            let mayUse = invocation.mayUseGivenVariables(for: profile, isLogin: true)
            let secret = try given(invocation, profile, mayUse)
            try finish(run(invocation, profile, given: secret, mayUseVariables: mayUse), invocation)
        case .url(let discovered):
            let profile = discovered.profile
            let url = target ?? invocation.world.environment["AUTHCTL_VERIFY_URL"]
            let mayUse = invocation.mayUseGivenVariables(for: profile, isLogin: true, url: url)
            var secret = discovered.password
            if secret == nil { secret = try given(invocation, profile, mayUse) }
            let result = try run(
                invocation, profile, given: secret, mayUseVariables: mayUse, username: discovered.user)
            try invocation.remember(profile, method: result.run.keeper.method)
            try finish(result, invocation)
        }
        return .ok
    }

    private typealias Result = (run: LoginRun, identity: Identity, wasThere: Bool)

    private func given(
        _ invocation: Invocation, _ profile: Profile, _ mayUseVariables: Bool
    ) throws(LoginError) -> Secret? {
        let environment = invocation.world.environment
        return try login.givenSource(profile, environment, mayUseVariables: mayUseVariables)?.secret(invocation.world)
    }

    private func run(
        _ invocation: Invocation, _ profile: Profile, given: Secret?, mayUseVariables: Bool, username: String? = nil
    ) throws(LoginError) -> Result {
        let variable = mayUseVariables ? invocation.world.environment["AUTHCTL_USERNAME"] : nil
        let named = invocation.options.username ?? username ?? variable
        if named?.contains(":") == true, profile.answersChallenges { throw .usage(.usernameHasColon) }
        var settings = LoginSettings()
        settings.username = named
        settings.method = try method(invocation.world.environment)
        settings.store = profile.settings.store.flatMap { StoreName($0) }
        settings.persist = profile.settings.persist
        settings.ttl = login.ttl
        settings.given = try given.map { (secret) throws(LoginError) in
            try credential(secret, named, invocation, profile)
        }
        settings.policy = LoginFlow.Policy(
            maxAttempts: login.maxAttempts, mayAsk: invocation.mayAsk, force: force,
            hasGivenCredential: settings.given != nil)
        settings.dialogue = World.DialogueSettings(
            mask: invocation.world.environment.mask, timeout: login.promptTimeout,
            allowsBlankPassword: login.blankPassword)
        settings.isTalkative = !invocation.options.quiet && invocation.world.hasTerminal()
        let run = try LoginRun(invocation, profile, settings)
        let (identity, wasThere) = try run.run()
        return (run, identity, wasThere)
    }

    private func method(_ environment: Environment) throws(LoginError) -> AuthenticationMethod? {
        guard let name = login.method ?? environment["AUTHCTL_METHOD"] else { return nil }
        guard let method = AuthenticationMethod(rawValue: name) else {
            throw .usage(.badValue(option: "AUTHCTL_METHOD", problem: "there is no such method"))
        }
        return method
    }

    /// A given password needs its user name from somewhere, where the login has one.
    private func credential(
        _ secret: Secret, _ named: String?, _ invocation: Invocation, _ profile: Profile
    ) throws(LoginError) -> Credential {
        guard profile.fields.contains(.username) else { return Credential(username: nil, secret: secret) }
        let active = try invocation.document().profile(profile.name)?.activeAccount?.username
        guard let username = named ?? profile.user ?? active, !username.isEmpty else {
            throw .loginRequired(LoginNeed(why: .nothingStored, missing: [.username]))
        }
        return Credential(username: username, secret: secret)
    }

    private func finish(_ result: Result, _ invocation: Invocation) throws(LoginError) {
        let profile = result.run.profile
        let record = try Invocation.fromStore { () throws(StoreFault) in try result.run.keeper.account() }
        let name = result.identity.displayName
        let who = name.isEmpty ? "" : " as \(SafeText.escaped(name))"
        let verb = result.wasThere ? "Already logged in to" : "Logged in to"
        invocation.say("\(verb) \(profile.name) (\(result.run.endpoint.origin))\(who).")
        if !result.wasThere { StoreNotice(record: record, profile: profile, invocation: invocation).say() }
        guard printsJSON else { return }
        try invocation.world.streams.result(
            json: LoginReport(
                profile: profile.name, origin: result.run.endpoint.origin.description, username: name,
                method: result.run.keeper.method?.rawValue, store: record?.store.description, expires: record?.expires,
                alreadyLoggedIn: result.wasThere))
    }
}

/// What `login --json` prints.
private struct LoginReport: Encodable {
    let profile: String
    let origin: String
    let username: String
    let method: String?
    let store: String?
    let expires: Int64?
    let alreadyLoggedIn: Bool
}
