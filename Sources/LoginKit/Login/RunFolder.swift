import FoundationEssentials
import Glibc

/// A folder of one run, in the folder for running commands: this user's alone, and removed with all that is in it.
final class RunFolder {
    let path: String
    private let lock: FolderLock

    /// Makes one, and removes what killed runs have left.
    /// - Parameter kind: the start of its name.
    init(_ kind: String, in parent: String) throws(StoreFault) {
        let folder = try SafeDirectory.create(parent)
        // Else another one that starts could sweep away what is not locked yet.
        let starting = try FolderLock.take(folder)
        Self.sweep(kind, folder)
        path = "\(parent)/\(kind)-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        // Held until this object is released, or the process ends.
        lock = try FolderLock.take(try SafeDirectory.create(path))
        _ = consume starting
    }

    /// Removes everything; the last processes of a browser may still write.
    func remove() {
        let end = ContinuousClock.now + .seconds(3)
        var isGone = false
        // What is gone may be made again by a process that is about to end.
        while .now < end {
            let wasGone = isGone
            isGone = Self.remove(path)
            if isGone, wasGone { return }
            usleep(30_000)
        }
    }

    private static func sweep(_ kind: String, _ folder: SafeDirectory) {
        for name in RuntimeFolder.names(beginning: kind + "-", in: folder) {
            let found = retrying {
                openat(folder.descriptor.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            }
            guard found >= 0 else { continue }
            defer { close(found) }
            if flock(found, LOCK_EX | LOCK_NB) == 0 { _ = remove("\(folder.path)/\(name)") }
        }
    }

    /// - Returns: whether nothing of it is left.
    private static func remove(_ path: String) -> Bool {
        try? FileManager.default.removeItem(atPath: path)
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }
}
