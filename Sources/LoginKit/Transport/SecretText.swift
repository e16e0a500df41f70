import Secrets

extension Secret {
    /// The bytes that a function of C writes, which returns their number.
    /// - Returns: `nil` if there are none.
    static func written(upTo capacity: Int, by write: (UnsafeMutablePointer<UInt8>) -> Int) -> Secret? {
        var length = 0
        let buffer = Secret(count: capacity) { place in
            if let start = place.bindMemory(to: UInt8.self).baseAddress { length = write(start) }
        }
        guard length > 0 else { return nil }
        return buffer.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[..<length])) }
    }

    /// Lends the bytes with a NUL behind them, as C wants it, in guarded memory.
    /// - Parameter start: what stands before them.
    func withCString<Result>(
        after start: String = "", _ body: (UnsafePointer<CChar>) throws(LoginFault) -> Result
    ) throws(LoginFault) -> Result {
        let start = Array(start.utf8)
        let terminated = withUnsafeBytes { bytes in
            Secret(count: start.count + bytes.count + 1) { copy in
                copy.copyBytes(from: start)
                UnsafeMutableRawBufferPointer(rebasing: copy[start.count...]).copyMemory(from: bytes)
                copy[copy.count - 1] = 0
            }
        }
        return try terminated.withUnsafeBytes { (bytes) throws(LoginFault) in
            try bytes.withMemoryRebound(to: CChar.self) { (text) throws(LoginFault) in
                guard let start = text.baseAddress else { throw .failure(.system(call: "malloc", errno: 0)) }
                return try body(start)
            }
        }
    }
}

extension HTTPRequestField {
    /// Lends the line for CURLOPT_HTTPHEADER, where `Name:` would take a header away and `Name;` sends an empty one.
    func withLine(_ body: (UnsafePointer<CChar>) throws(LoginFault) -> Void) throws(LoginFault) {
        let isEmpty = value.withUnsafeBytes { $0.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
        try isEmpty ? Secret("").withCString(after: "\(name);", body) : value.withCString(after: "\(name): ", body)
    }
}
