import Glibc

/// The calls that take the path of a Unix socket (unix(7)).
enum UnixAddress {
    /// In bytes; one more is for the NUL at its end.
    static let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// - Returns: 0, or -1 with `errno`.
    static func bind(_ descriptor: Int32, _ path: String) -> Int32 {
        withAddress(path) { Glibc.bind(descriptor, $0, $1) }
    }

    /// - Returns: a socket that never blocks, or -1 with `errno`.
    static func connect(_ path: String) -> Int32 {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        if withAddress(path, { Glibc.connect(descriptor, $0, $1) }) == 0 { return descriptor }
        let code = errno
        close(descriptor)
        errno = code
        return -1
    }

    /// Whether the socket at this path is one that nobody listens at any more.
    static func isAbandoned(_ path: String) -> Bool {
        let descriptor = connect(path)
        if descriptor >= 0 { close(descriptor) }
        return descriptor < 0 && errno == ECONNREFUSED
    }

    private static func withAddress(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        guard path.utf8.count <= longest, !path.utf8.contains(0) else {
            errno = ENAMETOOLONG
            return -1
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
