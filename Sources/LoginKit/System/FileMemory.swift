import Glibc
import LoginCore
import Synchronization

/// The content of a file as it was last read, so that a command with a thousand accounts reads and decodes it once.
///
/// It is used only as long as the same file is there, unchanged. The file is held open until then, so that no later file
/// gets its inode number.
final class FileMemory<Content: Sendable>: Sendable {
    private let remembered = Mutex<Remembered?>(nil)

    private struct Remembered {
        let file: HeldFile
        let content: Content
    }

    /// Returns the content if `file` is the one that was read.
    func content(of file: borrowing Descriptor, path: String) throws(StoreFault) -> Content? {
        let identity = try FileIdentity(file, path: path)
        return remembered.withLock { $0?.file.identity == identity ? $0?.content : nil }
    }

    /// Lets the file go, whose space a new version may need.
    func forget() { remembered.withLock { $0 = nil } }

    /// Keeps what was just read from `file`.
    func remember(_ content: Content, of file: borrowing Descriptor, path: String) throws(StoreFault) {
        let copy = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
        // Without a free descriptor the file is read again next time.
        guard copy >= 0 else { return }
        let held = HeldFile(copy, try FileIdentity(file, path: path))
        remembered.withLock { $0 = Remembered(file: held, content: content) }
    }
}

/// Tells one version of a file from another: a change of ours is a new file, and anybody else's sets the times.
private struct FileIdentity: Equatable {
    private let numbers: [Int]

    init(_ file: borrowing Descriptor, path: String) throws(StoreFault) {
        let status = try file.status(path: path)
        let (written, changed) = (status.st_mtim, status.st_ctim)
        numbers = [
            Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino), status.st_size,
            written.tv_sec, written.tv_nsec, changed.tv_sec, changed.tv_nsec,
        ]
    }
}

private final class HeldFile: Sendable {
    let identity: FileIdentity
    private let number: Int32

    init(_ number: Int32, _ identity: FileIdentity) {
        (self.number, self.identity) = (number, identity)
    }

    deinit {
        close(number)
    }
}
