import Foundation
@testable import LoginKit
import Testing

@Suite struct AccountRegistryTests {
    private func record(_ username: String, server: String? = nil, origin: Origin = .example) -> AccountRecord {
        AccountRecord(
            username: username, serverName: server, origin: origin, store: .keyring, kind: .token, expires: 5,
            savedAt: 4)
    }

    private func addWork(_ document: inout AccountRegistryDocument) {
        document.updateProfile("work", url: "https://probe.example/api", origin: .example) { profile in
            profile.accounts = [record("alice", server: "Alice A."), record("bob")]
            profile.activeUsername = "bob"
            profile.pinnedMethod = .digest
        }
        document.lastProfile = "work"
    }

    @Test func `no file is an empty registry and reading makes nothing`() throws {
        let folder = TemporaryFolder()
        #expect(try AccountRegistry(folder: folder.path).read() == AccountRegistryDocument())
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    private func exception(_ port: Int, _ byte: UInt8) throws -> TrustedCertificate {
        TrustedCertificate(
            origin: Origin(scheme: "https", host: "box.example", port: port), key: "key \(byte)",
            reasons: [.selfSigned, .expired],
            fingerprint: try #require(Fingerprint(bytes: [UInt8](repeating: byte, count: 32))))
    }

    @Test func `one exception for an origin reads back, and a registry without any is as before`() throws {
        let folder = TemporaryFolder()
        let registry = AccountRegistry(folder: folder.path)
        try registry.update(addWork)
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/state.json"))
        #expect(!String(decoding: before, as: UTF8.self).contains("trusted"))
        let (first, second, other) = (try exception(443, 1), try exception(443, 2), try exception(8443, 3))
        try registry.update { document in
            for each in [first, other, second] { document.trust(each) }
        }
        #expect(try registry.read().exception(for: first.origin) == second)
        #expect(try registry.read().trusted == [other, second])
        try registry.update { document in
            document.distrust(second.origin)
            document.distrust(other.origin)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/state.json")) == before)
    }

    @Test func `what is written reads back`() throws {
        let folder = TemporaryFolder()
        let written = try AccountRegistry(folder: folder.path).update(addWork)
        let read = try AccountRegistry(folder: folder.path).read()
        #expect(read == written)
        #expect(read.profile("work")?.pinnedMethod == .digest)
        #expect(read.profile("work")?.activeAccount?.username == "bob")
        #expect(read.profile("work")?.account(named: "Alice A.")?.username == "alice")
        #expect(read.account(.some("work", "alice"))?.expires == 5)
        #expect(read.profile("Work") == nil)
        #expect(read.lastProfile == "work")
    }

    @Test func `every store's name and every kind reads back`() throws {
        let folder = TemporaryFolder()
        let stores: [StoreName] = [.secretService, .file, .keyring, .plaintext, .helper("pass"), .none]
        try AccountRegistry(folder: folder.path).update { document in
            document.updateProfile("p", url: "u", origin: .example) { profile in
                profile.accounts = stores.map { store in
                    AccountRecord(
                        username: "\(store)", serverName: nil, origin: .example, store: store, kind: .cookies,
                        expires: nil, savedAt: 0, passwordRefused: true, keepsPassword: true)
                }
            }
        }
        #expect(try AccountRegistry(folder: folder.path).read().profile("p")?.accounts.map(\.store) == stores)
    }

    @Test func `accounts of a former origin are not in use`() throws {
        let folder = TemporaryFolder()
        let registry = AccountRegistry(folder: folder.path)
        try registry.update(addWork)
        let moved = Origin(scheme: "https", host: "evil.example", port: 443)
        let document = try registry.update { $0.updateProfile("work", url: "https://evil.example", origin: moved) }
        #expect(document.profile("work")?.activeAccount == nil)
        #expect(document.profile("work")?.account(named: "bob") == nil)
        #expect(document.profile("work")?.accounts.count == 2)
    }

    @Test func `removing the active account leaves none active and the others there`() throws {
        let folder = TemporaryFolder()
        let registry = AccountRegistry(folder: folder.path)
        try registry.update(addWork)
        let document = try registry.update { $0.removeAccounts([.some("work", "bob")]) }
        #expect(document.profile("work")?.accounts.map(\.username) == ["alice"])
        #expect(document.profile("work")?.activeUsername == nil)
    }

    @Test(arguments: [
        "", " ", "{", "[]", "null", #"{"profiles":[]}"#,
        #"{"version":"1","profiles":[]}"#,
        #"{"version":1,"profiles":[{"name":"x"}]}"#, "\u{0}\u{0}\u{0}\u{0}",
    ])
    func `a damaged registry is never overwritten`(text: String) throws {
        let folder = TemporaryFolder()
        let registry = AccountRegistry(folder: folder.path)
        try registry.update(addWork)
        try folder.overwrite("state.json", with: Data(text.utf8))
        for attempt in [{ _ = try registry.read() }, { try registry.update(addWork) }] as [() throws -> Void] {
            #expect {
                try attempt()
            } throws: { error in
                if case StoreFault.damaged = error { true } else { false }
            }
        }
        #expect(try folder.bytes("state.json") == Data(text.utf8))
    }

    @Test func `a cut at any length is told as damage`() throws {
        let folder = TemporaryFolder()
        let registry = AccountRegistry(folder: folder.path)
        try registry.update(addWork)
        let whole = try folder.bytes("state.json")
        for count in 0..<whole.count {
            try folder.overwrite("state.json", with: whole.prefix(count))
            #expect(throws: StoreFault.self, "\(count)") { try registry.read() }
        }
    }

    @Test func `an update that changes nothing writes nothing`() throws {
        let folder = TemporaryFolder()
        try AccountRegistry(folder: folder.path).update { _ in }
        #expect(!folder.entries().contains("state.json"))
    }
}
