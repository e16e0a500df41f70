import LoginCore

extension ClockDifference {
    /// As in 'the clock here is 3 hours ahead of the server's'.
    var words: String {
        "the clock here is \(length) \(seconds > 0 ? "ahead of" : "behind") the server's"
    }

    /// The message about a session that looks expired.
    func warning(of profile: String) -> String {
        "warning: \(profile): the new session seems to have expired already: \(words); set the clock"
    }

    /// The message about a clock that is behind the time of the last save.
    func setBackWarning(of profile: String) -> String {
        "warning: \(profile): \(setBackWords); asking the service first"
    }

    var setBackWords: String { "the clock is \(length) behind the time when this login was saved" }

    private var length: String {
        let units: [(seconds: UInt64, name: String)] = [(86_400, "days"), (3600, "hours"), (60, "minutes")]
        let magnitude = seconds.magnitude
        guard let unit = units.first(where: { magnitude >= 2 * $0.seconds }) else { return "\(magnitude) seconds" }
        return "\(magnitude / unit.seconds) \(unit.name)"
    }
}
