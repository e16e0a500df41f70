import Foundation
import LoginTestSupport
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
        newcomers.arrive(silent.near)
        newcomers.arrive(busy.near)
        #expect(!silent.isClosed && !busy.isClosed)
        #expect(
            eventually(within: 20) {
                _ = send(busy.far, "x", 1, Int32(MSG_NOSIGNAL))
                return silent.isClosed && busy.isClosed
            })
        // And again, once nobody was watched.
        let late = Pair()
        newcomers.arrive(late.near)
        #expect(eventually(within: 20) { late.isClosed })
    }

    @Test func `one that knows the segment stays`() {
        let newcomers = PendingConnections(patience: .milliseconds(100)), known = Pair(), other = Pair()
        newcomers.arrive(known.near)
        newcomers.leave(known.near)
        newcomers.arrive(other.near)
        #expect(eventually(within: 20) { other.isClosed })
        #expect(!known.isClosed)
    }
}
