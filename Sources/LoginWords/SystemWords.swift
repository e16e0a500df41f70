internal import Glibc

/// What the C library calls an `errno`, such as `No space left on device`; see strerror(3).
package enum SystemWords {
    static let noSuchFile = ENOENT

    package static func of(_ errno: Int32) -> String { String(cString: strerror(errno)) }
}
