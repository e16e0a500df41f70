internal import Glibc

/// A folder and all the folders above it: whoever may write into one of them, or owns it, may put another in the place of
/// the next.
package struct FolderChain {
    private let path: String

    /// What is wrong with one of them.
    package struct Fault: Error, Equatable {
        /// Of the folder that it is about.
        package let path: String
        /// A sentence without its subject.
        package let problem: String
    }

    /// - Parameter path: absolute. The folder itself need not be there.
    package init(_ path: String) {
        self.path = path
    }

    /// Looks at every folder that the path names, and at those above where it leads in the end, which are others where
    /// one of the names is a symbolic link.
    /// - Throws: for one that belongs to neither root nor this user, or that others may write into unless it is sticky.
    package func check() throws(Fault) {
        for name in names { try Self.check(name) }
        guard let resolved = realpath(path, nil) else { return }
        defer { free(resolved) }
        let real = FolderChain(String(cString: resolved))
        if real.path != path { for name in real.names { try Self.check(name) } }
    }

    /// `/`, `/a` and `/a/b` of `/a/b`.
    private var names: [String] {
        var names = ["/"], name = ""
        for part in path.split(separator: "/") {
            name += "/" + String(part)
            names.append(name)
        }
        return names
    }

    /// - Parameter path: of a folder; one that is not there, or is out of sight, holds nothing.
    private static func check(_ path: String) throws(Fault) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard [0, geteuid()].contains(status.st_uid) || status.isOfNobodyKnown else {
            let remedy = geteuid() == 0 ? " (sudo -H uses root's own)" : ""
            throw Fault(path: path, problem: "it belongs to another user, uid \(status.st_uid)\(remedy)")
        }
        // In a sticky folder, /tmp say, only owners rename.
        guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw Fault(path: path, problem: "other users can write there (fix: chmod go-w)")
        }
    }
}

extension stat {
    /// Whether its owner has no number in this user namespace, as root's folders have none in a sandbox of a user's own
    /// (user_namespaces(7)).
    fileprivate var isOfNobodyKnown: Bool {
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
