/// The sentences of a login by OAuth: in a browser here, in one anywhere, or with a code.
struct AuthorizationWords: Sendable {
    /// The profile's name, not escaped yet.
    let profile: String
    let origin: Origin

    /// The place of the browser.
    enum Place: String, Sendable {
        case here = "in the browser"
        case anywhere = "in a browser anywhere"
        case device = "with a code"
    }

    /// The first line of each dialogue.
    func opening(_ server: BrowserVisit.Server, _ place: Place) -> String {
        let name = SafeText.escaped(profile, limit: 100)
        let at = "at \(SafeText.escaped(server.name)), \(place.rawValue)."
        return "Log in to \(name) (\(SafeText.escaped(origin.description))) \(at)"
    }

    /// The first line of a login that a person approves at a page of the service's own choice.
    func approval(_ place: Place) -> String {
        "Approve the login to \(SafeText.escaped(profile, limit: 100)) (\(SafeText.escaped(origin.description))), \(place.rawValue)."
    }

    /// The scope, if it is known: a line that may have to be cut.
    static func scope(_ server: BrowserVisit.Server) -> String? {
        server.scope.map { "It asks for: \(SafeText.line($0))" }
    }

    /// Before the question for the address.
    static let pasteBeside = "Or paste the address at which the browser ended"
    static let refusedDevice = "The server gives this client no code, so a browser has to come back here."
    static let started = "A browser was started. If nothing shows, or to use another one, open:"
    static let open = "Open:"
    static let noBrowser = "No browser could be started here."

    /// The URL has a line of its own, and is whole: it is to be copied.
    static func address(_ url: String) -> String { SafeText.escaped(url, limit: .max) }

    /// The browsers that did not start.
    static func notStarted(_ programs: [(name: String, reason: String)]) -> [String] {
        programs.map { "The browser could not be started: \(SafeText.escaped($0.name, limit: 100)) (\($0.reason))." }
    }

    /// Explains how to bring the response here by hand.
    static func carrying(from redirect: String) -> [String] {
        [
            "Your browser may end on a page that will not load; that is expected.",
            "Copy the full URL from the address bar and paste it here. It begins with",
            "\(redirect)?",
        ]
    }

    static func portTaken(_ port: Int) -> String {
        "Port \(port) is in use here, so the answer cannot arrive by itself: paste the address."
    }

    static let portClosed = "The port is closed; paste the address."

    /// Before the command for a tunnel.
    /// - Parameter isOnlyWay: whether pasting is not possible.
    static func tunnel(isOnlyWay: Bool) -> String {
        "\(isOnlyWay ? "Beforehand" : "Or, beforehand"), where the browser is:"
    }

    /// Said once, when nothing has come for a while.
    static func hint(redirect: String, clientID: String) -> String {
        let hint = OAuthFault.hint(redirect: redirect, clientID: clientID)
        return "I\(hint.dropFirst())."
    }

    /// Where a code is typed, and a warning: who is called and told a code gives somebody else a login (RFC 8628, section 5.4).
    static func device(code: String, url: String, completeURL: String?) -> [String] {
        let complete = completeURL.map { ["or open  \(address($0))  and compare the code."] } ?? []
        return ["Open  \(address(url))", "enter \(SafeText.line(code))"] + complete
            + ["Never share this code, and never enter a code someone sent you."]
    }

    static func waiting(seconds: Int) -> String {
        "Waiting for your approval, \(seconds.asClock) left…"
    }
}

extension ForeignServer {
    /// The facts that a person needs before they agree.
    func lines(for origin: Origin) -> [String] {
        let places = evidence.isEmpty ? [] : ["  (\(evidence.map { SafeText.escaped($0) }.joined(separator: ", ")))."]
        let more =
            (elsewhere.isEmpty
                ? [] : ["It leads to other servers: \(Self.list(elsewhere)). Go on only if you know why."])
            + (others.isEmpty ? [] : ["The service names others, too: \(Self.list(others))."])
        let registration = registers ? "authctl registers itself there for this login. " : ""
        return ["\(SafeText.escaped(resource.text)) has its logins made at \(issuer)\(evidence.isEmpty ? "." : "")"]
            + places + more + ["\(registration)What \(issuer.authority) hands out for you will be sent to \(origin)."]
    }

    private static func list(_ origins: [Origin]) -> String { SafeText.list(origins.map(\.description)) }

    static let question = "Type yes to log in there: "
}

extension PasteFault {
    /// Says why the pasted text is not the address, and what to do.
    var words: String {
        switch self {
        case .empty: "Nothing was pasted: copy the whole line."
        case .requestAddress: "That is the address to open: paste the one at which the browser ended."
        case .otherAddress: Self.not("it begins differently")
        case .incomplete: Self.not("its 'state' is missing")
        case .answer(let fault):
            "The response in that address cannot be used: \(fault.words). Open the URL again, and paste the new address."
        case .otherState: Self.not("it has another state")
        case .otherIssuer: Self.not("it is from another server")
        }
    }

    private static func not(_ reason: String) -> String {
        "That is not the address of this login (\(reason)): copy the whole line."
    }
}

extension Forgery {
    /// Said of what looks like the response to a login; nothing of what a browser asks for beside it.
    var words: String? {
        switch self {
        case .state: "Ignored a response that belongs to another login."
        case .issuer: "Ignored a response from another server."
        case .parameters: "Ignored a response without a state. Open the URL again."
        case .answer(let fault): "Ignored the response to this login: \(fault.words). Open the URL again."
        case .malformed, .method, .host, .path: nil
        }
    }
}

extension AnswerFault {
    /// A clause about the response.
    fileprivate var words: String {
        switch self {
        case .empty: "it has neither a code nor an error"
        case .both: "it has both a code and an error"
        case .repeated(let name): "it has '\(name)' twice"
        case .unreadable(let name): "its '\(name)' cannot be read"
        }
    }
}

extension MachineIdentity.Source {
    /// Describes the token by its expiry and by what a server's rules compare: issuer, subject and audience; by nothing else.
    func facts(of token: JSONWebToken?, now: Int64) -> String {
        guard let token else { return "\(description): no JSON Web Token." }
        let claims = ["iss", "sub", "aud"].map { name in
            "\(name) \(token.texts(name).map { SafeText.quoted($0) }.joined(separator: ", "))"
        }
        let end = token.expiry.flatMap { Int64(exactly: $0.rounded()) }.map {
            "\($0 > now ? "ends" : "ended") \(LocalTime.words(of: $0))"
        }
        return "\(description): \((claims + (end.map { [$0] } ?? [])).joined(separator: "; "))."
    }
}
