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

extension Duration {
    /// A length of time for people, to the nearest unit: `3 hours`.
    static func inWords(_ seconds: Int64) -> String {
        let units: [(name: String, length: Int64)] = [("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)]
        let seconds = max(0, seconds)
        let unit = units.first { seconds >= 2 * $0.length } ?? units[3]
        let count = seconds / unit.length + (seconds % unit.length >= (unit.length + 1) / 2 ? 1 : 0)
        return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
    }
}
