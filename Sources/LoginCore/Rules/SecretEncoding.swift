package import Secrets

/// The byte-wise encoders for what may hold a secret. A library's encoder would take the password as a `String`, which
/// cannot be wiped; these go from guarded memory to guarded memory.
enum ByteEncoding {
    case none, percent, form, json
}

extension Secret {
    /// As a value of a form (WHATWG URL, section 5.2).
    /// - Throws: `tooLong`, beyond `limit` bytes.
    package func formEncoded(limit: Int) throws(FillFault) -> Secret {
        var builder = SecretBuilder(limit: limit)
        try builder.write(self, .form)
        return builder.finish()
    }
}

extension SecretBuilder {
    mutating func write(_ secret: Secret, _ encoding: ByteEncoding = .none) throws(FillFault) {
        do throws(LimitExceeded) {
            if case .none = encoding { return try append(secret) }
            for index in 0..<secret.count {
                try append(secret.withUnsafeBytes { $0[index] }, encoding)
            }
        } catch {
            throw .tooLong(limit: error.limit)
        }
    }

    mutating func write(_ text: String) throws(FillFault) {
        try write(Secret(text))
    }

    private mutating func append(_ byte: UInt8, _ encoding: ByteEncoding) throws(LimitExceeded) {
        switch encoding {
        case .none: try append(byte)
        case .percent: try appendPercent(byte)
        case .form: if byte == UInt8(ascii: " ") { try append(UInt8(ascii: "+")) } else { try appendPercent(byte) }
        case .json: try appendJSON(byte)
        }
    }

    private mutating func appendPercent(_ byte: UInt8) throws(LimitExceeded) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            try append(byte)
        default:
            try append(UInt8(ascii: "%"))
            try appendHex(byte)
        }
    }

    private mutating func appendJSON(_ byte: UInt8) throws(LimitExceeded) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            try append(UInt8(ascii: "\\"))
            try append(byte)
        case 0..<0x20:
            try append("\\u00")
            try appendHex(byte)
        default:
            try append(byte)
        }
    }

    private mutating func appendHex(_ byte: UInt8) throws(LimitExceeded) {
        let digits = StaticString("0123456789ABCDEF")
        try append(digits.utf8Start[Int(byte >> 4)])
        try append(digits.utf8Start[Int(byte & 15)])
    }
}
