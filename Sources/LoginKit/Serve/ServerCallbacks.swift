import CMicroHTTPD
import Glibc

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
