import Glibc
import LoginCore
import LoginKit
import Secrets

/// The file of `@FILE` or `@-`, open for reading.
final class BodyInput {
    private var descriptor: Int32
    private let option: String
    private let path: String
    /// The time limit for one wait for a named pipe, in seconds; `nil` for anything else.
    let patience: Int?
    /// The state of a regular file.
    let file: FileState?

    /// - Parameter name: `@` and a path, or `@-` for standard input.
    /// - Throws: `usage` for a file that cannot be opened.
    init(_ name: String, option: String, patience: Int = PasswordCommand.patience) throws(LoginFault) {
        self.option = option
        path = String(name.dropFirst())
        descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, Self.flags)
        guard descriptor >= 0 else { throw Self.problem(option, SafeText.quoted(path), errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Standard input may stand in the middle of a file; then it is read like a pipe.
        file = lseek(descriptor, 0, SEEK_CUR) == 0 ? FileState(descriptor) : nil
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        // Standard input is the caller's own, who sets the pace there.
        self.patience = isKnown && path != "-" && status.st_mode & S_IFMT == S_IFIFO ? patience : nil
        guard isKnown, status.st_mode & S_IFMT != S_IFDIR else {
            throw Self.problem(option, SafeText.quoted(path), EISDIR)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Hands the descriptor over.
    func take() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }

    /// All of it, in memory.
    func all(limit: Int) throws(LoginFault) -> Secret {
        let (bytes, isWhole) = try beginning(limit: limit)
        guard isWhole else {
            throw .usage(.badValue(option: option, problem: "more than \(limit) bytes; --data-binary has no limit"))
        }
        return bytes
    }

    /// - Returns: at least the first `limit` bytes, and whether that is all.
    func beginning(limit: Int) throws(LoginFault) -> (bytes: Secret, isWhole: Bool) {
        var builder = SecretBuilder(limit: limit + 2 * Self.piece)
        while builder.count <= limit {
            let count = try builder.append(upTo: Self.piece) { (bytes) throws(LoginFault) in
                let count = bytes.readSome(from: descriptor, within: patience)
                guard count >= 0 else { throw Self.problem(option, SafeText.quoted(path), errno) }
                return count
            }
            if count == 0 { return (builder.finish(), true) }
        }
        return (builder.finish(), false)
    }

    private static let piece = 64 << 10
    /// Opens without blocking: a pipe without a writer would block forever.
    private static let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK

    private static func problem(_ option: String, _ name: String, _ code: Int32) -> LoginFault {
        let why = code == ETIMEDOUT ? "nothing came from this pipe in time" : SystemWords.of(code)
        return .usage(.badValue(option: option, problem: "\(name) cannot be read: \(why)"))
    }
}
