import Foundation
@testable import LoginTestSupport
import Testing

@testable import LoginKit

/// The lines of an MCP client.
@Suite(.onOwnThreads) struct MCPInputTests {
    /// Reads what a client writes before it closes its end; `nil` stands for a line that is too long.
    private func lines(_ pieces: [[UInt8]]) throws -> [[UInt8]?] {
        let pipe = try PipeEnds()
        defer { close(pipe.reading) }
        Thread.detachNewThread {
            for piece in pieces { _ = piece.withUnsafeBytes { $0.writeAll(to: pipe.writing) } }
            close(pipe.writing)
        }
        var input = MCPInput(pipe.reading), lines: [[UInt8]?] = []
        while !input.isAtEnd { lines += input.lines() }
        return lines
    }

    @Test func `a line is read whole, however it arrives, and the last one without its end`() throws {
        let long = [UInt8](repeating: 0x61, count: 200_000)
        let pieces = [Array("a\n\n \t\r\nb\r\nc".utf8), Array("d\n".utf8), long, Array("\ne".utf8)]
        #expect(try lines(pieces) == [Array("a".utf8), Array("b\r".utf8), Array("cd".utf8), long, Array("e".utf8)])
    }

    @Test func `a line of more than 64 MiB is passed over, and the next one is read`() throws {
        let most = [UInt8](repeating: 0x61, count: MCPMessage.longest), end: [UInt8] = [0x0A]
        let read = try lines([most, end, most, [0x61], end, most, most, end, Array("next".utf8)])
        #expect(read.map { $0?.count } == [MCPMessage.longest, nil, nil, 4])
    }
}
