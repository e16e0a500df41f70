import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Threat F6, on the encrypted file with the least work that the format allows.
@Suite struct TamperTests {
    private func opened(_ folder: TemporaryFolder, _ passphrase: String = "correct horse") -> EncryptedFileStore {
        EncryptedFileStore(folder: folder.path) { () throws(StoreFault) in Secret(passphrase) }
    }

    /// Two accounts, in this order.
    private func makeStore(in folder: TemporaryFolder, secrets: [String] = ["one", "two"]) throws -> Data {
        let ask: () throws(StoreFault) -> Secret = { Secret("correct horse") }
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        let store = opened(folder)
        try store.save(Secret(secrets[0]), for: .some("work", "a"), expires: nil)
        try store.save(Secret(secrets[1]), for: .some("work", "b"), expires: nil)
        return try folder.bytes("store.authctl")
    }

    /// Reading, saving and erasing all fail, and the file stays as it is.
    private func expectRefused(_ bytes: Data, in folder: TemporaryFolder, _ what: String, saves: Bool = true) throws {
        try folder.overwrite("store.authctl", with: bytes)
        expectDamage(what) { _ = try opened(folder).find(.some("work", "a")) }
        if saves {
            expectDamage(what) { try opened(folder).save(Secret("x"), for: .some("work", "c"), expires: nil) }
        }
        #expect(try folder.bytes("store.authctl") == bytes, "\(what)")
    }

    private func expectDamage(_ what: String, _ body: () throws -> Void) {
        #expect("\(what)") {
            try body()
        } throws: { error in
            switch error as? StoreFault {
            // The version is a byte, too.
            case .damaged, .wrongPassphraseOrDamaged, .newerVersion: true
            default: false
            }
        }
    }

    @Test func `a flip of any byte is refused and the file left alone`() throws {
        let folder = TemporaryFolder()
        let whole = try makeStore(in: folder)
        let places = Thoroughness.sample(Array(whole.indices), 100)
        for index in places {
            for flip: UInt8 in [0x01, 0x80] {
                var bytes = whole
                bytes[index] ^= flip
                try expectRefused(bytes, in: folder, "byte \(index) ^ \(flip)", saves: index % 16 == 0)
            }
        }
        try folder.overwrite("store.authctl", with: whole)
        #expect(try opened(folder).find(.some("work", "a")) == Secret("one"))
        print("F6: \(places.count * 2) flips in \(whole.count) bytes, all refused")
    }

    /// A key file costs no work, so here every bit is turned, and every length tried, by reading and by both ways of writing.
    @Test func `a flip of any bit, and a cut at any length, of a file with a key file is refused`() throws {
        let folder = TemporaryFolder(), key = "\(folder.parent)/key"
        try folder.makeKeyFile(key)
        try EncryptedFileStore.create(folder: folder.path, source: .keyFile(path: key))
        let store = opened(folder)
        for name in ["a", "b"] { try store.save(Secret("secret of \(name)"), for: .some("work", name), expires: nil) }
        let whole = try folder.bytes("store.authctl")
        var tried = 0
        for index in Thoroughness.sample(Array(whole.indices), 100) {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << UInt8(bit)
                try expectRefusedByKeyFile(bytes, in: folder, "byte \(index), bit \(bit)")
                tried += 1
            }
        }
        for count in 0..<whole.count {
            try expectRefusedByKeyFile(whole.prefix(count), in: folder, "cut to \(count)")
            tried += 1
        }
        try folder.overwrite("store.authctl", with: whole)
        #expect(try opened(folder).find(.some("work", "a")) == Secret("secret of a"))
        print("F6: \(tried) damages to \(whole.count) bytes with a key file, all refused, file untouched")
    }

    private func expectRefusedByKeyFile(_ bytes: Data, in folder: TemporaryFolder, _ what: String) throws {
        try folder.overwrite("store.authctl", with: bytes)
        let account = AccountID.some("work", "a")
        // A turned bit in the path names another key file, which is not there.
        #expect(throws: StoreFault.self, "\(what)") { _ = try opened(folder).find(account) }
        #expect(throws: StoreFault.self, "\(what)") { try opened(folder).save(Secret("x"), for: account, expires: nil) }
        #expect(try folder.bytes("store.authctl") == bytes, "\(what)")
    }

    /// Documented in docs/store-format.md: there is no counter outside of the file that could tell.
    @Test func `an older copy of the whole file is whole, and read as what it is`() throws {
        let folder = TemporaryFolder()
        let older = try makeStore(in: folder)
        try opened(folder).save(Secret("newer"), for: .some("work", "a"), expires: nil)
        try folder.overwrite("store.authctl", with: older)
        #expect(try opened(folder).find(.some("work", "a")) == Secret("one"))
    }

    @Test func `a cut at any length is refused, and nothing is not an empty store`() throws {
        let folder = TemporaryFolder()
        let whole = try makeStore(in: folder)
        for count in 0..<whole.count {
            try expectRefused(whole.prefix(count), in: folder, "cut to \(count)")
            expectDamage("contains, cut to \(count)") { _ = try opened(folder).contains(.some("work", "a")) }
        }
        print("F6: \(whole.count) lengths, all refused")
    }

    @Test func `appended bytes are refused`() throws {
        let folder = TemporaryFolder()
        let whole = try makeStore(in: folder)
        for tail in [Data([0]), Data([10]), Data(repeating: 0, count: 40), whole] {
            try expectRefused(whole + tail, in: folder, "\(tail.count) more")
        }
    }

    @Test func `records that change places or profiles are refused`() throws {
        let folder = TemporaryFolder()
        let whole = try makeStore(in: folder)
        // A record ends with nonce, length and three bytes with their tag.
        let record = 2 + 4 + 2 + 5 + 2 + 13 + 4 + 2 + 1 + 24 + 4 + 19
        let records = whole.count - 40 - 2 * record
        let (first, second) = (whole[records..<records + record], whole[(records + record)..<(records + 2 * record)])
        let (head, seal) = (whole.prefix(records), whole.suffix(40))
        try expectRefused(head + second + first + seal, in: folder, "swapped")
        try expectRefused(head + first + first + seal, in: folder, "doubled")
        // The sealed part of one under the name of the other.
        let sealed = 24 + 4 + 19
        let exchanged = first.dropLast(sealed) + second.suffix(sealed) + second.dropLast(sealed) + first.suffix(sealed)
        try expectRefused(head + exchanged + seal, in: folder, "secrets exchanged")
        let renamed = Data(whole.replacing(Data("work".utf8), with: Data("play".utf8)))
        try expectRefused(renamed, in: folder, "another profile")
        let moved = Data(whole.replacing(Data("probe.example".utf8), with: Data("proXe.example".utf8)))
        try expectRefused(moved, in: folder, "another host")
    }

    @Test func `records of another store with the same passphrase are refused`() throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        let (one, two) = (try makeStore(in: folder), try makeStore(in: other))
        let header = 107
        #expect(one.count == two.count)
        try expectRefused(one.prefix(header) + two.dropFirst(header), in: folder, "mixed")
    }

    @Test func `a wrong passphrase and a changed byte are the same fault`() throws {
        let folder = TemporaryFolder()
        let whole = try makeStore(in: folder)
        let fault = StoreFault.wrongPassphraseOrDamaged(path: "\(folder.path)/store.authctl")
        #expect(throws: fault) { try opened(folder, "wrong").find(.some("work", "a")) }
        #expect(throws: fault) { try opened(folder, "").save(Secret("x"), for: .some(), expires: nil) }
        var bytes = whole
        bytes[bytes.count - 1] ^= 1
        try folder.overwrite("store.authctl", with: bytes)
        #expect(throws: fault) { try opened(folder).find(.some("work", "a")) }
        #expect(try folder.bytes("store.authctl") == bytes)
    }

    /// Work beyond the bounds: refused before the passphrase is asked for, and so before any memory is taken.
    @Test(
        arguments: [
            (0, 8192), (1, 8192), (17, 8192), (.max, 8192), (2, 0), (2, 8191), (2, 1_048_577), (2, .max), (.max, .max),
        ] as [(UInt32, UInt32)])
    func `hostile parameters are refused before any work`(passes: UInt32, memory: UInt32) throws {
        let folder = TemporaryFolder()
        var bytes = try makeStore(in: folder)
        for (place, number) in [(9, passes), (13, memory)] {
            for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index)) }
        }
        try folder.overwrite("store.authctl", with: bytes)
        let store = EncryptedFileStore(folder: folder.path) { () throws(StoreFault) in
            Issue.record("the passphrase was asked for")
            return Secret("correct horse")
        }
        expectDamage("\(passes) passes, \(memory) KiB") { _ = try store.find(.some("work", "a")) }
    }

    @Test func `no form of a secret or of the passphrase is in the file`() throws {
        let folder = TemporaryFolder()
        let bytes = try makeStore(in: folder, secrets: ["canary-7f3a", "canary-91bc"])
        for form in ["canary", "correct horse", Data("canary-7f3a".utf8).base64EncodedString()] {
            #expect(bytes.range(of: Data(form.utf8)) == nil)
        }
    }
}
