import Glibc
package import LoginCore
package import Secrets

/// A body that is read from a file while it is sent.
package final class FileSource: RequestSource {
    package let count: Int64?
    private let descriptor: Int32
    private let state: FileState

    /// - Parameters:
    ///   - descriptor: of a regular file, at its beginning; closed with this.
    ///   - state: in which it was found.
    package init(_ descriptor: Int32, _ state: FileState) {
        self.descriptor = descriptor
        self.state = state
        count = state.size
    }

    deinit {
        close(descriptor)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
        try readSome(descriptor, into: buffer, within: nil)
    }

    /// A file that has changed is another body.
    package func rewind() -> Bool { FileState(descriptor) == state && lseek(descriptor, 0, SEEK_SET) == 0 }
}

/// The facts that show whether a regular file has changed.
package struct FileState: Equatable {
    /// In bytes.
    package let size: Int64
    private let changed: [Int]

    /// - Returns: `nil` for what is no regular file.
    package init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int64(status.st_size)
        changed = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
}

/// A body from a pipe that turned out longer than what is kept of it: it can be sent once.
package final class PipeSource: RequestSource {
    package let count: Int64? = nil
    private let beginning: Secret
    private let descriptor: Int32
    private let patience: Int?
    private var done = 0
    /// Whether anything that is not kept was read.
    private var isPast = false

    /// - Parameters:
    ///   - descriptor: closed with this.
    ///   - patience: how long one wait may take, in seconds; `nil` for as long as it takes.
    package init(_ beginning: Secret, then descriptor: Int32, patience: Int?) {
        self.beginning = beginning
        self.descriptor = descriptor
        self.patience = patience
    }

    deinit {
        close(descriptor)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
        guard done < beginning.count else {
            isPast = true
            return try readSome(descriptor, into: buffer, within: patience)
        }
        let piece = min(buffer.count, beginning.count - done)
        beginning.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[done..<done + piece])) }
        done += piece
        return piece
    }

    package func rewind() -> Bool {
        if isPast { return false }
        done = 0
        return true
    }
}

/// - Returns: 0 at the end.
private func readSome(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, within seconds: Int?
) throws(LoginFault) -> Int {
    let count = buffer.readSome(from: descriptor, within: seconds)
    if count < 0, errno == ETIMEDOUT, let seconds {
        throw .failure(.other("nothing came from the pipe of the body for \(seconds) seconds"))
    }
    guard count >= 0 else { throw .failure(.system(call: "read", errno: errno)) }
    return count
}
