extension NetworkFault {
    /// What to do instead of sending a request again that may have been carried out.
    static let doubt = "the request may have been carried out; look before you send it again"

    func message(_ topic: ErrorContext) -> Message {
        let retry = "the credential was not checked; try again later"
        switch self {
        case .nameNotResolved(let host):
            return Message("could not resolve host \(SafeText.quoted(host))", next: "check the URL and the network")
        case .notConnected(let ignoredVariable, let errno):
            let ignored = ignoredVariable.map {
                topic.origin?.scheme == "http"
                    ? "; \($0) is set, but is not used for plain http" : "; \($0) is set, but not used here"
            }
            let reason = errno.map { ": \(SystemWords.of($0).lowercased())" }
            return Message("could not connect\(reason ?? "")\(ignored ?? "")", next: retry)
        case .proxy(let fault):
            return fault.message(topic)
        case .timedOut(let seconds):
            return Message("no response within \(seconds) seconds", next: "\(retry), or use a longer --timeout")
        case .tooSlow:
            return Message("the transfer was too slow and was stopped", next: retry)
        case .connectionLost:
            return Message("the connection was lost before the response was complete", next: retry)
        case .handshakeLost:
            return Message(
                "the server closed the connection during the TLS handshake; it may not speak TLS on this port",
                next: "check the scheme and the port of the URL, or try again later")
        case .notTLS:
            return Message(
                "the server does not speak TLS on this port", next: "check the scheme and the port of the URL")
        case .notHTTP:
            return Message(
                "the server does not speak plain http on this port", next: "try https, or check the port of the URL")
        case .endedUnanswered:
            return Message(
                "the server closed the connection without a response; it may speak TLS on this port",
                next: "try https, or try again later")
        case .brokenResponse(let problem):
            return Message("broken response: \(SafeText.escaped(problem))", next: retry)
        case .redirectLoop(let limit):
            return Message(
                "redirect loop, or more than \(limit) redirects", next: "use the final URL")
        case .answerTooLarge(let limit):
            return Message("the response is larger than the limit of \(limit) bytes", next: "check the URL")
        case .noKerberosServer(let reason):
            return Message("could not reach a Kerberos server: \(SafeText.quoted(reason))", next: retry)
        case .unanswered(let fault):
            return Message(fault.message(topic).what, next: Self.doubt)
        case .other(let code, let text):
            return Message("the transfer failed: \(SafeText.escaped(text)) (libcurl error \(code))", next: retry)
        }
    }
}

extension ProxyFault {
    fileprivate func message(_ topic: ErrorContext) -> Message {
        let place = "the proxy \(SafeText.quoted(proxy)), from \(source.name)"
        let server = topic.origin.map { " to \($0.authority)" } ?? ""
        let without = "check the proxy, or connect without one: AUTHCTL_PROXY=none"
        switch problem {
        case .notResolved:
            return Message("could not resolve the name of \(place)", next: without)
        case .notConnected(let errno):
            let reason = errno.map { ": \(SystemWords.of($0).lowercased())" } ?? ""
            return Message("could not connect to \(place)\(reason)", next: without)
        case .timedOut(let seconds):
            return Message("no connection\(server) within \(seconds) seconds through \(place)", next: without)
        case .refused(status: 407) where hadCredential:
            return Message(
                "\(place), refused the user name and the password in its URL (407)",
                next: "correct them there; see 'proxy' in man authctl-config")
        case .refused(status: 407):
            return Message(
                "\(place), wants a user name and a password of its own (407)",
                next: "put USER:PASSWORD@ before the host in its URL; see 'proxy' in man authctl-config")
        case .refused(let status):
            return Message("\(place), did not connect\(server): it answered \(status)", next: without)
        case .failed(let text):
            return Message("\(place), failed: \(SafeText.escaped(text))", next: without)
        }
    }
}

extension OtherFailure {
    /// - Parameter problem: the loader's words, which begin with the file that it missed.
    private static func installing(_ problem: String) -> String {
        if ["map ", "allocate "].contains(where: { problem.contains($0) }) {
            return "allow authctl more memory: ulimit -d, ulimit -v"
        }
        let packages = [
            ("libcurl", "libcurl4"), ("libxml2", "libxml2"), ("libssl", "libssl3"), ("libcrypto", "libssl3"),
            ("libsodium", "libsodium23"),
        ]
        guard let package = packages.first(where: { problem.hasPrefix($0.0) })?.1 else { return "install it" }
        return "install it (on Debian: apt install \(package))"
    }

    private static func noValue(at place: String, in step: String) -> Message {
        Message(
            "the response to \(step) has no value at \(SafeText.quoted(place))", next: "check that place in the profile"
        )
    }

    func message(_ topic: ErrorContext) -> Message {
        switch self {
        case .unexpectedStatus(let status, "verify", let words) where topic.url != nil && (400..<500).contains(status):
            return Message.proofless(status, words, topic.url ?? "")
        case .unexpectedStatus(let status, let step, let words):
            let said = SafeText.said(words)
            return Message(
                "unexpected response to \(step) (status \(status))\(said)", next: afterUnexpected(status, step))
        case .redirected(let step, let status, let target):
            return Message(
                "the response to \(step) is a redirect (status \(status)) to \(SafeText.quoted(target)), which is not followed",
                next: "add a rule for it to the profile, or use the final path")
        case .missingInResponse(let place, let step): return Self.noValue(at: place, in: step)
        case .noCSRF(let place): return Self.noValue(at: place.description, in: "csrf")
        case .noSuchForm(let page, let fields, let found):
            return Message.noSuchForm(page, fields, found)
        case .formDisabled(let page):
            return Message(
                "the form on \(SafeText.quoted(page)) cannot be submitted: its button is disabled; nothing was sent",
                next:
                    "if only a script enables the button, leave 'page' out of the profile and name all fields in 'form'"
            )
        case .tokenTooShortLived(let seconds, let clock):
            return Message.tokenTooShortLived(seconds, clock)
        case .logoutIncomplete(let problem):
            return Message(
                "every local copy is erased, but the logout at the server failed: \(problem)",
                next: "end the session in the service's own settings")
        case .bodyNotRepeatable:
            return Message(
                """
                the request has to be sent again, but its body cannot be: it came from a pipe and is long, or from a \
                file that has changed
                """,
                next: "log in first (\(topic.loginCommand)), then send it again, or send it from a file")
        case .sessionFitsNoHeader:
            return Message("the session cannot be sent in a header", next: "check 'session' in the profile")
        case .unexpectedEvent(let text):
            return Message("internal error: \(text)", next: "please report this")
        case .libraryMissing(let problem):
            return Message(
                "a library could not be loaded: \(SafeText.escaped(problem))", next: Self.installing(problem))
        case .system(let call, let errno):
            return Message("\(call) failed: \(SystemWords.of(errno))")
        case .browser(let fault): return fault.message(topic)
        case .other(let what, let details, let next): return Message(what, details: details, next: next.text(topic))
        }
    }
}

extension OtherFailure {
    private func afterUnexpected(_ status: Int, _ step: String) -> String {
        if status == 404 || status == 405 {
            return "check 'url' and the path of '\(step)' in the profile; -v shows the request that was sent"
        }
        guard possibleRefusal != nil else { return "try again later, or check '\(step)' in the profile" }
        return """
            check what 'login' sends; if this is how the service refuses, add a rule to it: refused = [\(status)] for a wrong \
            login, forbidden = [\(status)] for an account without permission
            """
    }
}

extension Message {
    /// The message for a URL that is no place to prove a login at, and that no profile has.
    fileprivate static func proofless(_ status: Int, _ words: String?, _ url: String) -> Message {
        let said = SafeText.said(words)
        return Message(
            status == 405
                ? "the URL takes no GET (status 405)\(said), so it cannot prove a login"
                : "the URL answers a GET with status \(status)\(said), so it cannot prove a login",
            next: "use a URL that a GET may ask; or \(beyond(url))")
    }

    /// Returns the next step where a URL does not say how to log in: never the same URL again.
    static func beyond(_ url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let front = parts.prefix(3).joined(separator: "/") + "/"
        let look = url == front ? "" : "look at the front page (\(ShellCommand("authctl", "discover", front))), "
        return look + "use a preset (authctl profile presets), or describe its login in a profile (authctl help config)"
    }

    fileprivate static func tokenTooShortLived(_ seconds: Int64, _ clock: ClockDifference?) -> Message {
        let life =
            seconds > 0 ? "is valid for only \(seconds) \(seconds == 1 ? "second" : "seconds")" : "has already expired"
        if let clock {
            return Message("even a new token \(life): \(clock.words)", next: "set the clock, then log in again")
        }
        return Message(
            "even a new token \(life)",
            next: seconds > 0
                ? "use a smaller --min-ttl" : "check the clock here, and the profile's 'expires' or 'expires-in'")
    }

    fileprivate static func noSuchForm(_ page: String, _ fields: [String], _ found: Int) -> Message {
        let names = fields.isEmpty ? "" : " with the fields \(SafeText.list(fields))"
        guard found > 0 else {
            return Message(
                "the page \(SafeText.quoted(page)) has no form\(names); nothing was sent",
                next: "check 'page' and the names in 'form'; a form that is made by a script cannot be read")
        }
        return Message(
            "the page \(SafeText.quoted(page)) has \(found) forms\(names), and it is not clear which one to use; nothing was sent",
            next: "add a field that only the right one has to 'form'")
    }
}

extension ClockDifference {
    /// As in 'the clock here is 3 hours ahead of the server's'.
    var words: String {
        "the clock here is \(length) \(seconds > 0 ? "ahead of" : "behind") the server's"
    }

    /// The message about a session that looks expired.
    func warning(of profile: String) -> String {
        "warning: \(profile): the new session seems to have expired already: \(words); set the clock"
    }

    /// The message about a clock that is behind the time of the last save.
    func setBackWarning(of profile: String) -> String {
        "warning: \(profile): \(setBackWords); asking the service first"
    }

    var setBackWords: String { "the clock is \(length) behind the time when this login was saved" }

    private var length: String {
        let units: [(seconds: UInt64, name: String)] = [(86_400, "days"), (3600, "hours"), (60, "minutes")]
        let magnitude = seconds.magnitude
        guard let unit = units.first(where: { magnitude >= 2 * $0.seconds }) else { return "\(magnitude) seconds" }
        return "\(magnitude / unit.seconds) \(unit.name)"
    }
}
