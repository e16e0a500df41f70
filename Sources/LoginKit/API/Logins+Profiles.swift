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
            guard let record = try context.record(of: try context.profile(named: name)) else { return [] }
            let (active, accounts) = (record.activeAccount, record.accounts.filter { $0.origin == record.origin })
            return accounts.sorted { first, _ in first == active }.map(\.identity)
        }
    }
}
