import Foundation
@testable import LoginKit
import Secrets
import Testing

/// What a newer authctl has written, in a state folder that an older one uses, too.
@Suite struct NewerVersionTests {
    let folder = TemporaryFolder()
    var registry: AccountRegistry { AccountRegistry(folder: folder.path) }

    private let known = """
        {"username": "alice", "origin": {"scheme": "https", "host": "probe.example", "port": 443}, "store": "plaintext",
         "kind": "token", "savedAt": 4, "passwordRefused": false, "keepsPassword": false, "subject": {"id": [1, 2.5]}}
        """

    private func write(version: Int) throws {
        let profile = """
            {"name": "work", "url": "https://probe.example", "activeUsername": "alice", "colour": "green",
             "origin": {"scheme": "https", "host": "probe.example", "port": 443}, "accounts": [\(known)]}
            """
        let text = #"{"version": \#(version), "profiles": [\#(profile)], "lately": ["work", null, true]}"#
        try registry.update { $0.lastProfile = "x" }
        try folder.overwrite(AccountRegistry.fileName, with: Data(text.utf8))
    }

    private func members(_ value: Any?) throws -> NSDictionary { try #require(value as? NSDictionary) }

    @Test func `a save keeps the members of state.json that this version does not know`() throws {
        try write(version: 1)
        try registry.update { document in
            document.updateAccount(.some()) { $0.expires = 9 }
            document.lastProfile = "work"
        }
        let document = try members(JSONSerialization.jsonObject(with: folder.bytes(AccountRegistry.fileName)))
        #expect(document["lately"] as? NSArray == ["work", NSNull(), true])
        let profile = try members((document["profiles"] as? [Any])?.first)
        #expect(profile["colour"] as? String == "green")
        let account = try members((profile["accounts"] as? [Any])?.first)
        #expect(account["subject"] as? NSDictionary == ["id": [1, 2.5]])
        #expect(account["expires"] as? Int == 9)
    }

    @Test func `state.json of a newer version is told as such, and left as it is`() throws {
        try write(version: 2)
        let before = try folder.bytes(AccountRegistry.fileName)
        let fault = StoreFault.newerVersion(path: folder.path + "/" + AccountRegistry.fileName)
        #expect(throws: fault) { try registry.read() }
        #expect(throws: fault) { try registry.update { $0.lastProfile = nil } }
        #expect(try folder.bytes(AccountRegistry.fileName) == before)
        try folder.overwrite(AccountRegistry.fileName, with: Data(#"{"version": 2, "accounts": 7}"#.utf8))
        #expect(throws: fault) { try registry.read() }
    }

    @Test func `a logout erases the secrets that state.json of a newer version names, and leaves the file as it is`()
        throws
    {
        let store = PlaintextStore(folder: folder.path)
        try store.save(Secret("canary"), for: .some(), expires: nil)
        try write(version: 2)
        let before = try folder.bytes(AccountRegistry.fileName)
        var registry = registry
        registry.readsNewer = true
        #expect(try registry.read().isNewer)
        #expect(try registry.forget(.some()) { (_) throws(StoreFault) in store })
        #expect(try store.find(.some()) == nil)
        #expect(try folder.bytes(AccountRegistry.fileName) == before)
    }

    /// An account as this version writes it, but for one member.
    private static func account(_ name: String, _ member: String, _ value: String) -> String {
        let members = ["store": "\"plaintext\"", "kind": "\"token\""].merging([member: value]) { $1 }
        let rest = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ")
        return """
            {"username": "\(name)", "origin": {"scheme": "https", "host": "probe.example", "port": 443}, \(rest),
             "savedAt": 4, "passwordRefused": false, "keepsPassword": false}
            """
    }

    private static let unknownValues = [
        ("store", #""vault""#), ("kind", #""passkey""#), ("otherCopies", #"["plaintext", "vault"]"#),
        ("doubt", #"{"stolen": {}}"#),
    ]

    private func write(accounts: [String], pinned: String = "basic", trusted: String = "[]") throws {
        let profile = """
            {"name": "work", "url": "https://probe.example", "activeUsername": "bob", "pinnedMethod": "\(pinned)",
             "origin": {"scheme": "https", "host": "probe.example", "port": 443},
             "accounts": [\(accounts.joined(separator: ","))]}
            """
        try registry.update { $0.lastProfile = "x" }
        let text = #"{"version": 1, "profiles": [\#(profile)], "trusted": \#(trusted)}"#
        try folder.overwrite(AccountRegistry.fileName, with: Data(text.utf8))
    }

    private func written() throws -> NSDictionary {
        try members(JSONSerialization.jsonObject(with: folder.bytes(AccountRegistry.fileName)))
    }

    @Test(arguments: unknownValues)
    func `a value that only a newer authctl knows keeps its account from use, stays as it is, and spares the others`(
        member: String, value: String
    ) throws {
        try write(accounts: [Self.account("alice", "kind", #""token""#), Self.account("bob", member, value)])
        let profile = try #require(try registry.read().profile("work"))
        #expect(profile.accounts.map(\.isNewer) == [false, true] && !profile.isNewer)
        let path = folder.path + "/" + AccountRegistry.fileName
        let fault = StoreFault.newerVersion(path: path, of: "bob")
        #expect(throws: fault) { try registry.check(profile.activeAccount, of: "work") }
        try registry.check(profile.account(named: "alice"), of: "work")

        let store = PlaintextStore(folder: folder.path)
        let (alice, bob) = (AccountID.some("work", "alice"), AccountID.some("work", "bob"))
        for id in [alice, bob] { try store.save(Secret("canary"), for: id, expires: nil) }
        let results = registry.forget([alice, bob]) { (_) throws(StoreFault) in store }
        #expect(results == [alice: .success(true), bob: .failure(fault)])
        #expect(try store.find(alice) == nil && store.find(bob) != nil)

        let accounts = try #require(
            try members((written()["profiles"] as? [Any])?.first)["accounts"] as? [NSDictionary])
        let expected = try JSONSerialization.jsonObject(with: Data(value.utf8), options: .fragmentsAllowed)
        #expect(accounts.map { $0["username"] as? String } == ["bob"])
        #expect(accounts.first?[member] as? NSObject == expected as? NSObject)
    }

    @Test func `a pinned method that only a newer authctl knows stays, and the profile's accounts are read`() throws {
        try write(accounts: [Self.account("bob", "kind", #""token""#)], pinned: "passkey")
        let profile = try #require(try registry.read().profile("work"))
        #expect(profile.isNewer && profile.activeAccount?.isNewer == false)
        let path = folder.path + "/" + AccountRegistry.fileName
        #expect(throws: StoreFault.newerVersion(path: path, of: "work")) {
            try registry.check(profile.activeAccount, of: "work", profile)
        }
        try registry.update { $0.updateAccount(.some("work", "bob")) { $0.expires = 9 } }
        let written = try members((written()["profiles"] as? [Any])?.first)
        #expect(written["pinnedMethod"] as? String == "passkey")
        #expect((written["accounts"] as? [NSDictionary])?.first?["expires"] as? Int == 9)
    }

    @Test func `a fault of a certificate that only a newer authctl knows stays, and the others are accepted`() throws {
        let fingerprint = "sha256:" + String(repeating: "0f", count: 32)
        let exception = """
            {"origin": {"scheme": "https", "host": "probe.example", "port": 443}, "key": "k",
             "reasons": ["self-signed", "too-old"], "fingerprint": "\(fingerprint)"}
            """
        try write(accounts: [], trusted: "[\(exception)]")
        #expect(try registry.read().exception(for: .example)?.reasons == [.selfSigned])
        try registry.update { $0.lastProfile = "work" }
        let trusted = try members((written()["trusted"] as? [Any])?.first)
        #expect(trusted["reasons"] as? [String] == ["self-signed", "too-old"])
    }

    @Test func `a plain file and an encrypted file of a newer version are told as such`() throws {
        let plain = PlaintextStore(folder: folder.path)
        try plain.save(Secret("canary"), for: .some(), expires: nil)
        try folder.overwrite(PlaintextStore.fileName, with: Data(#"{"version": 2, "logins": []}"#.utf8))
        let plainFault = StoreFault.newerVersion(path: folder.path + "/" + PlaintextStore.fileName)
        #expect(throws: plainFault) { try plain.find(.some()) }
        #expect(throws: plainFault) { try plain.save(Secret("x"), for: .some(), expires: nil) }
        let file = try StoreUnderTest.file.make(in: folder)
        var bytes = try folder.bytes(EncryptedFileStore.fileName)
        bytes[7] = 2
        try folder.overwrite(EncryptedFileStore.fileName, with: bytes)
        let fault = StoreFault.newerVersion(path: folder.path + "/" + EncryptedFileStore.fileName)
        #expect(throws: fault) { try file.find(.some()) }
        #expect(try folder.bytes(EncryptedFileStore.fileName) == bytes)
    }

    @Test(arguments: [
        #"{"version": 2, "session": {"passkey": {}}}"#, #"{"version": 1, "session": {"passkey": {}}}"#,
        #"{"version": 1, "account": \#(account("bob", "kind", #""passkey""#)), "credential": {}}"#,
    ])
    func `a stored login of a newer authctl is told as such`(text: String) {
        #expect(throws: StoreFault.newerVersion(path: "file")) {
            try StoredLoginCodec.decode(Secret(text), in: .file)
        }
        #expect(throws: StoredLoginCodecTests.damaged) {
            try StoredLoginCodec.decode(Secret(#"{"version": "2"}"#), in: .file)
        }
    }
}
