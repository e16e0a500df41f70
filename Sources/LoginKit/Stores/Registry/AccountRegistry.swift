import FoundationEssentials
import Glibc
import Secrets

/// `state.json` in the state folder: which profiles and accounts there are, without secrets.
package struct AccountRegistry: Sendable {
    /// The name of the file in the state folder.
    package static let fileName = "state.json"

    let file: SafeFile
    let isCancelled: @Sendable () -> Bool
    private let memory: FileMemory<AccountRegistryDocument>?
    /// Whether a file of a newer version may be read, as far as it can be understood. It is never changed.
    var readsNewer = false

    /// - Parameters:
    ///   - folder: the state folder, an absolute path. It is made at the first change.
    ///   - wait: how long a change waits for another process at most, in seconds.
    ///   - remembers: whether a file that has not changed is not read again.
    ///   - isCancelled: asked while another process refreshes a session: whether nobody waits for that any more.
    init(
        folder: String, wait: Int = 10, remembers: Bool = false,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.isCancelled = isCancelled
        self.file = SafeFile(folder: folder, name: Self.fileName, limit: 8 * 1024 * 1024, wait: wait)
        self.memory = remembers ? FileMemory() : nil
    }

    /// The present state, without a lock; empty if there is no file.
    /// - Throws: `newerVersion`, unless `readsNewer`; `damaged` for anything else that is not our document.
    package func read() throws(StoreFault) -> AccountRegistryDocument {
        let document = try file.readPublic(through: memory) { (bytes) throws(StoreFault) in try decode(bytes) }
        guard let document else { return AccountRegistryDocument() }
        if document.isNewer, !readsNewer { throw .newerVersion(path: file.path) }
        return document
    }

    /// Changes the state under the lock. Nothing is written if `body` changes nothing.
    /// - Returns: the state afterwards.
    /// - Throws: `locked` if another process changes it for too long; `newerVersion` or `damaged`, with the file left alone.
    @discardableResult
    package func update(_ body: (inout AccountRegistryDocument) -> Void) throws(StoreFault) -> AccountRegistryDocument {
        var document = AccountRegistryDocument()
        memory?.forget()
        try file.update { (bytes) throws(StoreFault) in
            document =
                try bytes.map { (bytes) throws(StoreFault) in
                    try decode(bytes.withUnsafeBytes { Array($0) })
                } ?? AccountRegistryDocument()
            if document.isNewer { throw .newerVersion(path: file.path) }
            let before = document
            body(&document)
            // For people who look into it, and for steady tests.
            let formatting: JSONEncoder.OutputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return document == before ? nil : try file.json(document, formatting: formatting)
        }
        return document
    }

    /// - Throws: `newerVersion` for an account, or its profile, that only a newer authctl understands.
    func check(_ account: AccountRecord?, of profile: String, _ record: ProfileRecord? = nil) throws(StoreFault) {
        guard let account, account.isNewer else {
            if record?.isNewer == true { throw .newerVersion(path: file.path, of: profile) }
            return
        }
        throw .newerVersion(path: file.path, of: account.username.isEmpty ? profile : account.username)
    }

    private func decode(_ bytes: [UInt8]) throws(StoreFault) -> AccountRegistryDocument {
        do {
            return try bytes.withUnsafeBytes { try JSONForm.decode(AccountRegistryDocument.self, from: $0) }
        } catch is AccountRegistryDocument.NewerVersion {
            throw .newerVersion(path: file.path)
        } catch {
            throw .damaged(path: file.path, problem: "it was not written by authctl")
        }
    }
}

// The locks between processes.
extension AccountRegistry {
    /// The right to refresh the sessions of these profiles, or to end them, for as long as the value lives. It is held while
    /// the server is asked, so it is not the lock of the file.
    /// - Throws: `locked` if another process has it for longer than `wait` seconds.
    func lockRefresh(of profiles: [String], wait: Int = 30) throws(StoreFault) -> LoginsLock {
        try lock("renewal", of: profiles, wait: wait, isCancelled)
    }

    /// The right to ask a person at an authorization server about one account, for as long as the value lives.
    /// - Parameters:
    ///   - wait: how long another process may have it, in seconds.
    ///   - whileTaken: happens once where it has to be waited for.
    /// - Throws: `locked` if another process has it for longer.
    func lockConsent(
        of profile: String, username: String?, wait: Int, whileTaken: () -> Void
    ) throws(StoreFault) -> ConsentLock {
        // Of one account alone, since nobody consents for several at once.
        let name = ".consent-\(Self.fileName(username.map { "\(profile)/\($0)" } ?? profile)).lock"
        let directory = try SafeDirectory.create(file.folder)
        do {
            return ConsentLock(try FileLock(name, in: directory, seconds: 0, isCancelled), wasTaken: false)
        } catch .locked {
            whileTaken()
            return ConsentLock(try FileLock(name, in: directory, seconds: wait, isCancelled), wasTaken: true)
        }
    }

    /// Runs `body` while no other process saves, erases or marks a login of these profiles, so that what it has compared
    /// is what it changes, and a secret and its record belong together.
    ///
    /// Taken after the right to refresh and before the locks of the files. No server is asked anything meanwhile, and no
    /// passphrase; but a store that has a person confirm what it writes, as KeePassXC and the helpers may, does so now.
    /// - Throws: `locked` if another process does so for too long.
    func changing<Result>(
        loginsOf profiles: [String], _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result {
        // Whoever has it queues for the lock of the file.
        let lock = try lock("logins", of: profiles, wait: 3 * file.wait)
        return try withExtendedLifetime(lock, body)
    }

    /// One profile has a lock of its own, and shares that of all; who needs several profiles takes that of all.
    private func lock(
        _ kind: String, of profiles: [String], wait: Int, _ isCancelled: @escaping () -> Bool = { false }
    ) throws(StoreFault) -> LoginsLock {
        let directory = try SafeDirectory.create(file.folder)
        guard let only = profiles.first, profiles.dropFirst().allSatisfy({ $0.isSame(as: only) }) else {
            return LoginsLock(try FileLock(".\(kind).lock", in: directory, seconds: wait, isCancelled))
        }
        let all = try FileLock(".\(kind).lock", in: directory, seconds: wait, isShared: true, isCancelled)
        let own = try FileLock(
            ".\(kind)-\(Self.fileName(only)).lock", in: directory, seconds: wait, isCancelled)
        return LoginsLock(all, own)
    }

    /// Letters and digits as they are, everything else in hexadecimal. Names that begin with the same 80 bytes share a lock.
    private static func fileName(_ profile: String) -> String {
        Hexadecimal.percentEncoded(profile.utf8.prefix(80), where: \.isAlphanumeric)
    }
}

/// The lock of one profile together with a share in that of all, or the lock of all alone.
final class LoginsLock {
    private let all: FileLock
    private let own: FileLock?

    init(_ all: consuming FileLock, _ own: consuming FileLock? = nil) {
        self.all = all
        self.own = own
    }
}

/// The right to ask a person at an authorization server about one account.
final class ConsentLock {
    private let lock: FileLock
    /// Whether another process had it first, and may have logged in.
    let wasTaken: Bool

    init(_ lock: consuming FileLock, wasTaken: Bool) {
        self.lock = lock
        self.wasTaken = wasTaken
    }
}
