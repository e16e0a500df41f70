/// A day of the calendar in UTC, as people compare it with today.
struct CivilDate: CustomStringConvertible {
    let description: String

    /// - Parameter time: in seconds of Unix time.
    init(_ time: Int64) {
        // Counted from 1 March of the year 0, so that a leap day ends its year; 146097 days are 400 years.
        let days = Self.floored(time, by: 86_400) + 719_468
        let era = Self.floored(days, by: 146_097)
        let day = days - era * 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        description =
            "\(year + era * 400 + (isNextYear ? 1 : 0))-\(Self.two(month + (isNextYear ? -9 : 3)))-\(Self.two(dayOfMonth))"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
    }
}
