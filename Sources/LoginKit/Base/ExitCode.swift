/// The exit codes of every command. Frozen: numbers are never reused.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case ok = 0
    case failure = 1
    case usage = 2
    case rejected = 3
    case loginRequired = 4
    case cancelled = 5
    case network = 6
    case untrusted = 7
    case store = 8
    case secondFactor = 9
    case forbidden = 10
    case http = 11
    case busy = 12
    case expired = 13
    case locked = 14
    case partial = 15

    /// The name under which `--json` and the manual know it.
    package var name: String {
        switch self {
        case .ok: "ok"
        case .failure: "failure"
        case .usage: "usage"
        case .rejected: "rejected"
        case .loginRequired: "login-required"
        case .cancelled: "cancelled"
        case .network: "network"
        case .untrusted: "untrusted"
        case .store: "store"
        case .secondFactor: "second-factor"
        case .forbidden: "forbidden"
        case .http: "http"
        case .busy: "busy"
        case .expired: "expired"
        case .locked: "locked"
        case .partial: "partial"
        }
    }
}
