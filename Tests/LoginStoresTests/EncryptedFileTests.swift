import Foundation
@testable import LoginKit
import Secrets
@testable import LoginTestSupport
import Testing

@Suite(.onOwnThreads) struct EncryptedFileTests {
    private let ask: () throws(StoreFault) -> Secret = { Secret("correct horse") }

    @Test func `setting up does not replace what is there`() throws {
        let folder = TemporaryFolder()
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        let before = try folder.bytes("store.authctl")
        let path = "\(folder.path)/store.authctl"
        #expect(throws: StoreFault.alreadySetUp(.file, path: path)) {
            try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        }
        try folder.overwrite("store.authctl", with: Data())
        #expect(throws: StoreFault.alreadySetUp(.file, path: path)) {
            try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        }
        #expect(before.count > 0)
    }

    @Test func `before it is set up every use says so and makes nothing`() throws {
        let folder = TemporaryFolder()
        let store = EncryptedFileStore(folder: folder.path, passphrase: ask)
        #expect(try !store.isSetUp())
        #expect(throws: StoreFault.notSetUp(.file)) { try store.find(.some()) }
        #expect(throws: StoreFault.notSetUp(.file)) { try store.contains(.some()) }
        #expect(throws: StoreFault.notSetUp(.file)) { try store.erase(.some()) }
        #expect(throws: StoreFault.notSetUp(.file)) { try store.save(Secret("x"), for: .some(), expires: nil) }
        #expect(folder.entries().isEmpty)
    }

    @Test func `the passphrase is asked for once, and not to tell whether there is one`() throws {
        let folder = TemporaryFolder()
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        var asked = 0
        let store = EncryptedFileStore(folder: folder.path) { () throws(StoreFault) in
            asked += 1
            return Secret("correct horse")
        }
        #expect(try !store.contains(.some()))
        #expect(try !store.erase(.some()))
        #expect(asked == 0)
        try store.save(Secret("x"), for: .some(), expires: nil)
        #expect(try store.find(.some()) == Secret("x"))
        #expect(try store.erase(.some()))
        #expect(asked == 1)
    }

    @Test(.enabled(if: Need.keyring, "the kernel keyring cannot be used here"))
    func `what opens the file is held for a time, and then the passphrase is needed again`() throws {
        let folder = TemporaryFolder()
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        var asked = 0
        func store() -> EncryptedFileStore {
            EncryptedFileStore(folder: folder.path, holding: 60, clock: WallClock { Int64(time(nil)) }) {
                () throws(StoreFault) in
                asked += 1
                return Secret("correct horse")
            }
        }
        try store().save(Secret("x"), for: .some(), expires: nil)
        #expect(try store().find(.some()) == Secret("x"))
        #expect(asked == 1)
        let withoutHolding = EncryptedFileStore(folder: folder.path) { () throws(StoreFault) in
            throw .passphraseCancelled
        }
        #expect(throws: StoreFault.passphraseCancelled) { try withoutHolding.find(.some()) }
        #expect(try store().dropHeldKey(clock: .fixed))
        #expect(try !store().dropHeldKey(clock: .fixed))
        #expect(try store().find(.some()) == Secret("x"))
        #expect(asked == 2)
        // Of another file, nothing is held.
        let other = TemporaryFolder()
        try EncryptedFileStore.create(folder: other.path, source: .passphrase(ask), derivation: .lowest)
        let anonymous = EncryptedFileStore(folder: other.path, holding: 60, clock: .fixed) { () throws(StoreFault) in
            throw .passphraseCancelled
        }
        #expect(throws: StoreFault.passphraseCancelled) { try anonymous.find(.some()) }
        #expect(try store().dropHeldKey(clock: .fixed))
    }

    @Test(.enabled(if: Need.strace, "strace cannot trace here"), arguments: ["EPERM", "ENOSYS"])
    func `where the kernel refuses keys nothing is held, and nothing is there to drop`(errno: String) throws {
        let folder = TemporaryFolder()
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        let dropped = try Program.run([
            "strace", "-f", "-o", "/dev/null", "-e", "inject=add_key,keyctl:error=\(errno)", Program.probe,
            "drop-held-key", "file", folder.path, "none", "none",
        ])
        #expect(dropped.status == 3, "\(dropped.errors)")
    }

    /// Ticks with every look at it.
    private final class Ticking: @unchecked Sendable {
        private var time: Int64 = 1_800_000_000
        func next() -> Int64 {
            time += 10
            return time
        }
    }

    @Test(.enabled(if: Need.keyring, "the kernel keyring cannot be used here"))
    func `what opens the file is held no longer than it was said, whatever the clock does`() throws {
        let folder = TemporaryFolder()
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        var asked = 0
        let clock = Ticking()
        func store() -> EncryptedFileStore {
            EncryptedFileStore(folder: folder.path, holding: 1, clock: WallClock { clock.next() }) {
                () throws(StoreFault) in
                asked += 1
                return Secret("correct horse")
            }
        }
        try store().save(Secret("x"), for: .some(), expires: nil)
        // The kernel forgets it after a second, and then it is asked for again.
        #expect(try eventually { try store().find(.some()) == Secret("x") && asked == 2 })
        _ = try store().dropHeldKey(clock: .fixed)
    }

    @Test(.enabled(if: Need.keyring, "the kernel keyring cannot be used here"), arguments: [1, 31, 33])
    func `what is held and is no key opens nothing, and the passphrase is asked for`(count: Int) throws {
        let folder = TemporaryFolder()
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        var asked = 0
        let store = EncryptedFileStore(folder: folder.path, holding: 60, clock: .fixed) { () throws(StoreFault) in
            asked += 1
            return Secret("correct horse")
        }
        // The salt is where the format has it.
        let salt = [UInt8](try folder.bytes("store.authctl"))[17..<33].map {
            String(repeating: "0", count: $0 < 16 ? 1 : 0) + String($0, radix: 16)
        }
        let held = AccountID(
            profile: "authctl encrypted file", origin: Origin(scheme: "https", host: "file.invalid", port: 443),
            username: salt.joined())
        let keyring = KeyringStore(clock: .fixed)
        try keyring.save(Secret(count: count) { $0[0] = 7 }, for: held, expires: nil)
        try store.save(Secret("x"), for: .some(), expires: nil)
        #expect(try store.find(.some()) == Secret("x"))
        #expect(asked == 1)
        #expect(try keyring.find(held)?.count == 32)
        #expect(try store.dropHeldKey(clock: .fixed))
    }

    @Test func `A key file that has only zero bytes is refused`() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.parent)/key"
        let script = "head -c 64 /dev/zero > \(path) && chmod 600 \(path)"
        #expect(try Program.run(["sh", "-c", script]).status == 0)
        #expect(throws: StoreFault.unsafeFile(path: path, problem: "it has only zero bytes, so it is no key")) {
            try EncryptedFileStore.create(folder: folder.path, source: .keyFile(path: path))
        }
    }

    @Test func `A key file in a folder where others may write is refused, by a link as well`() throws {
        let folder = TemporaryFolder()
        let open = "\(folder.parent)/open", link = "\(folder.parent)/link"
        let script = """
            mkdir \(open) && head -c 64 /dev/urandom > \(open)/key && chmod 600 \(open)/key && chmod 777 \(open) &&
            ln -s \(open)/key \(link)
            """
        #expect(try Program.run(["sh", "-c", script]).status == 0)
        for path in ["\(open)/key", link] {
            #expect {
                try EncryptedFileStore.create(folder: folder.path, source: .keyFile(path: path))
            } throws: { error in
                if case .unsafeFile(open, _)? = error as? StoreFault { true } else { false }
            }
        }
    }

    @Test func `why a key file cannot be opened is said in its own words`() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.parent)/key"
        #expect(try Program.run(["ln", "-s", "key", path]).status == 0)
        #expect(throws: StoreFault.unsafeFile(path: path, problem: "it is a loop of symbolic links")) {
            try EncryptedFileStore.create(folder: folder.path, source: .keyFile(path: path))
        }
        #expect(
            EncryptionKeyFile.fault(path: path, errno: EACCES)
                == .unsafeFile(path: path, problem: "this user has no permission to read it"))
        #expect(EncryptionKeyFile.fault(path: path, errno: ENOENT) == .system(call: "open", path: path, errno: ENOENT))
    }

    @Test func `a blank passphrase is refused and nothing is set up`() throws {
        let folder = TemporaryFolder()
        let blank: () throws(StoreFault) -> Secret = { Secret("") }
        #expect(throws: StoreFault.passphraseBlank) {
            try EncryptedFileStore.create(folder: folder.path, source: .passphrase(blank), derivation: .lowest)
        }
        #expect(folder.entries().isEmpty)
    }

    @Test func `a cancelled question changes nothing`() throws {
        let folder = TemporaryFolder()
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        let before = try folder.bytes("store.authctl")
        let store = EncryptedFileStore(folder: folder.path) { () throws(StoreFault) in throw .passphraseCancelled }
        #expect(throws: StoreFault.passphraseCancelled) { try store.save(Secret("x"), for: .some(), expires: nil) }
        #expect(try folder.bytes("store.authctl") == before)
    }

    @Test(arguments: ["chmod 644", "truncate -s 31", "rm -f", "printf x >>"])
    func `a key file that is loose, short, gone or another opens nothing`(damage: String) throws {
        let folder = TemporaryFolder()
        let path = "\(folder.parent)/key"
        try folder.makeKeyFile(path)
        try EncryptedFileStore.create(folder: folder.path, source: .keyFile(path: path))
        let store = EncryptedFileStore(folder: folder.path, passphrase: ask)
        #expect(try Program.run(["sh", "-c", "\(damage) \(path)"]).status == 0)
        #expect(throws: StoreFault.self) { try store.save(Secret("x"), for: .some(), expires: nil) }
    }

    @Test func `the usual work is libsodium's moderate`() throws {
        let folder = TemporaryFolder()
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask))
        let bytes = [UInt8](try folder.bytes("store.authctl"))
        #expect(bytes[8] == 1)
        #expect(Array(bytes[9..<17]) == [0, 0, 0, 3, 0, 4, 0, 0])
        let store = EncryptedFileStore(folder: folder.path, passphrase: ask)
        try store.save(Secret("x"), for: .some(), expires: nil)
        #expect(try store.find(.some()) == Secret("x"))
    }
}
