import Glibc
import LoginCore

/// Disk space that is held for a file that is about to be written, until the value is released.
final class ReservedSpace {
    private let descriptor: Int32

    /// Takes the space with a file that has no name, so that a crash leaves nothing behind, and syncs it: a file system may
    /// find out only then that it is full.
    init(_ count: Int, in directory: SafeDirectory, for path: String) throws(StoreFault) {
        let name = ".space-" + String(UInt64.random(in: 0 ... .max), radix: 16)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = retrying { openat(directory.descriptor.number, name, flags, 0o600) }
        guard descriptor >= 0 else { throw Self.fault("open", path, errno) }
        unlinkat(directory.descriptor.number, name, 0)
        var code: Int32
        repeat { code = posix_fallocate(descriptor, 0, off_t(count)) } while code == EINTR
        guard code == 0 else { throw Self.fault("fallocate", path, code) }
        guard retrying({ fsync(descriptor) }) == 0 else { throw Self.fault("fsync", path, errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func fault(_ call: String, _ path: String, _ code: Int32) -> StoreFault {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .noSpace(path: path, errno: code)
        default: .system(call: call, path: path, errno: code)
        }
    }
}
