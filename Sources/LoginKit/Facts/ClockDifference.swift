/// The difference between the clock here and a server's, where it is too large to come from a slow answer.
package struct ClockDifference: Equatable, Sendable {
    /// Positive where the clock here is ahead.
    let seconds: Int64

    /// In seconds. `Date` has whole seconds, and an answer may be long under way.
    private static let tolerance: Int64 = 60

    /// - Parameter seconds: positive where the clock here is ahead; nothing comes of what is within the tolerance.
    init?(seconds: Int64) {
        guard seconds.magnitude > Self.tolerance.magnitude else { return nil }
        self.seconds = seconds
    }

    /// From the `Date` of an answer (RFC 9110, section 6.6.1), if it has one.
    init?(of response: HTTPResponse, at clock: WallClock) {
        guard let date = response.values(of: "Date").first.flatMap({ HTTPDate($0) }) else { return nil }
        self.init(seconds: -clock.seconds(until: date.seconds))
    }

    /// Measures how far the clock was set back since `time`, in seconds of Unix time. `nil` for a difference within the
    /// tolerance.
    init?(settingBack clock: WallClock, since time: Int64) {
        let missing = clock.seconds(until: time)
        guard missing > 0 else { return nil }
        self.init(seconds: -missing)
    }

    /// The difference by a response with a session that looks expired; `nil` for one that does not.
    init?(of response: HTTPResponse, bringing expires: Int64?, at clock: WallClock) {
        guard let expires, clock.seconds(until: expires) <= 0 else { return nil }
        self.init(of: response, at: clock)
    }
}

/// The time of day, in seconds of Unix time.
package struct WallClock: Sendable {
    /// Asked anew at each use; in tests, a time that stands still or is moved by hand.
    package let now: @Sendable () -> Int64
    /// Lets so many seconds pass; in tests, does nothing.
    var wait: @Sendable (_ seconds: Int) -> Void = { _ in }

    /// Whether what ends at this time has ended; what has no end has not.
    package func isOver(_ expires: Int64?) -> Bool { expires.map { $0 <= now() } ?? false }

    /// The seconds that are left, as far as they can be counted.
    package func seconds(until time: Int64) -> Int64 {
        let (left, overflow) = time.subtractingReportingOverflow(now())
        return overflow ? (time < 0 ? .min : .max) : left
    }

    /// The seconds that have passed, as far as they can be counted.
    package func seconds(since time: Int64) -> Int64 {
        let (passed, overflow) = now().subtractingReportingOverflow(time)
        return overflow ? (time < 0 ? .max : .min) : passed
    }
}
