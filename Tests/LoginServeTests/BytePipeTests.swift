import Foundation
@testable import LoginTestSupport
import Testing

@testable import LoginKit

/// Bytes from one thread to another.
@Suite(.onOwnThreads) struct BytePipeTests {
    /// More than a pipe has room for, and a count that no other divides.
    private static let long = (0..<2_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private func write(_ text: String, to pipe: BytePipe) -> Bool {
        let isRead = Array(text.utf8).withUnsafeBytes { pipe.write($0) }
        pipe.flush()
        return isRead
    }

    /// - Returns: nothing where it breaks off.
    private func read(_ pipe: BytePipe, most: Int = 1 << 16) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = buffer.withUnsafeMutableBytes { pipe.read(into: $0) }
        return count.map { Array(buffer[..<$0]) }
    }

    private func all(of pipe: BytePipe, most: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while let more = read(pipe, most: most) {
            if more.isEmpty { return bytes }
            bytes += more
        }
        return nil
    }

    @Test(arguments: [(1 << 20, 4096), (1000, 70_001), (65_536, 65_536), (300_001, 300_007)])
    func `what is written is read as it was, whoever is faster`(piece: Int, most: Int) {
        let pipe = BytePipe()
        Thread.detachNewThread {
            var rest = Self.long[...]
            while !rest.isEmpty {
                rest.prefix(piece).withUnsafeBytes { bytes in _ = pipe.write(bytes) }
                rest = rest.dropFirst(piece)
                pipe.flush()
            }
            pipe.finish()
        }
        #expect(all(of: pipe, most: most) == Self.long)
    }

    @Test func `a piece is read in parts by a reader with less room`() {
        let pipe = BytePipe()
        #expect(write("abcde", to: pipe))
        #expect(read(pipe, most: 2) == Array("ab".utf8))
        #expect(read(pipe, most: 2) == Array("cd".utf8))
        #expect(write("f", to: pipe))
        #expect(read(pipe) == Array("ef".utf8))
    }

    @Test func `the end comes behind what was written, and stays the end`() {
        let pipe = BytePipe()
        #expect(write("abc", to: pipe))
        pipe.finish()
        pipe.finish(isWhole: false)
        #expect(read(pipe) == Array("abc".utf8))
        #expect(read(pipe) == [] && read(pipe) == [])
    }

    @Test func `what breaks off is no end, and what came before it is read`() {
        let pipe = BytePipe()
        #expect(write("abc", to: pipe))
        pipe.finish(isWhole: false)
        pipe.finish()
        #expect(read(pipe) == Array("abc".utf8))
        #expect(read(pipe) == nil)
        let empty = BytePipe()
        empty.finish(isWhole: false)
        #expect(read(empty) == nil)
    }

    @Test func `who reads no more gets nothing, and the writer is told`() {
        let pipe = BytePipe()
        #expect(write("abc", to: pipe))
        #expect(!pipe.isDone)
        pipe.close()
        #expect(pipe.isDone && read(pipe) == nil && !write("d", to: pipe))
    }

    @Test func `a writer that waits for room is let go when the reader ends`() {
        let pipe = BytePipe(), ended = Flag()
        Thread.detachNewThread {
            ended.value = Self.long.withUnsafeBytes { pipe.write($0) }
        }
        #expect(read(pipe, most: 1)?.count == 1)
        pipe.close()
        #expect(ended.wait() == false)
    }

    @Test func `a pipe is ready where there is something to read, be it the end`() {
        let pipe = BytePipe(), broken = BytePipe(), closed = BytePipe()
        #expect(!pipe.isReady(within: 10))
        #expect(Array("abc".utf8).withUnsafeBytes { pipe.write($0) })
        #expect(!pipe.isReady(within: 10), "the writer may go on at once")
        pipe.flush()
        #expect(pipe.isReady(within: 0))
        #expect(read(pipe) == Array("abc".utf8) && !pipe.isReady(within: 10))
        pipe.finish()
        broken.finish(isWhole: false)
        closed.close()
        for over in [pipe, broken, closed] { #expect(over.isReady(within: 0)) }
    }

    @Test func `the first bytes of a pipe are waited for, or its end`() {
        for begin in [
            { _ = self.write("a", to: $0) }, { $0.finish() }, { $0.finish(isWhole: false) }, { $0.close() }, { _ in },
        ] as [(BytePipe) -> Void] {
            let pipe = BytePipe(), waits = Flag(), ended = Flag()
            Thread.detachNewThread {
                waits.value = true
                pipe.awaitBeginning()
                ended.value = true
            }
            #expect(waits.wait() == true)
            begin(pipe)
            #expect(ended.wait() == true)
        }
    }

    @Test func `nothing to write asks for no reader`() {
        let pipe = BytePipe()
        pipe.close()
        #expect(
            UnsafeRawBufferPointer(start: nil, count: 0).isEmpty
                && pipe.write(UnsafeRawBufferPointer(start: nil, count: 0)))
    }

    @Test func `whoever is gone is noticed by the one who waits, within seconds`() {
        let unread = BytePipe()
        #expect(!Self.long.withUnsafeBytes { unread.write($0, unless: { true }) })
        #expect(!write("x", to: unread))
        let unwritten = BytePipe()
        var buffer: [UInt8] = [0]
        #expect(buffer.withUnsafeMutableBytes { unwritten.read(into: $0, unless: { true }) } == nil)
        #expect(unwritten.isDone)
    }
}

/// What a thread has to say at its end.
private final class Flag: @unchecked Sendable {
    private let changed = NSCondition()
    private var said: Bool?

    var value: Bool? {
        get { changed.withLock { said } }
        set {
            changed.withLock {
                said = newValue
                changed.broadcast()
            }
        }
    }

    func wait() -> Bool? {
        changed.withLock {
            while said == nil { changed.wait() }
            return said
        }
    }
}
