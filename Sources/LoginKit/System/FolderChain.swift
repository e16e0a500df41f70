import Glibc

/// A folder and all the folders above it: whoever may write into one of them, or owns it, may put another in the place of
/// the next.
struct FolderChain {
    private let path: String

    /// A fault of one of them.
    struct Fault: Error, Equatable {
        /// The path of the folder that it is about.
        package let path: String
        /// A sentence without its subject.
        package let problem: String

        var storeFault: StoreFault { .unsafeFile(path: path, problem: problem) }
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
    package func open() throws(Fault) -> Int32 {
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
