import CProcess
import Foundation
@testable import LoginTestSupport
import Testing

@testable import LoginKit

/// Connections that do not show that they know the segment.
@Suite(.onOwnThreads) struct NewcomersTests {
    /// A connection, and its far end.
    private final class Pair {
        let near: Int32
        let far: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
            (near, far) = (ends[0], ends[1])
        }

        var isClosed: Bool {
            var byte: UInt8 = 0
            return recv(far, &byte, 1, Int32(MSG_DONTWAIT)) == 0
        }

        deinit {
            close(near)
            close(far)
        }
    }

    @Test func `one that says nothing gives its place back, and so does one that keeps talking`() {
        let newcomers = PendingConnections(patience: .milliseconds(300)), silent = Pair(), busy = Pair()
        let patient = PendingConnections(patience: .seconds(600)), early = Pair()
        patient.arrive(early.near)
        newcomers.arrive(silent.near)
        newcomers.arrive(busy.near)
        #expect(
            eventually(within: 20) {
                _ = send(busy.far, "x", 1, Int32(MSG_NOSIGNAL))
                return silent.isClosed && busy.isClosed
            })
        #expect(!early.isClosed)
        patient.leave(early.near)
        // And again, once nobody was watched.
        let late = Pair()
        newcomers.arrive(late.near)
        #expect(eventually(within: 20) { late.isClosed })
    }

    /// A listening socket of loopback, and its port in the network's order.
    private func listening() throws -> (socket: Int32, port: in_port_t) {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { place in
            try place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                try #require(bind(listening, place, size) == 0 && listen(listening, 5) == 0)
                try #require(getsockname(listening, place, &size) == 0)
            }
        }
        return (listening, address.sin_port)
    }

    @Test func `for a connection that is gone no list of all connections is read`() throws {
        let (server, port) = try listening()
        defer { close(server) }
        let rounds = 40
        var user = uid_t()
        let asked = withProcessorTime {
            for number in 1...rounds {
                let gone = in_port_t(number).bigEndian, host = in_addr_t(0x7F00_0001).bigEndian
                #expect(cprocess_peer_user(host, gone, in_port_t(bigEndian: port), &user) == 0)
            }
        }
        let read = try withProcessorTime {
            for _ in 1...rounds { _ = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8) }
        }
        #expect(asked.seconds < read.seconds, "\(asked) \(read)")
    }

    @Test func `one that knows the segment stays`() {
        let newcomers = PendingConnections(patience: .seconds(2)), known = Pair(), other = Pair()
        newcomers.arrive(known.near)
        newcomers.leave(known.near)
        newcomers.arrive(other.near)
        #expect(eventually(within: 20) { other.isClosed })
        #expect(!known.isClosed)
    }
}
