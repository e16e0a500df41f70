extension NetworkFault {
    func message(_ topic: ErrorContext) -> Message {
        let retry = "nothing was judged; try again later"
        switch self {
        case .nameNotResolved(let host):
            return Message(
                "the name \(SafeText.quoted(host)) is not known to DNS", next: "check the URL and the network")
        case .notConnected(let ignoredVariable, let errno):
            let ignored = ignoredVariable.map { "; \($0) is set and was ignored: --proxy environment would use it" }
            let reason = errno.map { ": \(SystemWords.of($0).lowercased())" }
            return Message("no connection could be made\(reason ?? "")\(ignored ?? "")", next: retry)
        case .timedOut(let seconds):
            return Message("no answer within \(seconds) seconds", next: "\(retry), or allow more with --timeout")
        case .tooSlow:
            return Message("the answer came too slowly and was given up", next: retry)
        case .connectionLost:
            return Message("the connection was lost before the answer was whole", next: retry)
        case .handshakeLost:
            return Message(
                "the server ended the connection before TLS was set up; it may not speak TLS on this port",
                next: "check scheme and port of the URL, or try again later")
        case .notTLS:
            return Message("the server does not speak TLS on this port", next: "check scheme and port of the URL")
        case .notHTTP:
            return Message(
                "the server does not speak plain http on this port", next: "try https, or check the port of the URL")
        case .endedUnanswered:
            return Message(
                "the server ended the connection without an answer; it may speak TLS on this port",
                next: "try https, or try again later")
        case .brokenResponse(let problem):
            return Message("the answer is broken: \(SafeText.escaped(problem))", next: retry)
        case .redirectLoop(let limit):
            return Message(
                "the server redirects in a circle, or more than \(limit) times in a row", next: "name the final URL")
        case .answerTooLarge(let limit):
            return Message("the answer is larger than \(limit) bytes and was given up", next: "check the URL")
        case .libraryMissing(let name):
            return Message("the library \(name) is not installed", next: "install it (on Debian: apt install libcurl4)")
        case .noKerberosServer(let reason):
            return Message("no Kerberos server could be reached: \(SafeText.quoted(reason))", next: retry)
        case .other(let code, let text):
            return Message("the transfer failed: \(SafeText.escaped(text)) (libcurl error \(code))", next: retry)
        }
    }
}

extension TrustFault {
    func message(_ topic: ErrorContext) -> Message {
        switch self {
        case .certificate(let trust):
            return trust.message(topic)
        case .certificateRejected:
            return Message("Rejected; nothing was sent.")
        case .certificateUnseen(let reason):
            return Message(
                "the server's certificate is not trusted: \(SafeText.escaped(reason)); nothing was sent",
                next: topic.namesAuthorities
                    ? "check the file that names the authorities" : "if the authority is your own: --ca-file FILE")
        case .otherFingerprint(let trust):
            return Message(
                "the server's certificate is neither trusted nor the one that was named; nothing was sent",
                details: trust.details, next: "ask the service's administrator which certificate is the right one")
        case .certificateChanged(let origin, let now):
            return Message(
                "the server's certificate has changed since it was accepted: somebody may be in between; nothing was sent",
                details: now.map { ["fingerprint now: \($0)"] } ?? [],
                next:
                    "only if the administrator confirms the change: \(ShellCommand("authctl", "trust", "remove", "\(origin)"))"
            )
        case .tlsVersion(let detail):
            return Message(
                "no safe TLS connection is possible: \(SafeText.escaped(detail))",
                next: "the server must speak TLS 1.2 or newer")
        case .requestElsewhere(let target):
            return Message(
                "\(SafeText.quoted(target)) is not on the profile's origin; nothing was sent",
                next: "name the profile of that origin with -P, or log in there: authctl login URL")
        case .clientCertificate(let refusal):
            return refusal.message
        case .plainHTTP:
            return Message(
                "plain http would show the password to the network, and was refused",
                next: "use https, or allow it for this origin with --allow-http")
        case .plainHTTPThroughProxy:
            return Message("plain http would show the password to the proxy, and was refused", next: "use https")
        case .weakerMethod(let offered, let accepted):
            let schemes = SafeText.list(offered)
            let wanted = accepted.map(\.rawValue).joined(separator: ", ")
            return Message(
                "the server offers only \(schemes), and the profile accepts only \(wanted); nothing was sent",
                next: topic.hasProfile
                    ? "ask the service's administrator, or change 'method' in the profile"
                    : "ask the service's administrator, or describe its login in a profile: see authctl help config")
        case .otherOrigin(let target):
            return Message(
                "the server points to another origin, \(SafeText.quoted(target)), which was not followed",
                next: "if that is where the service is, log in there by its own URL")
        case .unclearRedirect(let target):
            return Message(
                "the server points to \(SafeText.quoted(target)), which programs read in different ways; it was not followed",
                next: "if you know where it leads, name that URL")
        case .formElsewhere(let page, let target):
            return Message(
                "the form on \(SafeText.quoted(page)) leads to another origin, \(SafeText.quoted(target)); nothing was sent",
                next: "ask the service's administrator why")
        case .formInURL(let page):
            return Message(
                "the form on \(SafeText.quoted(page)) would put what is typed into a URL (its method is not POST); nothing was sent",
                next: "ask the service's administrator why, or leave 'page' out of the profile")
        case .serverNotProven:
            return Message(
                "the server did not prove that it knows the password (its 'rspauth' is wrong); its answer is not believed",
                next: "somebody may stand between you and the service: ask its administrator")
        }
    }
}

extension OtherFailure {
    func message(_ topic: ErrorContext) -> Message {
        switch self {
        case .unexpectedStatus(let status, let step, let words):
            let said = words.map { ": the server says \(SafeText.quoted($0))" } ?? ""
            let rule = """
                say in the profile's 'login' what that means: refused = [\(status)] where a login was wrong, \
                forbidden = [\(status)] where the account may not
                """
            return Message(
                "an error occurred at \(step) (status \(status))\(said)",
                next: possibleRefusal == nil ? "try again later; if it stays, check the profile's '\(step)'" : rule)
        case .redirected(let step, let status, let target):
            return Message(
                "the answer to \(step) is a redirect (status \(status)) to \(SafeText.quoted(target)), which is not followed",
                next: "say in the profile what it means, or name the final path")
        case .missingInResponse(let place, let step):
            return Message(
                "the answer to \(step) has nothing at \(SafeText.quoted(place))",
                next: "check the place in the profile")
        case .noNewCookie:
            return Message(
                "the answer to login set no new cookie, so it proves no login; nothing was saved",
                next: "say in the profile what a refusal looks like ('refused' of 'login'), or give it a 'verify'")
        case .noSuchForm(let page, let fields, let found):
            return Message.noSuchForm(page, fields, found)
        case .doubtfulJSON(let fault):
            return Message(
                "the server's JSON is not clear: \(fault.words); it was not used",
                next: "tell the service's administrator; other programs may read it in another way")
        case .tokenTooShortLived(let seconds, let clock):
            return Message.tokenTooShortLived(seconds, clock)
        case .logoutIncomplete(let problem):
            return Message(
                "every local copy is erased, but the logout at the server failed: \(problem)",
                next: "end the session in the service's own settings")
        case .bodyNotRepeatable:
            return Message(
                """
                the request was not answered, and its body cannot be sent once more: it came from a pipe and is long, \
                or from a file that has changed
                """,
                next: "log in first (\(topic.loginCommand)), then send it again, or send it from a file")
        case .sessionFitsNoHeader:
            return Message("the session does not fit into a header", next: "check 'session' in the profile")
        case .unexpectedEvent(let text):
            return Message("authctl lost its way: \(text)", next: "please report this")
        case .system(let call, let errno):
            return Message("\(call) failed: \(SystemWords.of(errno))")
        case .other(let text):
            return Message(text)
        }
    }
}

extension Message {
    fileprivate static func tokenTooShortLived(_ seconds: Int64, _ clock: ClockDifference?) -> Message {
        let life = seconds > 0 ? "lives only \(seconds) seconds" : "is past its end"
        if let clock {
            return Message("even a new token \(life): \(clock.words)", next: "set the clock, then log in again")
        }
        return Message(
            "even a new token \(life)",
            next: seconds > 0
                ? "ask for less with --min-ttl" : "check the clock here, and the profile's 'expires' or 'expires-in'")
    }

    fileprivate static func noSuchForm(_ page: String, _ fields: [String], _ found: Int) -> Message {
        let names = fields.isEmpty ? "" : " with the fields \(SafeText.list(fields))"
        guard found > 0 else {
            return Message(
                "the page \(SafeText.quoted(page)) has no form\(names); nothing was sent",
                next: "check 'page' and the names in 'form'; a form that only a script makes cannot be read")
        }
        return Message(
            "the page \(SafeText.quoted(page)) has \(found) forms\(names), and which one is meant cannot be told; nothing was sent",
            next: "name one more field of the right one in 'form'")
    }
}
