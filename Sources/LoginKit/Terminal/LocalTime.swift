import Glibc

/// A time as a person in this time zone says it.
package enum LocalTime {
    /// `at 01:20`, with the date in front unless it is today's.
    /// - Parameter seconds: of Unix time.
    static func words(of seconds: Int64) -> String {
        let then = fields(of: seconds), now = fields(of: Int64(time(nil)))
        let isToday = then.tm_year == now.tm_year && then.tm_yday == now.tm_yday
        let clock = "\(padded(then.tm_hour)):\(padded(then.tm_min))"
        if isToday { return "at \(clock)" }
        return "on \(Int(then.tm_year) + 1900)-\(padded(then.tm_mon + 1))-\(padded(then.tm_mday)) at \(clock)"
    }

    /// `2026-11-25 18:40:12`, for tables.
    package static func stamp(of seconds: Int64) -> String {
        let then = fields(of: seconds)
        return "\(Int(then.tm_year) + 1900)-\(padded(then.tm_mon + 1))-\(padded(then.tm_mday)) "
            + "\(padded(then.tm_hour)):\(padded(then.tm_min)):\(padded(then.tm_sec))"
    }

    private static func fields(of seconds: Int64) -> tm {
        var time = time_t(seconds), fields = tm()
        localtime_r(&time, &fields)
        return fields
    }

    private static func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
