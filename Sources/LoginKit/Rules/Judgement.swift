import Secrets

/// The judgement of one response. The four sentences that it follows, and what several responses say together, are in
/// docs/verdicts.md:
///
/// 1. Accepted needs evidence for the person: 2xx, or what a rule names with its status, that no anonymous look shows; where the profile
///    names a place for the name, the name.
/// 2. Refused needs evidence against the credential: a response to it that judged it. What anybody gets, and is no statement
///    (`Refusal.doubt`), is none (`LoginVerdict.unconfirmed`).
/// 3. What judged nothing (408, 429, 5xx but 501) is matched by no rule that does not name its status (`ParsedResponse.matches`).
/// 4. Whose session it is is known before it is used (`ChangingSession`).
///
/// A response to a person's own request is at most a reason to ask verify (`RelayJudgement`).
package enum Judgement: Equatable, Sendable {
    case accepted
    /// At verify only a statement refuses, which has no `doubt`.
    case refused(Refusal)
    case forbidden(Refusal)
    /// The credential is good, and a code or an approval is needed; with the server's own words.
    case needsSecondFactor(words: String?)
    /// An approval on another device is still waited for.
    case pending
    /// Neither yes nor no: why.
    case unclear(LoginFault)
}

/// The request that a response belongs to, for the defaults of its rules and for messages.
package enum Step: String, Equatable, Sendable {
    case login, verify, refresh, logout
    /// The page that is fetched before a request.
    case page
}

extension ParsedResponse {
    /// Reads the answer as the rules have it. What the profile says goes before what is usual, and `forbidden` before
    /// refusals: a profile that counts 403 among `logged-out` need not take it out of `forbidden`.
    /// - Parameter anonymous: what verify is known to answer without a login.
    func judged(by rule: ResponseRule, at step: Step, anonymous: AnonymousResponse? = nil) -> Judgement {
        var refusal = Refusal(status: status, words: words(rule) ?? response.errorText)
        let refused = step == .verify ? rule.loggedOut : rule.refused
        if matches(any: rule.forbidden ?? []) { return .forbidden(refusal) }
        if matches(any: rule.secondFactor ?? []) { return .needsSecondFactor(words: refusal.words) }
        if matches(any: rule.pending ?? []) { return .pending }
        // A code is asked for only after a good password, whatever else the page has that a refusal has, too.
        if asksForCode, step == .login, rule.secondFactor == nil { return .needsSecondFactor(words: refusal.words) }
        if matches(any: refused ?? []) || showsLogin(rule, step) || leadsToLogin && step == .verify {
            return .refused(refusal)
        }
        if asksForCode, step == .verify, rule.secondFactor == nil, (200..<300).contains(status), !hasName(rule) {
            return .needsSecondFactor(words: refusal.words)
        }
        if step != .refresh, rule.forbidden == nil, refused == nil, let forbidden = toldForbidden(refusal) {
            return .forbidden(forbidden)
        }
        if step == .verify {
            refusal.doubt = doubt(anonymous)
            if refusal.doubt != nil { return .refused(refusal) }
        }
        // A refusal at a refresh ends a login, so there no status is one by itself: firewalls and gateways answer with each.
        let judgesLogin = step == .login || step == .verify
        // A locked account, wherever it comes (the word is of RFC 4918, section 11.3).
        if rule.forbidden == nil, judgesLogin, status == 423 { return .forbidden(refusal) }
        if rule.forbidden == nil, step == .verify, status == 403 {
            refusal.doubt = .forbidden
            return .forbidden(refusal)
        }
        if refused == nil, judgesLogin, status == 401 { return .refused(refusal) }
        // What the rules look for may stand in what was not read.
        if isSuccess, rule.readsBody, !hasName(rule), let unread = response.unread {
            return .unclear(unread)
        }
        if let unclear = unclear(rule, step), !isNamedLogin(rule, step) { return .unclear(unclear) }
        guard let place = missingName(rule, step, anonymous) else { return .accepted }
        refusal.doubt = .unnamed(place: place.description)
        return .refused(refusal)
    }

    /// The reason that a response judges no login, whatever its status usually means: it comes from another server, or anybody gets it.
    private func doubt(_ anonymous: AnonymousResponse?) -> Refusal.Doubt? {
        guard let anonymous else { return nil }
        if status == 401 { return otherChallenge(than: anonymous) }
        return anonymous.meansLoggedOut(self) ? .sameForAnybody : nil
    }

    /// A password is judged by the server that asks for it: in the scheme and realm of which it asks anybody, or without a challenge where
    /// nobody gets one. A session is judged by any 401 that does not ask for a password of somebody else's.
    private func otherChallenge(than anonymous: AnonymousResponse) -> Refusal.Doubt? {
        guard let asked = anonymous.status == 401 ? anonymous.challenges : [] else { return nil }
        let offered = challenges.map(\.spaceName)
        let judging = sentPassword ? challenges.filter(\.takesPassword).map(\.spaceName) : offered
        guard !judging.contains(where: asked.contains) else { return nil }
        let isStatement =
            sentPassword
            ? offered.isEmpty && asked.isEmpty : challenges.contains { !$0.takesCredential } || offered.isEmpty
        return isStatement
            ? nil : .otherChallenge(offered.joined(separator: ", "), than: asked.joined(separator: ", "))
    }

    /// The place of a user name that is missing, or that anybody is shown.
    private func missingName(_ rule: ResponseRule, _ step: Step, _ anonymous: AnonymousResponse? = nil) -> Place? {
        guard step == .verify, let place = rule.username else { return nil }
        // No response of the service has it.
        if case .identityToken = place { return nil }
        guard let name = name(at: place), anonymous?.all.contains(where: { $0.name == name }) != true else {
            return place
        }
        return nil
    }

    private func hasName(_ rule: ResponseRule) -> Bool { rule.username != nil && missingName(rule, .verify) == nil }

    /// Whether the form of the login refuses, where the profile does not say what does. At verify a name goes before it, since some
    /// services show it to whoever is logged in, too.
    func showsLogin(_ rule: ResponseRule, _ step: Step) -> Bool {
        guard asksAgain, response.judgesPasswords else { return false }
        switch step {
        case .login: return rule.refused == nil
        case .verify: return rule.loggedOut == nil && !hasName(rule)
        case .refresh, .logout, .page: return false
        }
    }

    /// Whether the profile says that this answer proves a login, whatever its status says by itself.
    private func isNamedLogin(_ rule: ResponseRule, _ step: Step) -> Bool {
        // Another origin may log people in, so only a rule that names a place makes that a proof.
        let conditions = (rule.loggedIn ?? []).filter { foreignRedirect == nil || !$0.places.isEmpty }
        return step == .verify && !ResponseRule.provesNoLogin(status) && matches(any: conditions)
    }

    /// The server's own words, where the profile says they are.
    func words(_ rule: ResponseRule) -> String? {
        rule.message.flatMap { text(at: $0) } ?? response.lacksScope?.parameters["error_description"]
    }

    /// An answer that by itself tells a good credential without rights from a wrong one: it carries the server's proof of the
    /// credential, or a Bearer challenge that says so (RFC 6750, section 3.1).
    func toldForbidden(_ refusal: Refusal) -> Refusal? {
        guard response.isRefusal else { return nil }
        return isProven || response.lacksScope != nil ? refusal : nil
    }

    private func unclear(_ rule: ResponseRule, _ step: Step) -> LoginFault? {
        switch status {
        case 200..<300:
            return nil
        case 300..<400:
            return unclearRedirect(step)
        case 501 where step == .verify:
            return .failure(.unexpectedStatus(status, step: step.rawValue, words: allWords(rule)))
        case 429, 500..<600:
            return .busy(
                BusyFault(status: status, retryAfter: response.retryAfter, words: allWords(rule)))
        case 400 where origin.scheme == "http" && response.wantsTLS:
            return .network(.notHTTP)
        default:
            return .failure(.unexpectedStatus(status, step: step.rawValue, words: allWords(rule)))
        }
    }

    /// The server's own words, or the whole body where it is a short text: what no rule expects is understood only by what the server
    /// says of it.
    private func allWords(_ rule: ResponseRule) -> String? { words(rule) ?? response.errorText ?? shortText }

    private var shortText: String? {
        let type = response.values(of: "Content-Type").first?.lowercased() ?? ""
        guard type.hasPrefix("text/plain") || type.hasPrefix("application/json") || type.contains("+json"),
            let text = text(at: .text)?.trimmed, !text.isEmpty, text.utf8.count <= 200
        else { return nil }
        return text
    }

    /// A login form usually ends in a redirect, and what that means only verify can tell. A redirect that would have the
    /// body sent again elsewhere is not one of those.
    private func unclearRedirect(_ step: Step) -> LoginFault? {
        let repeatsBody = wrote && (status == 307 || status == 308)
        if let foreign = foreignRedirect, repeatsBody || step == .verify || step == .page {
            if let fault = foreign.fault { return fault }
            return .untrusted(.otherOrigin(target: foreign.origin?.description ?? foreign.url))
        }
        if (step == .login || step == .logout) && !repeatsBody { return nil }
        let target = response.redirect?.target ?? ""
        return .failure(.redirected(step: step.rawValue, status: status, target: target))
    }

}

extension HTTPResponse {
    /// 401 or 403: it refuses a session, or the credential.
    var isRefusal: Bool { status == 401 || status == 403 }

    /// Whether a client may go where `Location` says (RFC 9110, section 15.4); 201 names what was made.
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Whether the server was too busy or too broken to judge anything. One that does not implement a method (501) is neither.
    var saysNothing: Bool { status == 408 || status == 429 || status >= 500 && status != 501 }

    /// Whether a login form in this response says that the password was wrong. A busy server, a missing page, a locked account (423) or
    /// an expired form (419) may show one, too, and has judged nothing.
    var judgesPasswords: Bool { (200..<300).contains(status) || [400, 401, 403, 422].contains(status) }

    /// The challenge that says that the token is good, and its scope is not enough (RFC 6750, section 3.1).
    var lacksScope: AuthenticateChallenge? {
        AuthenticateChallenge.parse(values(of: "WWW-Authenticate")).first {
            $0.scheme == "bearer" && $0.parameters["error"] == "insufficient_scope" && $0.repeated.isEmpty
        }
    }

    /// The members of a JSON error that hold a sentence, or an error that does, the most telling first; those of problem details alone
    /// (RFC 9457, section 3.1) mean something else in a response that is no error.
    private static let errorMembers = [
        "message", "msg", "error_description", "detail", "error", "errors", "reason", "title",
    ]
    private static let problemMembers = ["detail", "reason", "title"]

    /// The reason for a refusal in a JSON body (RFC 6749, section 5.2; RFC 9457): at the top level, or in the first of its errors.
    var errorText: String? {
        guard let value = body.withUnsafeBytes({ try? JSONReader.read($0) }) else { return nil }
        return errorText(in: value.elements?.first ?? value)
    }

    private func errorText(in value: JSONValue) -> String? {
        for name in Self.errorMembers where status >= 400 || !Self.problemMembers.contains(name) {
            guard let member = value.member(name) else { continue }
            let first = member.elements?.first ?? member
            if let text = first.string ?? errorText(in: first), !text.isEmpty { return text }
        }
        return nil
    }

    /// Recognizes the responses of nginx, Apache, Go and Tomcat to plain http on a port for TLS: all have status 400, and only
    /// their words tell.
    fileprivate var wantsTLS: Bool {
        let text = body.withUnsafeBytes { String(decoding: $0.prefix(4096), as: UTF8.self) }.lowercased()
        return ["to https port", "to an https server", "to an ssl-enabled server port", "requires tls"].contains {
            text.contains($0)
        }
    }
}
