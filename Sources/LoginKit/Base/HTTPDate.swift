/// A date as HTTP writes it, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7); the two obsolete forms are not
/// read.
struct HTTPDate {
    /// Seconds of Unix time.
    let seconds: Int64

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let day = Int64(words[1]), (1...31).contains(day), let month = Self.months.firstIndex(of: words[2]),
            let year = Int64(words[3]), (1970...9999).contains(year)
        else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false).compactMap { Int64($0) }
        guard time.count == 3, (0..<24).contains(time[0]), (0..<60).contains(time[1]), (0...60).contains(time[2])
        else { return nil }
        seconds = Self.days(year, Int64(month) + 1, day) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
    }

    /// From 1970-01-01 on, in the Gregorian calendar; the year begins in March, so that the leap day is its last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
