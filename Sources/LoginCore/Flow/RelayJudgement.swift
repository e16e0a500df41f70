/// The meaning of a response to the person's own request for the session that was sent with it.
package enum RelayJudgement: Equatable, Sendable {
    /// Nothing: it is the person's to read.
    case passed
    /// A 401 or 403 of which a rule of the profile says that the session has ended.
    case loggedOut
    /// The session is good, and the account may not.
    case forbidden
    /// 401 or 403, and no rule of the profile says which of the two it means.
    case undecided
    /// Another response that anonymous clients get, by a rule of the profile, by a redirect to where people log in, or by the form of
    /// the login. Whoever is logged in may get it for another reason.
    case likeAnonymous
    /// A 401 to the password itself that asks for the password of the login's own realm again: the server has judged it, and asking
    /// verify would be another attempt. A 401 without such a challenge does not say that it looked at the password.
    case refusedPassword
    /// A 401 of another protection space than the login's, by the realm that its challenge names.
    case otherRealm(String)
}

/// The facts for reading such a response, beside the rules of the profile.
package struct RelayContext: Equatable, Sendable {
    /// Where the login was verified, as far as that is known.
    package var space: VerifiedSpace?
    /// Whether the password itself was sent, by HTTP authentication.
    package var carriedPassword: Bool
    /// Where people log in: paths of the profile's own requests.
    package var loginPaths: [String]
    /// Where verify sends anonymous clients: a path, behind its origin if that is another one.
    package var anonymousLocation: String?

    /// Without arguments: a session other than a password, of which no more is known.
    package init(
        space: VerifiedSpace? = nil, carriedPassword: Bool = false, loginPaths: [String] = [],
        anonymousLocation: String? = nil
    ) {
        self.anonymousLocation = anonymousLocation
        self.space = space
        self.carriedPassword = carriedPassword
        self.loginPaths = loginPaths
    }
}

extension ParsedResponse {
    /// Reads the answer by the rules that hold for every request with the session. Where no verify endpoint can be asked, the
    /// status decides what no rule names.
    package func relayed(by proof: Proof, in context: RelayContext = RelayContext()) -> RelayJudgement {
        let judgement = relayed(by: proof.rules, in: context)
        guard case .loginResponse(let rules) = proof, judgement == .undecided else { return judgement }
        if status == 403 { return .forbidden }
        return rules.loggedOut == nil ? .loggedOut : .passed
    }

    /// Reads the answer by the rules of `verify`, which hold for every request with the session.
    package func relayed(by rule: ResponseRule, in context: RelayContext = RelayContext()) -> RelayJudgement {
        let offered = AuthenticateChallenge.parse(response.values(of: "WWW-Authenticate"))
        if status == 401, let realm = context.space?.otherRealm(in: offered) { return .otherRealm(realm) }
        if matches(any: rule.forbidden ?? []) { return .forbidden }
        let isToldForbidden = toldForbidden(Refusal(status: status)) != nil
        let passwords = offered.filter(\.takesPassword)
        if status == 401, context.carriedPassword, let space = context.space, !passwords.isEmpty,
            passwords.allSatisfy(space.isNamed)
        {
            return isToldForbidden ? .forbidden : .refusedPassword
        }
        if matches(any: rule.loggedOut ?? []) { return response.isRefusal ? .loggedOut : .likeAnonymous }
        if isRedirect(toLoginOf: context) || asksAgain && (200..<300).contains(status) { return .likeAnonymous }
        guard response.isRefusal else { return .passed }
        return isToldForbidden ? .forbidden : .undecided
    }

    private func isRedirect(toLoginOf context: RelayContext) -> Bool {
        guard (300..<400).contains(status), let path = locationPath else { return false }
        return path.lookedUpPath == context.anonymousLocation?.lookedUpPath
            || foreignRedirect == nil && context.loginPaths.contains { path.lookedUpPath == $0.lookedUpPath }
    }
}

extension ResponseRule {
    /// Whether an answer with this head may turn out to be anything but `passed`, so that its body is not to be shown yet.
    package func mayConcern(_ head: HTTPResponse) -> Bool {
        if head.isRefusal { return true }
        if (300..<400).contains(head.status), !head.values(of: "Location").isEmpty { return true }
        return ((forbidden ?? []) + (loggedOut ?? [])).contains { condition in
            (condition.status ?? head.status) == head.status
                && (!condition.readsBody || head.mayBeJSON)
        }
    }
}

extension Condition {
    fileprivate var readsBody: Bool {
        places.contains { if case .json = $0.place { true } else { false } }
    }
}

extension HTTPResponse {
    /// Many servers call JSON something else, but not a file.
    fileprivate var mayBeJSON: Bool {
        guard let type = values(of: "Content-Type").first?.lowercased() else { return true }
        return type.contains("json") || type.hasPrefix("text/")
    }
}

extension AuthenticateChallenge {
    /// Whether a password answers it.
    fileprivate var takesPassword: Bool { scheme == "basic" || scheme == "digest" }
}
