@testable import LoginKit
import Secrets
import Testing

@Suite struct StoreChooserTests {
    private func stores(_ folder: TemporaryFolder, passphrase: StoreFault? = nil) -> Stores {
        Stores(folder: folder.path, clock: .fixed) { () throws(StoreFault) in
            if let passphrase { throw passphrase }
            return Secret("correct horse")
        }
    }

    private func setUp(_ folder: TemporaryFolder) throws {
        let ask: () throws(StoreFault) -> Secret = { Secret("correct horse") }
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
    }

    private func chooser(_ stores: Stores) -> StoreChooser { stores.chooser() }

    @Test(.enabled(if: Need.keyring, "the kernel keyring cannot be used here"))
    func `auto takes the keyring until the encrypted file is set up`() throws {
        let folder = TemporaryFolder()
        #expect(try chooser(stores(folder)).choose().name == .keyring)
        try setUp(folder)
        #expect(try chooser(stores(folder)).choose().name == .file)
        #expect(try chooser(stores(folder)).choose(persistence: .permanent).name == .file)
        #expect(try chooser(stores(folder)).choose(persistence: .session).name == .keyring)
    }

    @Test(.enabled(if: Need.keyring, "the kernel keyring cannot be used here"))
    func `permanent is refused where only the keyring works`() throws {
        let chooser = chooser(stores(TemporaryFolder()))
        #expect(throws: StoreFault.cannotBePermanent(.keyring)) { try chooser.choose(persistence: .permanent) }
        #expect(throws: StoreFault.cannotBePermanent(.keyring)) {
            try chooser.choose(.keyring, persistence: .permanent)
        }
    }

    @Test(.enabled(if: Need.keyring, "the kernel keyring cannot be used here"))
    func `a survey says why each store is not usable and which is chosen, without a passphrase`() throws {
        let folder = TemporaryFolder()
        let before = chooser(stores(folder)).survey()
        #expect(before.map(\.name) == [.secretService, .file, .keyring])
        #expect(before.map(\.isChosen) == [false, false, true])
        #expect(before[1].fault == .notSetUp(.file))
        try setUp(folder)
        let after = chooser(stores(folder, passphrase: .passphraseCancelled)).survey()
        #expect(after.map(\.isChosen) == [false, true, false])
        #expect(after[1].fault == nil && after[2].fault == nil)
    }

    @Test func `a store that is there but broken is told and not passed over`() throws {
        let folder = TemporaryFolder()
        try setUp(folder)
        let whole = try folder.bytes("store.authctl")
        try folder.overwrite("store.authctl", with: whole.dropLast())
        #expect(throws: StoreFault.self) { try chooser(stores(folder)).choose() }
        #expect(chooser(stores(folder)).survey().allSatisfy { !$0.isChosen })
        try folder.overwrite("store.authctl", with: whole)
        #expect(throws: StoreFault.passphraseCancelled) {
            try chooser(stores(folder, passphrase: .passphraseCancelled)).choose()
        }
    }

    @Test func `plain text only by name, and none keeps nothing`() throws {
        let folder = TemporaryFolder()
        let chooser = chooser(stores(folder))
        #expect(try chooser.choose(.plaintext).name == .plaintext)
        #expect(try chooser.choose(.some(.none)).name == .none)
        #expect(try chooser.choose(persistence: Persistence.none).name == .none)
        #expect(throws: StoreFault.cannotBePermanent(.none)) {
            try chooser.choose(.some(.none), persistence: .permanent)
        }
        #expect(throws: StoreFault.self) { try chooser.choose(.file, persistence: .session) }
        #expect(throws: StoreFault.notSetUp(.file)) { try chooser.choose(.file) }
    }

    @Test func `where none works every reason is named`() throws {
        let chooser = StoreChooser(
            candidates: [.secretService, .keyring],
            open: { (name) throws(StoreFault) in throw .unavailable(name, problem: "gone") },
            forSession: { NoStore() }, test: { _ in }, check: { _ in })
        let reasons = [StoreName.secretService, .keyring].map {
            UnusableStore(name: $0, fault: .unavailable($0, problem: "gone"))
        }
        #expect(throws: StoreFault.noneWorks(reasons)) { try chooser.choose() }
    }

    /// Loses what it was given, as a keyring does whose session ends.
    private struct Forgetful: CredentialStore {
        let name = StoreName.keyring
        func find(_ account: AccountID) throws(StoreFault) -> Secret? { nil }
        func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {}
        func erase(_ account: AccountID) throws(StoreFault) -> Bool { false }
        func contains(_ account: AccountID) throws(StoreFault) -> Bool { false }
    }

    /// Takes everything, and then fails at everything.
    private struct Broken: CredentialStore {
        let name = StoreName.plaintext
        func find(_ account: AccountID) throws(StoreFault) -> Secret? { throw .damaged(path: "read", problem: "") }
        func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {}
        func erase(_ account: AccountID) throws(StoreFault) -> Bool { throw .damaged(path: "erased", problem: "") }
        func contains(_ account: AccountID) throws(StoreFault) -> Bool { true }
    }

    @Test func `what fails first in a write-read-delete is told`() {
        #expect(throws: StoreFault.damaged(path: "read", problem: "")) {
            try StoreTest(folder: "/state").run(on: Broken())
        }
    }

    @Test func `a store that forgets fails the write-read-delete`() {
        #expect(throws: StoreFault.self) { try StoreTest(folder: "/state").run(on: Forgetful()) }
    }
}
