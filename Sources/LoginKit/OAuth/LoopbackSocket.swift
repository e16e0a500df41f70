import Glibc
import LoginCore

/// A socket that listens on one loopback address, and on no other.
final class LoopbackSocket {
    enum Family: CaseIterable {
        case ipv4, ipv6
    }

    enum Fault: Error {
        /// This machine does not have the family, or not its loopback address.
        case familyMissing
        /// Another program has the port, or it is for root alone.
        case portTaken
        case failed(call: String, errno: Int32)
    }

    let descriptor: Int32
    /// As the kernel has it.
    let port: Int

    /// - Parameter port: 0 to have one drawn.
    init(_ family: Family, port: Int) throws(Fault) {
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(domain, kind, 0)
        guard descriptor >= 0 else { throw Self.fault("socket") }
        do throws(Fault) {
            try Self.bind(descriptor, family, port: port)
            guard listen(descriptor, 16) == 0 else { throw Self.fault("listen") }
            self.port = try Self.boundPort(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    /// Without SO_REUSEPORT, so that no other program can listen beside. SO_REUSEADDR takes a port back only from connections of a
    /// login just before (tcp(7), TIME_WAIT): where another socket listens, the kernel still says no (socket(7)).
    private static func bind(_ descriptor: Int32, _ family: Family, port: Int) throws(Fault) {
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard port == 0 || setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size) == 0 else {
            throw fault("setsockopt")
        }
        guard family == .ipv4 || setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size) == 0
        else { throw fault("setsockopt") }
        let result = family == .ipv4 ? bindIPv4(descriptor, port) : bindIPv6(descriptor, port)
        guard result == 0 else { throw fault("bind") }
    }

    private static func bindIPv4(_ descriptor: Int32, _ port: Int) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        return bind(descriptor, &address)
    }

    private static func bindIPv6(_ descriptor: Int32, _ port: Int) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(port).bigEndian
        inet_pton(AF_INET6, "::1", &address.sin6_addr)
        return bind(descriptor, &address)
    }

    /// - Parameter address: of either family.
    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    /// The port is at the same place for both families.
    private static func boundPort(_ descriptor: Int32) throws(Fault) -> Int {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard result == 0 else { throw fault("getsockname") }
        return Int(in_port_t(bigEndian: address.sin6_port))
    }

    private static func fault(_ call: String) -> Fault {
        switch errno {
        case EAFNOSUPPORT, EADDRNOTAVAIL: .familyMissing
        case EADDRINUSE, EACCES: .portTaken
        default: .failed(call: call, errno: errno)
        }
    }
}
