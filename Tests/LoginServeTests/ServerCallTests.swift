import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// One request between the thread of its connection and the one that answers it.
@Suite(.onOwnThreads) struct ServerCallTests {
    /// A call, and the client's end of its connection.
    private final class Scene {
        let call: ServerCall
        private let ours: Int32
        private(set) var client: Int32

        /// - Parameter fields: of the request's head.
        init(_ method: String = "GET", version: String = "HTTP/1.1", _ fields: ServedField...) {
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            (ours, client) = (ends[0], ends[1])
            let head = ServedHead(method: method, target: "/5e63e7/x", version: version, fields: fields)
            call = ServerCall(head, target: "/x", socket: ours)
        }

        /// What the client has got.
        func received() -> String {
            var buffer = [UInt8](repeating: 0, count: 1000)
            let count = recv(client, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
        }

        func hangUp() {
            close(client)
            client = -1
        }

        deinit {
            close(ours)
            if client >= 0 { close(client) }
        }
    }

    private static let answer = ServerResponse(status: 200, fields: [], size: nil)

    private func write(_ text: String, to call: ServerCall) -> Bool {
        Array(text.utf8).withUnsafeBytes { call.write($0) }
    }

    /// What the connection's thread gets next; its codes for an end are not positive.
    private func next(_ call: ServerCall) -> (count: Int, text: String) {
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = buffer.withUnsafeMutableBytes { call.next($0) }
        return (count, String(decoding: buffer[..<max(count, 0)], as: UTF8.self))
    }

    @Test func `the first answer counts, and its body follows`() {
        let scene = Scene(), call = scene.call
        defer { withExtendedLifetime(scene) {} }
        #expect(!call.hasBegun)
        call.begin(ServerResponse(status: 201, fields: [], size: nil))
        call.begin(Self.answer)
        #expect(call.hasBegun && call.begun()?.status == 201)
        #expect(write("abc", to: call))
        call.end(isWhole: true)
        #expect(next(call) == (3, "abc"))
        #expect(next(call).count <= 0)
    }

    @Test func `what breaks off ends in another way than what is whole`() {
        let ends = [true, false].map { isWhole in
            let scene = Scene(), call = scene.call
            defer { withExtendedLifetime(scene) {} }
            call.begin(Self.answer)
            call.end(isWhole: isWhole)
            return next(call).count
        }
        #expect(ends[0] != ends[1] && ends.allSatisfy { $0 <= 0 })
    }

    @Test func `a call that ends without an answer has none`() {
        let scene = Scene(), call = scene.call
        defer { withExtendedLifetime(scene) {} }
        call.end(isWhole: false)
        #expect(call.begun() == nil && !call.hasBegun)
    }

    private static let chunked = ServedField("Transfer-Encoding", "chunked")

    @Test func `an answer that is there before the body has ended goes to the client at once`() {
        for (status, fields, size, rest) in [
            (200, [], 3, "Content-Length: 3\r\n\r\nabc"),
            (413, [], 3, "Content-Length: 3\r\nConnection: close\r\n\r\nabc"),
            (302, [], 0, "Content-Length: 0\r\nConnection: close\r\n\r\n"), (204, [], 0, "\r\n"),
            (200, ["X-A: b"], nil, "X-A: b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        ] as [(Int, [String], Int64?, String)] {
            let scene = Scene("POST", Self.chunked), call = scene.call
            let fields = HTTPResponse.answer(status, headers: fields).headers
            call.begin(ServerResponse(status: status, fields: fields, size: size))
            if size != 0 { #expect(write("abc", to: call) && write("", to: call)) }
            call.end(isWhole: true)
            #expect(scene.received() == "HTTP/1.1 \(status) \r\n\(rest)")
            #expect(call.begun() == nil, "the library has nothing more to send")
        }
    }

    @Test func `one that breaks off has no last chunk`() {
        let scene = Scene("POST", Self.chunked)
        scene.call.begin(Self.answer)
        #expect(write("abc", to: scene.call))
        scene.call.end(isWhole: false)
        #expect(scene.received().hasSuffix("\r\n\r\n3\r\nabc\r\n"))
    }

    @Test func `a client that understands no chunks gets an answer without a length from the library`() {
        let scene = Scene("POST", version: "HTTP/1.0", ServedField("Content-Length", "9")), call = scene.call
        call.begin(Self.answer)
        #expect(scene.received().isEmpty && call.begun()?.status == 200)
    }

    @Test func `a client that is still to be told to go on is told that first`() {
        // With the first byte of its body, or after a second without.
        for hasBody in [true, false] {
            let scene = Scene("POST", Self.chunked, ServedField("Expect", "100-Continue")), call = scene.call
            Thread.detachNewThread { call.begin(ServerResponse(status: 413, fields: [], size: 0)) }
            if hasBody {
                #expect(Array("x".utf8).withUnsafeBytes { call.body.write($0) })
                call.body.flush()
            }
            #expect(eventually { call.hasBegun } && scene.received().hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `at its end nobody reads what the client still sends`() {
        let scene = Scene("POST"), call = scene.call
        defer { withExtendedLifetime(scene) {} }
        #expect(Array("body".utf8).withUnsafeBytes { call.body.write($0) })
        call.begin(Self.answer)
        call.end(isWhole: true)
        #expect(!Array("more".utf8).withUnsafeBytes { call.body.write($0) })
    }

    @Test func `a call that is given up takes no answer, and its body breaks off`() {
        let scene = Scene("POST"), call = scene.call
        defer { withExtendedLifetime(scene) {} }
        #expect(!call.isAbandoned())
        call.abandon()
        #expect(call.isAbandoned() && !write("abc", to: call))
        var buffer: [UInt8] = [0]
        #expect(buffer.withUnsafeMutableBytes { call.body.read(into: $0) } == nil)
        #expect(call.begun() == nil)
    }

    @Test func `a client that hangs up is noticed before an answer, and by whoever waits for one`() {
        let scene = Scene()
        #expect(!scene.call.isAbandoned())
        scene.hangUp()
        #expect(eventually { scene.call.isAbandoned() })
        #expect(scene.call.isAbandoned(), "and is not forgotten")
        #expect(scene.call.begun() == nil && !write("abc", to: scene.call))
    }
}
