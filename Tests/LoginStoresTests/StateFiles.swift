import Foundation
@testable import LoginKit
import Secrets
import Testing

// What the tests of the files try, and with what.
extension SafeFileTests {
    enum File: String, CaseIterable {
        case encrypted = "store.authctl"
        case plaintext = "plaintext.json"
        case registry = "state.json"

        func write(in folder: TemporaryFolder, _ value: String = "one") throws {
            switch self {
            case .encrypted:
                let store = try encryptedStore(in: folder)
                try store.save(Secret(value), for: .some(), expires: nil)
            case .plaintext: try PlaintextStore(folder: folder.path).save(Secret(value), for: .some(), expires: nil)
            case .registry:
                try AccountRegistry(folder: folder.path).update { document in
                    document.updateProfile(value, url: "https://probe.example", origin: .example)
                }
            }
        }

        func read(in folder: TemporaryFolder) throws {
            switch self {
            case .encrypted: _ = try store(in: folder).contains(.some())
            case .plaintext: _ = try PlaintextStore(folder: folder.path).find(.some())
            case .registry: _ = try AccountRegistry(folder: folder.path).read()
            }
        }

        private func store(in folder: TemporaryFolder) -> EncryptedFileStore {
            EncryptedFileStore(folder: folder.path) { () throws(StoreFault) in Secret("correct horse") }
        }

        private func encryptedStore(in folder: TemporaryFolder) throws -> EncryptedFileStore {
            let store = store(in: folder)
            if try !store.isSetUp() {
                let ask: () throws(StoreFault) -> Secret = { Secret("correct horse") }
                try EncryptedFileStore.create(folder: folder.path, source: .passphrase(ask), derivation: .lowest)
            }
            return store
        }
    }

    /// What somebody puts in the place of the file.
    enum Trap: String, CaseIterable {
        case symlink, hardLink, fifo, folder, device, loose, groupReadable, foreign

        var isPossible: Bool { Need.root || (self != .device && self != .foreign) }

        func set(at path: String, victim: String) throws {
            let own = "cp -p \(path) \(path).own && rm -f \(path)"
            let command =
                switch self {
                case .symlink: "\(own) && mv \(path).own \(victim) && ln -s \(victim) \(path)"
                case .hardLink: "ln -f \(path) \(victim)"
                case .fifo: "rm -f \(path) && mkfifo -m 600 \(path)"
                case .folder: "rm -f \(path) && mkdir -m 700 \(path)"
                case .device: "rm -f \(path) && mknod -m 600 \(path) c 1 3"
                case .loose: "chmod 644 \(path)"
                case .groupReadable: "chmod 640 \(path)"
                case .foreign: "chown 54321 \(path)"
                }
            #expect(try Program.run(["sh", "-c", command]).status == 0)
        }
    }
}
