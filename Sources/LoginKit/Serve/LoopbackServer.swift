import CMicroHTTPD
import Glibc

/// An HTTP server on this machine for the programs of one user; libmicrohttpd (RFC 9112).
final class LoopbackServer: @unchecked Sendable {
    /// Debian's package libmicrohttpd12.
    static let library = "libmicrohttpd.so.12"
    /// Connections at once, and seconds that one may be idle before a request and in its head.
    private static let (most, patience): (UInt32, UInt32) = (256, 60)
    /// What the library is told where they are handed in: to one more than that it waits for itself for ever, in 0.9.75.
    private static let unreached: UInt32 = 1 << 16

    let gate: ServeGate
    let newcomers: PendingConnections
    private let socket: ServeSocket
    /// For connections that are handed in.
    private let certificate: ServedCertificate?
    /// When the address ends, whatever its command does.
    private let end: ContinuousClock.Instant?
    /// Answers the requests; called by many threads at once.
    private(set) var handler: SessionProxy?
    private let monitor = Monitor()
    private var raw: OpaquePointer?
    /// The one for connections without TLS, where `raw` is for those with it.
    private var clear: OpaquePointer?
    private var calls: [ObjectIdentifier: ServerCall] = [:]
    private let threads = CountedThreads()
    private var isStopped = false
    private var counted = Seen()
    /// The connections that were handed in and have not ended.
    private var handedIn: Set<Int32> = []

    /// Counts of what has come so far.
    struct Seen {
        var requests = 0
        /// TLS handshakes that clients ended, since they did not take the certificate.
        var brokenHandshakes = 0
    }

    /// Whether the library is there; it is opened by that.
    /// - Parameter withTLS: whether it also has to speak TLS.
    static func check(withTLS: Bool = false) throws(LoginFault) {
        var problem = cmicrohttpd_open(library)
        if problem == nil, withTLS { problem = cmicrohttpd_open_tls(library) }
        guard let problem else { return }
        let option = withTLS ? "--unchanged" : "--serve"
        throw .failure("\(option) needs libmicrohttpd (Debian: libmicrohttpd12): \(String(cString: problem))")
    }

    /// Binds the address, if there is one; call `start` to answer requests.
    /// - Parameter seconds: how long the address is there from now on; `nil` for as long as the command.
    init(_ place: ServePlace, for seconds: Int? = nil) throws(LoginFault) {
        if case .origin(_, let certificate, _) = place {
            try Self.check(withTLS: true)
            (self.certificate, newcomers) = (certificate, PendingConnections(patience: .seconds(10)))
        } else {
            try Self.check()
            (certificate, newcomers) = (nil, PendingConnections())
        }
        socket = try ServeSocket(place)
        gate = ServeGate(place: socket.place, user: getuid())
        end = seconds.map { .now + .seconds($0) }
    }

    /// The path of the Unix socket that it listens at.
    var path: String? { socket.file?.path }

    /// Serves from now on, until `stop`.
    func start(_ handler: SessionProxy) throws(LoginFault) {
        self.handler = handler
        var handlers = ServerCallbacks.table
        handlers.context = Unmanaged.passUnretained(self).toOpaque()
        // Without memory for its certificate it is not started either.
        raw = try? start(&handlers)
        if raw != nil, certificate != nil {
            let source = cmicrohttpd_source(listening: -1, certificate: nil, key: nil)
            clear = cmicrohttpd_start(source, Self.unreached, Self.patience, &handlers)
        }
        if raw != nil, certificate == nil || clear != nil { return watchEnd() }
        self.handler = nil
        let code = errno
        if let raw { cmicrohttpd_stop(raw) }
        raw = nil
        socket.file?.remove()
        if socket.descriptor >= 0 { close(socket.descriptor) }
        throw .failure(.system(call: "MHD_start_daemon", errno: code))
    }

    private func start(_ handlers: inout cmicrohttpd_handlers) throws(LoginFault) -> OpaquePointer? {
        guard let certificate else {
            let source = cmicrohttpd_source(listening: socket.descriptor, certificate: nil, key: nil)
            return cmicrohttpd_start(source, Self.most, Self.patience, &handlers)
        }
        return try certificate.certificate.withCString { (text) throws(LoginFault) in
            try certificate.key.withCString { (key) throws(LoginFault) in
                let source = cmicrohttpd_source(listening: -1, certificate: text, key: key)
                return cmicrohttpd_start(source, Self.unreached, Self.patience, &handlers)
            }
        }
    }

    /// Takes a connection whose peer was judged.
    func add(_ connection: Int32, isClear: Bool) {
        let isFree = monitor.locked {
            let isFree = handedIn.count < Int(Self.most)
            if isFree { handedIn.insert(connection) }
            return isFree
        }
        guard isFree, let server = isClear ? clear : raw else {
            close(connection)
            return
        }
        // It closes what it does not take.
        if cmicrohttpd_add(server, connection) == 0 { _ = monitor.locked { handedIn.remove(connection) } }
    }

    var seen: Seen { monitor.locked { counted } }

    /// Closes the address and every connection, and waits for the threads.
    func stop() {
        socket.file?.remove()
        newcomers.end()
        monitor.locked {
            isStopped = true
            monitor.tell()
        }
        abandonAll()
        // The library waits for every WebSocket that goes on elsewhere.
        threads.wait()
        for server in [raw, clear] { if let server { cmicrohttpd_stop(server) } }
        (raw, clear) = (nil, nil)
        threads.wait()
        handler = nil
    }

    private func abandonAll() {
        for call in monitor.locked({ Array(calls.values) }) { call.abandon() }
    }

    /// Ends what is on its way when the time is over. Without a thread for it, that is found by the next request.
    private func watchEnd() {
        guard end != nil else { return }
        _ = threads.start { [self] in
            monitor.locked { while !isStopped, !hasEnded { monitor.wait(250) } }
            abandonAll()
        }
    }

    private var hasEnded: Bool { end.map { $0 <= .now } ?? false }

    /// Whether nothing goes on any more.
    var isOver: Bool { monitor.locked { isStopped } || hasEnded }

    /// Whether somebody may have one of the places: another user could hold them all, and is not even listened to.
    /// Nor is anybody of whom the kernel does not tell.
    func admits(_ peer: Peer) -> Bool { peer.user(at: gate.place).map { gate.admits($0) } ?? false }

    /// Runs a WebSocket on a thread of its own.
    /// - Returns: `false` if no thread can be started for it.
    func goOn(_ body: @escaping @Sendable () -> Void) -> Bool { threads.start(body) }

    /// A connection has got one of the places.
    func arrive(_ descriptor: Int32) {
        // The library asks about a Unix socket only now; its file has kept others out so far.
        if gate.place == .socket, !admits(.socket(descriptor)) { shutdown(descriptor, Int32(SHUT_RDWR)) }
        newcomers.arrive(descriptor)
    }

    /// A connection has ended, and its place is free.
    /// - Parameter brokeOff: whether its client did not take the certificate.
    func leave(_ descriptor: Int32, brokeOff: Bool) {
        let isOverdue = !newcomers.leave(descriptor)
        monitor.locked {
            handedIn.remove(descriptor)
            if brokeOff, !isOverdue { counted.brokenHandshakes += 1 }
        }
    }

    func judge(
        _ head: ServedHead, from peer: Peer?, over cover: ServeGate.Cover
    ) throws(ServeGate.Refusal) -> String {
        monitor.locked { counted.requests += 1 }
        let target = try gate.target(of: head, from: peer?.user(at: gate.place), over: cover)
        if hasEnded { throw .ended }
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
        if threads.start({ [self] in _ = handler?.answer(call) }) { return true }
        forget(call)
        return false
    }

    func forget(_ call: ServerCall) {
        call.abandon()
        monitor.locked { _ = calls.removeValue(forKey: ObjectIdentifier(call)) }
    }
}
