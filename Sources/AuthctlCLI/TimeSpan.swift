/// A length of time as it is typed: a number and a unit.
enum TimeSpan {
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    /// - Parameter most: in seconds.
    /// - Returns: seconds; `nil` for what is none, is zero, or is more than the most.
    static func seconds(_ text: String, most: Int64) -> Int64? {
        guard let unit = text.last.flatMap({ units[$0] }) else { return nil }
        let digits = text.dropLast()
        guard !digits.isEmpty, digits.utf8.count <= 9, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(digits)
        else { return nil }
        let seconds = number * unit
        return (1...most).contains(seconds) ? seconds : nil
    }
}
