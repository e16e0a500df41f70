import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// The body of a request that is sent on while it comes in, and once more if it has to be.
@Suite(.onOwnThreads) struct ServedBodyTests {
    private static let piece = (0..<(64 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) }

    private func feed(_ bytes: some Sequence<UInt8>, to pipe: BytePipe) {
        Array(bytes).withUnsafeBytes { bytes in _ = pipe.write(bytes) }
        pipe.flush()
    }

    private func read(_ source: ServedSource, most: Int = 1 << 17) throws(LoginFault) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = try buffer.lendMutable { (bytes) throws(LoginFault) in
            while true {
                if let read = try source.read(into: bytes) { return read }
            }
        }
        return Array(buffer[..<count])
    }

    private func all(of source: ServedSource, most: Int = 1 << 17) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try read(source, most: most)
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    /// Feeds and reads in turn: a pipe has room for less than a source keeps.
    private func take(_ count: Int, _ pipe: BytePipe, _ source: ServedSource) throws {
        var left = count
        while left > 0 {
            feed(Self.piece.prefix(left), to: pipe)
            var got = 0
            while got < min(left, Self.piece.count) { got += try read(source).count }
            left -= got
        }
    }

    @Test func `what was read is read again after each return to the beginning, and then what follows`() throws {
        let pipe = BytePipe(), source = ServedSource(pipe, count: 9)
        #expect(source.count == 9)
        feed("abc".utf8, to: pipe)
        #expect(try read(source) == Array("abc".utf8))
        #expect(source.rewind())
        feed("def".utf8, to: pipe)
        #expect(try read(source, most: 2) == Array("ab".utf8))
        #expect(try read(source) == Array("c".utf8))
        #expect(try read(source) == Array("def".utf8))
        #expect(source.rewind())
        #expect(try read(source, most: 4) == Array("abcd".utf8))
        // In the middle of what it knows already.
        #expect(source.rewind())
        feed("ghi".utf8, to: pipe)
        pipe.finish()
        #expect(try all(of: source, most: 5) == Array("abcdefghi".utf8))
        #expect(source.rewind())
        #expect(try all(of: source) == Array("abcdefghi".utf8))
    }

    @Test func `a body that is all that is kept can be sent again, and a byte more cannot`() throws {
        let pipe = BytePipe(), source = ServedSource(pipe, count: nil)
        try take(ServedSource.limit, pipe, source)
        #expect(source.rewind())
        var kept = 0
        while kept < ServedSource.limit { kept += try read(source).count }
        #expect(kept == ServedSource.limit && source.rewind())
        while kept > 0 { kept -= try read(source).count }
        feed("x".utf8, to: pipe)
        pipe.finish()
        #expect(try read(source) == Array("x".utf8))
        #expect(!source.rewind())
        #expect(try read(source).isEmpty)
    }

    @Test func `what is too long to be kept still goes on in its order`() throws {
        let pipe = BytePipe(), source = ServedSource(pipe, count: nil)
        try take(ServedSource.limit - 1, pipe, source)
        feed("abc".utf8, to: pipe)
        var more: [UInt8] = []
        while more.count < 3 { more += try read(source) }
        #expect(more == Array("abc".utf8) && !source.rewind())
        feed("def".utf8, to: pipe)
        pipe.finish()
        #expect(try all(of: source) == Array("def".utf8))
        #expect(!source.rewind())
    }

    @Test func `nothing yet is no end`() throws {
        let pipe = BytePipe(), source = ServedSource(pipe, count: nil)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
        defer { buffer.deallocate() }
        #expect(try source.read(into: buffer) == nil)
        feed("abc".utf8, to: pipe)
        #expect(try source.read(into: buffer) == 3)
        #expect(try source.read(into: buffer) == nil)
        #expect(source.rewind())
        #expect(try source.read(into: buffer) == 3)
        #expect(try source.read(into: buffer) == nil)
        pipe.finish()
        #expect(try source.read(into: buffer) == 0)
    }

    @Test func `a command that hangs up ends its request`() throws {
        let pipe = BytePipe(), source = ServedSource(pipe, count: 10)
        feed("abc".utf8, to: pipe)
        pipe.finish(isWhole: false)
        #expect(try read(source) == Array("abc".utf8))
        #expect(throws: LoginFault.cancelled) { try read(source) }
        #expect(throws: LoginFault.cancelled) { try ServedSource.all(of: pipe) }
    }

    @Test func `a short body is had at once, and one that is too long for that is told`() throws {
        let pipe = BytePipe()
        feed("abc".utf8, to: pipe)
        feed("def".utf8, to: pipe)
        pipe.finish()
        #expect(try ServedSource.all(of: pipe) == Secret("abcdef"))
        let none = BytePipe()
        none.finish()
        #expect(try ServedSource.all(of: none) == Secret(""))
        for (count, isTooLong) in [(ServedSource.limit, false), (ServedSource.limit + 1, true)] {
            let long = BytePipe()
            Thread.detachNewThread {
                [UInt8](repeating: 0x61, count: count).withUnsafeBytes { bytes in _ = long.write(bytes) }
                long.finish()
            }
            do throws(LoginFault) {
                #expect(try ServedSource.all(of: long).count == count && !isTooLong)
            } catch {
                #expect(isTooLong && error.exitCode == .usage)
                long.close()
            }
        }
    }
}

extension Array<UInt8> {
    fileprivate mutating func lendMutable(
        _ body: (UnsafeMutableRawBufferPointer) throws(LoginFault) -> Int
    ) throws(LoginFault) -> Int {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { copy.deallocate() }
        let taken = try body(copy)
        replaceSubrange(..<taken, with: copy.prefix(taken))
        return taken
    }
}
