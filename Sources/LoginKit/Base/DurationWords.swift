extension Duration {
    /// A length of time for people, to the nearest unit: `3 hours`.
    package static func inWords(_ seconds: Int64) -> String {
        let units: [(name: String, length: Int64)] = [("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)]
        let seconds = max(0, seconds)
        let unit = units.first { seconds >= 2 * $0.length } ?? units[3]
        let count = seconds / unit.length + (seconds % unit.length >= (unit.length + 1) / 2 ? 1 : 0)
        return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
    }
}
