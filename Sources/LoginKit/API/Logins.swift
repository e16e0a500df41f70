import Glibc
import Secrets

/// The logins of the user who runs the program, with their profiles and stores.
///
///     let logins = try Logins()
///     try await logins.withSession(for: "blog") { session in
///         try await session.send(.post("/posts", json: post))
///     }
///
/// It shares everything with the `authctl` command: a login made with one is found by the other, and both read the variables that
/// authctl(1) lists. Files are read anew for each call, so one `Logins` may live as long as the program.
///
/// Calls may run concurrently, each on a thread of its own. Those that may have to ask a person take turns. A call whose task is
/// cancelled throws `CancellationError` within about a tenth of a second. A save that is under way is finished first, and a refresh
/// that was sent has 5 seconds to be answered and saved, since a rotated token is issued only once. The desktop's own dialogues and
/// credential helpers may take longer, each within its own limit.
///
/// The first login opens libcurl and removes the proxy variables from the process's environment. Only `authctl` itself is protected
/// against debuggers and core dumps, not the programs that use this library.
public struct Logins: Sendable {
    /// The folder for everything; `nil` for the user's own folders.
    let folder: String?
    let config: String?
    let delegate: any LoginDelegate
    let environment: Environment
    let promptLock = PromptLock()

    /// Uses the user's own profiles and stores, as authctl does.
    /// - Parameters:
    ///   - config: the configuration file, instead of `~/.config/authctl/config.toml`.
    ///   - delegate: answers the questions of a login.
    /// - Throws: `LoginError.Code.usage` for a configuration that cannot be read, with its file and line; `failure` where libsodium is
    ///   not installed.
    public init(config: String? = nil, delegate: any LoginDelegate = TerminalDelegate()) throws(LoginError) {
        try self.init(folder: nil, config: config, delegate)
    }

    /// Uses profiles and stores of the program's own. The stores of the desktop and the kernel are shared, so there the names of
    /// profiles must differ from the user's.
    /// - Parameters:
    ///   - folder: holds everything, `config.toml` included if there is one; created when first needed.
    ///   - delegate: answers the questions of a login.
    /// - Throws: `LoginError.Code.usage` for a configuration that cannot be read, with its file and line; `failure` where libsodium is
    ///   not installed.
    public init(folder: String, delegate: any LoginDelegate = TerminalDelegate()) throws(LoginError) {
        try self.init(folder: folder, config: nil, delegate)
    }

    private init(folder: String?, config: String?, _ delegate: any LoginDelegate) throws(LoginError) {
        (self.folder, self.config, self.delegate) = (folder, config, delegate)
        if let problem = Secret.memoryProblem() { throw LoginError(.failure(.libraryMissing(problem))) }
        environment = .present()
        _ = try LoginError.catching { () throws(LoginFault) in try context() }
    }
}

extension Logins {
    /// Runs `action` with a session: the stored one, refreshed if it has expired, or a new one after a login. Without a session,
    /// `action` does not run.
    ///
    /// - Parameters:
    ///   - profile: the name of a profile; `nil` for the one that authctl would take.
    ///   - username: the account, by the name typed or the server's; `nil` for the active one.
    ///   - verifying: asks the service first whether it still accepts the session. With `false`, a stored session that has not
    ///     expired is used as it is, and the first request may find that it has ended.
    ///   - action: gets the session, which is valid until it returns.
    /// - Returns: the result of `action`.
    /// - Throws: `LoginError` if there is no session; `CancellationError`; whatever `action` throws.
    @discardableResult
    public func withSession<Result>(
        for profile: String? = nil, as username: String? = nil, verifying: Bool = true,
        isolation: isolated (any Actor)? = #isolation, _ action: (LoginSession) async throws -> Result
    ) async throws -> Result {
        try await enter(LoginActor(self, .named(profile), username), verifying: verifying, isolation: isolation, action)
    }

    /// Does the same for a profile that the program has made itself.
    ///
    /// - Throws: also `LoginError.Code.usage` if the user's configuration has another profile of the same name, since their logins
    ///   would be mixed up.
    @discardableResult
    public func withSession<Result>(
        for profile: Profile, as username: String? = nil, verifying: Bool = true,
        isolation: isolated (any Actor)? = #isolation, _ action: (LoginSession) async throws -> Result
    ) async throws -> Result {
        try await enter(LoginActor(self, .made(profile), username), verifying: verifying, isolation: isolation, action)
    }

    private func enter<Result>(
        _ loginActor: LoginActor, verifying: Bool, isolation: isolated (any Actor)?,
        _ action: (LoginSession) async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await action(try await loginActor.enter(verifying: verifying))
        } catch {
            await loginActor.end()
            throw error
        }
        await loginActor.end()
        return result
    }

    /// Sends one request with the session attached. If the response means 'logged out', refreshes the session or logs in, and sends
    /// the request again. If there never was a login, GET and HEAD are first sent without one.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - profile: the name of a profile; `nil` for the one that authctl would take.
    ///   - username: the account; `nil` for the active one.
    /// - Returns: the response, whatever its status.
    /// - Throws: as `LoginSession.send(_:)`.
    @discardableResult
    public func send(
        _ request: SessionRequest, to profile: String? = nil, as username: String? = nil
    ) async throws -> SessionResponse {
        try await send(request, LoginActor(self, .named(profile), username))
    }

    /// Does the same for a profile that the program has made itself.
    @discardableResult
    public func send(
        _ request: SessionRequest, to profile: Profile, as username: String? = nil
    ) async throws -> SessionResponse {
        try await send(request, LoginActor(self, .made(profile), username))
    }

    private func send(_ request: SessionRequest, _ loginActor: LoginActor) async throws -> SessionResponse {
        do {
            let response = try await loginActor.send(request)
            await loginActor.end()
            return response
        } catch {
            await loginActor.end()
            throw error
        }
    }

    /// Logs out one account: at the service if the profile has a `logout` request, then here.
    ///
    /// - Parameters:
    ///   - profile: the name of a profile; `nil` for the one that authctl would take.
    ///   - username: the account; `nil` for the active one.
    /// - Throws: `LoginError.Code.loginRequired` without a login; `LoginError.Code.partial` if the login was deleted here but the service
    ///   did not end the session; `LoginError.Code.store` if it could not be deleted.
    public func logOut(_ profile: String? = nil, as username: String? = nil) async throws {
        try await LoginActor(self, .named(profile), username).logOut()
    }

    /// Does the same for a profile that the program has made itself.
    public func logOut(_ profile: Profile, as username: String? = nil) async throws {
        try await LoginActor(self, .made(profile), username).logOut()
    }
}

extension Logins {
    /// The names of all profiles, those of `config.toml` first.
    /// - Throws: `LoginError.Code.usage` for a configuration that cannot be read.
    public var profileNames: [String] {
        get throws(LoginError) { try LoginError.catching { () throws(LoginFault) in try context().profiles.names } }
    }

    /// Returns a profile of the configuration.
    /// - Throws: `LoginError.Code.usage` for one that does not exist or cannot be read.
    public func profile(named name: String) throws(LoginError) -> Profile {
        try LoginError.catching { () throws(LoginFault) in try context().profile(named: name) }
    }

    /// Returns the accounts that are logged in to a profile, the active one first. No store is opened and no request is sent.
    /// - Throws: `LoginError.Code.usage` for a profile that cannot be read; `LoginError.Code.store` for the account registry.
    public func identities(of name: String) throws(LoginError) -> [Identity] {
        try LoginError.catching { () throws(LoginFault) in
            let context = try context()
            return try identities(of: try context.profile(named: name), in: context)
        }
    }

    /// Does the same for a profile that the program has made itself.
    public func identities(of profile: Profile) throws(LoginError) -> [Identity] {
        try LoginError.catching { () throws(LoginFault) in
            let context = try context()
            return try identities(of: try context.selection.adopt(profile), in: context)
        }
    }

    private func identities(of profile: Profile, in context: LoginContext) throws(LoginFault) -> [Identity] {
        guard let record = try context.record(of: profile) else { return [] }
        let (active, accounts) = (record.activeAccount, record.accounts.filter { $0.origin == record.origin })
        return accounts.sorted { first, _ in first == active }.map(\.identity)
    }

    /// Whether the next call has a session without asking anybody: one is stored that has not expired, or can be refreshed. The
    /// service is not asked, so it may have ended the session.
    /// - Parameters:
    ///   - profile: the name of a profile; `nil` for the one that authctl would take.
    ///   - username: the account; `nil` for the active one.
    /// - Throws: `LoginError.Code.usage` for a profile that cannot be read; `LoginError.Code.store` for a store that cannot.
    public func isLoggedIn(_ profile: String? = nil, as username: String? = nil) async throws -> Bool {
        try await LoginActor(self, .named(profile), username).isLoggedIn()
    }

    /// Does the same for a profile that the program has made itself.
    public func isLoggedIn(_ profile: Profile, as username: String? = nil) async throws -> Bool {
        try await LoginActor(self, .made(profile), username).isLoggedIn()
    }
}

extension Logins {
    /// One piece of work, on the thread that calls this.
    func context(for username: String? = nil) throws(LoginFault) -> LoginContext {
        var options = LoginContext.Options()
        (options.folder, options.config, options.username) = (folder, config, username)
        (options.mayAsk, options.mayUnlock) = (true, true)
        let delegate = delegate
        return try LoginContext(
            dependencies, options, Messages(note: { delegate.note($0) }, warn: { delegate.note($0) }))
    }

    /// The dependencies of a login that a program runs.
    private var dependencies: Dependencies {
        var dependencies = Dependencies.real(environment)
        let hold = CancellationHold()
        let isCancelled: @Sendable () -> Bool = { hold.isCancelled }
        (dependencies.isCancelled, dependencies.promptLock) = (isCancelled, promptLock)
        // The signals are the program's own.
        dependencies.postponement = Postponement(
            begin: { _ in hold.begin() }, end: { hold.end() }, isPending: { Task.isCancelled })
        if let terminal = delegate as? TerminalDelegate {
            dependencies.dialogue = { _ in terminal.prompt }
        } else {
            dependencies.hasTerminal = { true }
            let dialogue = DelegateDialogue(delegate: delegate, isCancelled: isCancelled)
            dependencies.ask(by: { DelegateConsent($0, dialogue) })
            dependencies.dialogue = { _ in dialogue }
            dependencies.noticeLine = Dependencies.NoticeLine(show: { _ in false }, hide: {})
        }
        return dependencies
    }
}
