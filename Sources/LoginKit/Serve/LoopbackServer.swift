import CMicroHTTPD
import Glibc
package import LoginCore

/// Answers the requests of a server; called by many threads at once.
protocol ServerHandler: AnyObject, Sendable {
    /// Answers a request, on a thread of its own: `begin`, `write` and `end`.
    func answer(_ call: ServerCall)

    /// Answers a request for WebSocket's protocol, on the connection's thread.
    /// - Returns: what goes on in that protocol; `nil` if `call` was answered instead.
    func open(_ call: ServerCall) -> (any ServedStream)?

    /// The response to a client that was turned away.
    func response(to head: ServedHead, _ refused: ServeRefused) -> (type: String, text: String)
}

/// A connection that carries bytes both ways in place of a request.
package protocol ServedStream: AnyObject, Sendable {
    var fields: [HTTPResponseField] { get }

    /// - Parameters:
    ///   - socket: of the client; it is closed by others.
    ///   - beginning: what the client has sent already.
    func run(_ socket: Int32, beginning: UnsafeRawBufferPointer, unless isOver: () -> Bool)
}

/// An HTTP server on this machine for the programs of one user; libmicrohttpd (RFC 9112).
final class LoopbackServer: @unchecked Sendable {
    /// Debian's package libmicrohttpd12.
    static let library = "libmicrohttpd.so.12"
    /// Connections at once, and seconds that one may be idle before a request and in its head.
    private static let (most, patience): (UInt32, UInt32) = (256, 60)

    let provider: ServeGate
    let newcomers = PendingConnections()
    private let socket: ServeSocket
    /// When the address ends, whatever its command does.
    private let end: ContinuousClock.Instant?
    private var handler: (any ServerHandler)?
    private let monitor = Monitor()
    private var raw: OpaquePointer?
    private var calls: [ObjectIdentifier: ServerCall] = [:]
    private var answering = 0
    private var isStopped = false

    /// Whether the library is there; it is opened by that.
    static func check() throws(ServerFault) {
        if let problem = cmicrohttpd_open(library) { throw .libraryMissing(String(cString: problem)) }
    }

    /// Listens, and answers nobody yet.
    /// - Parameter seconds: how long the address is there from now on; `nil` for as long as the command.
    init(_ place: ServePlace, for seconds: Int? = nil) throws(LoginFault) {
        do throws(ServerFault) { try Self.check() } catch { throw error.asLoginFault }
        socket = try ServeSocket(place)
        provider = ServeGate(socket.place, user: getuid())
        end = seconds.map { .now + .seconds($0) }
    }

    /// The path of the Unix socket that it listens at.
    var path: String? { socket.file?.path }

    /// Serves from now on, until `stop`.
    func start(_ handler: any ServerHandler) throws(ServerFault) {
        self.handler = handler
        var handlers = ServerCallbacks.table
        handlers.context = Unmanaged.passUnretained(self).toOpaque()
        raw = cmicrohttpd_start(socket.descriptor, Self.most, Self.patience, &handlers)
        guard raw == nil else { return watchEnd() }
        self.handler = nil
        let code = errno
        socket.file?.remove()
        close(socket.descriptor)
        errno = code
        throw .failed(call: "MHD_start_daemon", errno: errno)
    }

    /// Closes the address and every connection, and waits for the threads.
    func stop() {
        socket.file?.remove()
        monitor.locked {
            isStopped = true
            monitor.tell()
        }
        abandonAll()
        if let raw { cmicrohttpd_stop(raw) }
        raw = nil
        monitor.locked { while answering > 0 { monitor.wait() } }
        handler = nil
    }

    private func abandonAll() {
        for call in monitor.locked({ Array(calls.values) }) { call.abandon() }
    }

    /// Ends what is on its way when the time is over. Without a thread for it, that is found by the next request.
    private func watchEnd() {
        guard end != nil else { return }
        monitor.locked { answering += 1 }
        let isStarted = DetachedThread.start { [self] in
            monitor.locked { while !isStopped, !hasEnded { monitor.wait(250) } }
            abandonAll()
            leaveThread()
        }
        if !isStarted { monitor.locked { answering -= 1 } }
    }

    private func leaveThread() {
        monitor.locked {
            answering -= 1
            monitor.tell()
        }
    }

    private var hasEnded: Bool { end.map { $0 <= .now } ?? false }

    /// Whether nothing goes on any more.
    var isOver: Bool { monitor.locked { isStopped } || hasEnded }

    /// Whether somebody may have one of the places: another user could hold them all, and is not even listened to.
    /// Nor is anybody of whom the kernel does not tell.
    func admits(_ peer: Peer) -> Bool { peer.user(at: provider.place).map { provider.admits($0) } ?? false }

    /// A connection has got one of the places.
    func arrive(_ descriptor: Int32) {
        // The library asks about a Unix socket only now; its file has kept others out so far.
        if provider.place == .socket, !admits(.socket(descriptor)) { shutdown(descriptor, Int32(SHUT_RDWR)) }
        newcomers.arrive(descriptor)
    }

    func judge(_ head: ServedHead, from peer: Peer?) throws(ServeRefused) -> String {
        let target = try provider.target(of: head, from: peer?.user(at: provider.place))
        if hasEnded { throw ServeRefused(.ended) }
        return target
    }

    /// Takes a request that was let in.
    /// - Returns: `false` if no thread can be started to answer it.
    func take(_ call: ServerCall) -> Bool {
        monitor.locked { calls[ObjectIdentifier(call)] = call }
        if isOver {
            call.abandon()
            return true
        }
        if call.head.wantsWebSocket { return true }
        monitor.locked { answering += 1 }
        let isStarted = DetachedThread.start { [self] in
            handler?.answer(call)
            leaveThread()
        }
        guard !isStarted else { return true }
        monitor.locked { answering -= 1 }
        forget(call)
        return false
    }

    func open(_ call: ServerCall) -> (any ServedStream)? { handler?.open(call) }

    func response(to head: ServedHead, _ refused: ServeRefused) -> (type: String, text: String) {
        handler?.response(to: head, refused) ?? ("text/plain", "")
    }

    func forget(_ call: ServerCall) {
        call.abandon()
        monitor.locked { _ = calls.removeValue(forKey: ObjectIdentifier(call)) }
    }
}
