import FoundationEssentials
import Glibc
import LoginCore

/// The folder of one browser's window, in the folder for running commands: this user's alone, and removed with all that is in it.
final class BrowserFolder {
    let path: String
    private let lock: FolderLock

    private static let kind = "browser-"

    /// Makes one, and removes what killed runs have left.
    init(in parent: String) throws(StoreFault) {
        let folder = try Self.opened(parent)
        // Else another one that starts could sweep away what is not locked yet.
        let starting = try FolderLock.take(folder)
        Self.sweep(folder)
        path = "\(parent)/\(Self.kind)\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        // Held until this object is released, or the process ends.
        lock = try FolderLock.take(try Self.opened(path))
        _ = consume starting
    }

    private static func opened(_ path: String) throws(StoreFault) -> SafeDirectory {
        guard let folder = try SafeDirectory.open(path, creating: true) else {
            throw .system(call: "open", path: path, errno: ENOENT)
        }
        return folder
    }

    /// Removes everything; the last processes of the browser may still write.
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

    private static func sweep(_ folder: SafeDirectory) {
        for name in RuntimeFolder.names(beginning: kind, in: folder) {
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
