import Glibc
import LoginCore

/// The rights of other users on a file and its folder.
enum Privacy {
    /// Nothing.
    case secret
    /// Read: a profile holds no secret, and a person may have made its folder.
    case readable

    var forbidden: mode_t {
        switch self {
        case .secret: 0o077
        case .readable: 0o022
        }
    }

    var problem: String {
        switch self {
        case .secret: "other users have access to it (fix: chmod go=)"
        case .readable: "other users can write there (fix: chmod go-w)"
        }
    }
}

/// A folder that belongs to this user alone, checked and held open: every file in it is reached through this
/// descriptor, so that nobody can exchange a part of the path between two steps.
final class SafeDirectory {
    package let path: String
    let descriptor: Descriptor

    private init(path: String, descriptor: consuming Descriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    /// - Returns: `nil` if it is not there and is not to be made.
    /// - Throws: `unsafeFile` for a link, a foreign owner, rights for others, or a folder above in which others may rename.
    static func open(
        _ path: String, creating: Bool, privacy: Privacy = .secret
    ) throws(StoreFault) -> SafeDirectory? {
        if creating {
            // Before anything is made there.
            try checkAbove(path)
            try make(path)
        }
        let number = try opened(path)
        if number < 0 {
            switch errno {
            case ENOENT: return nil
            case ELOOP, ENOTDIR: throw .unsafeFile(path: path, problem: "it is not a folder, or a symbolic link")
            case let code: throw .system(call: "open", path: path, errno: code)
            }
        }
        let directory = SafeDirectory(path: path, descriptor: Descriptor(number))
        try directory.checkOwnAndPrivate(privacy)
        return directory
    }

    /// Opens a folder in the one above, which was checked with all those above it.
    /// - Returns: its descriptor, or -1 with `errno`.
    private static func opened(_ path: String) throws(StoreFault) -> Int32 {
        let (parent, name) = split(path)
        do throws(FolderChain.Fault) {
            let (above, problem) = try FolderChain(parent).openFolder()
            guard let above else {
                errno = problem
                return -1
            }
            return retrying {
                openat(above.descriptor.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            }
        } catch {
            throw error.storeFault
        }
    }

    private static func split(_ path: String) -> (parent: String, name: String) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return (".", String(trimmed)) }
        return (slash == trimmed.startIndex ? "/" : String(trimmed[..<slash]), String(trimmed[slash...].dropFirst()))
    }

    private func checkOwnAndPrivate(_ privacy: Privacy) throws(StoreFault) {
        let status = try descriptor.status(path: path)
        try checkOwner(status.st_uid, path: path, accepted: [geteuid()])
        guard status.st_mode & privacy.forbidden == 0 else {
            throw .unsafeFile(path: path, problem: privacy.problem)
        }
    }

    private static func checkAbove(_ path: String) throws(StoreFault) {
        guard let slash = path.lastIndex(of: "/") else { return }
        do throws(FolderChain.Fault) {
            try FolderChain(String(path[..<slash])).check()
        } catch {
            throw error.storeFault
        }
    }

    /// Makes the folder and those above it that are missing, as the XDG Base Directory Specification has it: 0700.
    private static func make(_ path: String) throws(StoreFault) {
        var status = stat()
        if lstat(path, &status) == 0 { return }
        guard errno == ENOENT else { throw .system(call: "lstat", path: path, errno: errno) }
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        try make(parent)
        try checkCall("stat", path: parent, stat(parent, &status))
        // Else root, with another's HOME, would leave folders there that their owner cannot use.
        try checkOwner(status.st_uid, path: parent, accepted: [geteuid(), 0])
        if makeOne(path) != 0, errno != EEXIST { throw .system(call: "mkdir", path: path, errno: errno) }
    }

    /// Under umask 777 the new folder would be closed to its owner as well. The mask itself belongs to the whole process, and
    /// another thread may be at it.
    private static func makeOne(_ path: String) -> Int32 {
        guard mkdir(path, 0o700) == 0 else { return -1 }
        if fchmodat(AT_FDCWD, path, 0o700, AT_SYMLINK_NOFOLLOW) == 0 { return 0 }
        // Without /proc glibc cannot do that (BUGS in chmod(2)); under a usual mask there is nothing to do.
        let problem = errno
        var status = stat()
        let isDone = problem == EOPNOTSUPP && lstat(path, &status) == 0 && status.st_mode == S_IFDIR | 0o700
        errno = problem
        return isDone ? 0 : -1
    }
}

/// - Throws: `unsafeFile`, for root with the remedy.
func checkOwner(_ owner: uid_t, path: String, accepted: [uid_t]) throws(StoreFault) {
    if accepted.contains(owner) { return }
    let remedy = geteuid() == 0 ? " (sudo -H uses root's own)" : ""
    throw .unsafeFile(path: path, problem: "it belongs to another user, uid \(owner)\(remedy)")
}
