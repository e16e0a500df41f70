import CSodium

/// Collects bytes in guarded memory, for a secret whose length is not known beforehand: a request body with a password
/// in it, an answer that arrives in pieces.
///
/// Grows by doubling; every outgrown block is zeroed. Bounded by `limit`.
package struct SecretBuilder: ~Copyable {
    /// The bytes of an append did not fit into the limit; nothing of it was kept.
    package struct LimitExceeded: Error, Equatable {
        /// In bytes.
        package let limit: Int
    }

    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    /// The number of bytes so far.
    package private(set) var count = 0

    /// The largest number of bytes that are accepted.
    package let limit: Int

    /// - Parameter limit: in bytes.
    package init(limit: Int) {
        self.limit = limit
        self.capacity = min(limit, 512)
        self.start = Self.allocate(capacity)
    }

    deinit {
        csodium_free(start)
    }

    /// Copies bytes behind those that are there. The caller wipes its own copy.
    /// - Throws: `LimitExceeded`, with everything as it was before.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(LimitExceeded) {
        guard bytes.count <= limit - count else { throw LimitExceeded(limit: limit) }
        reserve(count + bytes.count)
        UnsafeMutableRawBufferPointer(start: start + count, count: bytes.count).copyMemory(from: bytes)
        count += bytes.count
    }

    /// Copies the UTF-8 of what is not itself secret.
    /// - Throws: `LimitExceeded`, with everything as it was before.
    package mutating func append(_ text: String) throws(LimitExceeded) {
        guard text.utf8.count <= limit - count else { throw LimitExceeded(limit: limit) }
        for byte in text.utf8 { try append(byte) }
    }

    /// Copies another secret.
    /// - Throws: `LimitExceeded`, with everything as it was before.
    package mutating func append(_ secret: Secret) throws(LimitExceeded) {
        guard secret.count <= limit - count else { throw LimitExceeded(limit: limit) }
        reserve(count + secret.count)
        secret.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: start + count, count: $0.count).copyMemory(from: $0)
        }
        count += secret.count
    }

    /// Has `fill` write up to `most` bytes behind those that are there; they must be within the limit.
    /// - Returns: how many it wrote.
    package mutating func append<Failure: Error>(
        upTo most: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        precondition(most <= limit - count, "a secret beyond its limit")
        reserve(count + most)
        let written = try fill(UnsafeMutableRawBufferPointer(start: start + count, count: most))
        count += written
        return written
    }

    /// - Throws: `LimitExceeded`, with everything as it was before.
    package mutating func append(_ byte: UInt8) throws(LimitExceeded) {
        guard count < limit else { throw LimitExceeded(limit: limit) }
        reserve(count + 1)
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// The bytes so far, as a secret of exactly that length.
    package consuming func finish() -> Secret {
        Secret(copying: UnsafeRawBufferPointer(start: start, count: count))
    }

    private mutating func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        let larger = min(limit, max(needed, capacity * 2))
        let next = Self.allocate(larger)
        next.copyMemory(from: start, byteCount: count)
        csodium_free(start)
        start = next
        capacity = larger
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
        precondition(csodium_open() == nil, "libsodium could not be set up")
        guard let start = csodium_malloc(max(capacity, 1)) else {
            preconditionFailure("no memory left for a secret of \(capacity) bytes")
        }
        return start
    }
}
