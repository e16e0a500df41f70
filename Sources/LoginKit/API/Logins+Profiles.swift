public import LoginCore

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
            return try identities(of: try context.adopt(profile), in: context)
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
