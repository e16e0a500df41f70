extension BinaryInteger {
    /// The number of bytes, for a message: with a comma before each three digits.
    var bytes: String { "\(grouped) \(self == 1 ? "byte" : "bytes")" }

    private var grouped: String {
        let digits = String(self)
        return digits.enumerated().map { index, digit in
            index > 0 && (digits.count - index) % 3 == 0 ? ",\(digit)" : "\(digit)"
        }.joined()
    }
}

extension Int {
    /// Seconds as minutes and seconds, as in `4:59`.
    var asClock: String {
        let rest = self % 60
        return "\(self / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
