import Foundation
@testable import LoginTestSupport
import Testing

@testable import LoginKit

/// The lines of an MCP client, and those for it.
@Suite(.onOwnThreads) struct MCPPipesTests {
    /// Reads what a client writes before it closes its end; `nil` stands for a line that is too long.
    private func lines(_ pieces: [[UInt8]], limit: Int = MCPMessage.longest) throws -> [[UInt8]?] {
        let pipe = try PipeEnds()
        defer { close(pipe.reading) }
        Thread.detachNewThread {
            for piece in pieces { _ = piece.withUnsafeBytes { $0.writeAll(to: pipe.writing) } }
            close(pipe.writing)
        }
        var input = MCPInput(pipe.reading, limit: limit), lines: [[UInt8]?] = []
        while !input.isAtEnd { lines += input.lines() }
        return lines
    }

    @Test func `a line is read whole, however it arrives, and the last one without its end`() throws {
        let long = [UInt8](repeating: 0x61, count: 200_000)
        let pieces = [Array("a\n\n \t\r\nb\r\nc".utf8), Array("d\n".utf8), long, Array("\ne".utf8)]
        #expect(try lines(pieces) == [Array("a".utf8), Array("b\r".utf8), Array("cd".utf8), long, Array("e".utf8)])
    }

    @Test(arguments: [10, 100_000]) func `a line that is too long is passed over, and the next one is read`(
        limit: Int
    ) throws {
        let most = [UInt8](repeating: 0x61, count: limit), end: [UInt8] = [0x0A]
        let read = try lines([most, end, most, [0x61], end, most, most, end, Array("next".utf8)], limit: limit)
        #expect(read.map { $0?.count } == [limit, nil, nil, 4])
    }

    @Test(arguments: [0, 1, 4095, 4096, 300_000]) func `a message for the client is one line`(count: Int) throws {
        let pipe = try PipeEnds(), message = [UInt8](repeating: 0x61, count: count)
        defer { close(pipe.reading) }
        Thread.detachNewThread {
            let output = MCPOutput(pipe.writing)
            for _ in 0..<2 { output.send(message) }
            close(pipe.writing)
        }
        var read: [UInt8] = [], piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = piece.withUnsafeMutableBytes { $0.readSome(from: pipe.reading) }
            if count <= 0 { break }
            read += piece[..<count]
        }
        #expect(read == message + [0x0A] + message + [0x0A])
    }
}
