import Foundation

/// One family of routes with the state behind it: one of the designs that authctl grows out of, or a kind of service from the profiles.
protocol Service: Sendable {
    /// The routes, for people.
    static var routes: [String] { get }

    /// The answer, or nothing where the request is not for this service.
    mutating func answer(_ call: Call, door: inout Doorkeeper) -> Reply?

    /// How many sessions live, by the name of the profile.
    func living(at now: Date) -> [String: Int]

    /// Ends the session that this request carries before its time, where it can be refreshed and is not younger than so many seconds.
    mutating func expire(_ call: Call, youngest: TimeInterval)
}

extension Service {
    func living(at now: Date) -> [String: Int] { [:] }

    mutating func expire(_ call: Call, youngest: TimeInterval) {}
}

/// An error as most services word it: `{"error": …}`.
struct ErrorWords: Encodable {
    let error: String
}

extension Reply {
    /// A refusal in the words of most services.
    static func trouble(_ away: Doorkeeper.TurnedAway, who: String?) -> Reply {
        .json(away.status, ErrorWords(error: away.words), who: who)
            .with("Retry-After", away.retryAfter.map { "\($0)" })
    }
}
