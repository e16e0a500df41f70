import CProcess
import Glibc

/// Listens where a browser brings the response of an authorization server (RFC 8252, section 7.3).
///
/// It has no thread: whoever waits polls `descriptors`, together with what else is waited for, and has `answer` look at what came.
/// Nothing of it but `serveDone` ever blocks. Connections of other users than this one and root, who forwards ports, are closed
/// unread: another user can read what the browser was started with, and would bring a response of their own. It is closed by
/// `close`, and when it is released.
final class LoopbackListener {
    /// Where it listens; not open where another program has the port.
    let port: LoopbackPort
    private var sockets: [LoopbackSocket]
    private var connections: [LoopbackConnection] = []
    /// The page of `/done`, once there was a response to this login.
    private var ending: LoopbackPage?

    private static let mostAtOnce = 8
    /// Connections that are accepted but not judged yet.
    private static let mostInOneGo = 64
    /// For the browser to come for the last page.
    private static let donePatience = Duration.seconds(2)
    /// Ports that are drawn until both families have the same one.
    private static let mostDraws = 16

    /// The time limit for a request to arrive.
    var patience = Duration.seconds(5)

    /// Opens the port of a redirect. The host `localhost` is listened on by both families, or by the one that there is.
    /// - Throws: `failure` where there is no family at all.
    init(on redirect: LoopbackRedirect) throws(LoginFault) {
        let families: [LoopbackSocket.Family] =
            switch redirect.host {
            case .ipv4: [.ipv4]
            case .ipv6: [.ipv6]
            case .localhost: [.ipv4, .ipv6]
            }
        sockets = []
        var number = redirect.port ?? 0
        for _ in 1...Self.mostDraws where sockets.isEmpty {
            do {
                sockets = try Self.sockets(families, port: number)
                number = sockets.first?.port ?? number
            } catch LoopbackSocket.portTaken {
                if redirect.port != nil { break }
            }
        }
        guard !sockets.isEmpty || redirect.port != nil else { throw LoopbackSocket.portTaken }
        port = LoopbackPort(number: number, isOpen: !sockets.isEmpty)
    }

    /// All with the same port.
    private static func sockets(_ families: [LoopbackSocket.Family], port: Int) throws(LoginFault) -> [LoopbackSocket] {
        var sockets: [LoopbackSocket] = []
        for family in families {
            do {
                sockets.append(try LoopbackSocket(family, port: sockets.first?.port ?? port))
            } catch LoopbackSocket.familyMissing {
                continue
            }
        }
        guard !sockets.isEmpty else { throw LoopbackSocket.familyMissing }
        return sockets
    }

    /// The descriptors to poll for input. Connections beyond the limit wait in the kernel.
    var descriptors: [Int32] {
        let mayAccept = connections.count < Self.mostAtOnce
        return (mayAccept ? sockets.map(\.descriptor) : []) + connections.map(\.descriptor)
    }

    /// Whether a socket is open.
    var isListening: Bool { !sockets.isEmpty }

    /// When the next connection has taken too long.
    var due: ContinuousClock.Instant? { connections.map(\.deadline).min() }

    /// Looks at what came, and answers one request at most; more of them are there at the next call.
    /// - Returns: what the judge says; `nil` if no request is complete.
    func answer(_ judge: AuthorizationJudge) -> AuthorizationResponse? {
        accept()
        var answer: AuthorizationResponse?
        connections.removeAll { connection in
            guard answer == nil else { return false }
            return connection.advance { request in
                let judged = request.map { judge.judge($0) } ?? .refused(.malformed)
                answer = judged
                let page: LoopbackPage
                switch judged {
                case .right: (ending, page) = (.answered, .moved)
                case .denied: (ending, page) = (.denied, .moved)
                case .refused(let forgery): page = .refused(forgery)
                // It can only be pasted.
                case .notAnAddress: return
                }
                connection.answer(page, hasBody: request?.method != "HEAD")
            }
        }
        return answer
    }

    /// After the response to this login: serves `/done` alone, for two seconds at most, until somebody has seen it. Returns at once
    /// where no browser brought the response.
    /// - Parameter isOver: asked a few times a second.
    func serveDone(_ judge: AuthorizationJudge, unless isOver: () -> Bool) {
        guard let ending else { return }
        let deadline = ContinuousClock.now + Self.donePatience
        var isShown = false
        while !isShown, deadline > .now, !isOver() {
            accept()
            connections.removeAll { connection in
                connection.advance { request in
                    let isDone = request.map { judge.isForDone($0) } ?? false
                    let page = isDone ? ending : .refused(request == nil ? .malformed : .path)
                    connection.answer(page, hasBody: request?.method != "HEAD")
                    isShown = isShown || isDone
                }
            }
            if !isShown { waitForInput(descriptors, milliseconds: 100) }
        }
    }

    /// Closes the sockets and the connections.
    func close() {
        connections = []
        sockets = []
    }

    private func accept() {
        for socket in sockets {
            for _ in 1...Self.mostInOneGo where connections.count < Self.mostAtOnce {
                let descriptor = cprocess_accept(socket.descriptor)
                if descriptor < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard descriptor >= 0 else { break }
                let connection = LoopbackConnection(descriptor, patience: patience)
                if Self.isOurs(descriptor) { connections.append(connection) }
            }
        }
    }

    private static func isOurs(_ descriptor: Int32) -> Bool {
        var user = uid_t()
        return cprocess_connection_user(descriptor, &user) != 0 && (user == getuid() || user == 0)
    }
}

/// One connection to the loopback port: its request is read as it comes, answered once, and then only drained, so that the answer
/// is not lost to a reset (RFC 9112, section 9.6).
final class LoopbackConnection {
    private let socket: Descriptor
    private(set) var deadline: ContinuousClock.Instant
    private let reader = LoopbackRequestReader()
    private var isAnswered = false
    private var drained = 0

    /// The time limit for reading and dropping the rest of a request.
    private static let drainPatience = Duration.seconds(1)
    private static let mostDrained = 1 << 20

    /// - Parameter patience: the time limit for the request to arrive.
    init(_ descriptor: Int32, patience: Duration) {
        socket = Descriptor(descriptor)
        deadline = .now + patience
    }

    var descriptor: Int32 { socket.number }

    /// Reads the bytes that have arrived; never blocks.
    /// - Parameter hear: gets the request; `nil` where it ended, took too long, or is no request.
    /// - Returns: whether it was answered, and is of no more use.
    func advance(_ hear: (LoopbackRequest?) -> Void) -> Bool {
        if isAnswered { return isDrained || deadline <= .now }
        while true {
            let room = reader.room
            let got = recv(descriptor, room.baseAddress, room.count, Int32(MSG_DONTWAIT))
            if got < 0, errno == EINTR { continue }
            if got < 0, errno == EAGAIN, deadline > .now { return false }
            switch got > 0 ? reader.advance(by: got) : .malformed {
            case .unfinished: continue
            case .request(let request): hear(request)
            case .malformed: hear(nil)
            }
            return false
        }
    }

    /// A page is so short that the kernel takes it at once. Who said nothing is told nothing.
    func answer(_ page: LoopbackPage, hasBody: Bool) {
        isAnswered = true
        deadline = .now + Self.drainPatience
        if !reader.isEmpty {
            let response = page.response(hasBody: hasBody)
            _ = send(descriptor, response, response.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        shutdown(descriptor, Int32(SHUT_WR))
        _ = isDrained
    }

    private var isDrained: Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { scratch in
            defer { if let start = scratch.baseAddress { explicit_bzero(start, scratch.count) } }
            while drained < Self.mostDrained {
                let got = recv(descriptor, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT))
                if got < 0, errno == EINTR { continue }
                if got < 0, errno == EAGAIN { return false }
                guard got > 0 else { return true }
                drained += got
            }
            return true
        }
    }
}

/// A socket that listens on one loopback address, and on no other.
final class LoopbackSocket {
    enum Family: CaseIterable {
        case ipv4, ipv6
    }

    /// This machine does not have the family, or not its loopback address.
    static let familyMissing = LoginFault.failure(.system(call: "bind", errno: EADDRNOTAVAIL))
    /// Another program has the port, or it is for root alone.
    static let portTaken = LoginFault.failure(.system(call: "bind", errno: EADDRINUSE))

    private let owned: Descriptor
    /// As the kernel has it.
    let port: Int

    /// - Parameter port: 0 to have one drawn.
    init(_ family: Family, port: Int) throws(LoginFault) {
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = socket(domain, kind, 0)
        guard number >= 0 else { throw Self.fault("socket") }
        owned = Descriptor(number)
        try Self.bind(number, family, port: port)
        guard listen(number, 16) == 0 else { throw Self.fault("listen") }
        guard let bound = boundPort(of: number) else { throw Self.fault("getsockname") }
        self.port = bound
    }

    var descriptor: Int32 { owned.number }

    /// Without SO_REUSEPORT, so that no other program can listen beside. SO_REUSEADDR takes a port back only from connections of a
    /// login just before (tcp(7), TIME_WAIT): where another socket listens, the kernel still says no (socket(7)).
    private static func bind(_ descriptor: Int32, _ family: Family, port: Int) throws(LoginFault) {
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard port == 0 || setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size) == 0,
            family == .ipv4 || setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size) == 0
        else { throw fault("setsockopt") }
        var ipv4 = sockaddr_in(), ipv6 = sockaddr_in6()
        (ipv4.sin_family, ipv6.sin6_family) = (sa_family_t(AF_INET), sa_family_t(AF_INET6))
        (ipv4.sin_port, ipv6.sin6_port) = (in_port_t(port).bigEndian, in_port_t(port).bigEndian)
        inet_pton(AF_INET, "127.0.0.1", &ipv4.sin_addr)
        ipv6.sin6_addr = in6addr_loopback
        let bind = { (address: UnsafeRawBufferPointer) in
            address.withMemoryRebound(to: sockaddr.self) {
                Glibc.bind(descriptor, $0.baseAddress, socklen_t(address.count))
            }
        }
        let result = family == .ipv4 ? withUnsafeBytes(of: &ipv4, bind) : withUnsafeBytes(of: &ipv6, bind)
        guard result == 0 else { throw fault("bind") }
    }

    private static func fault(_ call: String) -> LoginFault {
        switch errno {
        case EAFNOSUPPORT, EADDRNOTAVAIL: familyMissing
        case EADDRINUSE, EACCES: portTaken
        default: .failure(.system(call: call, errno: errno))
        }
    }
}
