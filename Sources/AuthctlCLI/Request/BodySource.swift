import Glibc
import LoginCore
import Secrets

/// A body that is read from a file while it is sent.
final class FileSource: RequestSource {
    let count: Int64?
    private let descriptor: Int32

    /// - Parameter descriptor: of a regular file, at its beginning; closed with this.
    init(_ descriptor: Int32, count: Int64) {
        self.descriptor = descriptor
        self.count = count
    }

    deinit {
        close(descriptor)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginError) -> Int {
        try readSome(descriptor, into: buffer)
    }

    func rewind() -> Bool { lseek(descriptor, 0, SEEK_SET) == 0 }
}

/// A body from a pipe that turned out longer than what is kept of it: it can be sent once.
final class PipeSource: RequestSource {
    let count: Int64? = nil
    private let beginning: Secret
    private let descriptor: Int32
    private var done = 0
    /// Whether anything that is not kept was read.
    private var isPast = false

    init(_ beginning: Secret, then descriptor: Int32) {
        self.beginning = beginning
        self.descriptor = descriptor
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoginError) -> Int {
        guard done < beginning.count else {
            isPast = true
            return try readSome(descriptor, into: buffer)
        }
        let piece = min(buffer.count, beginning.count - done)
        beginning.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[done..<done + piece])) }
        done += piece
        return piece
    }

    func rewind() -> Bool {
        if isPast { return false }
        done = 0
        return true
    }
}

/// - Returns: 0 at the end.
func readSome(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(LoginError) -> Int {
    let count = buffer.readSome(from: descriptor)
    guard count >= 0 else { throw .failure(.system(call: "read", errno: errno)) }
    return count
}
