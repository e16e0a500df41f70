internal import FoundationEssentials
internal import Glibc
package import LoginCore
internal import Secrets

/// `state.json` in the state folder: which profiles and accounts there are, without secrets.
package struct AccountRegistry: Sendable {
    /// Of the file in the state folder.
    package static let fileName = "state.json"

    private let file: SafeFile
    private let isCancelled: @Sendable () -> Bool

    /// - Parameters:
    ///   - folder: the state folder, an absolute path. It is made at the first change.
    ///   - wait: how long a change waits for another process at most, in seconds.
    ///   - isCancelled: asked while another process renews a session: whether nobody waits for that any more.
    package init(folder: String, wait: Int = 10, isCancelled: @escaping @Sendable () -> Bool = { false }) {
        self.isCancelled = isCancelled
        self.file = SafeFile(folder: folder, name: Self.fileName, limit: 8 * 1024 * 1024, wait: wait)
    }

    /// The present state, without a lock; empty if there is no file.
    /// - Throws: `damaged` for anything that is not this version's document, a newer version's included.
    package func read() throws(StoreFault) -> AccountRegistryDocument {
        guard let bytes = try file.readPublic() else { return AccountRegistryDocument() }
        return try decode(bytes)
    }

    /// Changes the state under the lock. Nothing is written if `body` changes nothing.
    /// - Returns: the state afterwards.
    /// - Throws: `locked` if another process changes it for too long; `damaged`, with the file left alone.
    @discardableResult
    package func update(_ body: (inout AccountRegistryDocument) -> Void) throws(StoreFault) -> AccountRegistryDocument {
        var document = AccountRegistryDocument()
        try file.update { (bytes) throws(StoreFault) in
            document =
                try bytes.map { (bytes) throws(StoreFault) in
                    try decode(bytes.withUnsafeBytes { Array($0) })
                } ?? AccountRegistryDocument()
            let before = document
            body(&document)
            return document == before ? nil : try encode(document)
        }
        return document
    }

    /// The right to renew the sessions of one profile. Held while the server is asked, so not the lock of the file.
    func lockRefresh(of profile: String, wait: Int = 30) throws(StoreFault) -> FileLock {
        try lock("renewal", of: profile, wait: wait, isCancelled)
    }

    /// The right to ask a person at an authorization server about one account, for as long as the value lives.
    /// - Parameters:
    ///   - wait: how long another process may have it, in seconds.
    ///   - whileTaken: happens once where it has to be waited for.
    /// - Throws: `locked` if another process has it for longer.
    package func lockConsent(
        of profile: String, username: String?, wait: Int, whileTaken: () -> Void
    ) throws(StoreFault) -> ConsentTurn {
        let name = username.map { "\(profile)/\($0)" } ?? profile
        do throws(StoreFault) {
            return ConsentTurn(try lock("consent", of: name, wait: 0, isCancelled), wasTaken: false)
        } catch .locked {
            whileTaken()
            return ConsentTurn(try lock("consent", of: name, wait: wait, isCancelled), wasTaken: true)
        }
    }

    /// Runs `body` while no other process saves, erases or marks a login of this profile, so that what it has compared
    /// is what it changes, and a secret and its record belong together.
    ///
    /// Taken after the right to renew and before the locks of the files. No server is asked anything meanwhile, and no
    /// passphrase; but a store that has a person confirm what it writes, as KeePassXC and the helpers may, does so now.
    /// - Throws: `locked` if another process does so for too long.
    func changing<Result>(
        loginsOf profile: String, _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        // Whoever has it queues for the lock of the file.
        let lock = try lock("logins", of: profile, wait: 3 * file.wait)
        let result = try body()
        _ = consume lock
        return result
    }

    private func lock(
        _ kind: String, of profile: String, wait: Int, _ isCancelled: () -> Bool = { false }
    ) throws(StoreFault) -> FileLock {
        guard let directory = try SafeDirectory.open(file.folder, creating: true) else {
            throw .system(call: "open", path: file.folder, errno: ENOENT)
        }
        return try FileLock(".\(kind)-\(Self.fileName(profile)).lock", in: directory, seconds: wait, isCancelled)
    }

    /// Letters and digits as they are, everything else in hexadecimal. Names that begin with the same 80 bytes share a lock.
    private static func fileName(_ profile: String) -> String {
        Hexadecimal.percentEncoded(profile.utf8.prefix(80)) { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
    }

    private func decode(_ bytes: [UInt8]) throws(StoreFault) -> AccountRegistryDocument {
        do {
            return try bytes.withUnsafeBytes { try JSONForm.decode(AccountRegistryDocument.self, from: $0) }
        } catch let unknown as AccountRegistryDocument.UnknownVersion {
            throw .damaged(path: file.path, problem: "version \(unknown.version) belongs to another release of authctl")
        } catch {
            throw .damaged(path: file.path, problem: "it was not written by authctl")
        }
    }

    private func encode(_ document: AccountRegistryDocument) throws(StoreFault) -> Secret {
        let encoder = JSONEncoder()
        // For people who look into it, and for steady tests.
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(document).withUnsafeBytes { Secret(copying: $0) }
        } catch {
            throw .damaged(path: file.path, problem: "it cannot be written as JSON")
        }
    }
}

/// The right to ask a person at an authorization server about one account.
package final class ConsentTurn {
    private let lock: FileLock
    /// Whether another process had it first, and may have logged in.
    package let wasTaken: Bool

    init(_ lock: consuming FileLock, wasTaken: Bool) {
        self.lock = lock
        self.wasTaken = wasTaken
    }
}
