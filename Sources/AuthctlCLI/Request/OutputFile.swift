import Glibc
import LoginCore

/// The file of `-o`: opened before anything is sent, and emptied by the first byte of an answer.
final class OutputFile {
    private let path: String
    private var descriptor: Int32
    /// Whether it was made here, and no answer has come for it yet.
    private var isVacant: Bool
    private var hasBegun = false

    init(_ path: String) throws(LoginError) {
        self.path = path
        let present = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        let made = present < 0 && errno == ENOENT
        descriptor = made ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o666) : present
        isVacant = made
        guard descriptor >= 0 else {
            throw .usage(
                .badValue(option: "-o", problem: "\(SafeText.quoted(path)): \(String(cString: strerror(errno)))"))
        }
    }

    /// Whether a person sees what is written.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    deinit {
        close()
    }

    /// Nothing is written any more. A file that no answer has come for is as it was before.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        if isVacant { unlink(path) }
        (descriptor, isVacant) = (-1, false)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginError) {
        if !hasBegun {
            (hasBegun, isVacant) = (true, false)
            // A device or a pipe has nothing to be emptied of.
            if ftruncate(descriptor, 0) != 0, errno != EINVAL { throw fault(errno) }
        }
        if let errno = bytes.writeAll(to: descriptor) { throw fault(errno) }
    }

    private func fault(_ errno: Int32) -> LoginError {
        .failure(.system(call: "write to \(SafeText.quoted(path))", errno: errno))
    }
}
