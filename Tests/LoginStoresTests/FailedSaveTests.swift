import Foundation
@testable import LoginKit
import Secrets
import Testing

/// A login whose store fails: nobody's place is taken, and no secret is without a record.
@Suite struct FailedSaveTests {
    let folder = TemporaryFolder()
    var registry: AccountRegistry { AccountRegistry(folder: folder.path) }
    let full = StoreFault.system(call: "write", path: "disk", errno: ENOSPC)

    /// A store in memory that fails as it is told to.
    private final class Scripted: CredentialStore {
        let name: StoreName
        var secrets: [AccountID: Secret] = [:]
        var saving: StoreFault?
        /// Whether a save that fails has written all the same.
        var writesAllTheSame = false
        var erasing: StoreFault?
        var finding: StoreFault?
        var found: [AccountID] = []

        init(_ name: StoreName) { self.name = name }

        func find(_ account: AccountID) throws(StoreFault) -> Secret? {
            found.append(account)
            if let finding { throw finding }
            return secrets[account]
        }

        func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
            if saving == nil || writesAllTheSame { secrets[account] = secret }
            if let saving { throw saving }
        }

        func erase(_ account: AccountID) throws(StoreFault) -> Bool {
            if let erasing { throw erasing }
            return secrets.removeValue(forKey: account) != nil
        }

        func contains(_ account: AccountID) throws(StoreFault) -> Bool { secrets[account] != nil }
    }

    private func logIn(
        _ username: String, to store: Scripted, profile: String = "work", others: [Scripted] = [],
        url: String = "https://probe.example", by method: AuthenticationMethod = .basic,
        leftBehind: @escaping (StoreName, StoreFault) -> Void = { _, _ in }
    ) throws {
        let keeper = StoreKeeper(
            subject: .init(profile: profile, url: url, origin: .example), rules: .init(), registry: registry,
            chooseStore: { () throws(StoreFault) in store }, openStore: opening(others + [store]), clock: .fixed,
            leftBehind: leftBehind)
        let credential = Credential(username: username, .password(Secret("of \(username)")))
        let login = Login(identity: Identity(username: username, serverName: nil), session: .credential(credential))
        try keeper.approve(login, .login(method))
    }

    private func opening(_ stores: [Scripted]) -> (StoreName) throws(StoreFault) -> any CredentialStore {
        { (name) throws(StoreFault) in
            guard let store = stores.first(where: { $0.name == name }) else {
                throw .unavailable(name, problem: "not here")
            }
            return store
        }
    }

    private func bob(_ profile: String = "work") -> AccountID { .some(profile, "bob") }

    @Test func `a new account whose secret is not saved changes nothing`() throws {
        let store = Scripted(.helper("scripted"))
        try logIn("ann", to: store, profile: "other")
        try logIn("ann", to: store)
        try logIn("ann", to: store, profile: "other")
        let before = try registry.read()
        store.saving = .tooLarge(store.name, limit: 9)
        #expect(throws: LoginFault.store(.tooLarge(store.name, limit: 9))) {
            try logIn("bob", to: store, url: "https://PROBE.example", by: .digest)
        }
        #expect(try registry.read() == before)
        #expect(before.profile("work")?.activeUsername == "ann" && before.lastProfile == "other")
    }

    @Test func `the first account of a profile, not saved, leaves nobody in use`() throws {
        let store = Scripted(.helper("scripted"))
        store.saving = full
        #expect(throws: LoginFault.store(full)) { try logIn("bob", to: store) }
        #expect(try registry.read().profile("work")?.accounts == [])
        #expect(try registry.read().profile("work")?.activeUsername == nil)
        #expect(try registry.read().lastProfile == nil)
    }

    @Test func `a save that failed and wrote all the same is taken back`() throws {
        let store = Scripted(.helper("scripted"))
        (store.saving, store.writesAllTheSame) = (full, true)
        #expect(throws: LoginFault.store(full)) { try logIn("bob", to: store) }
        #expect(store.secrets.isEmpty)
        #expect(try registry.read().account(bob()) == nil)
    }

    @Test func `what cannot be taken back stays noted, and a logout finds it`() throws {
        let store = Scripted(.helper("scripted"))
        try logIn("ann", to: store)
        (store.saving, store.writesAllTheSame) = (full, true)
        store.erasing = .damaged(path: "disk", problem: "worse")
        #expect(throws: LoginFault.store(full)) { try logIn("bob", to: store) }
        #expect(store.secrets[bob()] != nil)
        #expect(try registry.read().profile("work")?.activeUsername == "ann")
        store.erasing = nil
        #expect(try registry.forget(bob(), opening: opening([store])))
        #expect(store.secrets.keys.map(\.username) == ["ann"])
    }

    @Test func `what a store may write after its time is over stays noted`() throws {
        let store = Scripted(.secretService)
        let late = StoreFault.timedOut(.secretService, seconds: 3)
        store.saving = late
        #expect(throws: LoginFault.store(late)) { try logIn("bob", to: store) }
        store.secrets[bob()] = Secret("late")
        #expect(try registry.forget(bob(), opening: opening([store])))
        #expect(store.secrets.isEmpty)
        #expect(try registry.read().account(bob()) == nil)
    }

    @Test(arguments: [
        StoreFault.unavailable(.keyring, problem: "the kernel refuses keyctl here"),
        .helperNotInPath(.helper("former")), .timedOut(.secretService, seconds: 3),
    ])
    func `a former store that cannot be reached from here stays noted`(fault: StoreFault) throws {
        let former = Scripted(.helper("former")), store = Scripted(.helper("scripted"))
        try logIn("bob", to: former)
        former.erasing = fault
        var told: [StoreName] = []
        try logIn("bob", to: store, others: [former]) { name, _ in told.append(name) }
        #expect(told == [former.name])
        #expect(try registry.read().account(bob())?.otherCopies == [former.name])
        // A logout erases what it can, and is not done.
        #expect(throws: fault) { try registry.forget(bob(), opening: opening([former, store])) }
        #expect(store.secrets.isEmpty && !former.secrets.isEmpty)
        #expect(try registry.read().account(bob())?.otherCopies == [former.name])
        former.erasing = nil
        #expect(try registry.forget(bob(), opening: opening([former, store])))
        #expect(former.secrets.isEmpty)
        #expect(try registry.read().account(bob()) == nil)
    }

    @Test func `an encrypted file that was removed took its copies along`() throws {
        let former = Scripted(.file), store = Scripted(.helper("scripted"))
        try logIn("bob", to: former)
        former.erasing = .notSetUp(.file)
        try logIn("bob", to: store, others: [former])
        #expect(try registry.read().account(bob())?.otherCopies == [])
    }

    @Test func `every former store is unlocked before the lock, whatever one of them says`() throws {
        let first = Scripted(.helper("first")), second = Scripted(.file), store = Scripted(.helper("scripted"))
        try logIn("bob", to: first)
        first.erasing = .helperNotInPath(.helper("first"))
        try logIn("bob", to: second, others: [first])
        (first.finding, second.found) = (.helperNotInPath(.helper("first")), [])
        try logIn("bob", to: store, others: [first, second])
        #expect(second.found == [bob()])
        #expect(second.secrets.isEmpty)
        // At a logout likewise: what could not be unlocked is not tried again while others wait.
        second.secrets[bob()] = Secret("left")
        try registry.update { $0.updateAccount(bob()) { $0.otherCopies = [.helper("first"), .file] } }
        (first.finding, first.erasing, second.found) = (.passphraseCancelled, nil, [])
        #expect(throws: StoreFault.passphraseCancelled) {
            try registry.forget(bob(), opening: opening([first, second, store]))
        }
        #expect(second.found == [bob()] && second.secrets.isEmpty && store.secrets.isEmpty)
        #expect(first.secrets[bob()] != nil)
        #expect(try registry.read().account(bob())?.otherCopies == [first.name])
    }
}
