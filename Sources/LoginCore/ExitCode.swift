/// The exit codes of every command. Frozen: numbers are never reused.
public enum ExitCode: Int32, CaseIterable, Sendable {
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
    public var name: String {
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

    /// What it means, in one line.
    public var meaning: String {
        switch self {
        case .ok: "done; for status and whoami: verified and usable"
        case .failure: "anything not listed"
        case .usage: "wrong options, unknown profile, bad file, endpoint that proves nothing"
        case .rejected: "the server refused the credential"
        case .loginRequired: "no usable session, and asking is not allowed or not possible"
        case .cancelled: "the person said no"
        case .network: "no connection, no answer or a broken one; the credential was not judged"
        case .untrusted: "certificate not trusted, plain http, weaker method, another origin"
        case .store: "store locked, missing, damaged or timed out"
        case .secondFactor: "a code is needed and was not given, or was refused"
        case .forbidden: "the credential is good, the account may not"
        case .http: "request got another status of 400 or above"
        case .busy: "429, 5xx or 'try later' ('request': 429 and 503)"
        case .expired: "waiting for a person took too long"
        case .locked: "another authctl held the account's lock too long"
        case .partial: "the logout failed at the server; the local half is done"
        }
    }

    /// What a script should do.
    public var advice: String {
        switch self {
        case .ok: "go on"
        case .failure: "report it"
        case .usage: "fix the call"
        case .rejected: "ask a person"
        case .loginRequired: "authctl login"
        case .cancelled: "stop"
        case .network: "retry later"
        case .untrusted: "ask a person"
        case .store: "fix the store, or --persist none"
        case .secondFactor: "give the code"
        case .forbidden: "ask for rights"
        case .http: "look at the body"
        case .busy: "wait"
        case .expired: "start again"
        case .locked: "retry"
        case .partial: "look"
        }
    }
}
