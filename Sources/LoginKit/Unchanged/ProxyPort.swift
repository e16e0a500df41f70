import CProcess
import Glibc
import Secrets
import Synchronization

/// What the command of one run connects to, a proxy at a port of 127.0.0.1 or a network of its own: what is for the service's origin goes to
/// the code that lends the login, all else to where it wants to.
final class ProxyPort: @unchecked Sendable {
    /// Connections at once that are still to say what they want, or lead to other hosts; and the time for the former.
    private static let (most, patience) = (256, Duration.seconds(10))

    /// Closed at the end.
    private let listeners: [RunListener]
    private let origin: Origin
    /// The value of `Proxy-Authorization`; `nil` if none is wanted.
    private let password: Secret?
    private let dialer: OtherHostDialer
    private let server: SessionProxy
    private let threads = CountedThreads()
    /// The sockets of connections that have not shown the password yet.
    private let unauthenticated = Mutex<Set<Int32>>([])
    private let isStopped = Mutex(false)
    private let unproved = Mutex(0)
    private let connected = Mutex(0)

    init(
        _ listeners: [RunListener], _ origin: Origin, password: Secret?, _ dialer: OtherHostDialer,
        _ server: SessionProxy
    ) {
        self.listeners = listeners
        (self.origin, self.password, self.dialer, self.server) = (origin, password, dialer, server)
    }

    /// The number of requests without the password.
    var unprovedCount: Int { unproved.withLock { $0 } }

    /// The number of connections to the service's origin that were let through.
    var connectedCount: Int { connected.withLock { $0 } }

    private var isOver: Bool { isStopped.withLock { $0 } }

    /// Takes connections from now on, until `stop`.
    func start() throws(LoginFault) {
        guard threads.start({ [self] in while !isOver { accept() } }) else {
            throw .failure(.system(call: "pthread_create", errno: errno))
        }
    }

    /// Closes the listeners, and the connections to other hosts.
    func stop() {
        isStopped.withLock { $0 = true }
        // Who waits for a connection is woken.
        for listener in listeners { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }
        threads.wait()
        for listener in listeners { close(listener.descriptor) }
    }

    private func accept() {
        guard waitForInput(listeners.map(\.descriptor), milliseconds: 250) > 0 else { return }
        for listener in listeners {
            if listener.kind == .names {
                RunListener.answerNames(at: listener.descriptor)
            } else {
                accept(at: listener)
            }
        }
    }

    private func accept(at listener: RunListener) {
        let connection = cprocess_accept(listener.descriptor)
        guard connection >= 0 else {
            // Without a descriptor left it would be asked again at once.
            if errno == EMFILE || errno == ENFILE { usleep(100_000) }
            return
        }
        var user = uid_t()
        // In a network of its own there is nobody but the command.
        let isKnown = {
            cprocess_connection_user(connection, &user) != 0 || cprocess_socket_user(connection, &user) != 0
        }
        let isOurs = listener.kind != .proxy || isKnown() && user == getuid()
        guard isOurs, threads.count <= Self.most || endUnauthenticated(),
            threads.start({ [self] in serve(ProxyConnection(connection), at: listener.kind) })
        else {
            close(connection)
            return
        }
    }

    /// Ends any connection without the password to make room for a new one. Otherwise another user of a machine behind ssh could keep
    /// the command out.
    /// - Returns: whether there is one.
    private func endUnauthenticated() -> Bool {
        unauthenticated.withLock { sockets in
            guard let any = sockets.randomElement() else { return false }
            shutdown(any, Int32(SHUT_RDWR))
            sockets.remove(any)
            return true
        }
    }

    private func serve(_ connection: consuming ProxyConnection, at listener: RunListener.Kind) {
        // Else the answers of TLS wait for what the client's kernel holds back.
        var isOn: Int32 = 1
        setsockopt(connection.socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        let end = ContinuousClock.now + Self.patience
        switch listener {
        case .proxy: answer(connection, until: end)
        case .host(let port): lead(connection, to: port, until: end)
        case .names, .nameStream: RunListener.answerNames(of: connection, until: end) { isOver }
        }
    }

    /// Leads to the host that TLS names.
    private func lead(_ connection: consuming ProxyConnection, to port: Int, until end: ContinuousClock.Instant) {
        if origin.scheme == "http", port == origin.port { return server.add(connection.given(), isClear: true) }
        guard case .found(.server(let name)) = connection.look(until: end, unless: { isOver }, for: { ClientHello($0) })
        else { return }
        let place = Origin(scheme: "https", host: name ?? origin.host, port: port)
        if place == origin { return server.add(connection.given(), isClear: false) }
        // The alert `access_denied` (RFC 8446, section 6).
        guard name != nil, let tunnel = try? tunnel(to: place, from: connection) else {
            _ = connection.send([21, 3, 3, 0, 2, 2, 49])
            return
        }
        pump(connection, tunnel)
    }

    private func answer(_ connection: consuming ProxyConnection, until end: ContinuousClock.Instant) {
        guard let (way, head, count) = request(from: connection, until: end) else { return }
        go(way, head, count, connection)
    }

    /// Looks at requests to the proxy until one has the password, and refuses what it must.
    /// - Returns: the request, and the length of its head; `nil` if the connection is over.
    private func request(
        from connection: borrowing ProxyConnection, until end: ContinuousClock.Instant
    ) -> (way: ProxyWay, head: ServedHead, count: Int)? {
        let socket = connection.socket
        unauthenticated.withLock { _ = $0.insert(socket) }
        defer { unauthenticated.withLock { _ = $0.remove(socket) } }
        while true {
            let bytes: [UInt8]
            switch connection.look(until: end, unless: { isOver }, for: { ServedHead.whole(in: $0) }) {
            case .found(let head): bytes = head
            case .tooLong:
                connection.refuse(431, "the head is too long")
                return nil
            case .none: return nil
            }
            guard let head = ServedHead(proxied: bytes[...]), ServeGate.hasOneLength(head) else {
                connection.refuse(400, "the request is malformed")
                return nil
            }
            guard let way = ProxyWay(head) else {
                connection.refuse(403, "this is a proxy: only CONNECT, and URLs of other hosts")
                return nil
            }
            if isProved(head) { return (way, head, bytes.count) }
            unproved.withLock { $0 += 1 }
            // A client may know it and wait to be asked for it.
            guard head.method == "CONNECT", connection.drop(bytes.count) else {
                connection.refuse(407, "the password of this run is missing")
                return nil
            }
            connection.answer(407, "the password of this run is missing")
        }
    }

    private func isProved(_ head: ServedHead) -> Bool {
        guard let password else { return true }
        return head.proxyCredentials == [password]
    }

    private func go(_ way: ProxyWay, _ head: ServedHead, _ count: Int, _ connection: consuming ProxyConnection) {
        switch way {
        case .secure(let place):
            // Asked for without TLS, another host would be spoken to without TLS.
            guard place == origin else { return connection.refuse(403, "only \(origin) can be asked for by its URL") }
            // The head is still to be read there.
            server.add(connection.given(), isClear: true)
        case .tunnel(let place) where place == origin:
            // What is behind it came before anybody could know whether it is wanted.
            guard connection.drop(count), !connection.hasMore, connection.send("HTTP/1.1 200 OK\r\n\r\n") else {
                return
            }
            connected.withLock { $0 += 1 }
            server.add(connection.given(), isClear: false)
        case .tunnel(let place):
            guard connection.drop(count), !connection.hasMore else { return }
            carry(connection, to: place) { connection, tunnel in
                guard connection.send("HTTP/1.1 200 OK\r\n\r\n") else { return nil }
                return tunnel
            }
        case .plain(let place, let target):
            guard connection.drop(count) else { return }
            carry(connection, to: place) { _, tunnel in
                OneRequest(head, over: tunnel, beginningWith: head.forwarded(to: place, target: target))
            }
        }
    }

    private func carry(
        _ connection: consuming ProxyConnection, to place: Origin,
        _ begin: (borrowing ProxyConnection, any Tunnel) -> (any Tunnel)?
    ) {
        do throws(OtherHostDialer.Fault) {
            let tunnel = try tunnel(to: place, from: connection)
            guard let begun = begin(connection, tunnel) else { return }
            pump(connection, begun)
        } catch {
            switch error {
            case .refused: connection.refuse(403, "\(place.authority) is no other host, or other hosts are refused")
            case .failed: connection.refuse(502, "no connection to \(place.authority)")
            }
        }
    }

    private func tunnel(
        to place: Origin, from connection: borrowing ProxyConnection
    ) throws(OtherHostDialer.Fault) -> any Tunnel {
        let socket = connection.socket
        return try dialer.connect(to: place) { [self] in isOver || Peer.hasGone(socket) }
    }

    private func pump(_ connection: borrowing ProxyConnection, _ tunnel: any Tunnel) {
        var pump = StreamPump(connection.socket, tunnel)
        pump.run(beginning: UnsafeRawBufferPointer(start: nil, count: 0)) { isOver }
    }
}

/// A connection to the proxy, which is closed with this value unless it was given away. Its requests are looked at before they are read:
/// another may have to read them.
struct ProxyConnection: ~Copyable {
    let socket: Int32

    enum Look<Found> {
        case found(Found)
        case tooLong
        /// It has not come in time.
        case none
    }

    init(_ socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    /// Lets go of the socket, which is the caller's from now on.
    consuming func given() -> Int32 {
        let given = socket
        discard self
        return given
    }

    /// Looks at what comes, and leaves it where it is.
    /// - Parameter find: what it begins with, `nil` as long as that is not whole.
    func look<Found>(
        until end: ContinuousClock.Instant, unless isOver: () -> Bool, for find: (ArraySlice<UInt8>) -> Found?
    ) -> Look<Found> {
        var bytes = [UInt8](repeating: 0, count: ServedHead.longest), known = 0
        defer { wake(at: 1) }
        while !isOver() {
            let count = cprocess_peek(socket, &bytes, bytes.count)
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return .none }
            if let found = find(bytes[..<max(count, 0)]) { return .found(found) }
            if count == bytes.count { return .tooLong }
            // What woke it was the end.
            if count > 0, count == known, Peer.hasGone(socket) { return .none }
            known = max(count, 0)
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return .none }
            wake(at: Int32(known + 1))
            waitForInput([socket], milliseconds: Int32(min(left / .milliseconds(1), 250)) + 1)
        }
        return .none
    }

    /// Has poll(2) tell only of so many bytes (SO_RCVLOWAT of socket(7)).
    private func wake(at count: Int32) {
        var count = count
        setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &count, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads what was looked at.
    func drop(_ count: Int) -> Bool {
        var bytes = [UInt8](repeating: 0, count: count)
        return read(socket, &bytes, count) == count
    }

    /// Whether there is something to read.
    var hasMore: Bool {
        var byte: UInt8 = 0
        return cprocess_peek(socket, &byte, 1) > 0
    }

    /// - Returns: whether it was sent.
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { $0.sendWhole(to: socket, within: 1000) { true } }
    }

    /// Answers, and goes on.
    func answer(_ status: Int, _ words: String, _ more: String = "") {
        let text = "authctl: \(words)\n"
        let asks = status == 407 ? "Proxy-Authenticate: Basic realm=\"authctl\"\r\n" : ""
        _ = send(
            "HTTP/1.1 \(status) \r\n\(asks)\(more)Content-Type: text/plain; charset=utf-8\r\n"
                + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    /// Answers for the last time; what is still to be read would take the answer away (RFC 9112, section 9.6).
    func refuse(_ status: Int, _ words: String) {
        answer(status, words, "Connection: close\r\n")
        shutdown(socket, Int32(SHUT_WR))
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        for _ in 1...64 where waitForInput([socket], milliseconds: 100) > 0 {
            if read(socket, &bytes, bytes.count) <= 0 { return }
        }
    }
}

/// Plain http to another server: one request and its answer. What a client sends behind it was meant for this proxy.
private final class OneRequest: Tunnel {
    var response: HTTPResponse { tunnel.response }
    var descriptor: Int32 { tunnel.descriptor }
    private let tunnel: any Tunnel
    private var head: [UInt8]
    private var end: BodyEnd

    init(_ request: ServedHead, over tunnel: any Tunnel, beginningWith head: [UInt8]) {
        (self.tunnel, self.head, end) = (tunnel, head, BodyEnd(request))
    }

    func send(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) -> Int {
        guard try sendHead() else { return 0 }
        // The server may take less than that: only what it has taken is counted.
        var next = end
        guard let own = next.take(bytes), own == bytes.count else { throw .cancelled }
        let sent = try tunnel.send(bytes)
        _ = end.take(UnsafeRawBufferPointer(rebasing: bytes[..<sent]))
        return sent
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
        try sendHead() ? try tunnel.receive(into: buffer) : nil
    }

    /// - Returns: whether all of it has gone.
    private func sendHead() throws(LoginFault) -> Bool {
        if head.isEmpty { return true }
        let sent = try head.withUnsafeBufferPointer { (bytes) throws(LoginFault) in
            try tunnel.send(UnsafeRawBufferPointer(bytes))
        }
        head.removeFirst(sent)
        return head.isEmpty
    }
}
