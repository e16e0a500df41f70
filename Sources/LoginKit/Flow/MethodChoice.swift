/// Chooses the strongest method that the server offers and the profile accepts.
///
/// Refuses a weaker method than configured, so that an attacker on the network cannot ask for the password in clear.
struct MethodChoice: Equatable, Sendable {
    /// The methods that the profile accepts, or the one that worked before; with `auto` among them, every scheme.
    let accepted: [AuthenticationMethod]
    /// Whether a password was given, which takes precedence over a ticket.
    var hasPassword = false
    /// Whether the profile has a request that carries the credential, apart from the endpoint that was asked.
    var hasLoginRequest = false

    /// The chosen method.
    enum Chosen: Equatable, Sendable {
        case negotiate(principal: String)
        case digest(DigestChallenge)
        case basic(realm: String?)

        /// The method that was chosen.
        var method: AuthenticationMethod {
            switch self {
            case .negotiate: .negotiate
            case .digest: .digest
            case .basic: .basic
            }
        }

        /// The server's own word for the protection space; a challenge of Negotiate has none.
        var realm: String? {
            switch self {
            case .negotiate: nil
            case .digest(let challenge): challenge.realm
            case .basic(let realm): realm
            }
        }
    }

    /// Checks what is known before the server is asked: a missing ticket, a password that no method takes.
    func check(ticket: () -> TicketFinding) throws(LoginFault) {
        guard accepted == [.negotiate] else { return }
        if hasPassword { throw .usage(.takesNoPassword(method: .negotiate)) }
        try check(ticket())
    }

    /// Chooses among the challenges of a 401.
    /// - Parameters:
    ///   - url: what was asked, for messages.
    ///   - ticket: is looked for only where it could be used.
    /// - Throws: `untrusted(.weakerMethod)` naming what was offered; `loginRequired` where only a ticket would do and
    ///   none is there; `usage` for a 401 that says nothing.
    func chosen(
        among offered: [AuthenticateChallenge], url: String, status: Int,
        ticket: () -> TicketFinding
    ) throws(LoginFault) -> Chosen {
        var finding: TicketFinding?
        for scheme in HTTPScheme.allCases where accepts(scheme.method) {
            switch scheme {
            case .negotiate:
                guard !hasPassword, isOffered(.negotiate, offered) else { continue }
                finding = ticket()
                if case .valid(let principal) = finding { return .negotiate(principal: principal) }
            case .digest:
                if let challenge = DigestChallenge.strongest(of: offered).challenge { return .digest(challenge) }
            case .basic:
                if let realm = basic(offered) { return .basic(realm: realm) }
            }
        }
        if let finding { try check(finding) }
        throw refusal(offered, url: url, status: status)
    }

    private func accepts(_ method: AuthenticationMethod) -> Bool {
        accepted.contains(method) || accepted.contains(.auto)
    }

    /// A profile that names its method and has a login request need not be told by another endpoint.
    private func isOffered(_ method: AuthenticationMethod, _ offered: [AuthenticateChallenge]) -> Bool {
        offered.contains { $0.scheme == method.rawValue }
            || offered.isEmpty && hasLoginRequest && accepted.contains(method)
    }

    /// - Returns: the realm of the first Basic challenge, if one can be answered.
    private func basic(_ offered: [AuthenticateChallenge]) -> String?? {
        if let basic = offered.first(where: { $0.scheme == "basic" }) { return .some(basic.realm) }
        // A profile that names Basic needs no challenge: some servers leave it out of their 401.
        // Where Digest would do as well, only a challenge tells that it is not to be had.
        return offered.isEmpty && accepted.contains(.basic) && !accepted.contains(.digest) ? .some(nil) : nil
    }

    private func check(_ finding: TicketFinding) throws(LoginFault) {
        if case .unusable(let why) = finding { throw .loginRequired(LoginNeed(why: .ticket(why))) }
    }

    private func refusal(_ offered: [AuthenticateChallenge], url: String, status: Int) -> LoginFault {
        if offered.isEmpty {
            let command = ShellCommand("authctl", "discover", url)
            return .usage(
                "\(SafeText.escaped(url)) refuses requests (status \(status)) but offers no authentication method",
                next: "to look for another login, and print a profile to complete: \(command)")
        }
        if let tokens = offered.registryTokens { return .usage(.registry(url: url, tokens: tokens)) }
        let unusable = accepts(.digest) ? DigestChallenge.strongest(of: offered).unusable : []
        for case .malformed(let problem) in unusable where offered.allSatisfy({ $0.scheme == "digest" }) {
            return .network(.brokenResponse("it asks for Digest, but \(problem)"))
        }
        if hasPassword, accepts(.negotiate), isOffered(.negotiate, offered), !accepts(.basic), !accepts(.digest) {
            return .usage(.takesNoPassword(method: .negotiate))
        }
        return .untrusted(.weakerMethod(offered: offered.map(\.offerName), accepted: accepted))
    }
}

extension [AuthenticateChallenge] {
    /// Whether one of them can be answered with a password or a ticket.
    var areAnswered: Bool { contains { HTTPScheme(rawValue: $0.scheme) != nil } }

    /// Where a container registry issues the tokens that are all it takes, for its service (CNCF Distribution, "Token Authentication
    /// Specification"); `nil` for any other Bearer.
    var registryTokens: String? {
        guard !areAnswered, let bearer = first(where: { $0.scheme == "bearer" })?.parameters,
            bearer["resource_metadata"] == nil, let service = bearer["service"], let realm = bearer["realm"],
            realm.contains("://")
        else { return nil }
        let mark = realm.contains("?") ? "&" : "?"
        return "\(realm)\(mark)service=\(Hexadecimal.percentEncoded(service.utf8, where: \.isUnreserved))"
    }
}

extension AuthenticateChallenge {
    /// The scheme, with what makes it impossible to answer.
    fileprivate var offerName: String {
        guard scheme == "digest" else { return scheme }
        do {
            _ = try DigestChallenge(self)
            return scheme
        } catch .notUnderstood(let parameter, let value) {
            return "\(scheme) with \(parameter)=\(value)"
        } catch {
            return "\(scheme), malformed"
        }
    }
}
