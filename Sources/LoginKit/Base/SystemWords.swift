import Glibc

/// The C library's words for an `errno`, such as `No space left on device`; see strerror(3).
package enum SystemWords {
    static let noSuchFile = ENOENT

    /// Whether nothing may be written there at all, as in a container whose file system is read-only.
    static func forbidsWriting(_ errno: Int32) -> Bool { [EACCES, EPERM, EROFS].contains(errno) }

    package static func of(_ errno: Int32) -> String { String(cString: strerror(errno)) }
}
