import CProcess
import Glibc

/// The reason why there is no server.
enum ServerFault: Error, Equatable {
    /// With the loader's own words.
    case libraryMissing(String)
    case failed(call: String, errno: Int32)
}

/// A socket that listens on 127.0.0.1 alone, at a port that the kernel has drawn. No program that is started inherits it.
struct ServeSocket {
    let descriptor: Int32
    let port: Int

    init() throws(ServerFault) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .failed(call: "socket", errno: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let problem = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> String? in
                if Glibc.bind(descriptor, address, size) != 0 { return "bind" }
                if listen(descriptor, SOMAXCONN) != 0 { return "listen" }
                return getsockname(descriptor, address, &size) == 0 ? nil : "getsockname"
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        guard let problem else { return }
        let fault = ServerFault.failed(call: problem, errno: errno)
        close(descriptor)
        throw fault
    }
}

/// The address and port at the other end of a connection, in network byte order.
struct Peer {
    var address: UInt32 = 0
    var port: UInt16 = 0

    /// - Parameter own: the port that it has connected to, on 127.0.0.1.
    /// - Returns: the user whose socket it is; `nil` if the kernel does not tell.
    func user(at own: Int) -> UInt32? {
        var user = uid_t()
        return cprocess_peer_user(address, port, UInt16(own), &user) != 0 ? user : nil
    }
}
