import CProcess
import Glibc
import Secrets

/// Where the command of an `exec --serve` finds the address.
package enum ServePlace: Equatable, Sendable {
    /// At a port of 127.0.0.1.
    case port
    /// At a Unix socket with this absolute path; `isOwn` in the user's folder for such.
    case socket(String, isOwn: Bool)
    /// At the service's own origin: each connection is handed in, by `SessionProxy.add`.
    case origin(Origin, ServedCertificate, password: Secret?)

    /// Says, before anybody logs in, that there cannot be such a socket.
    package func check() throws(LoginFault) {
        if case .socket(let path, _) = self { try SocketFile.check(path) }
    }
}

/// The certificate that stands for the service, and its key, in PEM.
package struct ServedCertificate: Equatable, Sendable {
    let certificate: Secret
    let key: Secret
}

/// A socket that listens, on 127.0.0.1 alone or at a path. No program that is started inherits it.
struct ServeSocket {
    /// -1 where nothing listens.
    let descriptor: Int32
    let place: ServeGate.Place
    /// Its file, if it has one.
    let file: SocketFile?

    init(_ place: ServePlace) throws(LoginFault) {
        switch place {
        case .port:
            file = nil
            let (descriptor, port) = try Self.onLoopback()
            self.descriptor = descriptor
            let segment = Secret.random(count: 24).withUnsafeBytes { Hexadecimal.text($0) }
            self.place = .port(port, segment: segment)
        case .socket(let path, let isOwn):
            let file = try SocketFile(path, creating: isOwn)
            (self.file, descriptor, self.place) = (file, file.descriptor, .socket)
        case .origin(let origin, _, let password):
            (file, descriptor, self.place) = (nil, -1, .origin(origin, password: password))
        }
    }

    /// The port is one that the kernel has drawn.
    static func onLoopback() throws(LoginFault) -> (descriptor: Int32, port: Int) {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw .failure(.system(call: "socket", errno: errno)) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let problem = bound != 0 ? "bind" : listen(descriptor, SOMAXCONN) != 0 ? "listen" : nil
        if problem == nil, let port = boundPort(of: descriptor) { return (descriptor, port) }
        let fault = LoginFault.failure(.system(call: problem ?? "getsockname", errno: errno))
        close(descriptor)
        throw fault
    }
}

extension UnsafeRawBufferPointer {
    /// Sends all bytes to a socket, without a signal where nobody reads.
    /// - Parameters:
    ///   - flags: others of send(2).
    ///   - isStuck: asked whenever there was no room for so many milliseconds; then no more is sent.
    /// - Returns: whether all were sent.
    func sendWhole(
        to socket: Int32, _ flags: Int = 0, within milliseconds: Int32, unless isStuck: () -> Bool
    ) -> Bool {
        var rest = self
        while !rest.isEmpty {
            let sent = send(socket, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL | flags))
            if sent > 0 { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(sent)) }
            if sent >= 0 || errno == EINTR { continue }
            guard errno == EAGAIN else { return false }
            var room = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            if poll(&room, 1, milliseconds) == 0, isStuck() { return false }
        }
        return true
    }
}

/// The other end of a connection.
enum Peer {
    /// The address and port of a TCP connection, in network byte order.
    case address(UInt32, port: UInt16)
    /// A Unix socket: the descriptor of our own end.
    case socket(Int32)

    /// POLLRDHUP of poll(2), which Swift does not see.
    private static let closed: Int16 = 0x2000

    /// Whether it has closed its end of a connection.
    static func hasGone(_ socket: Int32) -> Bool {
        var look = pollfd(fd: socket, events: closed, revents: 0)
        return poll(&look, 1, 0) > 0 && look.revents & (closed | Int16(POLLHUP | POLLERR)) != 0
    }

    /// - Parameter place: where it has connected to.
    /// - Returns: the user whose socket it is; `nil` if the kernel does not tell.
    func user(at place: ServeGate.Place) -> UInt32? {
        var user = uid_t()
        switch (self, place) {
        case (.address(let address, let port), .port(let own, _)):
            return cprocess_peer_user(address, port, UInt16(own), &user) != 0 ? user : nil
        case (.socket(let descriptor), .socket): return cprocess_socket_user(descriptor, &user) != 0 ? user : nil
        // Whoever has handed it in has asked.
        case (_, .origin): return getuid()
        case (.address, .socket), (.socket, .port): return nil
        }
    }
}

extension ServeGate.Refusal {
    /// The answer to a refused request, which may come from anyone: it does not name the address.
    var words: String {
        switch self {
        case .otherUser: "this address is for programs of another user"
        case .unknownUser: "the kernel does not tell which user sent this request; try again later"
        case .otherHost: "the Host header does not match this address"
        case .otherOrigin: "this connection is for another host than the request"
        case .noPassword: "the request does not have the password of this run"
        case .otherSite: "requests from pages of other sites are refused"
        case .unknownSegment: "the path does not begin with the segment of AUTHCTL_SERVE_URL"
        case .badTarget: "the path is malformed, or has '.' or '..' in it"
        case .badLength: "the body has no valid length"
        case .ended: "the time for which this address was lent is over"
        case .noThread: "the system has no thread left for this request; try again later"
        }
    }
}
