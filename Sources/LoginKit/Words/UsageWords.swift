extension UsageFault {
    func message(_ topic: ErrorContext) -> Message {
        switch self {
        case .unknownProfile(let name, let near):
            let hint =
                near.isEmpty
                ? "see: authctl profile list"
                : "did you mean \(near.map(ShellCommand.quoted).joined(separator: " or "))?"
            return Message("there is no profile \(SuppliedURL(name).quoted)", next: hint)
        case .profileNotNamed(let known):
            return Message(
                "more than one profile is possible",
                next: "name one with -P: \(known.map(ShellCommand.quoted).joined(separator: ", "))")
        case .badValue(let option, let problem):
            return Message("\(option): \(problem)", next: Self.remedy(of: option))
        case .badConfig(let file, let path, let line, let problem):
            let place = [line.map { "line \($0)" }, path].compactMap { $0 }.joined(separator: ", ")
            return Message(
                "\(SafeText.escaped(file))\(place.isEmpty ? "" : ": \(SafeText.escaped(place))"): \(problem)",
                next: "see authctl-config(5)")
        case .badURL(let url, let problem):
            return Message(
                "\(SuppliedURL(url).quoted) is not a valid URL: \(problem)", next: "check it: https://HOST/PATH")
        case .missingScheme(let host):
            return Message(
                "\(SuppliedURL(host).quoted) is neither a profile nor a URL",
                next: "did you mean \(ShellCommand.quoted(SuppliedURL(host).proposal))?")
        case .wrongPassphrase(let file):
            return Message("the passphrase does not open the key in \(SafeText.quoted(file))", next: "enter it again")
        case .usernameHasColon:
            return Message(
                "a user name for this method cannot contain a colon (RFC 7617)",
                next:
                    "use the user name alone; the password is asked for, or: \(topic.loginCommand("--password-stdin"))")
        case .controlCharacter(let field):
            return Message(
                "the \(field.shownName) contains a control character, which cannot be sent",
                next: topic.enteringAgain(field))
        case .invalidUTF8(let field):
            return Message("the \(field.shownName) is not UTF-8", next: topic.enteringAgain(field))
        case .notInEncoding(let field, let encoding):
            return Message(
                "the page wants its form in \(encoding), which lacks a character of the field \(SafeText.quoted(field)); it was not sent",
                next: "enter it again; if it is right, it has to be changed at the service")
        case .verifyProvesNothing(let url, let withCookies):
            let who =
                withCookies
                ? "accepts cookies that anyone can have"
                : "accepts requests without credentials"
            return Message(
                "\(SafeText.escaped(url)) \(who), so it does not prove a login; nothing was saved",
                next: topic.hasProfile
                    ? "use an endpoint that requires a login (to find one: authctl discover URL), or add a 'logged-out' rule to the profile"
                    : "use a URL that only logged-in users can open, a preset (authctl profile presets), or a profile by hand, "
                        + "such as one with method = \"browser\" (authctl help config)")
        case .unconfirmed(let login):
            return login.message(topic)
        case .sessionChanged(let other):
            return Message(
                "\(other?.preparingWords ?? "a response before the request set another session, which verify does not confirm"); the "
                    + "request was not sent with it, and the stored login stays as it was",
                next: "tell the service's administrator, or log in again: \(topic.loginCommand("--force"))")
        case .unprovenLogin(let response):
            return Message(
                "\(response); nothing was saved",
                next: "add a 'verify' to the profile, or a 'refused' rule to 'login' if this is how the service refuses"
            )
        case .registry(let url, let tokens):
            let host = url.split(separator: "/").dropFirst().first.map(String.init) ?? url
            return Message(
                "\(SafeText.escaped(url)) is a container registry that takes tokens from \(SafeText.escaped(tokens)), where authctl cannot verify a password",
                next: "log in with docker's own command: \(ShellCommand("docker", "login", host))")
        case .tokenHasOnlyHeader(let method):
            let others = method == .cookie ? "headers, curl, cookies, playwright" : "headers, curl"
            return Message(
                "method \(method.rawValue) has no token",
                next: "print its header: \(topic.tokenCommand("header")); other forms: \(others)")
        case .commandGetsNoToken(let method):
            return Message(
                "method \(method.rawValue) has no token for --env or --fd",
                next: "pass the session to curl with --curl-config, or to anything else with --serve")
        case .hasNoHeader(let method):
            let request = "send requests with: authctl request URL"
            let isComputedByCurl = [.digest, .negotiate, .certificate].contains(method)
            return Message(
                "method \(method.rawValue) has no token and no fixed header: each header is good for one request only",
                next: isComputedByCurl ? "\(request), or with curl: \(topic.tokenCommand("curl"))" : request)
        case .takesNoPassword where topic.machine != nil:
            return Message("this login proves itself, and takes no password", next: "leave it out")
        case .takesNoPassword(.oauth):
            return Message(
                "method oauth does not use a password: the authorization server asks for it", next: "leave it out")
        case .takesNoPassword(.browser):
            return Message(
                "method browser does not use a password: you type it in the browser's window", next: "leave it out")
        case .takesNoPassword(let method):
            return Message(
                "method \(method.rawValue) does not use a password",
                next: "leave it out, or add 'basic' to 'method' in the profile")
        case .other(let what, let details, let next): return Message(what, details: details, next: next.text(topic))
        }
    }

    /// Advice about a value, if the problem does not say it itself.
    private static func remedy(of option: String) -> String {
        if option.hasPrefix("--password-file") || option.hasPrefix("AUTHCTL_PASSWORD_FILE") {
            return "check the file, or pipe the password in with --password-stdin"
        }
        if option == ProxySource.file.name || option.lowercased().hasSuffix("proxy") {
            return "correct it, or connect without a proxy: AUTHCTL_PROXY=none"
        }
        return option.lowercased().hasSuffix("store") ? "see which there are: authctl store list" : ""
    }
}

extension UnconfirmedLogin {
    fileprivate func message(_ topic: ErrorContext) -> Message {
        let shown = SafeText.escaped(url)
        let target = leadsTo.map { "; it leads to \(SafeText.quoted($0))" } ?? ""
        let what =
            switch response {
            case .tookPassword: "the service took the password, but \(shown) \(seen)\(target)"
            case .issuedToken: "the service ignores the token: \(shown) \(seen)\(target)"
            case .undecided: "\(shown) \(seen)\(target), so it cannot tell whether the password is right"
            }
        return Message(
            "\(what)\(refusal?.quoted ?? ""); nothing was saved",
            next: next(topic))
    }

    /// What verify was seen to answer with the login, and without one.
    private var seen: String {
        guard let refusal, refusal.status >= 300 || refusal.doubt != .unproven else {
            return "looks the same after this login as before it"
        }
        let anybody = anonymousStatus.map { " and anonymous requests with \($0)" } ?? ""
        switch refusal.doubt {
        case .sameForAnybody: return "answers \(refusal.status) with and without a login"
        case .unnamed(let place):
            return "shows no user name of this login's own at \(SafeText.quoted(place)) (status \(refusal.status))"
        case .otherChallenge(let challenge, let former):
            return
                "answers this login with 401 and \(Refusal.words(challenge)), and anonymous requests with \(Refusal.words(former))"
        case nil, .forbidden, .unproven: return "answers this login with \(refusal.status)\(anybody)"
        }
    }

    /// The line of a profile that would decide.
    private func next(_ topic: ErrorContext) -> String {
        let other = "use a URL that shows who is logged in: the page that you see after a login"
        guard let refusal, mayBeWrong || refusal.doubt != nil else { return "\(other), or 'verify' in the profile" }
        switch refusal.doubt {
        case .sameForAnybody:
            return topic.hasProfile
                ? "correct 'verify' in the profile or, if this is how it refuses, add to it: logged-out = [\(refusal.status)]"
                : other
        case .unnamed: return "correct 'username' of 'verify' in the profile, or leave it out"
        case .otherChallenge:
            return "another server may stand in front of the service; each of them needs a profile of its own"
        case .unproven where refusal.status < 300 || ResponseRule.provesNoLogin(refusal.status): return other
        case .unproven: return "\(other); or, in a profile, if that is a login: logged-in = [\(refusal.status)]"
        case nil, .forbidden:
            return topic.hasProfile
                ? "say in 'login' of the profile what a refusal looks like, such as refused = [401], or correct 'verify'"
                : other
        }
    }
}

extension ErrorContext {
    /// The command that prints the session in a form.
    fileprivate func tokenCommand(_ form: String) -> ShellCommand {
        ShellCommand(["authctl", "token"] + [profile].compactMap { $0 } + ["--as", form])
    }
}
