import Foundation
import Synchronization

/// A loopback port that nobody listens on, for servers that cannot choose one themselves, and for redirects that a
/// server compares exactly.
enum FreePort {
    /// Below the ports that the kernel gives out by itself (ip(7), ip_local_port_range), so that no other server gets
    /// this one in the moment before it is used.
    private static let range: ClosedRange<UInt16> = 20000...32000

    /// What this process gave out before: its server may not listen yet.
    private static let given = Mutex<Set<UInt16>>([])

    /// The tests run as several processes. Of this file each locks the byte with the number of a port that it gave out, until it ends.
    private static let locks = open(
        NSTemporaryDirectory() + "/authctl-test-ports-\(getuid())", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)

    /// - Throws: `POSIXError` where fifty ports in a row are taken.
    static func next() throws -> UInt16 {
        for _ in 0..<50 {
            let port = UInt16.random(in: range)
            if given.withLock({ $0.insert(port).inserted }), isLocked(port), isFree(port) { return port }
        }
        throw POSIXError(.EADDRINUSE)
    }

    /// So many different ones: a server that listens on two ports of one number has one of its hosts twice.
    static func next(_ count: Int) throws -> [UInt16] {
        var ports: Set<UInt16> = []
        while ports.count < count { ports.insert(try next()) }
        return Array(ports)
    }

    /// fcntl(2): such a lock is the process's own, and no child's.
    private static func isLocked(_ port: UInt16) -> Bool {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (off_t(port), 1)
        return fcntl(locks, F_SETLK, &lock) == 0
    }

    private static func isFree(_ port: UInt16) -> Bool {
        // A child that is started meanwhile has this socket, too, until its exec; whoever binds the port then is not refused for that.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in(), yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
