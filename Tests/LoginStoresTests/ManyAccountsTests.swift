import Foundation
@testable import LoginKit
import Secrets
import Testing

/// Many accounts take as many readings and writings of a file as one does.
@Suite struct ManyAccountsTests {
    let folder = TemporaryFolder()
    var registry: AccountRegistry { AccountRegistry(folder: folder.path, remembers: true) }

    /// Counts how often a store that is a file is changed.
    private final class Counted: FileStore {
        let real: any FileStore
        private(set) var changes = 0
        var fails = false
        var name: StoreName { real.name }
        var file: SafeFile { real.file }

        init(_ real: any FileStore) { self.real = real }

        func find(_ account: AccountID) throws(StoreFault) -> Secret? { try real.find(account) }
        func contains(_ account: AccountID) throws(StoreFault) -> Bool { try real.contains(account) }
        func change(
            _ accounts: [AccountID], to secret: (AccountID) throws(StoreFault) -> Secret?
        ) throws(StoreFault) -> Set<AccountID> {
            changes += 1
            if fails { throw .system(call: "write", path: "disk", errno: ENOSPC) }
            return try real.change(accounts, to: secret)
        }
    }

    private let ids = (0..<40).map { AccountID.some("p\($0 % 8)", "u\($0)") }

    private func logIn(_ store: any FileStore) throws {
        _ = try store.change(ids) { (id) throws(StoreFault) in
            let token = Token(value: Secret("of \(id.username)"), refreshToken: nil, expires: nil)
            do { return try StoredLoginCodec.encode(StoredLogin(session: .token(token))) } catch { return nil }
        }
        try registry.update { document in
            for id in ids {
                document.updateProfile(id.profile, url: "https://probe.example", origin: .example) {
                    $0.accounts.append(
                        AccountRecord(
                            username: id.username, serverName: nil, origin: .example, store: store.name, kind: .token,
                            expires: nil, savedAt: 0))
                }
            }
        }
    }

    private func stores() throws -> (Counted, Counted) {
        let file = try #require(try StoreUnderTest.fileWithKeyFile.make(in: folder) as? EncryptedFileStore)
        return (Counted(PlaintextStore(folder: folder.path, remembers: true)), Counted(file))
    }

    @Test func `Forty accounts move by one change of each store`() throws {
        let (source, target) = try stores()
        try logIn(source)
        let results = AccountMove(registry: registry, from: source, to: target).move(ids)
        #expect(ids.allSatisfy { results[$0] == .success(.moved) })
        // The first change of the source is the login.
        #expect(source.changes == 2 && target.changes == 1)
        for id in ids {
            #expect(try target.find(id) != nil && !source.contains(id))
            #expect(try registry.read().account(id)?.copies == [.file])
        }
    }

    @Test func `Forty accounts are forgotten by one change of each store, and a failure keeps their records`() throws {
        let (source, other) = try stores()
        try logIn(source)
        source.fails = true
        let failed = registry.forget(ids) { (_) throws(StoreFault) in source }
        #expect(ids.allSatisfy { failed[$0] == .failure(.system(call: "write", path: "disk", errno: ENOSPC)) })
        #expect(try ids.allSatisfy { try registry.read().account($0) != nil })
        source.fails = false
        let results = registry.forget(ids) { (name) throws(StoreFault) in name == .plaintext ? source : other }
        #expect(ids.allSatisfy { results[$0] == .success(true) })
        #expect(source.changes == 3 && other.changes == 0)
        #expect(try registry.read().profiles.allSatisfy(\.accounts.isEmpty))
    }

    @Test func `A target that fails leaves every account where it was, and both stores noted`() throws {
        let (source, target) = try stores()
        try logIn(source)
        target.fails = true
        let results = AccountMove(registry: registry, from: source, to: target).move(ids)
        #expect(results.values.allSatisfy { if case .failure = $0 { true } else { false } })
        for id in ids {
            #expect(try source.contains(id))
            #expect(try registry.read().account(id)?.copies == [.plaintext, .file])
        }
    }

    @Test func `What another process has changed is seen, although the file was remembered`() throws {
        let (store, _) = try stores()
        try logIn(store)
        let other = PlaintextStore(folder: folder.path)
        let second = AccountRegistry(folder: folder.path), first = registry
        #expect(try first.read().account(ids[0]) != nil && store.contains(ids[0]))
        try other.erase(ids[0])
        try second.update { $0.removeAccounts([ids[0]]) }
        #expect(try first.read().account(ids[0]) == nil)
        #expect(try !store.contains(ids[0]) && store.find(ids[0]) == nil && store.find(ids[1]) != nil)
    }

    @Test func `Many stores are locked by one lock, which waits for the lock of each profile`() throws {
        let registry = AccountRegistry(folder: folder.path, wait: 0)
        let all = try registry.lockRefresh(of: ["a", "b"], wait: 0)
        #expect(throws: StoreFault.self) { try registry.lockRefresh(of: ["c"], wait: 0) }
        withExtendedLifetime(all) {}
    }

    @Test func `The locks of two profiles are held at the same time, and keep the lock of all waiting`() throws {
        let registry = AccountRegistry(folder: folder.path, wait: 0)
        let first = try registry.lockRefresh(of: ["a"], wait: 0), second = try registry.lockRefresh(of: ["b"], wait: 0)
        #expect(throws: StoreFault.self) { try registry.lockRefresh(of: ["a"], wait: 0) }
        #expect(throws: StoreFault.self) { try registry.lockRefresh(of: ["c", "d"], wait: 0) }
        withExtendedLifetime((first, second)) {}
    }

    @Test func `A store test that was killed is cleaned up by the next one`() throws {
        let stores = Stores(folder: folder.path, clock: .fixed) { () throws(StoreFault) in Secret("x") }
        let store = try stores.open(.plaintext)
        let account = StoreTest(folder: folder.path).account
        try store.save(Secret("left by a test that was killed"), for: account, expires: nil)
        try stores.test(store)
        #expect(try !store.contains(account))
    }

    @Test(.enabled(if: Need.keyring, "the kernel keyring cannot be used here"))
    func `A store test leaves alone the one of another state folder, whose item lies in the same keyring`() throws {
        let other = StoreTest(folder: folder.path + "/other"), keyring = KeyringStore(clock: .fixed)
        try keyring.save(other.secret, for: other.account, expires: nil)
        defer { _ = try? keyring.erase(other.account) }
        let stores = Stores(folder: folder.path, clock: .fixed) { () throws(StoreFault) in Secret("x") }
        try stores.test(stores.open(.keyring))
        #expect(try keyring.find(other.account) == other.secret)
    }

    @Test func `A login that was moved after its record was read is found where it is now`() throws {
        let (source, target) = try stores()
        try logIn(source)
        let record = try #require(try registry.read().account(ids[0]))
        #expect(try AccountMove(registry: registry, from: source, to: target).move(ids[0]) == .moved)
        let keeper = StoreKeeper(
            subject: .init(profile: ids[0].profile, url: "https://probe.example", origin: .example), rules: .init(),
            registry: registry,
            chooseStore: { () throws(StoreFault) in target },
            openStore: { (name) throws(StoreFault) in name == .plaintext ? source : target },
            clock: .fixed)
        #expect(try keeper.fill(record).session != nil)
        #expect(keeper.filledRecord?.store == .file)
    }

    /// A store that is no file, and has no room any more.
    private final class Full: CredentialStore {
        let name = StoreName.helper("full")
        var secret: Secret?
        var isFull = false
        func find(_ account: AccountID) throws(StoreFault) -> Secret? { secret }
        func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
            if isFull { throw .unavailable(name, problem: "full") }
            self.secret = secret
        }
        func erase(_ account: AccountID) throws(StoreFault) -> Bool { secret != nil }
        func contains(_ account: AccountID) throws(StoreFault) -> Bool { secret != nil }
    }

    @Test func `A store that can write nothing more stops a refresh before it is sent`() throws {
        let store = Full()
        let keeper = StoreKeeper(
            subject: .init(profile: "work", url: "https://probe.example", origin: .example), rules: .init(),
            registry: registry,
            chooseStore: { () throws(StoreFault) in store }, openStore: { (_) throws(StoreFault) in store },
            clock: .fixed)
        let session = Session.token(Token(value: Secret("one"), refreshToken: Secret("two"), expires: nil))
        let login = Login(identity: Identity(username: "u", serverName: nil), session: session)
        try keeper.approve(login, .login(.token))
        #expect(try keeper.beginRefresh(of: session) == session)
        try keeper.approve(login, .refresh)
        store.isFull = true
        #expect(throws: LoginFault.store(.unavailable(store.name, problem: "full"))) {
            try keeper.beginRefresh(of: session)
        }
    }
}
