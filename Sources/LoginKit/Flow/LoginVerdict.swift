/// What the login's own responses say of the credential, before verify is asked.
///
/// A refusal is not among them: it ends the login at once. Many services answer a right and a wrong password alike.
enum LoginVerdict: Equatable, Sendable {
    /// The service answered with a token.
    case issuedToken
    /// It led away from the login page with a new cookie.
    case accepted
    /// The response may mean either.
    case undecided
    /// It led back to the login.
    case ledBack
    /// It showed its form again, without a word of the profile about that: refused, unless verify says that this is a login.
    case askedAgain(Refusal)
    /// No request of the login's own carried the credential: it is the session, and verify judges it.
    case leftToVerify
}

extension LoginVerdict {
    /// Judges a fresh login that verify does not accept: refused only by a response that judged the credential. That verify does not know a
    /// session is no such response, unless it has accepted one before.
    /// - Parameters:
    ///   - hasAccepted: whether verify, as it is written now, has accepted a login of this profile.
    ///   - isGrant: whether the credential was a person's consent, so that there is no password to be wrong.
    /// - Returns: `nil` if the credential was refused.
    func unconfirmed(by refusal: Refusal, hasAccepted: Bool, isGrant: Bool) -> UnconfirmedLogin.Response? {
        if isGrant { return .issuedToken }
        switch (refusal.doubt, self) {
        case (nil, .askedAgain), (nil, .ledBack), (nil, .leftToVerify): return nil
        case (nil, .accepted), (nil, .undecided): return hasAccepted ? nil : response
        case (.sameForAnybody, .askedAgain), (.unnamed, .askedAgain): return nil
        case (_, .issuedToken), (.otherChallenge, _), (.forbidden, _), (.unproven, _): return response
        case (.sameForAnybody, _), (.unnamed, _): return hasAccepted && refusal.isAsAtLastLogin ? nil : response
        }
    }

    /// What the service has made of the credential.
    var response: UnconfirmedLogin.Response {
        switch self {
        case .issuedToken, .accepted: .tookPassword
        case .undecided, .ledBack, .askedAgain, .leftToVerify: .undecided
        }
    }
}

extension ParsedResponse {
    /// Judges the last response of a login that no rule refused.
    /// - Parameters:
    ///   - loginPaths: of the login's pages and requests.
    ///   - former: the cookies that were sent with the request.
    ///   - anonymous: the names of cookies that anybody gets, for a login whose page was not visited first: a value of their own
    ///     says nothing.
    func verdict(
        hasToken: Bool, loginPaths: [String], former: [Cookie], anonymous: Set<String> = []
    ) -> LoginVerdict {
        if hasToken { return .issuedToken }
        // Where verify sends anonymous clients may be the login page, or the home page that a login leads to: JupyterHub's is.
        guard let path = locationPath, foreignRedirect == nil else { return .undecided }
        if loginPaths.contains(where: { path.isLogin(of: $0) }) { return .ledBack }
        return response.hasNewCookie(since: former, anonymous: anonymous) ? .accepted : .undecided
    }
}
