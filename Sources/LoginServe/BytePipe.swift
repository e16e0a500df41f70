internal import Glibc

/// Bytes from one thread to another, a few at a time: whoever is faster waits.
package final class BytePipe: @unchecked Sendable {
    /// In bytes; and how many of them wake the other end at once, which costs more than to copy them.
    private static let (capacity, enough) = (512 << 10, 128 << 10)

    private let monitor = Monitor()
    private var ring: UnsafeMutableRawPointer?
    private var (start, count) = (0, 0)
    /// Whether nobody writes any more, and whether what was written is all there was to be.
    private var (isFinished, isWhole) = (false, false)
    private var isClosed = false
    /// Whether the writer is not about to write more at once.
    private var isFlushed = true

    package init() {}

    deinit {
        guard let ring else { return }
        explicit_bzero(ring, Self.capacity)
        free(ring)
    }

    /// Whether the other end has everything that will ever come, or wants nothing more.
    var isDone: Bool { monitor.locked { isFinished || isClosed } }

    /// Wakes the other end: whoever has written does something else now.
    package func flush() {
        monitor.locked {
            isFlushed = true
            if count > 0 { monitor.tell() }
        }
    }

    /// The other end may see it only after `flush` or `finish`.
    /// - Parameter isStuck: asked after each second without room; then the pipe is closed.
    /// - Returns: whether somebody still reads.
    @discardableResult
    package func write(_ bytes: UnsafeRawBufferPointer, unless isStuck: () -> Bool = { false }) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let start = ContinuousClock.now
            let taken: Int? = monitor.locked {
                if !isClosed, count == Self.capacity {
                    monitor.tell()
                    monitor.wait()
                    return isClosed ? nil : 0
                }
                return isClosed ? nil : put(rest)
            }
            guard let taken else { return false }
            if taken == 0, ContinuousClock.now - start >= .milliseconds(900), isStuck() {
                close()
                return false
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
        }
        return true
    }

    /// - Parameter isGone: asked about once a second while there is nothing; then the pipe is closed.
    /// - Returns: how many bytes; 0 at the end, nothing where it breaks off.
    package func read(into buffer: UnsafeMutableRawBufferPointer, unless isGone: () -> Bool = { false }) -> Int? {
        while true {
            let got: (count: Int?, isOver: Bool) = monitor.locked {
                if count == 0 || !isFlushed && count < Self.enough, !isFinished, !isClosed { monitor.wait() }
                if isClosed { return (nil, true) }
                if count > 0 { return (take(into: buffer), true) }
                return isFinished ? (isWhole ? 0 : nil, true) : (nil, false)
            }
            if got.isOver { return got.count }
            if isGone() { close() }
        }
    }

    /// Nothing more is written.
    /// - Parameter isWhole: whether that is the end, and not a failure.
    package func finish(isWhole: Bool = true) {
        monitor.locked {
            if !isFinished { (isFinished, self.isWhole) = (true, isWhole) }
            monitor.tell()
        }
    }

    /// Nothing more is read: what is written goes nowhere.
    package func close() {
        monitor.locked {
            isClosed = true
            monitor.tell()
        }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let ring = self.ring ?? malloc(Self.capacity), let source = bytes.baseAddress else { return 0 }
        self.ring = ring
        var done = 0
        while done < bytes.count, count < Self.capacity {
            let place = (start + count) % Self.capacity
            let most = min(bytes.count - done, Self.capacity - count, Self.capacity - place)
            memcpy(ring + place, source + done, most)
            (done, count) = (done + most, count + most)
        }
        isFlushed = false
        if count >= Self.enough { monitor.tell() }
        return done
    }

    private func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let ring, let target = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count, count > 0 {
            let most = min(buffer.count - done, count, Self.capacity - start)
            memcpy(target + done, ring + start, most)
            (done, count, start) = (done + most, count - most, (start + most) % Self.capacity)
        }
        monitor.tell()
        return done
    }
}
