package import LoginCore
package import Secrets

/// A random item that a store is tried with, before a person is asked for anything.
package struct StoreTest: Sendable {
    /// Belongs to no login: no server has a name in `.invalid` (RFC 6761).
    package let account: AccountID
    /// 32 random bytes.
    package let secret: Secret

    /// Another account and another secret each time.
    package init() {
        self.account = Self.account(String(UInt64.random(in: 0 ... .max)))
        self.secret = Secret.random(count: 32)
    }

    /// The account of the test of this number, for another process that reads it back.
    package static func account(_ number: String) -> AccountID {
        AccountID(
            profile: "authctl store test", origin: Origin(scheme: "https", host: "test.invalid", port: 443),
            username: number)
    }

    /// Writes the item, reads it back and erases it, all in this process.
    package func run(on store: some CredentialStore) throws(StoreFault) {
        try store.save(secret, for: account, expires: nil)
        let found: Secret?
        do throws(StoreFault) {
            found = try store.find(account)
        } catch {
            withdraw(from: store)
            throw error
        }
        let erased = try store.erase(account)
        guard found == secret else { throw .unavailable(store.name, problem: "what was written cannot be read back") }
        guard erased, try !store.contains(account) else {
            throw .unavailable(store.name, problem: "what was written cannot be erased")
        }
    }

    /// Erases the item after a reading that failed: that fault is what counts, whatever the erasing says.
    package func withdraw(from store: some CredentialStore) {
        fault { () throws(StoreFault) in try store.erase(account) }
    }
}

/// What a step throws that others are not to be stopped by.
@discardableResult
func fault(_ step: () throws(StoreFault) -> Void) -> StoreFault? {
    do throws(StoreFault) {
        try step()
        return nil
    } catch {
        return error
    }
}

/// Writes, reads and deletes a random item.
/// - Throws: what the store said, or `unavailable` if it loses or keeps what it should not. `none` passes, since it
///   promises nothing.
package func testStore(_ store: any CredentialStore) throws(StoreFault) {
    if store.name == .none { return }
    try StoreTest().run(on: store)
}
