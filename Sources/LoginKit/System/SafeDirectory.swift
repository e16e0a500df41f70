import Glibc

/// The rights of other users on a file and its folder.
struct Privacy {
    let forbidden: mode_t
    let problem: String

    /// Nothing.
    static let secret = Privacy(forbidden: 0o077, problem: "other users have access to it (fix: chmod go=)")
    /// Read: a profile holds no secret, and a person may have made its folder.
    static let readable = Privacy(forbidden: 0o022, problem: "other users can write there (fix: chmod go-w)")
}

/// A folder that belongs to this user alone, checked and held open: every file in it is reached through this
/// descriptor, so that nobody can exchange a part of the path between two steps.
final class SafeDirectory {
    let path: String
    let descriptor: Descriptor

    private init(path: String, descriptor: consuming Descriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Opens the folder, and makes it first where it is missing.
    /// - Throws: as `open`.
    static func create(_ path: String, privacy: Privacy = .secret) throws(StoreFault) -> SafeDirectory {
        // Before anything is made there.
        try fromFolders(try FolderChain(split(path).parent).check())
        try make(path)
        guard let directory = try open(path, privacy: privacy) else {
            throw .system(call: "open", path: path, errno: ENOENT)
        }
        return directory
    }

    /// - Returns: `nil` if it is not there.
    /// - Throws: `unsafeFile` for a link, a foreign owner, rights for others, or a folder above in which others may rename.
    static func open(_ path: String, privacy: Privacy = .secret) throws(StoreFault) -> SafeDirectory? {
        let number = try opened(path)
        if number < 0 {
            switch errno {
            case ENOENT: return nil
            case ELOOP, ENOTDIR: throw .unsafeFile(path: path, problem: "it is not a folder, or a symbolic link")
            case let code: throw .system(call: "open", path: path, errno: code)
            }
        }
        let directory = SafeDirectory(path: path, descriptor: Descriptor(number))
        let status = try directory.descriptor.status(path: path)
        try checkOwner(status.st_uid, path: path, accepted: [geteuid()])
        guard status.st_mode & privacy.forbidden == 0 else {
            throw .unsafeFile(path: path, problem: privacy.problem)
        }
        return directory
    }

    /// Opens a folder in the one above, which was checked with all those above it.
    /// - Returns: its descriptor, or -1 with `errno`.
    private static func opened(_ path: String) throws(StoreFault) -> Int32 {
        let (parent, name) = split(path)
        let (above, problem) = try fromFolders(try FolderChain(parent).openFolder())
        guard let above else {
            errno = problem
            return -1
        }
        return retrying {
            openat(above.descriptor.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
    }

    /// The folder that a file or a folder is in, and its name there.
    static func split(_ path: String) -> (parent: String, name: String) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return (".", String(trimmed)) }
        return (slash == trimmed.startIndex ? "/" : String(trimmed[..<slash]), String(trimmed[slash...].dropFirst()))
    }

    /// The names in it that begin with `start`.
    func names(beginning start: String) throws(StoreFault) -> [String] {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let copy = try checkCall("open", path: path, retrying { openat(descriptor.number, ".", flags) })
        guard let stream = fdopendir(copy) else {
            close(copy)
            throw .system(call: "fdopendir", path: path, errno: errno)
        }
        defer { closedir(stream) }
        let names = entryNames(of: stream)
        guard errno == 0 else { throw .system(call: "readdir", path: path, errno: errno) }
        return names.filter { $0.hasPrefix(start) }
    }

    /// Makes the folder and those above it that are missing, as the XDG Base Directory Specification has it: 0700.
    private static func make(_ path: String) throws(StoreFault) {
        var status = stat()
        if lstat(path, &status) == 0 { return }
        guard errno == ENOENT else { throw .system(call: "lstat", path: path, errno: errno) }
        let parent = split(path).parent
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

/// A folder and all the folders above it: whoever may write into one of them, or owns it, may put another in the place of
/// the next.
struct FolderChain {
    private let path: String

    /// A fault of one of them.
    struct Fault: Error, Equatable {
        /// The path of the folder that it is about.
        let path: String
        /// A sentence without its subject.
        let problem: String
    }

    /// - Parameter path: absolute. The folder itself need not be there.
    init(_ path: String) {
        self.path = path
    }

    /// Looks at every folder on the way, and resolves symbolic links one by one, as the kernel does. What is not there, or is
    /// out of sight, ends the way.
    /// - Throws: for one that belongs to neither root nor this user, or that others may write into. In a sticky folder,
    ///   where others may write, the next name must not be a link of theirs.
    func check() throws(Fault) { _ = try walk() }

    /// Opens the file at the end for reading, in the folder that was checked.
    /// - Returns: its descriptor, or an errno below zero.
    func open() throws(Fault) -> Int32 {
        switch try walk() {
        case .missing(let code): return -code
        case .folder: return -EISDIR
        case .file(let name, let folder):
            // Not blocking, so that a FIFO in the file's place does not hang the program.
            let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
            let number = retrying { openat(folder.descriptor.number, name, flags) }
            return number < 0 ? -errno : number
        }
    }

    /// Opens the folder at the end, which was checked.
    /// - Returns: nothing with an errno where it is not there.
    func openFolder() throws(Fault) -> (folder: CheckedFolder?, errno: Int32) {
        switch try walk() {
        case .missing(let code): (nil, code)
        case .file: (nil, ENOTDIR)
        case .folder(let folder): (folder, 0)
        }
    }

    private enum End {
        case folder(CheckedFolder)
        /// Neither a folder nor a link.
        case file(String, CheckedFolder)
        case missing(errno: Int32)
    }

    /// As many as the kernel follows (path_resolution(7)).
    private static let mostLinks = 40

    private func walk() throws(Fault) -> End {
        var names = parts(of: path), links = 0
        guard let root = CheckedFolder.root() else { return .missing(errno: errno) }
        try root.check()
        var folder = root
        while let name = names.popLast() {
            guard let entry = folder.entry(name) else { return .missing(errno: errno) }
            switch entry.status.st_mode & S_IFMT {
            case S_IFLNK:
                links += 1
                guard links <= Self.mostLinks else { return .missing(errno: ELOOP) }
                try folder.checkLink(entry)
                guard let target = entry.target else { return .missing(errno: errno) }
                if target.hasPrefix("/") { folder = root }
                names += parts(of: target)
            case S_IFDIR:
                try entry.check()
                folder = entry
            default:
                return names.isEmpty ? .file(name, folder) : .missing(errno: ENOTDIR)
            }
        }
        return .folder(folder)
    }

    /// The last one first.
    private func parts(of path: String) -> [String] {
        path.split(separator: "/").reversed().map { String($0) }.filter { $0 != "." }
    }
}

/// Turns what is wrong with a folder into the fault of a store.
func fromFolders<Result>(
    _ body: @autoclosure () throws(FolderChain.Fault) -> Result
) throws(StoreFault) -> Result {
    do {
        return try body()
    } catch {
        throw .unsafeFile(path: error.path, problem: error.problem)
    }
}

/// A folder, or a symbolic link, on the way to a file: held open, so that what is looked up in it is looked up in what was
/// checked.
final class CheckedFolder {
    /// As it was reached, for messages.
    let path: String
    let descriptor: Descriptor
    let status: stat
    /// `O_PATH`, which Swift does not see: opening needs no right to read the folder.
    private static let pathOnly: Int32 = 0o10000000

    private init(path: String, descriptor: consuming Descriptor, status: stat) {
        (self.path, self.status) = (path, status)
        self.descriptor = descriptor
    }

    /// - Returns: nothing with `errno`.
    static func root() -> CheckedFolder? { open("/", at: AT_FDCWD, path: "/") }

    /// Looks a name up, without following it if it is a link.
    /// - Returns: nothing with `errno`.
    func entry(_ name: String) -> CheckedFolder? {
        Self.open(name, at: descriptor.number, path: path(of: name))
    }

    private func path(of name: String) -> String {
        if name != ".." { return path == "/" ? "/\(name)" : "\(path)/\(name)" }
        let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return parent.isEmpty ? "/" : String(parent)
    }

    private static func open(_ name: String, at folder: Int32, path: String) -> CheckedFolder? {
        let number = retrying { openat(folder, name, pathOnly | O_NOFOLLOW | O_CLOEXEC) }
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(number)
        var status = stat()
        guard fstat(number, &status) == 0 else { return nil }
        return CheckedFolder(path: path, descriptor: descriptor, status: status)
    }

    /// The target of a link.
    /// - Returns: nothing with `errno`.
    var target: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(descriptor.number, "", &bytes, bytes.count)
        guard count >= 0 else { return nil }
        guard count < bytes.count,
            let text = String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        else {
            errno = ENAMETOOLONG
            return nil
        }
        return text
    }

    /// - Throws: for a folder that belongs to another user, or that others may write into, unless only owners rename there.
    func check() throws(FolderChain.Fault) {
        guard isOwn else {
            let remedy = geteuid() == 0 ? " (sudo -H uses root's own)" : ""
            throw FolderChain.Fault(path: path, problem: "it belongs to another user, uid \(status.st_uid)\(remedy)")
        }
        guard !isOpen || isSticky else {
            throw FolderChain.Fault(path: path, problem: "other users can write there (fix: chmod go-w)")
        }
    }

    /// - Throws: for a link that another user has put into a folder in which others may write, such as /tmp.
    fileprivate func checkLink(_ link: CheckedFolder) throws(FolderChain.Fault) {
        guard !isOpen || link.isOwn else {
            throw FolderChain.Fault(
                path: link.path, problem: "it is a symbolic link of another user, uid \(link.status.st_uid)")
        }
    }

    private var isOwn: Bool { [0, geteuid()].contains(status.st_uid) || status.isOfNobodyKnown }

    private var isSticky: Bool { status.st_mode & S_ISVTX != 0 }

    private var isOpen: Bool {
        OtherWriters.areAllowed(mode: status.st_mode, group: status.st_gid, descriptor: descriptor.number)
    }
}

extension stat {
    /// Whether its owner has no number in this user namespace, as root's folders have none in a sandbox of a user's own
    /// (user_namespaces(7)).
    fileprivate var isOfNobodyKnown: Bool {
        guard st_uid == Self.overflow, let map = systemText(of: "/proc/self/uid_map") else { return false }
        return map.split { $0 == " " || $0 == "\n" } != ["0", "0", "4294967295"]
    }

    private static var overflow: uid_t? {
        systemText(of: "/proc/sys/kernel/overflowuid").flatMap { uid_t($0.prefix { $0 != "\n" }) }
    }
}
