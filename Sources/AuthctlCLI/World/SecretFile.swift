import Glibc
import LoginCore
import Secrets

/// Reads a secret from a descriptor or a file: its first line, with nothing but the line end taken away.
enum SecretFile {
    /// Longer secrets are refused, in bytes.
    static let limit = 64 << 10

    /// How long a pipe in the place of a file may keep silent, in milliseconds.
    private static let patience: Int32 = 60_000

    /// Why there is no secret.
    enum Problem: Error, Equatable {
        case cannotRead(errno: Int32)
        case tooLong
        case furtherLines
        case tookTooLong
    }

    /// - Parameters:
    ///   - firstLineOnly: take the first of several lines, where several would else be refused.
    ///   - waiting: for a descriptor that may never end; nothing waits as long as it takes.
    static func read(
        _ descriptor: Int32, firstLineOnly: Bool = false, waiting wait: InputWait? = nil
    ) throws(Problem) -> Secret {
        var builder = SecretBuilder(limit: limit)
        var byte: UInt8 = 0
        var lineEnded = false
        var skipped = 0
        defer { explicit_bzero(&byte, 1) }
        while try wait?.isReady() ?? true {
            // Byte by byte, since nothing after the line end is wanted in memory.
            let count = withUnsafeMutableBytes(of: &byte) { $0.readSome(from: descriptor) }
            guard count >= 0 else { throw .cannotRead(errno: errno) }
            if count == 0 { break }
            if lineEnded {
                guard firstLineOnly else { throw .furtherLines }
                skipped += 1
                guard skipped <= limit else { throw .tooLong }
                continue
            }
            if byte == UInt8(ascii: "\n") {
                lineEnded = true
                continue
            }
            do throws(SecretBuilder.LimitExceeded) { try builder.append(byte) } catch { throw .tooLong }
        }
        return builder.finish().withoutCarriageReturn(if: lineEnded)
    }

    static func read(path: String, firstLineOnly: Bool = false) throws(Problem) -> Secret {
        // Not blocking while it is opened: a FIFO without a writer would hold it for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw .cannotRead(errno: errno) }
        defer { close(descriptor) }
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waited, 1, Self.patience) > 0 else { throw .cannotRead(errno: ETIMEDOUT) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return try read(descriptor, firstLineOnly: firstLineOnly)
    }

    /// The passphrase of the encrypted file.
    static func passphrase(_ path: String) throws(StoreFault) -> Secret {
        let secret: Secret
        do throws(Problem) {
            secret = try read(path: path)
        } catch {
            throw .passphraseFile(path: path, problem: error.words)
        }
        guard !secret.isEmpty else { throw .passphraseBlank }
        return secret
    }
}

extension Secret {
    /// A line that ended with CR LF, without the CR.
    fileprivate func withoutCarriageReturn(if lineEnded: Bool) -> Secret {
        withUnsafeBytes { bytes in
            guard lineEnded, bytes.last == UInt8(ascii: "\r") else { return self }
            return Secret(copying: UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
        }
    }
}
