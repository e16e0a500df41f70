public import LoginCore

/// The logins of the person who runs the program: their profiles, their stores, and whoever answers where a login is needed.
///
///     let logins = try Logins()
///     try await logins.withSession(for: "blog") { session in
///         try await session.send(.post("/posts", json: post))
///     }
///
/// It shares everything with the `authctl` command: a login made with one is found by the other, and the variables that
/// authctl(1) lists hold here, too. Values are read anew for each call, so one `Logins` may live as long as the program.
///
/// Calls may be made at the same time, from wherever. Each works on a thread of its own, and those that may have to ask somebody
/// come one after the other. A call whose task is cancelled throws `CancellationError` within a tenth of a second or so; what is
/// being saved just then is saved whole. A refresh that was sent has 5 seconds to be answered and saved, since its answer is given
/// once. Only the desktop's own dialogues and credential helpers are waited for longer, each
/// within its own limit.
///
/// What a program should know: libcurl is opened by the first login, and takes the proxy variables out of the process's
/// environment then; and only `authctl` itself is protected against debuggers and core dumps.
public struct Logins: Sendable {
    /// The folder of everything, or nothing for the person's own ones.
    let folder: String?
    let config: String?
    let delegate: any LoginDelegate
    let environment: Environment
    let turn = PromptLock()

    /// The person's own profiles and stores, where authctl has them.
    /// - Parameters:
    ///   - config: the configuration file in the place of `~/.config/authctl/config.toml`.
    ///   - delegate: who answers where a login is needed.
    /// - Throws: `LoginError.Code.usage` for a configuration that cannot be read, with its file and line.
    public init(config: String? = nil, delegate: any LoginDelegate = TerminalDelegate()) throws(LoginError) {
        try self.init(folder: nil, config: config, delegate)
    }

    /// Profiles and stores of the program's own, apart from the person's. For the stores of the desktop and the kernel it is
    /// the names of the profiles that keep them apart.
    /// - Parameters:
    ///   - folder: where everything is kept, `config.toml` included if there is one; made when it is first needed.
    ///   - delegate: who answers where a login is needed.
    /// - Throws: `LoginError.Code.usage` for a configuration that cannot be read, with its file and line.
    public init(folder: String, delegate: any LoginDelegate = TerminalDelegate()) throws(LoginError) {
        try self.init(folder: folder, config: nil, delegate)
    }

    private init(folder: String?, config: String?, _ delegate: any LoginDelegate) throws(LoginError) {
        (self.folder, self.config, self.delegate) = (folder, config, delegate)
        environment = .present()
        _ = try LoginError.catching { () throws(LoginFault) in try context() }
    }
}

extension Logins {
    /// Runs `action` once somebody is logged in: with what is stored, refreshed if its time is over, or after somebody has
    /// answered. Otherwise it does not run.
    ///
    /// - Parameters:
    ///   - profile: the name of a profile; `nil` for the one that authctl would take.
    ///   - username: the account, by the name typed or the server's; `nil` for the active one.
    ///   - verifying: whether the server is asked first. Without, a stored session that is not past its end is taken as it is,
    ///     and the first request may find that it has ended.
    ///   - action: gets the session for as long as it runs.
    /// - Returns: what `action` returns.
    /// - Throws: `LoginError`, which says why nobody is logged in; `CancellationError`; what `action` throws.
    @discardableResult
    public func withSession<Result>(
        for profile: String? = nil, as username: String? = nil, verifying: Bool = true,
        isolation: isolated (any Actor)? = #isolation, _ action: (LoginSession) async throws -> Result
    ) async throws -> Result {
        try await enter(LoginActor(self, .named(profile), username), verifying: verifying, isolation: isolation, action)
    }

    /// The same for a profile that the program has made itself.
    ///
    /// - Throws: also `LoginError.Code.usage` for a name that the person's own configuration has for something else: what is kept for
    ///   that one is not this one's.
    @discardableResult
    public func withSession<Result>(
        for profile: Profile, as username: String? = nil, verifying: Bool = true,
        isolation: isolated (any Actor)? = #isolation, _ action: (LoginSession) async throws -> Result
    ) async throws -> Result {
        try await enter(LoginActor(self, .made(profile), username), verifying: verifying, isolation: isolation, action)
    }

    private func enter<Result>(
        _ visit: LoginActor, verifying: Bool, isolation: isolated (any Actor)?,
        _ action: (LoginSession) async throws -> Result
    ) async throws -> Result {
        let result: Result
        do {
            result = try await action(try await visit.enter(verifying: verifying))
        } catch {
            await visit.end()
            throw error
        }
        await visit.end()
        return result
    }

    /// Sends one request with the session attached. If the answer means 'logged out', the session is refreshed or somebody logs
    /// in, and the same request is sent once more. Where nobody has ever logged in, GET and HEAD are first sent without.
    ///
    /// - Parameters:
    ///   - request: what is sent.
    ///   - profile: the name of a profile; `nil` for the one that authctl would take.
    ///   - username: the account; `nil` for the active one.
    /// - Returns: the answer, whatever its status.
    /// - Throws: as `LoginSession.send(_:)`.
    @discardableResult
    public func send(
        _ request: SessionRequest, to profile: String? = nil, as username: String? = nil
    ) async throws -> SessionResponse {
        try await send(request, LoginActor(self, .named(profile), username))
    }

    /// The same for a profile that the program has made itself.
    @discardableResult
    public func send(
        _ request: SessionRequest, to profile: Profile, as username: String? = nil
    ) async throws -> SessionResponse {
        try await send(request, LoginActor(self, .made(profile), username))
    }

    private func send(_ request: SessionRequest, _ visit: LoginActor) async throws -> SessionResponse {
        do {
            let response = try await visit.send(request)
            await visit.end()
            return response
        } catch {
            await visit.end()
            throw error
        }
    }

    /// Logs out one account: at the server where the profile says how, then here.
    ///
    /// - Parameters:
    ///   - profile: the name of a profile; `nil` for the one that authctl would take.
    ///   - username: the account; `nil` for the active one.
    /// - Throws: `LoginError.Code.loginRequired` where nobody is logged in; `LoginError.Code.partial` where the login is erased here and
    ///   the server did not end its half; `LoginError.Code.store` where it could not be erased.
    public func logOut(_ profile: String? = nil, as username: String? = nil) async throws {
        try await LoginActor(self, .named(profile), username).logOut()
    }

    /// The same for a profile that the program has made itself.
    public func logOut(_ profile: Profile, as username: String? = nil) async throws {
        try await LoginActor(self, .made(profile), username).logOut()
    }
}

extension Logins {
    /// The old name of `withSession(for:as:verifying:isolation:_:)`.
    @available(*, deprecated, renamed: "withSession(for:as:verifying:isolation:_:)")
    @discardableResult
    public func gate<Result>(
        _ profile: String? = nil, as username: String? = nil, verifying: Bool = true,
        isolation: isolated (any Actor)? = #isolation, _ action: (LoginSession) async throws -> Result
    ) async throws -> Result {
        try await withSession(for: profile, as: username, verifying: verifying, isolation: isolation, action)
    }

    /// The old name of `withSession(for:as:verifying:isolation:_:)`.
    @available(*, deprecated, renamed: "withSession(for:as:verifying:isolation:_:)")
    @discardableResult
    public func gate<Result>(
        _ profile: Profile, as username: String? = nil, verifying: Bool = true,
        isolation: isolated (any Actor)? = #isolation, _ action: (LoginSession) async throws -> Result
    ) async throws -> Result {
        try await withSession(for: profile, as: username, verifying: verifying, isolation: isolation, action)
    }
}
