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
    func withCString<Result>(
        _ body: (UnsafePointer<CChar>) throws(LoginFault) -> Result
    ) throws(LoginFault) -> Result {
        let terminated = withUnsafeBytes { bytes in
            Secret(count: bytes.count + 1) { copy in
                copy.copyMemory(from: bytes)
                copy[bytes.count] = 0
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

extension [HTTPRequestField] {
    /// Lends each line for CURLOPT_HTTPHEADER, where `Name:` would take a header away and `Name;` sends an empty one. They lie in the
    /// pages of one secret, since these take most of the time.
    func eachLine(_ body: (UnsafePointer<CChar>) -> Void) {
        var builder = SecretBuilder(limit: .max)
        for field in self {
            let isEmpty = field.value.withUnsafeBytes {
                $0.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            }
            builder.append(isEmpty ? "\(field.name);" : "\(field.name): ")
            if !isEmpty { builder.append(field.value) }
            builder.append(0)
        }
        builder.finish()?.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { lines in
                for line in lines.split(separator: 0) { UnsafeBufferPointer(rebasing: line).baseAddress.map(body) }
            }
        }
    }
}
