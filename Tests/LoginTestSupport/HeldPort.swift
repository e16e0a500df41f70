import Foundation

/// A port of 127.0.0.1 that nobody else gets for as long as this object lives: bound, and never listened on, so that a connection to
/// it is refused. A port that is only freed may be another test's the next moment.
///
/// A server that sets `SO_REUSEADDR` may listen on it all the same (socket(7)); once it has ended, connections are refused again.
final class HeldPort {
    let number: Int
    private let descriptor: Int32

    /// - Parameter wanted: 0 for one that the system chooses.
    init(_ wanted: Int = 0) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size), yes: Int32 = 1
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(wanted).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let held = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(held, place, length) == 0 && getsockname(held, place, &length) == 0
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        guard isBound else { throw POSIXError(.EADDRINUSE) }
    }

    deinit {
        close(descriptor)
    }
}

/// A socket that listens on a port, known by its inode (proc(5)): whoever has that port next has another one.
struct ListeningSocket {
    private let inode: Substring

    /// The one that listens there now.
    init(port: Int) throws {
        var found: Substring?
        // The kernel may pass over a line of the list while it changes.
        _ = try eventually(within: 10) {
            found = try Self.all().first { $0.port == port }?.inode
            return found != nil
        }
        guard let found else { throw POSIXError(.ECONNREFUSED) }
        inode = found
    }

    /// Waits until nobody has it open any more. A child that another test starts has it between its fork and its exec.
    func isClosed() throws -> Bool {
        let inode = inode
        return try eventually { try !Self.all().contains { $0.inode == inode } }
    }

    private static func all() throws -> [(port: Int, inode: Substring)] {
        var found: [(port: Int, inode: Substring)] = []
        for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
            // Foundation reads no more than a page of a file that has no size.
            guard let file = fopen(path, "r") else { continue }
            defer { fclose(file) }
            var bytes: UnsafeMutablePointer<CChar>?, size = 0
            defer { free(bytes) }
            while getline(&bytes, &size, file) > 0, let line = bytes.map({ String(cString: $0) }) {
                let fields = line.split(separator: " ")
                guard fields.count > 9, fields[3] == "0A", let number = fields[1].split(separator: ":").last,
                    let port = Int(number, radix: 16)
                else { continue }
                found.append((port, fields[9]))
            }
        }
        return found
    }
}
