import CSodium

/// Collects bytes in guarded memory, for a secret whose length is not known beforehand: a request body with a password
/// in it, an answer that arrives in pieces.
///
/// Grows by doubling; every outgrown block is zeroed. Bounded by `limit`: of an append that does not fit nothing is kept, and there
/// will be no secret.
package struct SecretBuilder: ~Copyable {
    /// `nil` until there is a byte.
    private var start: UnsafeMutableRawPointer?
    private var capacity = 0
    /// The number of bytes so far.
    package private(set) var count = 0
    /// Whether everything fitted so far.
    private var isWhole = true

    /// The largest number of bytes that are accepted.
    package let limit: Int

    /// - Parameter limit: in bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    deinit {
        if let start { csodium_free(start) }
    }

    /// The number of bytes that still fit.
    package var room: Int { limit - count }

    /// Copies bytes behind those that are there. The caller wipes its own copy.
    /// - Returns: whether they fitted.
    @discardableResult
    package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isWhole = isWhole && bytes.count <= room
        guard isWhole else { return false }
        reserve(bytes.count).copyMemory(from: bytes)
        count += bytes.count
        return true
    }

    /// Copies the UTF-8 of what is not itself secret.
    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { _ = append(UnsafeRawBufferPointer($0)) }
    }

    /// Copies another secret.
    package mutating func append(_ secret: Secret) {
        secret.withUnsafeBytes { _ = append($0) }
    }

    /// Has `fill` write up to `most` bytes behind those that are there; they must be within the limit.
    /// - Returns: how many it wrote.
    package mutating func append<Failure: Error>(
        upTo most: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        precondition(most <= room, "a secret beyond its limit")
        let written = try fill(reserve(most))
        count += written
        return written
    }

    /// - Returns: whether it fitted.
    @discardableResult
    package mutating func append(_ byte: UInt8) -> Bool {
        isWhole = isWhole && count < limit
        guard isWhole else { return false }
        reserve(1)[0] = byte
        count += 1
        return true
    }

    /// Returns the bytes as a secret of exactly that length; `nil` if something did not fit.
    package consuming func finish() -> Secret? {
        guard isWhole else { return nil }
        // A block of as many pages takes a dozen system calls, and saves none.
        guard let block = start, count > 0, capacity - count < 4096 else {
            return Secret(copying: UnsafeRawBufferPointer(start: start, count: count))
        }
        start = nil
        return Secret(taking: block, count: count)
    }

    /// - Returns: the place of so many bytes more.
    private mutating func reserve(_ more: Int) -> UnsafeMutableRawBufferPointer {
        if count + more > capacity {
            capacity = min(limit, max(count + more, capacity * 2, 512))
            let next = Self.allocate(capacity)
            if let start {
                next.copyMemory(from: start, byteCount: count)
                csodium_free(start)
            }
            start = next
        }
        return UnsafeMutableRawBufferPointer(start: start.map { $0 + count }, count: more)
    }

    /// - Returns: a block of guarded memory, which whoever has it frees.
    static func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
        precondition(csodium_open() == nil, "libsodium could not be set up")
        guard let start = csodium_malloc(max(capacity, 1)) else {
            preconditionFailure("no memory left for a secret of \(capacity) bytes")
        }
        return start
    }
}
