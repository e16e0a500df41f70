import Glibc
import Secrets
import Synchronization

/// One file of the state folder: read whole, changed whole.
///
/// Readers take no lock, since a change is a rename: they see the old file or the new one. Whoever changes it holds the
/// lock from reading to renaming, so that no update is lost.
struct SafeFile: Sendable {
    /// The usual `wait`, in seconds.
    static let usualWait = 10

    let folder: String
    let name: String
    /// The largest size, in bytes.
    let limit: Int
    /// The longest time that a change waits for another process, in seconds.
    let wait: Int
    var privacy = Privacy.secret

    var path: String { "\(folder)/\(name)" }

    private var lockName: String { ".\(name).lock" }
    private var temporaryPrefix: String { ".\(name).new-" }

    /// - Returns: `nil` if there is no such file.
    func read() throws(StoreFault) -> Secret? {
        try directory().flatMap { (directory) throws(StoreFault) in try read(in: directory) }
    }

    /// The decoded content, from memory if the file has not changed since it was last read.
    /// - Returns: `nil` if there is no such file.
    func read<Content>(
        through memory: FileMemory<Content>?, _ decode: (Secret) throws(StoreFault) -> Content
    ) throws(StoreFault) -> Content? {
        try content(memory) { (file, count) throws(StoreFault) in try decode(try secret(file, count)) }
    }

    /// The same for a file without secrets, which needs no guarded memory.
    func readPublic<Content>(
        through memory: FileMemory<Content>?, _ decode: ([UInt8]) throws(StoreFault) -> Content
    ) throws(StoreFault) -> Content? {
        try content(memory) { (file, count) throws(StoreFault) in
            var bytes = [UInt8](repeating: 0, count: count)
            let got = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(StoreFault) in
                try file.read(into: UnsafeMutableRawBufferPointer(buffer), path: path)
            }
            try checkWhole(got, of: count)
            return try decode(bytes)
        }
    }

    private func content<Content>(
        _ memory: FileMemory<Content>?, _ read: (borrowing Descriptor, Int) throws(StoreFault) -> Content
    ) throws(StoreFault) -> Content? {
        guard let directory = try directory() else { return nil }
        return try withFile(in: directory) { (file, count) throws(StoreFault) in
            if let content = try memory?.content(of: file, path: path) { return content }
            let content = try read(file, count)
            try memory?.remember(content, of: file, path: path)
            return content
        }
    }

    private func directory() throws(StoreFault) -> SafeDirectory? { try SafeDirectory.open(folder, privacy: privacy) }

    /// Replaces the file by what `body` makes of the present one, under the lock.
    /// - Parameters:
    ///   - creating: whether the folder is made; without one, nothing is done.
    ///   - body: gets nothing if there is no file; returns nothing to leave it as it is.
    func update(
        creating: Bool = true, _ body: (Secret?) throws(StoreFault) -> Secret?
    ) throws(StoreFault) {
        let present = creating ? try SafeDirectory.create(folder, privacy: privacy) : try directory()
        guard let directory = present else { return }
        let lock = try FileLock(lockName, in: directory, seconds: wait)
        // Before anything else, since a change that finds nothing to do would leave them, and they may hold secrets.
        try removeLeftovers(in: directory)
        if let next = try body(try read(in: directory)) {
            try replace(with: next, in: directory)
        }
        _ = consume lock
    }

    /// Takes the space that a new version of the file needs which is larger by so many bytes.
    /// - Throws: `noSpace`, or `system` where nothing can be written there.
    func reserveSpace(adding bytes: Int) throws(StoreFault) -> ReservedSpace {
        let directory = try SafeDirectory.create(folder, privacy: privacy)
        let present = try withFile(in: directory) { (_, count) throws(StoreFault) in count } ?? 0
        return try ReservedSpace(present + bytes, in: directory, for: path)
    }

    /// Removes the file, under the lock.
    /// - Returns: whether there was one.
    func remove() throws(StoreFault) -> Bool {
        guard let directory = try directory() else { return false }
        let lock = try FileLock(lockName, in: directory, seconds: wait)
        let removed = unlinkat(directory.descriptor.number, name, 0) == 0
        if !removed && errno != ENOENT { throw .system(call: "unlink", path: path, errno: errno) }
        if removed { try checkCall("fsync", path: folder, retrying { fsync(directory.descriptor.number) }) }
        _ = consume lock
        return removed
    }

    private func read(in directory: SafeDirectory) throws(StoreFault) -> Secret? {
        try withFile(in: directory) { (file, count) throws(StoreFault) in try secret(file, count) }
    }

    private func secret(_ file: borrowing Descriptor, _ count: Int) throws(StoreFault) -> Secret {
        try Secret(count: count) { (buffer) throws(StoreFault) in
            try checkWhole(try file.read(into: buffer, path: path), of: count)
        }
    }

    private func withFile<Result>(
        in directory: SafeDirectory, _ body: (borrowing Descriptor, Int) throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result? {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let number = retrying { openat(directory.descriptor.number, name, flags) }
        if number < 0, errno == ENOENT { return nil }
        guard number >= 0 else { throw openingFault(path: path, errno: errno) }
        let file = Descriptor(number)
        let count = try checkFile(file, path: path, privacy: privacy)
        guard count <= limit else { throw .damaged(path: path, problem: "it is larger than \(limit) bytes") }
        return try body(file, count)
    }

    private func checkWhole(_ got: Int, of count: Int) throws(StoreFault) {
        guard got == count else { throw .damaged(path: path, problem: "it was truncated while it was read") }
    }

    /// Temporary file, fsync, rename, fsync of the folder: after a crash at any point the old file is there or the new
    /// one, whole (rename(2), fsync(2)).
    private func replace(with bytes: Secret, in directory: SafeDirectory) throws(StoreFault) {
        guard bytes.count <= limit else { throw .damaged(path: path, problem: "it would exceed \(limit) bytes") }
        let temporary = temporaryPrefix + String(UInt64.random(in: 0 ... .max), radix: 16)
        do {
            try write(bytes, to: temporary, in: directory)
            let folder = directory.descriptor.number
            try checkCall("rename", path: path, renameat(folder, temporary, folder, name))
        } catch {
            unlinkat(directory.descriptor.number, temporary, 0)
            throw error
        }
        try checkCall("fsync", path: folder, retrying { fsync(directory.descriptor.number) })
    }

    private func write(_ bytes: Secret, to temporary: String, in directory: SafeDirectory) throws(StoreFault) {
        let path = "\(folder)/\(temporary)"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = retrying { openat(directory.descriptor.number, temporary, flags, 0o600) }
        try checkCall("open", path: path, number)
        let file = Descriptor(number)
        // The umask may have taken the owner's rights as well.
        try checkCall("fchmod", path: path, fchmod(number, 0o600))
        try bytes.withUnsafeBytes { (buffer) throws(StoreFault) in try file.write(buffer, path: path) }
        try checkCall("fsync", path: path, retrying { fsync(number) })
    }
}

// What changes that were killed have left beside the file.
extension SafeFile {
    /// Removes what changes that were killed have left beside the file.
    func sweep() throws(StoreFault) {
        guard let directory = try directory(), try !directory.names(beginning: temporaryPrefix).isEmpty else { return }
        let lock = try FileLock(lockName, in: directory, seconds: wait)
        try removeLeftovers(in: directory)
        _ = consume lock
    }

    /// Removes the temporary files of runs that were killed. Whoever holds the lock is the only one to have any.
    private func removeLeftovers(in directory: SafeDirectory) throws(StoreFault) {
        for name in try directory.names(beginning: temporaryPrefix) {
            try checkCall("unlink", path: "\(folder)/\(name)", unlinkat(directory.descriptor.number, name, 0))
        }
    }
}

/// The content of a file as it was last read, so that a command with a thousand accounts reads and decodes it once.
///
/// It is used only as long as the same file is there, unchanged. The file is held open until then, so that no later file
/// gets its inode number.
final class FileMemory<Content: Sendable>: Sendable {
    private let remembered = Mutex<Remembered?>(nil)

    private struct Remembered {
        let file: HeldFile
        let content: Content
    }

    /// Returns the content if `file` is the one that was read.
    func content(of file: borrowing Descriptor, path: String) throws(StoreFault) -> Content? {
        let identity = try FileIdentity(file, path: path)
        return remembered.withLock { $0?.file.identity == identity ? $0?.content : nil }
    }

    /// Lets the file go, whose space a new version may need.
    func forget() { remembered.withLock { $0 = nil } }

    /// Keeps what was just read from `file`.
    func remember(_ content: Content, of file: borrowing Descriptor, path: String) throws(StoreFault) {
        let copy = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
        // Without a free descriptor the file is read again next time.
        guard copy >= 0 else { return }
        let held = HeldFile(copy, try FileIdentity(file, path: path))
        remembered.withLock { $0 = Remembered(file: held, content: content) }
    }
}

/// Tells one version of a file from another: a change of ours is a new file, and anybody else's sets the times.
private struct FileIdentity: Equatable {
    private let numbers: [Int]

    init(_ file: borrowing Descriptor, path: String) throws(StoreFault) {
        let status = try file.status(path: path)
        let (written, changed) = (status.st_mtim, status.st_ctim)
        numbers = [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), status.st_size,
            written.tv_sec, written.tv_nsec, changed.tv_sec, changed.tv_nsec,
        ]
    }
}

private final class HeldFile: Sendable {
    let identity: FileIdentity
    private let file: Descriptor

    init(_ number: Int32, _ identity: FileIdentity) {
        self.identity = identity
        file = Descriptor(number)
    }
}

/// Disk space that is held for a file that is about to be written, until the value is released.
final class ReservedSpace {
    private let file: Descriptor

    /// Takes the space with a file that has no name, so that a crash leaves nothing behind, and syncs it: a file system may
    /// find out only then that it is full.
    init(_ count: Int, in directory: SafeDirectory, for path: String) throws(StoreFault) {
        let name = ".space-" + String(UInt64.random(in: 0 ... .max), radix: 16)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = retrying { openat(directory.descriptor.number, name, flags, 0o600) }
        guard number >= 0 else { throw Self.fault("open", path, errno) }
        file = Descriptor(number)
        unlinkat(directory.descriptor.number, name, 0)
        var code: Int32
        repeat { code = posix_fallocate(number, 0, off_t(count)) } while code == EINTR
        guard code == 0 else { throw Self.fault("fallocate", path, code) }
        guard retrying({ fsync(number) }) == 0 else { throw Self.fault("fsync", path, errno) }
    }

    private static func fault(_ call: String, _ path: String, _ code: Int32) -> StoreFault {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .noSpace(path: path, errno: code)
        default: .system(call: call, path: path, errno: code)
        }
    }
}

extension stat {
    /// Whether others than the user and the administrator have rights on what the user's secrets hang on. The administrator
    /// may let a group have a key of theirs: so is what systemd hands to a service.
    var isOpenToOthers: Bool {
        if st_uid == getuid() { return st_mode & 0o077 != 0 }
        return st_uid != 0 || st_mode & 0o027 != 0
    }
}
