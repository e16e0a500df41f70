/// An error in words: what happened, to which profile and origin, and what to do next.
package struct Message: Equatable, Sendable {
    /// The event, and the profile that it happened to.
    package let what: String
    /// Each of several things that are wrong, one a line.
    package let details: [String]
    /// Advice; empty if there is none.
    package let next: String

    /// In characters: what a fact may be is cut much earlier.
    private static let limit = 4000

    /// Facts are quoted and escaped where they are put into words. What slips through there (a value of a configuration
    /// file, the name of a profile) is caught here, so that no message can control a terminal, or repeats a secret that stands in a URL.
    init(_ what: String, details: [String] = [], next: String = "") {
        self.what = SafeText.escaped(what.withoutURLSecrets, limit: Self.limit)
        self.details = details.map { SafeText.escaped($0.withoutURLSecrets, limit: Self.limit) }
        self.next = SafeText.escaped(next.withoutURLSecrets, limit: Self.limit)
    }
}

extension LoginFault {
    /// The one place that turns errors into words.
    package func message(about topic: ErrorContext = ErrorContext()) -> Message {
        let message = bare(topic)
        let name = topic.name.map { "\($0): " } ?? ""
        return Message(name + message.what, details: message.details, next: message.next)
    }

    /// The message without a name before it.
    func bare(_ topic: ErrorContext) -> Message {
        switch self {
        case .usage(let fault):
            return fault.message(topic)
        case .rejected(let refusal):
            return refusal.rejection(topic)
        case .noTicketForService(let reason):
            return Message(
                "the Kerberos server refused a ticket for this service: \(SafeText.quoted(reason)); nothing was sent",
                next: """
                    check the host name of the URL and this machine's clock, or choose another method: \
                    \(topic.loginCommand("--method", "METHOD"))
                    """)
        case .loginRequired(let need):
            return need.message(topic)
        case .cancelled:
            return Message(topic.cancellation)
        case .network(let fault):
            return fault.message(topic)
        case .untrusted(let fault):
            return fault.message(topic)
        case .store(let fault):
            return fault.message(topic)
        case .secondFactor(let fault):
            return fault.message(topic)
        case .forbidden(let refusal) where refusal.scope != nil:
            let command = topic.loginCommand("--force", "--scope", refusal.scope ?? "")
            return Message(
                "the scope of this login is not enough (status \(refusal.status))\(refusal.quoted)",
                next: "ask for more: \(command)")
        case .forbidden(let refusal) where refusal.status == 423:
            return Message(
                "this account is locked (status 423)\(refusal.quoted)",
                next: "ask the service's administrator to unlock it")
        case .forbidden(let refusal) where refusal.doubt != nil:
            return Message(
                "this login is not allowed, or blocked after failed attempts (status \(refusal.status))\(refusal.quoted)",
                next: "ask the service's administrator: the account may lack a permission, or be locked")
        case .forbidden(let refusal):
            return Message(
                "this account has no permission (status \(refusal.status))\(refusal.quoted)",
                next: topic.isForgeable
                    ? """
                    the request may need a CSRF token: see 'csrf' in man authctl-config; or the account lacks a \
                    permission
                    """
                    : "ask the service's administrator: the account may lack a permission, or be locked")
        case .busy(let fault):
            return fault.message
        case .http(let status):
            return Message("the server answered with status \(status)", next: "see the body of the response")
        case .promptExpired(let seconds):
            return Message("nobody answered within \(seconds) seconds", next: "start again: \(topic.loginCommand)")
        case .oauth(let fault):
            return fault.message(topic)
        case .failure(let fault):
            return fault.message(topic)
        }
    }
}

extension SafeText {
    /// The server's words, quoted and made harmless, to stand behind our own; empty where there are none.
    static func said(_ words: String?) -> String { words.map { ": the server says \(quoted($0))" } ?? "" }
}

extension BusyFault {
    var quoted: String { SafeText.said(words) }

    fileprivate var message: Message {
        let wait = retryAfter.map {
            $0 <= 86_400 ? "try again in \($0) \($0 == 1 ? "second" : "seconds")" : "try again much later"
        }
        let what =
            isDoubtful
            ? "the refresh was answered with status \(status), which does not say that the login has ended"
            : "the server is busy or unavailable (status \(status))"
        return Message(what + quoted, next: wait ?? "try again later")
    }
}
