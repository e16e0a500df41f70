import CMicroHTTPD
import Glibc
import LoginCore

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
            leave: { context, socket in
                guard let context else { return }
                Unmanaged<LoopbackServer>.fromOpaque(context).takeUnretainedValue().newcomers.leave(socket)
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
                open.server.forget(open.call)
            })
    }

    /// A request that is not over, for the library to hold.
    final class OpenRequest {
        let server: LoopbackServer
        let call: ServerCall
        var stream: (any ServedStream)?

        init(_ server: LoopbackServer, _ call: ServerCall) {
            (self.server, self.call) = (server, call)
        }

        static func at(_ place: UnsafeMutableRawPointer) -> OpenRequest {
            Unmanaged<OpenRequest>.fromOpaque(place).takeUnretainedValue()
        }
    }

    private static func begin(
        _ server: LoopbackServer, _ head: ServedHead, _ connection: OpaquePointer,
        _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32 {
        let socket = cmicrohttpd_socket(connection)
        let target: String
        do throws(ServeRefused) {
            target = try server.judge(head, from: peer(of: connection, at: server.provider.place))
        } catch {
            return refuse(error, server.response(to: head, error), connection)
        }
        server.newcomers.leave(socket)
        let call = ServerCall(head, target: target, socket: socket)
        guard server.take(call) else {
            let refused = ServeRefused(.noThread)
            return refuse(refused, server.response(to: head, refused), connection)
        }
        request.pointee = Unmanaged.passRetained(OpenRequest(server, call)).toOpaque()
        return 1
    }

    private static func peer(of connection: OpaquePointer, at place: ServeGate.Place) -> Peer? {
        switch place {
        case .socket: return .socket(cmicrohttpd_socket(connection))
        case .port:
            var (address, port): (UInt32, UInt16) = (0, 0)
            return cmicrohttpd_peer(connection, &address, &port) != 0 ? .address(address, port: port) : nil
        }
    }

    private static func finish(_ open: OpenRequest, _ connection: OpaquePointer) -> Int32 {
        let call = open.call
        call.body.finish()
        if call.head.wantsWebSocket, let stream = open.server.open(call) {
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

    private static let speak: @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int) -> Void = {
        context, socket, bytes, count in
        guard let context else { return }
        let open = OpenRequest.at(context)
        open.stream?.run(socket, beginning: UnsafeRawBufferPointer(start: bytes, count: count)) {
            open.server.isOver
        }
        open.stream = nil
    }

    private static func refuse(
        _ refused: ServeRefused, _ response: (type: String, text: String), _ connection: OpaquePointer
    ) -> Int32 {
        let fields = [
            HTTPResponseField(name: "Content-Type", value: response.type),
            HTTPResponseField(name: "Cache-Control", value: "no-store"),
            HTTPResponseField(name: "Connection", value: "close"),
        ]
        return withFields(fields) { fields, count in
            cmicrohttpd_text(connection, UInt32(refused.status), fields, count, response.text)
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
