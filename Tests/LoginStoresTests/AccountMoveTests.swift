import Foundation
@testable import LoginKit
import Secrets
import Testing

/// Carrying a login from one real store to another.
@Suite struct AccountMoveTests {
    let folder = TemporaryFolder()
    let profile = "move-\(UInt64.random(in: 0 ... .max))"
    var registry: AccountRegistry { AccountRegistry(folder: folder.path) }
    var id: AccountID { .some(profile, "alice") }

    static let pairs: [(StoreUnderTest, StoreUnderTest)] = StoreUnderTest.allCases.filter(\.isHere).flatMap { from in
        StoreUnderTest.allCases.filter { $0.isHere && $0.name != from.name }.map { (from, $0) }
    }

    /// As a login leaves it.
    private func logIn(_ store: any CredentialStore, expires: Int64? = nil) throws -> Secret {
        let token = Token(value: Secret("canary"), refreshToken: nil, expires: expires)
        let bytes = try StoredLoginCodec.encode(StoredLogin(session: .token(token)))
        try store.save(bytes, for: id, expires: nil)
        try registry.update { document in
            document.updateProfile(profile, url: "https://probe.example", origin: .example) {
                $0.accounts.append(
                    AccountRecord(
                        username: "alice", serverName: nil, origin: .example, store: store.name, kind: .token,
                        expires: expires, savedAt: 0))
                $0.activeUsername = "alice"
            }
        }
        return bytes
    }

    @Test(arguments: pairs)
    func `a login moves, and nothing stays behind`(from: StoreUnderTest, to: StoreUnderTest) throws {
        let elsewhere = TemporaryFolder()
        let source = try from.make(in: folder), target = try to.make(in: elsewhere)
        let secret = try logIn(source)
        #expect(try AccountMove(registry: registry, from: source, to: target).move(id) == .moved)
        // What is known of the account goes with it where other machines want to know.
        let moved = try #require(try target.find(id))
        let login = try StoredLoginCodec.decode(secret, in: source.name).login
        #expect(try StoredLoginCodec.decode(moved, in: target.name).login == login)
        #expect(try !source.contains(id))
        let record = try registry.read().account(id)
        #expect(record?.store == target.name && record?.otherCopies == [])
        #expect(try registry.read().profile(profile)?.activeUsername == "alice")
        #expect(try AccountMove(registry: registry, from: source, to: target).move(id) == .elsewhere)
        try target.erase(id)
    }

    @Test func `what the store has dropped by itself is not moved`() throws {
        let source = PlaintextStore(folder: folder.path)
        _ = try logIn(source)
        try source.erase(id)
        let target = try StoreUnderTest.file.make(in: TemporaryFolder())
        #expect(try AccountMove(registry: registry, from: source, to: target).move(id) == .nothingThere)
        #expect(try registry.read().account(id)?.store == .plaintext)
    }

    /// A store that takes everything and gives back something else.
    private struct Garbling: CredentialStore {
        let name = StoreName.helper("garbling")
        func find(_ account: AccountID) throws(StoreFault) -> Secret? { Secret("something else") }
        func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {}
        func erase(_ account: AccountID) throws(StoreFault) -> Bool { true }
        func contains(_ account: AccountID) throws(StoreFault) -> Bool { true }
    }

    @Test func `the old copy stays if the new one does not read back, and a logout looks in both places`() throws {
        let source = PlaintextStore(folder: folder.path)
        let secret = try logIn(source)
        #expect(throws: StoreFault.self) { try AccountMove(registry: registry, from: source, to: Garbling()).move(id) }
        #expect(try source.find(id) == secret)
        #expect(try registry.read().account(id)?.store == .plaintext)
        #expect(try registry.read().account(id)?.otherCopies == [.helper("garbling")])
        var opened: [StoreName] = []
        _ = try registry.forget(id) { (name) throws(StoreFault) in
            opened.append(name)
            return name == .plaintext ? source : Garbling()
        }
        #expect(Set(opened) == [.plaintext, .helper("garbling")])
        #expect(try registry.read().account(id) == nil)
    }

    /// The plain file, as long as it is to lose nothing.
    private struct Stubborn: CredentialStore {
        let real: PlaintextStore
        var name: StoreName { real.name }
        func find(_ account: AccountID) throws(StoreFault) -> Secret? { try real.find(account) }
        func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
            try real.save(secret, for: account, expires: expires)
        }
        func erase(_ account: AccountID) throws(StoreFault) -> Bool {
            throw .system(call: "write", path: "plaintext.json", errno: ENOSPC)
        }
        func contains(_ account: AccountID) throws(StoreFault) -> Bool { try real.contains(account) }
    }

    @Test func `a move that could not erase the old copy is ended by the next one`() throws {
        let source = PlaintextStore(folder: folder.path)
        let secret = try logIn(source), elsewhere = TemporaryFolder()
        let target = try StoreUnderTest.file.make(in: elsewhere)
        #expect(throws: StoreFault.self) {
            try AccountMove(registry: registry, from: Stubborn(real: source), to: target).move(id)
        }
        #expect(try source.contains(id) && target.find(id) == secret)
        #expect(try registry.read().account(id)?.otherCopies == [.plaintext])
        // Wherever the next one is to go: the login stays where it is.
        let third = Garbling()
        #expect(try AccountMove(registry: registry, from: source, to: third).move(id) == .cleared(.file))
        #expect(try !source.contains(id))
        #expect(try target.find(id) == secret)
        #expect(try registry.read().account(id)?.store == .file)
        #expect(try registry.read().account(id)?.otherCopies == [])
        #expect(try AccountMove(registry: registry, from: source, to: target).move(id) == .elsewhere)
        withExtendedLifetime(elsewhere) {}
    }

    @Test func `what holds no stored login is not moved`() throws {
        let source = PlaintextStore(folder: folder.path)
        _ = try logIn(source)
        try source.save(Secret("no login"), for: id, expires: nil)
        let target = try StoreUnderTest.file.make(in: TemporaryFolder())
        #expect(throws: StoreFault.self) { try AccountMove(registry: registry, from: source, to: target).move(id) }
        #expect(try source.find(id) == Secret("no login"))
    }
}
