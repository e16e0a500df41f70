import Glibc
import LoginCore
import LoginKit

/// The file of `-o`. One that is there is opened before anything is sent, and emptied by the first byte of an answer; one that
/// is not there is made by that byte. Nothing is ever removed: by then the name may be another's.
final class OutputFile {
    private let path: String
    /// The time limit for a pipe, in seconds.
    private let patience: Int
    private var descriptor: Int32
    private var isPipe = false
    private var hasBegun = false

    /// - Parameter patience: how long the reader of a pipe may take to open it, and for each further step, in seconds.
    init(_ path: String, patience: Int) throws(LoginFault) {
        self.path = path
        self.patience = patience
        descriptor = Self.opened(path, patience: patience)
        if descriptor < 0, errno == ENOENT {
            if let code = Self.obstacle(path) { throw Self.unusable(path, code) }
        } else if descriptor < 0 {
            throw Self.unusable(path, errno)
        } else {
            lookAtKind()
        }
    }

    /// Whether a person sees what is written.
    var isTerminal: Bool { descriptor >= 0 && isatty(descriptor) == 1 }

    deinit {
        close()
    }

    /// Ends the output. Without a response, the file is as it was before.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        if !hasBegun { try begin() }
        if let errno = bytes.writeAll(to: descriptor, within: isPipe ? patience : nil) { throw fault(errno) }
    }

    private func begin() throws(LoginFault) {
        hasBegun = true
        if descriptor < 0 {
            // What another process has made there meanwhile is written to as if it had been there before.
            descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o666)
            guard descriptor >= 0 else { throw fault(errno) }
            lookAtKind()
        }
        // A device or a pipe has nothing to be emptied of.
        if ftruncate(descriptor, 0) != 0, errno != EINVAL { throw fault(errno) }
    }

    private func lookAtKind() {
        var status = stat()
        isPipe = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Opens without blocking: a pipe without a reader would block forever.
    private static func opened(_ path: String, patience: Int) -> Int32 {
        let deadline = ContinuousClock.now + .seconds(patience)
        while true {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            // A pipe that nobody has opened for reading.
            guard descriptor < 0, errno == ENXIO else { return descriptor }
            guard ContinuousClock.now < deadline else {
                errno = ETIMEDOUT
                return -1
            }
            usleep(20_000)
        }
    }

    /// The error that creating a missing file would end with, as far as it can be seen beforehand.
    private static func obstacle(_ path: String) -> Int32? {
        if path.isEmpty { return ENOENT }
        if path.hasSuffix("/") { return EISDIR }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return access(folder, W_OK | X_OK) == 0 ? nil : errno
    }

    private static func unusable(_ path: String, _ code: Int32) -> LoginFault {
        let why = code == ETIMEDOUT ? "nobody has opened this pipe for reading" : SystemWords.of(code)
        return .usage(.badValue(option: "-o", problem: "\(SafeText.quoted(path)): \(why)"))
    }

    private func fault(_ errno: Int32) -> LoginFault {
        guard errno == ETIMEDOUT, isPipe else {
            return .failure(.system(call: "write to \(SafeText.quoted(path))", errno: errno))
        }
        return .failure(.other("nobody has read from \(SafeText.quoted(path)) for \(patience) seconds"))
    }
}
