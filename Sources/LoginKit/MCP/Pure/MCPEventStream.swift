import Secrets

/// Reads an event stream (HTML, section 9.2.6) as its bytes come.
struct MCPEventStream {
    /// The ID of the last event; `nil` until there is one.
    private(set) var lastID: String?
    /// The server's `retry`: milliseconds to wait before reconnecting.
    private(set) var retry: Int?
    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    /// The ID of the event that is coming in.
    private var id: String?
    /// `event`, unless it is a message.
    private var isOther = false
    private var skipsLineFeed = false
    private var isAtStart = true

    /// The longest pause that a server may ask for, in milliseconds.
    private static let longestRetry = 600_000

    /// - Parameters:
    ///   - lastID: where the stream before this one has ended.
    ///   - retry: what that one has said.
    ///   - limit: of an event, in bytes.
    init(after lastID: String? = nil, retry: Int? = nil, limit: Int = MCPMessage.longest) {
        (self.lastID, id, self.retry, self.limit) = (lastID, lastID, retry, limit)
    }

    /// Takes the next bytes.
    /// - Returns: the data of each message that is complete now; an event without data is none.
    mutating func messages(in bytes: UnsafeRawBufferPointer) throws(MCPError) -> [[UInt8]] {
        var messages: [[UInt8]] = [], start = 0
        for (index, byte) in bytes.enumerated() where byte == 0x0A || byte == 0x0D {
            defer { start = index + 1 }
            let isRest = skipsLineFeed && byte == 0x0A && index == start && line.isEmpty
            skipsLineFeed = byte == 0x0D
            if isRest { continue }
            line.append(contentsOf: bytes[start..<index])
            if let message = endLine() { messages.append(message) }
        }
        if start < bytes.count {
            skipsLineFeed = false
            line.append(contentsOf: bytes[start...])
        }
        guard line.count + data.count <= limit else { throw .tooLong }
        return messages
    }

    private mutating func endLine() -> [UInt8]? {
        if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isAtStart = false
        defer { line.removeAll(keepingCapacity: line.capacity <= 64 << 10) }
        if line.isEmpty { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        var value = line[min(colon + 1, line.count)...]
        if value.first == 0x20 { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data":
            if hasData {
                data.append(0x0A)
                data.append(contentsOf: value)
            } else {
                // Of a long event there is one copy.
                let start = value.startIndex
                value = []
                line.removeFirst(start)
                swap(&data, &line)
            }
            hasData = true
        case "id" where !value.contains(0):
            id = String(decoding: value, as: UTF8.self)
        case "event":
            isOther = !value.isEmpty && !value.elementsEqual("message".utf8)
        case "retry" where !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }:
            retry = Int(String(decoding: value, as: UTF8.self)).map { min($0, Self.longestRetry) } ?? Self.longestRetry
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> [UInt8]? {
        // An empty `id` clears it.
        lastID = id?.isEmpty == true ? nil : id
        defer { (data, hasData, isOther) = ([], false, false) }
        return data.isEmpty || isOther ? nil : data
    }
}
