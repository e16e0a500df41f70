import FoundationEssentials
import Glibc
import LoginCore

/// The folder of one browser's window, in the folder for running commands: this user's alone, and removed with all that is in it.
final class BrowserFolder {
    let path: String
    private let lock: Descriptor

    private static let kind = "browser-"

    /// Makes one, and removes what killed runs have left.
    init(in path: String) throws(StoreFault) {
        guard let folder = try SafeDirectory.open(path, creating: true) else {
            throw .system(call: "open", path: path, errno: ENOENT)
        }
        // Else another one that starts could sweep away what is not locked yet.
        let parent = retrying { openat(folder.descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard parent >= 0, retrying({ flock(parent, LOCK_EX) }) == 0 else {
            throw .system(call: "flock", path: folder.path, errno: errno)
        }
        defer { close(parent) }
        Self.sweep(folder)
        let name = Self.kind + String(UInt32.random(in: 0 ... .max), radix: 16)
        self.path = "\(folder.path)/\(name)"
        guard let made = try SafeDirectory.open(self.path, creating: true) else {
            throw .system(call: "open", path: self.path, errno: ENOENT)
        }
        let copy = retrying { openat(made.descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard copy >= 0 else { throw .system(call: "open", path: path, errno: errno) }
        lock = Descriptor(copy)
        // Held until this object is released, or the process ends.
        guard flock(copy, LOCK_EX | LOCK_NB) == 0 else { throw .system(call: "flock", path: path, errno: errno) }
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
        for name in names(in: folder) {
            let found = retrying {
                openat(folder.descriptor.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            }
            guard found >= 0 else { continue }
            defer { close(found) }
            if flock(found, LOCK_EX | LOCK_NB) == 0 { _ = remove("\(folder.path)/\(name)") }
        }
    }

    private static func names(in folder: SafeDirectory) -> [String] {
        guard let stream = opendir(folder.path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(kind) { names.append(name) }
        }
        return names
    }

    /// - Returns: whether nothing of it is left.
    private static func remove(_ path: String) -> Bool {
        try? FileManager.default.removeItem(atPath: path)
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }
}
