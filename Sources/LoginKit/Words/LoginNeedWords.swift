extension LoginNeed {
    func message(_ topic: ErrorContext) -> Message {
        let what =
            switch why {
            case .noProfile: "there is no profile yet"
            case .nothingStored where topic.options.contains("--force"):
                "a new login needs what is missing; a stored one is kept"
            case .nothingStored: "not logged in"
            case .sessionRefused: "the server no longer accepts the stored session"
            case .undecided(let refusal): refusal.doubtWords
            case .sessionExpired: "the session has expired and cannot be refreshed"
            case .sessionEndsSoon(let seconds):
                "the session expires in \(seconds) seconds, too soon for --min-ttl, and cannot be refreshed"
            case .passwordRefusedBefore:
                "the server refused the stored password before; it is not sent again automatically"
            case .leftBlank(let field): "the \(field.shownName) was left blank every time; nothing was sent"
            case .noSuchAccount(let username, _): "not logged in as \(SafeText.quoted(username))"
            case .noActiveAccount: "no account is active"
            case .otherPerson(let replacement): replacement.words + "; nothing was replaced"
            case .sessionOfAnother(let replacement): replacement.sessionWords
            case .refreshNotJudged(let fault):
                "the session has ended or is not accepted, and its refresh was answered with status \(fault.status): the service has ended the login, "
                    + "or something in between answered\(fault.quoted); nothing was erased"
            case .unfinishedRefresh(let machine):
                "the machine \(SafeText.quoted(machine)) began to refresh this login and did not end it, and the service refuses "
                    + "another refresh"
            case .clockSetBack(let difference): "\(difference.setBackWords); the session may have expired"
            case .keyLocked(let file):
                "the key in \(SafeText.quoted(file)) is encrypted, and no passphrase that opens it is stored or was supplied"
            case .noIdentity(let what): what
            case .passwordCommandFailed(status: 127, let field):
                "the \(field.commandName) was not found, or cannot be run (status 127)"
            case .passwordCommandFailed(let status, let field):
                "the \(field.commandName) failed with status \(status)"
            case .passwordCommandTookTooLong(let seconds, let field):
                "the \(field.commandName) took more than \(seconds) seconds and was stopped"
            case .ticket(let problem): problem.words
            case .otherRealm(let realm, _, let login):
                "this URL belongs to the realm \(SafeText.quoted(realm)), but the login is for \(SafeText.quoted(login))"
            case .declined(let method): "the server requires the method \(method.rawValue), which was declined"
            }
        if let next = nextWithinExec(topic) ?? next(topic) { return Message(what, next: next) }
        if topic.opensWindow {
            let plain = topic.withoutWayToConsent
            return Message(
                what,
                next:
                    "someone must log in in a browser; at a terminal: \(plain.loginCommand); or take the session from a browser: "
                    + plain.loginCommand("--paste"))
        }
        if topic.asksForConsent {
            let plain = topic.withoutWayToConsent
            var ways = plain.loginCommand("--no-browser")
            if topic.mayHaveDeviceCodes {
                ways += ", or, where the server has device codes: \(plain.loginCommand("--device"))"
            }
            return Message(
                what,
                next: "someone must approve this login; at a terminal: \(plain.loginCommand); without one: \(ways)")
        }
        guard !missing.isEmpty else { return Message(what, next: "log in: \(topic.loginCommand)") }
        let details = missing.map {
            "missing: \($0.shownName) (\($0.waysToGive(byVariable: !topic.ignoresVariables)))"
        }
        return Message(what, details: details, next: "at a terminal: \(topic.loginCommand)")
    }
}

extension LoginNeed {
    /// The advice where a usual login is not what helps.
    private func next(_ topic: ErrorContext) -> String? {
        switch why {
        case .noProfile:
            topic.environmentNamesURL
                ? "only login makes one of AUTHCTL_VERIFY_URL, so first: authctl login"
                : "log in with a URL: authctl login https://HOST/PATH"
        case .noIdentity: "see 'identity' in man authctl-config"
        case .ticket(let problem): "get a ticket: kinit\(problem.user), then: \(topic.loginCommand)"
        case .noActiveAccount(let known): "accounts: \(quoted(known)); choose one: \(topic.switchCommand) NAME"
        case .noSuchAccount(_, let known) where !known.isEmpty:
            "logged in: \(quoted(known)); to log in: \(topic.loginCommand)"
        case .otherPerson:
            """
            keep them apart: \(topic.loginCommand("-u", "NAME")); or decide at a terminal: \
            \(topic.loginCommand("--force"))
            """
        case .sessionOfAnother:
            "tell the service's administrator, and log in again: \(topic.loginCommand("--force"))"
        case .clockSetBack: "set the clock, or log in: \(topic.loginCommand)"
        case .passwordCommandFailed(_, let field), .passwordCommandTookTooLong(_, let field):
            missing.isEmpty
                ? "check the \(field.commandName) in the profile or on the command line, then: \(topic.loginCommand)"
                : nil
        case .nothingStored where topic.keepsNothing && missing.isEmpty:
            "this profile keeps no login; 'authctl request' and 'authctl exec' make one each time"
        case .refreshNotJudged: "try again later, or log in: \(topic.loginCommand)"
        case .unfinishedRefresh:
            "use authctl there, which puts the session back if it has one, or log in: \(topic.loginCommand)"
        case .otherRealm(_, let url, _):
            "log in there with a separate profile: \(ShellCommand("authctl", "login", url))"
        case .nothingStored, .sessionRefused, .undecided, .sessionExpired, .sessionEndsSoon,
            .passwordRefusedBefore, .leftBlank, .noSuchAccount, .keyLocked, .declined:
            nil
        }
    }

    private func quoted(_ names: [String]) -> String { names.map { SafeText.quoted($0) }.joined(separator: ", ") }

    /// The advice within an `exec` that has made a login and not stored it. The usual one, to log in once more, would not
    /// help.
    private func nextWithinExec(_ topic: ErrorContext) -> String? {
        guard topic.isWithinUnstoredExec else { return nil }
        switch why {
        case .nothingStored, .sessionRefused, .sessionExpired, .sessionEndsSoon, .noSuchAccount, .noActiveAccount: break
        default: return nil
        }
        return """
            this runs inside an 'authctl exec' whose login is not stored (--ephemeral, or the store none): add \
            --curl-config to that, or log in with a store first
            """
    }
}

extension Refusal {
    var quoted: String { SafeText.said(words) }

    /// Says why a response of verify does not judge a login that it has accepted before, with both readings.
    var doubtWords: String {
        let words =
            switch doubt {
            case nil, .forbidden, .unproven:
                "the service accepted the stored login before and answers it with \(status) now: it has ended, or the account has lost "
                    + "its permission"
            case .sameForAnybody:
                "the service answers the stored login with \(status), as it answers anonymous requests: it has ended, or the service or "
                    + "'verify' has changed"
            case .unnamed(let place):
                "the response to verify has no user name at \(SafeText.quoted(place)): the stored login has ended, or the service or "
                    + "'verify' has changed"
            case .otherChallenge(let challenge, let former):
                "verify answers the stored login with 401 and \(Self.words(challenge)), and anonymous requests with "
                    + "\(Self.words(former)): another server stands in front of the service, or the service has changed"
            }
        return words + quoted
    }

    /// Names the challenge for a protection space; the realm is the server's own word.
    static func words(_ challenge: String) -> String {
        challenge.isEmpty ? "no challenge" : "the challenge \(SafeText.quoted(challenge))"
    }

    func rejection(_ topic: ErrorContext) -> Message {
        let what = rejected(topic)
        let check = hadTicket ? "check klist and the clocks" : topic.check
        let register = topic.signup.map { "; no account yet? sign up at \(SafeText.escaped($0))" } ?? ""
        let command = topic.isCopied ? topic.loginCommand("--paste") : topic.loginCommand
        return Message(what, next: "\(check), then: \(command)\(register)")
    }

    private func rejected(_ topic: ErrorContext) -> String {
        let blocked = mayMeanForbidden && words == nil ? ", or the account is blocked" : ""
        let said = words.map { "; the server says \(SafeText.quoted($0))" } ?? ""
        if topic.isCopied { return "the service does not accept the pasted session (status \(status))\(said)" }
        if topic.machine != nil {
            let clock = clockDifference.map { "; \($0.words), by which an assertion may have looked expired" } ?? ""
            return
                "the authorization server refused the login (status \(status)): wrong \(topic.credentialName)\(said)\(clock)"
        }
        if hadTicket { return "the server refused the Kerberos ticket (status \(status))\(blocked)\(said)" }
        return "login refused (\(status)): wrong \(topic.credentialName)\(blocked)\(said)"
    }
}

/// The sentences about a refresh.
enum RefreshWords {
    /// After a signal.
    static let postponed = "Finishing the refresh before stopping…"
}

extension TicketProblem {
    var words: String {
        switch self {
        case .missing(let reason):
            "there is no Kerberos ticket" + (reason.isEmpty ? "" : " (\(SafeText.quoted(reason)))")
        case .expired(let principal):
            principal.isEmpty
                ? "the Kerberos ticket has expired" : "the Kerberos ticket of \(SafeText.quoted(principal)) has expired"
        case .ofAnother(let principal, let wanted):
            "the Kerberos ticket is for \(SafeText.quoted(principal)), not for \(SafeText.quoted(wanted))"
        }
    }

    /// The principal for `kinit`, with a blank before it.
    var user: String {
        switch self {
        case .missing: ""
        case .expired(let principal): principal.isEmpty ? "" : " \(ShellCommand.quoted(principal))"
        case .ofAnother(_, let wanted): " \(ShellCommand.quoted(wanted))"
        }
    }
}
