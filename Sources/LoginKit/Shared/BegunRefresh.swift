import LoginCore

/// A refresh that this process has begun, and what it has to do next.
struct BegunRefresh {
    var steps: SharedRefresh
    var effect: SharedRefresh.Effect
    /// When the lock was put.
    var lockedAt = BootMoment.now()
    private let begunAt = BootMoment.now()

    init(of machine: String) {
        steps = SharedRefresh(machine: machine)
        effect = steps.begin()
    }

    /// Whether it has taken so many seconds, of which others may have had their part.
    func isOver(after seconds: Int) -> Bool { begunAt.age.map { $0 > Int64(seconds) * 1000 } ?? true }

    mutating func handle(_ event: SharedRefresh.Event) { effect = steps.handle(event) }
}

/// How a refusal ends.
enum SharedRefusal: Equatable {
    /// With the login, for all machines.
    case ended
    /// Somebody has refreshed or ended the login meanwhile: of that, nothing was said.
    case changed
    /// This machine began a refresh before and did not end it: it may have the next session.
    case unfinished(machine: String)
}

/// How the beginning of a refresh ends.
enum SharedRight: Equatable {
    /// This process refreshes: `isInTime`, and then `keep`, `refuse` or `cancelRefresh`.
    case mine
    /// Somebody has refreshed or ended the login meanwhile.
    case changed
    /// This machine began one and did not end it, and the provider has refused another since.
    case unfinished(machine: String)
}
