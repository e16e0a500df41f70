import Foundation
import Testing

@testable import AuthctlCLI
@testable import LoginKit

@Suite struct `Descriptors that do not block` {
    private static let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// The ends of a pipe, `end` of which would rather fail than wait.
    private func pipe(notBlockingAt end: Int) throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        try #require(fcntl(ends[end], F_SETFL, O_NONBLOCK) == 0)
        return ends
    }

    private func all(from descriptor: Int32, pausing microseconds: UInt32) throws -> [UInt8] {
        defer { close(descriptor) }
        var got: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 100_000)
        while true {
            usleep(microseconds)
            let count = piece.withUnsafeMutableBytes { $0.readSome(from: descriptor) }
            try #require(count >= 0)
            if count == 0 { return got }
            got += piece[..<count]
        }
    }

    @Test func `descriptors that do not block are written to at the pace of a slow reader, whole`() throws {
        let ends = try pipe(notBlockingAt: 1)
        Thread.detachNewThread {
            let problem = Self.bytes.withUnsafeBytes { $0.writeAll(to: ends[1]) }
            #expect(problem == nil)
            close(ends[1])
        }
        usleep(100_000)
        #expect(try all(from: ends[0], pausing: 1000) == Self.bytes)
    }

    @Test func `reading a non-blocking descriptor waits for a slow writer until the end`() async throws {
        let ends = try pipe(notBlockingAt: 0)
        Thread.detachNewThread {
            for start in [0, 500_000] {
                usleep(100_000)
                _ = Self.bytes[start..<start + 500_000].withUnsafeBytes { $0.writeAll(to: ends[1]) }
            }
            close(ends[1])
        }
        #expect(try all(from: ends[0], pausing: 0) == Self.bytes)
    }

    /// In a process of its own: what it ignores, all programs would that other tests start.
    @Test func `descriptors that do not block that are closed at the other end say so`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            try #require(Glibc.pipe(&ends) == 0)
            try #require(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
            close(ends[0])
            signal(SIGPIPE, SIG_IGN)
            let bytes = [UInt8](repeating: 31, count: 1_000_000)
            try #require(bytes.withUnsafeBytes { $0.writeAll(to: ends[1]) } == EPIPE)
        }
    }
}
