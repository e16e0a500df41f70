import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// Bytes between a client and a tunnel, both ways at once.
@Suite(.onOwnThreads) struct StreamPumpTests {
    /// A tunnel that is one end of a socket pair, and takes a few bytes at a time.
    private final class SocketTunnel: Tunnel {
        let response = HTTPResponse(status: 101)
        let descriptor: Int32
        private let most: Int

        init(_ descriptor: Int32, most: Int) {
            (self.descriptor, self.most) = (descriptor, most)
        }

        func send(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) -> Int {
            let sent = Glibc.send(
                descriptor, bytes.baseAddress, min(bytes.count, most), Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            if sent < 0, errno != EAGAIN { throw .network(.connectionLost) }
            return max(sent, 0)
        }

        func receive(into buffer: UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int? {
            let got = recv(descriptor, buffer.baseAddress, min(buffer.count, most), Int32(MSG_DONTWAIT))
            if got < 0 { return nil }
            return got
        }
    }

    /// The far ends of both connections, with a pump between the near ones.
    private final class Scene: @unchecked Sendable {
        let client: Int32
        let service: Int32
        private let near: [Int32]
        private let ended = NSCondition()
        private var hasEnded = false
        private var isStopped = false

        init(beginning: String = "", most: Int = 1 << 16) {
            let one = Self.pair(), other = Self.pair()
            (client, service, near) = (one[1], other[1], [one[0], other[0]])
            Thread.detachNewThread { [self] in
                var pump = StreamPump(near[0], SocketTunnel(near[1], most: most))
                Array(beginning.utf8).withUnsafeBytes { bytes in
                    pump.run(beginning: bytes) { ended.withLock { isStopped } }
                }
                for end in near { close(end) }
                ended.withLock {
                    hasEnded = true
                    ended.broadcast()
                }
            }
        }

        private static func pair() -> [Int32] {
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            return ends
        }

        func stop() { ended.withLock { isStopped = true } }

        func wait() {
            ended.withLock { while !hasEnded { ended.wait() } }
        }

        deinit {
            close(client)
            close(service)
        }
    }

    private func send(_ bytes: [UInt8], to socket: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    private func read(_ count: Int, from socket: Int32) -> [UInt8] {
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < count {
            let got = recv(socket, &buffer, min(buffer.count, count - bytes.count), 0)
            guard got > 0 else { break }
            bytes += buffer[..<got]
        }
        return bytes
    }

    @Test(arguments: [7, 1 << 16]) func `what the client has sent already comes first`(most: Int) {
        let scene = Scene(beginning: "already ", most: most)
        send(Array("sent".utf8), to: scene.client)
        #expect(read(12, from: scene.service) == Array("already sent".utf8))
        scene.stop()
        scene.wait()
    }

    @Test func `megabytes go both ways at once, as they are`() {
        let scene = Scene(), out = (0..<1_500_001).map { UInt8(truncatingIfNeeded: $0 &* 7) },
            back = [UInt8](out.reversed())
        Thread.detachNewThread { [self] in send(out, to: scene.client) }
        Thread.detachNewThread { [self] in send(back, to: scene.service) }
        #expect(read(out.count, from: scene.service) == out)
        #expect(read(back.count, from: scene.client) == back)
        scene.stop()
        scene.wait()
    }

    @Test func `the last bytes of the service still reach the client`() {
        let scene = Scene()
        send(Array("bye".utf8), to: scene.service)
        shutdown(scene.service, Int32(SHUT_WR))
        #expect(read(100, from: scene.client) == Array("bye".utf8))
        scene.wait()
    }

    @Test func `a client that is gone ends it`() {
        let scene = Scene()
        shutdown(scene.client, Int32(SHUT_WR))
        scene.wait()
        #expect(read(1, from: scene.service).isEmpty)
    }

    @Test func `it ends when it is over, although nobody says anything`() {
        let scene = Scene()
        scene.stop()
        scene.wait()
        #expect(read(1, from: scene.client).isEmpty)
    }
}
