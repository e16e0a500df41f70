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

/// The callbacks of the library, on the threads of its connections.
enum ServerCallbacks {
    static var table: cmicrohttpd_handlers {
        cmicrohttpd_handlers(
            context: nil,
            admit: { context, address, port in
                guard let context else { return 0 }
                let server = Unmanaged<LoopbackServer>.fromOpaque(context).takeUnretainedValue()
                return server.admits(.address(address, port: port)) ? 1 : 0
            },
            arrive: { context, socket in
                guard let context else { return }
                Unmanaged<LoopbackServer>.fromOpaque(context).takeUnretainedValue().arrive(socket)
            },
            leave: { context, socket, brokeOff in
                guard let context else { return }
                let server = Unmanaged<LoopbackServer>.fromOpaque(context).takeUnretainedValue()
                server.leave(socket, brokeOff: brokeOff != 0)
            },
            begin: { context, connection, method, target, version, request in
                guard let context, let connection, let method, let target, let version, let request else { return 0 }
                let server = Unmanaged<LoopbackServer>.fromOpaque(context).takeUnretainedValue()
                let fields = ServerCallbacks.fields(of: connection)
                let head = ServedHead(
                    method: String(cString: method), target: String(cString: target),
                    version: String(cString: version), fields: fields)
                return ServerCallbacks.begin(server, head, connection, request)
            },
            receive: { request, bytes, count in
                guard let request else { return 0 }
                let body = OpenRequest.at(request).call.body
                body.write(UnsafeRawBufferPointer(start: bytes, count: count))
                body.flush()
                return 1
            },
            finish: { request, connection in
                guard let request, let connection else { return 0 }
                return ServerCallbacks.finish(OpenRequest.at(request), connection)
            },
            end: { request in
                guard let request else { return }
                let open = Unmanaged<OpenRequest>.fromOpaque(request).takeRetainedValue()
                if !open.goesOn { open.server.forget(open.call) }
            })
    }

    /// A request that is not over, for the library to hold.
    final class OpenRequest {
        let server: LoopbackServer
        let call: ServerCall
        let isClear: Bool
        var stream: ServedWebSocket?
        /// Whether another thread has it, to the end of its stream.
        var goesOn = false

        init(_ server: LoopbackServer, _ call: ServerCall, isClear: Bool) {
            (self.server, self.call, self.isClear) = (server, call, isClear)
        }

        static func at(_ place: UnsafeMutableRawPointer) -> OpenRequest {
            Unmanaged<OpenRequest>.fromOpaque(place).takeUnretainedValue()
        }
    }

    private static func begin(
        _ server: LoopbackServer, _ head: ServedHead, _ connection: OpaquePointer,
        _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32 {
        let socket = cmicrohttpd_socket(connection), cover = cover(of: connection)
        let target: String
        do {
            target = try server.judge(head, from: peer(of: connection, at: server.gate.place), over: cover)
        } catch {
            return refuse(error, head, server, connection)
        }
        server.newcomers.leave(socket)
        let call = ServerCall(head, target: target, socket: socket, isClear: cover == .clear)
        guard server.take(call) else {
            return refuse(.noThread, head, server, connection)
        }
        request.pointee = Unmanaged.passRetained(OpenRequest(server, call, isClear: cover == .clear)).toOpaque()
        return 1
    }

    private static func cover(of connection: OpaquePointer) -> ServeGate.Cover {
        var name = [CChar](repeating: 0, count: 256)
        return switch Int(cmicrohttpd_server_name(connection, &name, name.count)) {
        case CMICROHTTPD_CLEAR: .clear
        case CMICROHTTPD_NAMELESS: .tls(name: nil)
        case CMICROHTTPD_NAMED: .tls(name: String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
        default: .tls(name: "")
        }
    }

    private static func peer(of connection: OpaquePointer, at place: ServeGate.Place) -> Peer? {
        switch place {
        case .socket, .origin: return .socket(cmicrohttpd_socket(connection))
        case .port:
            var (address, port): (UInt32, UInt16) = (0, 0)
            return cmicrohttpd_peer(connection, &address, &port) != 0 ? .address(address, port: port) : nil
        }
    }

    private static func finish(_ open: OpenRequest, _ connection: OpaquePointer) -> Int32 {
        let call = open.call
        call.body.finish()
        if call.head.wantsWebSocket, let stream = open.server.handler?.answer(call, opens: true) {
            open.stream = stream
            return withFields(stream.fields) { fields, count in
                cmicrohttpd_upgrade(connection, fields, count, Unmanaged.passUnretained(open).toOpaque(), speak)
            }
        }
        guard let answer = call.begun() else { return 0 }
        return withFields(answer.fields) { fields, count in
            cmicrohttpd_answer(
                connection, UInt32(answer.status), fields, count, answer.size ?? -1,
                { context, bytes, most in
                    guard let context else { return Int(CMICROHTTPD_BROKEN) }
                    return OpenRequest.at(context).call.next(UnsafeMutableRawBufferPointer(start: bytes, count: most))
                }, Unmanaged.passUnretained(open).toOpaque())
        }
    }

    private static let speak:
        @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int, OpaquePointer?) -> Int32 = {
            context, socket, bytes, count, stream in
            guard let context, let stream else { return 1 }
            let open = OpenRequest.at(context), beginning = UnsafeRawBufferPointer(start: bytes, count: count)
            if open.isClear {
                open.stream?.run(socket, beginning: beginning) { open.server.isOver }
                open.stream = nil
                return 1
            }
            return goOn(open, socket, Array(beginning), stream) ? 0 : 1
        }

    /// Speaks on a thread of its own: the library's decrypts meanwhile, and does not tell of a client that has gone.
    private static func goOn(_ open: OpenRequest, _ socket: Int32, _ beginning: [UInt8], _ stream: OpaquePointer)
        -> Bool
    {
        nonisolated(unsafe) let (open, stream) = (open, stream)
        nonisolated(unsafe) var spoken = open.stream
        open.stream = nil
        open.goesOn = open.server.goOn {
            var end: ContinuousClock.Instant?
            beginning.withUnsafeBytes { beginning in
                spoken?.run(socket, beginning: beginning) {
                    if end == nil, open.call.isAbandoned() { end = .now + .seconds(1) }
                    return open.server.isOver || end.map { $0 <= .now } ?? false
                }
            }
            spoken = nil
            open.server.forget(open.call)
            cmicrohttpd_close(stream)
        }
        return open.goesOn
    }

    private static func refuse(
        _ refusal: ServeGate.Refusal, _ head: ServedHead, _ server: LoopbackServer, _ connection: OpaquePointer
    ) -> Int32 {
        let response = server.handler?.response(to: head, refusal) ?? (type: "text/plain", text: "")
        let fields = [
            HTTPResponseField(name: "Content-Type", value: response.type),
            HTTPResponseField(name: "Cache-Control", value: "no-store"),
            HTTPResponseField(name: "Connection", value: "close"),
        ]
        return withFields(fields) { fields, count in
            cmicrohttpd_text(connection, UInt32(refusal.status), fields, count, response.text)
        }
    }

    private static func fields(of connection: OpaquePointer) -> [ServedField] {
        var all: [ServedField] = []
        withUnsafeMutablePointer(to: &all) { pointer in
            cmicrohttpd_fields(connection, pointer) { context, name, nameCount, value, valueCount in
                guard let context else { return }
                let name = UnsafeRawBufferPointer(start: name, count: nameCount)
                let value = UnsafeRawBufferPointer(start: value, count: valueCount)
                context.assumingMemoryBound(to: [ServedField].self).pointee.append(
                    ServedField(name: String(decoding: name, as: UTF8.self), bytes: Array(value)))
            }
        }
        return all
    }

    private static func withFields(
        _ fields: [HTTPResponseField], _ body: (UnsafePointer<cmicrohttpd_field>?, Int) -> Int32
    ) -> Int32 {
        let texts = fields.map { (strdup($0.name), strdup($0.value)) }
        defer {
            for (name, value) in texts {
                free(name)
                free(value)
            }
        }
        let raw = texts.map { cmicrohttpd_field(name: $0.0, value: $0.1) }
        return raw.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
}
