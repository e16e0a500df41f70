import CProcess
import Glibc

/// A Unix socket that listens, and its file: 0600 in a folder of this user's own, removed by `remove`.
final class SocketFile: @unchecked Sendable {
    let descriptor: Int32
    let path: String
    private let folder: SafeDirectory
    private let name: String
    /// Tells the file from one that another program has put in its place.
    private let inode: (device: dev_t, number: ino_t)

    /// - Parameters:
    ///   - path: absolute.
    ///   - creating: whether a folder that is missing is made; it is then closed to others.
    /// - Throws: `usage` for a path that cannot be one; `store` for an unsafe folder.
    init(_ path: String, creating: Bool = false) throws(LoginFault) {
        let parent: String
        (parent, name) = SafeDirectory.split(path)
        self.path = path
        try Self.check(path)
        folder = try Self.opened(parent, creating)
        let lock: FolderLock
        do { lock = try FolderLock.take(folder) } catch { throw .store(error) }
        try Self.makeRoom(path, name, folder)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        // The mode of a socket is that of its file, whatever the file mask is.
        let isThere = descriptor >= 0 && fchmod(descriptor, 0o600) == 0 && UnixAddress.bind(descriptor, path) == 0
        var status = stat()
        guard isThere, fstatat(folder.descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            listen(descriptor, SOMAXCONN) == 0
        else {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            if isThere { unlinkat(folder.descriptor.number, name, 0) }
            throw .failure(.system(call: "the socket \(SafeText.quoted(path))", errno: code))
        }
        inode = (status.st_dev, status.st_ino)
        _ = consume lock
    }

    /// Removes the file, unless another program has put its own there. The descriptor stays open.
    func remove() {
        // Without the lock nobody else would be in the way for longer than it takes to look.
        let lock: FolderLock?
        do { lock = try FolderLock.take(folder) } catch { lock = nil }
        var status = stat()
        let isOwn =
            fstatat(folder.descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0
            && status.st_dev == inode.device && status.st_ino == inode.number
        if isOwn { unlinkat(folder.descriptor.number, name, 0) }
        _ = consume lock
    }

    /// - Throws: `usage` for a path that is too long for a socket, or names no file.
    static func check(_ path: String) throws(LoginFault) {
        guard path.utf8.count <= UnixAddress.longest else {
            throw .usage(
                """
                a Unix socket's path has at most \(UnixAddress.longest) bytes, and this one has \
                \(path.utf8.count): \(SafeText.quoted(path))
                """)
        }
        guard !path.hasSuffix("/"), !path.hasSuffix("/."), !path.hasSuffix("/..") else {
            throw .usage("\(SafeText.quoted(path)) is a folder, not a socket")
        }
    }

    private static func opened(_ path: String, _ creating: Bool) throws(LoginFault) -> SafeDirectory {
        do throws(StoreFault) {
            if creating { return try SafeDirectory.create(path) }
            if let folder = try SafeDirectory.open(path, privacy: .readable) { return folder }
        } catch .unsafeFile(let path, let problem) {
            throw .usage("\(SafeText.quoted(path)): \(problem)")
        } catch {
            throw .store(error)
        }
        throw .usage("there is no folder \(SafeText.quoted(path))")
    }

    /// Removes the socket that a killed run has left; with the lock.
    private static func makeRoom(_ path: String, _ name: String, _ folder: SafeDirectory) throws(LoginFault) {
        var status = stat()
        guard fstatat(folder.descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .usage("\(SafeText.quoted(path)) exists and is not a socket; it was left as it is")
        }
        guard UnixAddress.isAbandoned(path) else {
            throw .usage("another program listens at \(SafeText.quoted(path))")
        }
        unlinkat(folder.descriptor.number, name, 0)
    }
}

/// The right to make and remove what runs leave in a folder: an flock(2) on the folder itself, which leaves no file behind.
struct FolderLock: ~Copyable {
    private let descriptor: Descriptor

    /// Waits until the folder's lock is free.
    static func take(_ folder: SafeDirectory) throws(StoreFault) -> FolderLock {
        let number = retrying { openat(folder.descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard number >= 0 else { throw .system(call: "open", path: folder.path, errno: errno) }
        let descriptor = Descriptor(number)
        let deadline = ContinuousClock.now + .seconds(SafeFile.usualWait)
        try takeLock(number, path: folder.path, seconds: SafeFile.usualWait) { .now < deadline }
        return FolderLock(descriptor: descriptor)
    }
}

/// The calls that take the path of a Unix socket (unix(7)).
enum UnixAddress {
    /// In bytes; one more is for the NUL at its end.
    static let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// - Returns: 0, or -1 with `errno`.
    static func bind(_ descriptor: Int32, _ path: String) -> Int32 {
        withAddress(path) { Glibc.bind(descriptor, $0, $1) }
    }

    /// - Returns: a socket that never blocks, or -1 with `errno`.
    static func connect(_ path: String) -> Int32 {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        if withAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 { return descriptor }
        let code = errno
        close(descriptor)
        errno = code
        return -1
    }

    /// Whether the socket at this path is one that nobody listens at any more.
    static func isAbandoned(_ path: String) -> Bool {
        let descriptor = connect(path)
        if descriptor >= 0 { close(descriptor) }
        return descriptor < 0 && errno == ECONNREFUSED
    }

    private static func withAddress(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        guard path.utf8.count <= longest, !path.utf8.contains(0) else {
            errno = ENAMETOOLONG
            return -1
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
