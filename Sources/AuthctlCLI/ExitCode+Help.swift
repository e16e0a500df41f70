import LoginCore

extension ExitCode {
    /// The meaning, in one line.
    var meaning: String {
        switch self {
        case .ok: "done; whoami: verified and usable; status: every login is, shown or not"
        case .failure: "any other failure"
        case .usage: "wrong options, unknown profile, bad file, endpoint that proves nothing"
        case .rejected: "the server refused the credential"
        case .loginRequired: "no usable session, and asking is not allowed or not possible"
        case .cancelled: "the user cancelled"
        case .network: "no connection, no response or a broken one; the credential was not judged"
        case .untrusted: "certificate not trusted, plain http, weaker method, another origin"
        case .store: "store locked, missing, damaged or timed out"
        case .secondFactor: "a code is needed and was missing or refused"
        case .forbidden: "the credential is good, but the account has no permission"
        case .http: "the response to 'request' has another status of 400 or above"
        case .busy: "429, 5xx or 'try later' ('request': 429 and 503)"
        case .expired: "nobody answered in time"
        case .locked: "another authctl held the account's lock too long"
        case .partial: "the logout failed at the server; the local copy is erased"
        }
    }

    /// The advice for a script.
    var advice: String {
        switch self {
        case .ok: "continue"
        case .failure: "report it"
        case .usage: "fix the command or the configuration"
        case .rejected: "correct the credential"
        case .loginRequired: "authctl login"
        case .cancelled: "stop"
        case .network: "retry later"
        case .untrusted: "somebody has to decide"
        case .store: "fix the store, or --persist none"
        case .secondFactor: "supply the code"
        case .forbidden: "ask for the permission"
        case .http: "see the body"
        case .busy: "wait"
        case .expired: "start again"
        case .locked: "retry"
        case .partial: "end the session at the service"
        }
    }
}
