import Glibc
import LoginCore

// Who may change what, one after the other.
extension AccountRegistry {
    /// The right to refresh the sessions of these profiles, or to end them, for as long as the value lives. It is held while
    /// the server is asked, so it is not the lock of the file.
    /// - Throws: `locked` if another process has it for longer than `wait` seconds.
    func lockRefresh(of profiles: [String], wait: Int = 30) throws(StoreFault) -> RefreshLock {
        RefreshLock(try lock("renewal", of: profiles, wait: wait, isCancelled))
    }

    /// The right to ask a person at an authorization server about one account, for as long as the value lives.
    /// - Parameters:
    ///   - wait: how long another process may have it, in seconds.
    ///   - whileTaken: happens once where it has to be waited for.
    /// - Throws: `locked` if another process has it for longer.
    func lockConsent(
        of profile: String, username: String?, wait: Int, whileTaken: () -> Void
    ) throws(StoreFault) -> ConsentLock {
        let name = username.map { "\(profile)/\($0)" } ?? profile
        do throws(StoreFault) {
            return ConsentLock(try lock(consent: name, wait: 0), wasTaken: false)
        } catch .locked {
            whileTaken()
            return ConsentLock(try lock(consent: name, wait: wait), wasTaken: true)
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
        let result = try body()
        _ = consume lock
        return result
    }

    /// One profile has a lock of its own, and shares that of all; who needs several profiles takes that of all.
    private func lock(
        _ kind: String, of profiles: [String], wait: Int, _ isCancelled: @escaping () -> Bool = { false }
    ) throws(StoreFault) -> LoginsLock {
        guard let directory = try SafeDirectory.open(file.folder, creating: true) else {
            throw .system(call: "open", path: file.folder, errno: ENOENT)
        }
        guard let only = profiles.first, profiles.dropFirst().allSatisfy({ $0.isSame(as: only) }) else {
            return LoginsLock(try FileLock(".\(kind).lock", in: directory, seconds: wait, isCancelled))
        }
        let all = try FileLock(".\(kind).lock", in: directory, seconds: wait, isShared: true, isCancelled)
        let own = try FileLock(
            ".\(kind)-\(Self.fileName(only)).lock", in: directory, seconds: wait, isCancelled)
        return LoginsLock(all, own)
    }

    /// The lock of consents: of one account alone, since nobody consents for several at once.
    private func lock(consent name: String, wait: Int) throws(StoreFault) -> FileLock {
        guard let directory = try SafeDirectory.open(file.folder, creating: true) else {
            throw .system(call: "open", path: file.folder, errno: ENOENT)
        }
        return try FileLock(".consent-\(Self.fileName(name)).lock", in: directory, seconds: wait, isCancelled)
    }

    /// Letters and digits as they are, everything else in hexadecimal. Names that begin with the same 80 bytes share a lock.
    private static func fileName(_ profile: String) -> String {
        Hexadecimal.percentEncoded(profile.utf8.prefix(80)) { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
    }
}

/// The lock of one profile together with a share in that of all, or the lock of all alone.
struct LoginsLock: ~Copyable {
    private let all: FileLock
    private let own: FileLock?

    init(_ all: consuming FileLock, _ own: consuming FileLock? = nil) {
        self.all = all
        self.own = own
    }
}

/// The right to refresh the sessions of one profile, or of all.
final class RefreshLock {
    private let lock: LoginsLock

    init(_ lock: consuming LoginsLock) {
        self.lock = lock
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
