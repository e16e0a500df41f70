import Glibc

/// Passes bytes from one thread to another, a few at a time: the faster one waits.
final class BytePipe: @unchecked Sendable {
    /// In bytes; and how many of them wake the other end at once, which costs more than to copy them.
    private static let (capacity, enough) = (512 << 10, 192 << 10)

    private let monitor = Monitor()
    private var ring: UnsafeMutableRawPointer?
    private var (start, count) = (0, 0)
    /// The part of the ring that was ever written to, in bytes.
    private var used = 0
    /// The number of bytes that were read.
    private var taken: Int64 = 0
    /// Whether the writer has finished, and whether everything was written.
    private var (isFinished, isWhole) = (false, false)
    private var isClosed = false
    /// Whether the writer is not about to write more at once.
    private var isFlushed = true

    deinit {
        guard let ring else { return }
        explicit_bzero(ring, used)
        free(ring)
    }

    /// Whether the other end has everything that will ever come, or wants nothing more.
    var isDone: Bool { monitor.locked { isFinished || isClosed } }

    /// The number of bytes that were read so far.
    var readCount: Int64 { monitor.locked { taken } }

    /// Waits for the first bytes, and leaves them where they are; before anything is read.
    /// - Parameters:
    ///   - most: how many are wanted; no more than there is room for.
    ///   - limit: the time after which fewer will do; `nil` if they will not.
    ///   - isGone: asked about once a second; then the pipe is closed.
    /// - Returns: the bytes, and whether they are all that there will be; `nil` if the writer has failed, or nobody reads.
    func beginning(
        _ most: Int, within limit: Duration?, unless isGone: () -> Bool
    ) -> (bytes: [UInt8], isWhole: Bool)? {
        let end = limit.map { ContinuousClock.now + $0 }
        while true {
            let isThere = monitor.locked {
                if count < most, !isFinished, !isClosed { monitor.wait(limit == nil ? 1000 : 100) }
                return count >= most || isFinished || isClosed
            }
            if isThere || end.map({ $0 <= .now }) ?? false { break }
            if isGone() { close() }
        }
        return monitor.locked {
            guard !isClosed, isWhole || !isFinished else { return nil }
            let bytes = ring.map { Array(UnsafeRawBufferPointer(start: $0 + start, count: min(count, most))) } ?? []
            return (bytes, isFinished && count <= most)
        }
    }

    /// Waits until something was written, or nothing will be; a second or two at most.
    func awaitBeginning() {
        let end = ContinuousClock.now + .seconds(1)
        monitor.locked { while used == 0, !isFinished, !isClosed, ContinuousClock.now < end { monitor.wait() } }
    }

    /// Wakes the reader, since the writer does something else now.
    func flush() {
        monitor.locked {
            isFlushed = true
            if count > 0 { monitor.tell() }
        }
    }

    /// The other end may see it only after `flush` or `finish`.
    /// - Parameter isStuck: asked after each second without room; then the pipe is closed.
    /// - Returns: whether somebody still reads.
    @discardableResult
    func write(_ bytes: UnsafeRawBufferPointer, unless isStuck: () -> Bool = { false }) -> Bool {
        var rest = bytes
        while let source = rest.baseAddress, !rest.isEmpty {
            let start = ContinuousClock.now
            guard let room = room(for: rest.count) else { return false }
            guard room.count > 0, let target = room.baseAddress else {
                if ContinuousClock.now - start >= .milliseconds(900), isStuck() { close() }
                continue
            }
            // Nobody else touches it before it is counted.
            memcpy(target, source, room.count)
            monitor.locked {
                count += room.count
                isFlushed = false
                if count >= Self.enough { monitor.tell() }
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(room.count))
        }
        return true
    }

    /// Whether there is something to read, be it the end.
    /// - Parameter milliseconds: how long that is waited for, about.
    func isReady(within milliseconds: Int) -> Bool {
        monitor.locked {
            if isIdle { monitor.wait(milliseconds) }
            return !isIdle
        }
    }

    /// - Parameter isGone: asked about once a second while there is nothing; then the pipe is closed.
    /// - Returns: how many bytes; 0 at the end, nothing where it breaks off.
    func read(into buffer: UnsafeMutableRawBufferPointer, unless isGone: () -> Bool = { false }) -> Int? {
        while true {
            let (piece, isOver) = next(buffer.count)
            if let source = piece?.baseAddress, let piece, let target = buffer.baseAddress, !piece.isEmpty {
                memcpy(target, source, piece.count)
                monitor.locked {
                    (start, count) = ((start + piece.count) % Self.capacity, count - piece.count)
                    taken += Int64(piece.count)
                    monitor.tell()
                }
                return piece.count
            }
            if isOver { return piece?.count }
            if isGone() { close() }
        }
    }

    /// Ends the writing.
    /// - Parameter isWhole: whether that is the end, and not a failure.
    func finish(isWhole: Bool = true) {
        monitor.locked {
            if !isFinished { (isFinished, self.isWhole) = (true, isWhole) }
            monitor.tell()
        }
    }

    /// Ends the reading: what is written goes nowhere.
    func close() {
        monitor.locked {
            isClosed = true
            monitor.tell()
        }
    }

    /// Where to write next; empty after a second without room, nothing where nobody reads.
    private func room(for most: Int) -> UnsafeMutableRawBufferPointer? {
        monitor.locked {
            if ring == nil { ring = malloc(Self.capacity) }
            if count == Self.capacity, !isClosed {
                monitor.tell()
                monitor.wait()
            }
            guard !isClosed, let ring else { return nil }
            let place = (start + count) % Self.capacity
            let free = min(most, Self.capacity - count, Self.capacity - place)
            used = max(used, place + free)
            return UnsafeMutableRawBufferPointer(start: ring + place, count: free)
        }
    }

    /// Whether the reader has to wait; to be asked with the lock.
    private var isIdle: Bool { (count == 0 || !isFlushed && count < Self.enough) && !isFinished && !isClosed }

    /// The next piece to read; empty at the end, `nil` where it breaks off, or where there is nothing yet.
    private func next(_ most: Int) -> (piece: UnsafeRawBufferPointer?, isOver: Bool) {
        monitor.locked {
            if isIdle { monitor.wait() }
            if isClosed { return (nil, true) }
            if let ring, count > 0 {
                let most = min(most, count, Self.capacity - start)
                return (UnsafeRawBufferPointer(start: ring + start, count: most), false)
            }
            if isFinished, isWhole { return (UnsafeRawBufferPointer(start: nil, count: 0), true) }
            return (nil, isFinished)
        }
    }
}
