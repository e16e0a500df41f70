/// The difference between the clock here and a server's, where it is too large to come from a slow answer.
package struct ClockDifference: Equatable, Sendable {
    /// Positive where the clock here is ahead.
    package let seconds: Int64

    /// In seconds. `Date` has whole seconds, and an answer may be long under way.
    private static let tolerance: Int64 = 60

    /// - Parameter seconds: positive where the clock here is ahead; nothing comes of what is within the tolerance.
    package init?(seconds: Int64) {
        guard seconds.magnitude > Self.tolerance.magnitude else { return nil }
        self.seconds = seconds
    }

    /// From the `Date` of an answer (RFC 9110, section 6.6.1), if it has one.
    package init?(of response: HTTPResponse, at clock: WallClock) {
        guard let date = response.values(of: "Date").first.flatMap({ HTTPDate($0) }) else { return nil }
        self.init(seconds: -clock.seconds(until: date.seconds))
    }

    /// Measures how far the clock was set back since `time`, in seconds of Unix time. `nil` for a difference within the
    /// tolerance.
    package init?(settingBack clock: WallClock, since time: Int64) {
        let missing = clock.seconds(until: time)
        guard missing > 0 else { return nil }
        self.init(seconds: -missing)
    }

    /// The difference by a response with a session that looks expired; `nil` for one that does not.
    package init?(of response: HTTPResponse, bringing expires: Int64?, at clock: WallClock) {
        guard let expires, clock.seconds(until: expires) <= 0 else { return nil }
        self.init(of: response, at: clock)
    }
}
