import Glibc
import LoginCore

// What changes that were killed have left beside the file.
extension SafeFile {
    /// Removes what changes that were killed have left beside the file.
    func sweep() throws(StoreFault) {
        guard let directory = try SafeDirectory.open(folder, creating: false, privacy: privacy),
            try !leftovers(in: directory).isEmpty
        else { return }
        let lock = try FileLock(lockName, in: directory, seconds: wait)
        try removeLeftovers(in: directory)
        _ = consume lock
    }

    /// Removes the temporary files of runs that were killed. Whoever holds the lock is the only one to have any.
    func removeLeftovers(in directory: SafeDirectory) throws(StoreFault) {
        for name in try leftovers(in: directory) {
            try checkCall("unlink", path: "\(folder)/\(name)", unlinkat(directory.descriptor.number, name, 0))
        }
    }

    private func leftovers(in directory: SafeDirectory) throws(StoreFault) -> [String] {
        var names: [String] = []
        let copy = try checkCall(
            "open", path: folder,
            retrying {
                openat(directory.descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            })
        guard let stream = fdopendir(copy) else {
            close(copy)
            throw .system(call: "fdopendir", path: folder, errno: errno)
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(temporaryPrefix) { names.append(name) }
        }
        guard errno == 0 else { throw .system(call: "readdir", path: folder, errno: errno) }
        return names
    }
}
