import Glibc

/// A folder, or a symbolic link, on the way to a file: held open, so that what is looked up in it is looked up in what was
/// checked.
final class CheckedFolder {
    /// As it was reached, for messages.
    package let path: String
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
    func checkLink(_ link: CheckedFolder) throws(FolderChain.Fault) {
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
    var isOfNobodyKnown: Bool {
        guard st_uid == Self.overflow, let map = Self.text(of: "/proc/self/uid_map") else { return false }
        return map.split { $0 == " " || $0 == "\n" } != ["0", "0", "4294967295"]
    }

    private static var overflow: uid_t? {
        text(of: "/proc/sys/kernel/overflowuid").flatMap { uid_t($0.prefix { $0 != "\n" }) }
    }

    private static func text(of path: String) -> String? {
        let number = retrying { open(path, O_RDONLY | O_CLOEXEC) }
        guard number >= 0 else { return nil }
        defer { close(number) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(number, $0.baseAddress, $0.count) }
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
