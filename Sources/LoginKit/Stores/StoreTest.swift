import Secrets

/// A random item that a store is tried with, before a person is asked for anything.
package struct StoreTest: Sendable {
    /// Belongs to no login: no server has a name in `.invalid` (RFC 6761). The same for every test of a state folder, for another
    /// process that reads it back; another one in each folder, since a lock in the folder is what keeps tests apart.
    package let account: AccountID
    /// 32 random bytes, others in each test: what a test that was killed has left is replaced, and erased, by the next.
    package let secret = Secret.random(count: 32)

    /// - Parameter folder: the state folder, an absolute path.
    init(folder: String) {
        account = AccountID(
            profile: Self.profile, origin: Origin(scheme: "https", host: "test.invalid", port: 443), username: folder)
    }

    /// No profile can have this name.
    fileprivate static let profile = "authctl store test"

    /// Writes the item, reads it back and erases it, all in this process.
    /// - Throws: what the store said, or `unavailable` if it loses or keeps what it should not. `none` passes, since it promises nothing.
    func run(on store: some CredentialStore) throws(StoreFault) {
        if store.name == .none { return }
        try store.save(secret, for: account, expires: nil)
        let found: Secret?
        do {
            found = try store.find(account)
            try store.shared?.testConditions(account)
        } catch {
            withdraw(from: store)
            // Its own value, which nobody else has.
            if case .shared(_, .oldCopy) = error { throw Self.lost(by: store.name) }
            throw error
        }
        let erased = try store.erase(account)
        guard found == secret else { throw Self.lost(by: store.name) }
        guard erased, try !store.contains(account) else {
            throw .unavailable(store.name, problem: "what was written cannot be erased")
        }
    }

    private static func lost(by store: StoreName) -> StoreFault {
        .unavailable(store, problem: "what was written cannot be read back")
    }

    /// Erases the item after a reading that failed: that fault is what counts, whatever the erasing says.
    package func withdraw(from store: some CredentialStore) {
        fault { () throws(StoreFault) in try store.erase(account) }
    }
}

/// Returns the error of a step, so that the next steps still run.
@discardableResult
func fault(_ step: () throws(StoreFault) -> Void) -> StoreFault? {
    do {
        try step()
        return nil
    } catch {
        return error
    }
}

extension AccountID {
    /// Whether it is the account that a store is tried with.
    var isOfStoreTest: Bool { profile == StoreTest.profile }
}

// One test at a time: all of a state folder use the same name.
extension Stores {
    /// Writes, reads and deletes a random item, while no other process does so.
    package func test(_ store: any CredentialStore) throws(StoreFault) {
        try test(store) { (item, store) throws(StoreFault) in try item.run(on: store) }
    }

    /// The same with another test of the item.
    /// - Throws: `locked` if another process tests a store for too long.
    package func test(
        _ store: any CredentialStore, _ test: (StoreTest, any CredentialStore) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        let item = StoreTest(folder: folder)
        if store.name == .none { return try test(item, store) }
        // A person may be asked to unlock the store, and nobody is to wait for that. A helper is unlocked by its own agent, for
        // each entry.
        if store.name.program == nil { _ = try store.find(item.account) }
        let lock = try testLock()
        try test(item, store)
        _ = consume lock
    }

    /// Where no lock can be made no login can be stored either, which is told then.
    private func testLock() throws(StoreFault) -> FileLock? {
        do {
            return try FileLock(".store-test.lock", in: SafeDirectory.create(folder), seconds: 30)
        } catch {
            if case .locked = error { throw error }
            return nil
        }
    }
}
