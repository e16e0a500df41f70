import FoundationEssentials
import Secrets

/// A store that writes to the disk of this machine, which may be full.
protocol DiskStore: CredentialStore {
    /// Takes the space that is needed once a login has grown by so many bytes.
    func reserveSpace(for account: AccountID, adding bytes: Int) throws(StoreFault) -> ReservedSpace
}

/// A store that is one file: many changes take one reading and one writing.
protocol FileStore: DiskStore {
    var file: SafeFile { get }

    /// Puts for each account the secret that `secret` returns in the place of what it had, or erases it where that is nil.
    /// - Returns: the accounts that had a secret before.
    func change(
        _ accounts: [AccountID], to secret: (AccountID) throws(StoreFault) -> Secret?
    ) throws(StoreFault) -> Set<AccountID>
}

extension SafeFile {
    /// Returns the content as JSON, to be written to the file.
    func json(_ content: some Encodable, formatting: JSONEncoder.OutputFormatting = []) throws(StoreFault) -> Secret {
        guard let bytes = SecretJSON.encode(content, formatting: formatting) else {
            throw .damaged(path: path, problem: "it cannot be written as JSON")
        }
        return bytes
    }
}

extension CredentialStore {
    /// Erases the secrets of many accounts, in one step where the store can.
    /// - Returns: for each account whether there was one, or what kept it from being erased.
    func erase(each accounts: [AccountID]) -> [AccountID: Result<Bool, StoreFault>] {
        if let file = self as? any FileStore {
            return file.change(each: accounts) { _ in nil }
        }
        return accounts.results { (account) throws(StoreFault) in try erase(account) }
    }

    /// Saves the secrets of many accounts, in one step where the store can.
    /// - Parameter secret: returns the secret, and when the store may drop it by itself.
    func save(
        each accounts: [AccountID], _ secret: (AccountID) throws(StoreFault) -> (Secret, expires: Int64?)
    ) -> [AccountID: Result<Bool, StoreFault>] {
        if let file = self as? any FileStore {
            return file.change(each: accounts) { (account) throws(StoreFault) in try secret(account).0 }
        }
        return accounts.results { (account) throws(StoreFault) in
            let (secret, expires) = try secret(account)
            try save(secret, for: account, expires: expires)
            return true
        }
    }
}

extension FileStore {
    func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
        _ = try change([account]) { _ in secret }
    }

    @discardableResult
    func erase(_ account: AccountID) throws(StoreFault) -> Bool {
        try !change([account]) { _ in nil }.isEmpty
    }

    func reserveSpace(for account: AccountID, adding bytes: Int) throws(StoreFault) -> ReservedSpace {
        try file.reserveSpace(adding: bytes)
    }

    /// Removes what saves that were killed have left.
    func sweep() throws(StoreFault) { try file.sweep() }

    fileprivate func change(
        each accounts: [AccountID], to secret: (AccountID) throws(StoreFault) -> Secret?
    ) -> [AccountID: Result<Bool, StoreFault>] {
        do {
            let present = try change(accounts, to: secret)
            return accounts.results { present.contains($0) }
        } catch {
            return accounts.results { (_) throws(StoreFault) in throw error }
        }
    }
}

extension [AccountID] {
    func results<Value>(
        _ step: (AccountID) throws(StoreFault) -> Value
    ) -> [AccountID: Result<Value, StoreFault>] {
        var results: [AccountID: Result<Value, StoreFault>] = [:]
        for account in self {
            do {
                results[account] = .success(try step(account))
            } catch {
                results[account] = .failure(error)
            }
        }
        return results
    }
}
