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

    @Test func `a stored login of a newer version is told as such`() {
        #expect(throws: StoreFault.newerVersion(path: "file")) {
            try StoredLoginCodec.decode(Secret(#"{"version": 2, "session": {"passkey": {}}}"#), in: .file)
        }
        #expect(throws: StoredLoginCodecTests.damaged) {
            try StoredLoginCodec.decode(Secret(#"{"version": "2"}"#), in: .file)
        }
    }
}
