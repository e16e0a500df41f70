import Secrets

/// A judged response from the browser, through the loopback port or pasted (RFC 6749, section 4.1.2).
enum AuthorizationResponse: Equatable, Sendable {
    /// The response to this login.
    case right(code: Secret)
    /// The response to this login: the server said no.
    case denied(OAuthRefusal)
    /// A request to the port that is no response to this login: it gets a fixed text, and the wait goes on.
    case refused(Forgery)
    /// A pasted text that is not the address of this login: it is said why, and asked again.
    case notAnAddress(PasteFault)
}

/// A request to the loopback port that is not a response to this login.
enum Forgery: Hashable, Sendable {
    /// No HTTP request that is whole, of a reasonable length and there in time.
    case malformed
    /// Anything but GET (RFC 8252, section 7.3).
    case method
    /// The host is not the redirect's: another page or a rebound name (RFC 9110, section 7.2).
    case host
    case path
    /// There is no state.
    case parameters
    /// The state is of another login (RFC 6749, section 10.12).
    case state
    /// It has the state of this login, but not one code or one error that can be used.
    case answer(AnswerFault)
    /// It is from another issuer, or does not name its own although that was promised (RFC 9207, section 2.4).
    case issuer

    /// The status for the sender; the page is the same for all.
    var status: Int {
        switch self {
        case .path: 404
        case .method: 405
        case .malformed, .host, .parameters, .state, .answer, .issuer: 400
        }
    }

    /// Whether the sender has the state of this login. A stray request of some web page does not, and counts for nothing.
    var knowsState: Bool {
        switch self {
        case .answer, .issuer: true
        case .malformed, .method, .host, .path, .parameters, .state: false
        }
    }
}

/// What is wrong with a response that has the state of this login.
enum AnswerFault: Error, Hashable, Sendable {
    /// It has neither a code nor an error.
    case empty
    /// It has a code and an error.
    case both
    /// This parameter is there twice, which none may be (RFC 6749, section 3.1).
    case repeated(String)
    /// The value of this parameter is not UTF-8, has a `%` without its digits, or is no code.
    case unreadable(String)
}

/// A pasted text that is not the address at which the browser ended.
enum PasteFault: Equatable, Sendable {
    case empty
    /// It does not begin as the redirect does; also a code by itself, which has neither a state nor an issuer.
    case otherAddress
    /// The address that was to be opened.
    case requestAddress
    /// It is the redirect, and has no state: it was cut, or copied before the login.
    case incomplete
    case answer(AnswerFault)
    case otherState
    case otherIssuer
}

/// One request to the loopback port, as far as it is looked at.
struct LoopbackRequest: Equatable, Sendable {
    /// The verb.
    let method: String
    /// The values of all `Host` headers.
    let hosts: [String]
    /// Path and query as they came: they may hold a code.
    let target: Secret
}
