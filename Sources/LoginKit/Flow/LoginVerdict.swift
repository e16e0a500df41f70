/// The verdict of the login's own responses about the credential, before verify is asked.
///
/// A refusal is not among them: it ends the login at once. 'Refused' is told only where a response that judged the credential
/// refused it, and many services answer a right and a wrong password alike.
enum LoginVerdict: Equatable, Sendable {
    /// The service took the credential: it answered with a token, or led away from the login page with a new cookie.
    case accepted
    /// The response may mean either.
    case undecided
    /// It showed its form again, without a word of the profile about that: refused, unless verify says that this is a login.
    case askedAgain(Refusal)
    /// No request of the login's own carried the credential: it is the session, and verify judges it.
    case leftToVerify
}

extension LoginVerdict {
    /// Judges a fresh login that verify calls logged out.
    /// - Parameters:
    ///   - provesLogins: whether a person wrote the verify endpoint, or it has accepted a session of this profile before.
    ///   - isToken: whether the credential was a person's consent, so that there is no password to be wrong.
    /// - Returns: `nil` if the credential was refused.
    func unconfirmed(
        by refusal: Refusal, provesLogins: Bool, isToken: Bool
    ) -> UnconfirmedLogin.Response? {
        if isToken { return .issuedToken }
        switch self {
        case .accepted: return .tookPassword
        case .undecided: return provesLogins ? nil : .undecided
        case .askedAgain: return nil
        // A status or a rule judges; that a name is missing does so only where somebody said that it is there.
        case .leftToVerify: return refusal.missingName == nil || provesLogins ? nil : .undecided
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
        if hasToken { return .accepted }
        // Where verify sends anonymous clients may be the login page, or the home page that a login leads to: JupyterHub's is.
        guard let path = locationPath, foreignRedirect == nil, !loginPaths.contains(where: { path.isLogin(of: $0) })
        else { return .undecided }
        return response.hasNewCookie(since: former, anonymous: anonymous) ? .accepted : .undecided
    }
}
