@testable import LoginKit
import Secrets
import Testing

/// A person who is wrong about the passphrase of the encrypted file.
struct PassphraseTriesTests {
    private let folder = TemporaryFolder()

    /// A store that is given these in turn, and then no more.
    private func store(_ supplied: [String], asked: @escaping () -> Void = {}) -> EncryptedFileStore {
        EncryptedFileStore(
            folder: folder.path,
            another: { (failures) throws(StoreFault) in
                guard failures < supplied.count else { return nil }
                asked()
                return Secret(supplied[failures])
            },
            passphrase: { () throws(StoreFault) in
                asked()
                return Secret(supplied[0])
            })
    }

    private func setUp() throws {
        let ask: () throws(StoreFault) -> Secret = { Secret("correct horse") }
        try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
        try store(["correct horse"]).save(Secret("x"), for: .some(), expires: nil)
    }

    @Test(arguments: [["correct horse"], ["wrong", "correct horse"], ["", "wrong", "correct horse"]])
    func `the right one opens the file, however many were wrong before it`(supplied: [String]) throws {
        try setUp()
        var asked = 0
        let store = store(supplied) { asked += 1 }
        #expect(try store.find(.some()) == Secret("x"))
        try store.save(Secret("y"), for: .some(), expires: nil)
        #expect(asked == supplied.count)
    }

    @Test func `with none that is right nothing is touched, and nobody is asked again`() throws {
        try setUp()
        let before = try folder.entries().map { try folder.bytes($0) }
        var asked = 0
        let store = store(["one", "two", "three"]) { asked += 1 }
        let fault = StoreFault.wrongPassphraseOrDamaged(path: "\(folder.path)/store.authctl")
        #expect(throws: fault) { try store.find(.some()) }
        #expect(throws: fault) { try store.save(Secret("y"), for: .some(), expires: nil) }
        #expect(throws: fault) { try store.erase(.some()) }
        #expect(asked == 3)
        #expect(try folder.entries().map { try folder.bytes($0) } == before)
    }

    @Test func `whoever cancels is not asked again by the same command`() throws {
        try setUp()
        var asked = 0
        let store = EncryptedFileStore(folder: folder.path) { () throws(StoreFault) in
            asked += 1
            throw .passphraseCancelled
        }
        for _ in 1...2 { #expect(throws: StoreFault.passphraseCancelled) { try store.find(.some()) } }
        #expect(asked == 1)
    }
}
