import Synchronization

/// Writes messages to the client, one a line.
final class MCPOutput: Sendable {
    private let descriptor: Int32
    private let monitor = Monitor()
    // Asked while a client that does not read keeps a writer waiting.
    private let isBroken = Atomic(false)

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether nobody reads any more.
    var isClosed: Bool { isBroken.load(ordering: .relaxed) }

    func send(_ message: [UInt8]) {
        monitor.locked {
            if isClosed { return }
            // One write for a short message, and no copy of a long one.
            let parts = message.count < 4096 ? [message + [0x0A]] : [message, [0x0A]]
            let isWritten = parts.allSatisfy { part in part.withUnsafeBytes { $0.writeAll(to: descriptor) } == nil }
            if !isWritten { isBroken.store(true, ordering: .relaxed) }
        }
    }
}

/// Reads the client's messages, line by line.
struct MCPInput {
    private let descriptor: Int32
    private let limit: Int
    private var bytes: [UInt8] = []
    /// Whether the rest of a line that is too long is passed over.
    private var isSkipping = false
    private(set) var isAtEnd = false

    /// - Parameter limit: of a line, in bytes.
    init(_ descriptor: Int32, limit: Int = MCPMessage.longest) {
        (self.descriptor, self.limit) = (descriptor, limit)
    }

    /// Reads what has arrived; blocks until something has.
    /// - Returns: the lines that are complete now; `nil` in the place of one that is too long.
    mutating func lines() -> [[UInt8]?] {
        let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = max(0, UnsafeMutableRawBufferPointer(buffer).readSome(from: descriptor))
        }
        isAtEnd = piece.isEmpty
        var lines: [[UInt8]?] = [], rest = piece[...]
        while let end = rest.firstIndex(of: 0x0A) {
            bytes += rest[..<end]
            if !isSkipping { append(bytes, to: &lines) }
            (bytes, isSkipping) = ([], false)
            rest = rest[(end + 1)...]
        }
        if !isSkipping { bytes += rest }
        if bytes.count > limit {
            lines.append(nil)
            (bytes, isSkipping) = ([], true)
        }
        if isAtEnd { append(bytes, to: &lines) }
        return lines
    }

    private func append(_ line: [UInt8], to lines: inout [[UInt8]?]) {
        if line.count > limit { return lines.append(nil) }
        if !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { lines.append(line) }
    }
}
