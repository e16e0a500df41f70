public import Secrets

/// One answer, opened up so that rules can look into it.
public struct ParsedResponse {
    /// The answer as it came.
    public let response: HTTPResponse
    /// The body, if it is JSON.
    public let json: JSONValue?
    private let origin: Origin
    /// Whether the answer itself proves that the server knows the credential and took it for good.
    private let isProven: Bool
    /// Whether the request was one that writes, which 307 and 308 ask for again elsewhere.
    private let wrote: Bool

    /// - Parameters:
    ///   - json: the body; nothing where it is none, or where no rule looks into it.
    ///   - origin: where the request went.
    ///   - isProven: whether the answer itself proves that the server knows the credential.
    ///   - wrote: whether the request's verb is one that writes.
    public init(
        response: HTTPResponse, json: JSONValue?, origin: Origin, isProven: Bool = false, wrote: Bool = true
    ) {
        self.wrote = wrote
        self.response = response
        self.json = json
        self.origin = origin
        self.isProven = isProven
    }

    /// The status code of the answer.
    public var status: Int { response.status }

    /// Where the answer points to, if that is another origin.
    public var foreignRedirect: Redirect? {
        guard let redirect = response.redirect, redirect.origin != origin else { return nil }
        return redirect
    }

    /// What stands at a place, as text. `Location` on the same origin is read as path and query.
    public func text(at place: Place) -> String? {
        switch place {
        case .json(let pointer):
            return json?[pointer]?.text
        case .header(let name):
            if name.lowercased() == "location", let redirect = response.redirect {
                return redirect.origin == origin ? redirect.target : redirect.url
            }
            return response.values(of: name).first
        case .cookie(let name):
            return response.cookies.first { $0.name == name }?.value.unprotectedText
        }
    }

    /// What stands at a place, as a secret that came from the server.
    public func secret(at place: Place) -> Secret? {
        if case .cookie(let name) = place { return response.cookies.first { $0.name == name }?.value }
        return text(at: place).map { Secret($0) }
    }

    /// Whether the status, if one is named, and every place are as the condition has them.
    public func matches(_ condition: Condition) -> Bool {
        (condition.status == nil || condition.status == status)
            && condition.places.allSatisfy { $0.pattern.matches(text(at: $0.place)) }
    }

    /// Whether one of them holds; of none, none does.
    public func matches(any conditions: [Condition]) -> Bool {
        conditions.contains { matches($0) }
    }
}

/// What the verify endpoint, or a login, said.
public enum Judgement: Equatable, Sendable {
    case accepted
    case refused(Refusal)
    case forbidden(Refusal)
    /// What was sent is good, and a code or an approval is needed; with the server's own words.
    case needsSecondFactor(words: String?)
    /// An approval on another device is still waited for.
    case pending
    /// Neither yes nor no: why.
    case unclear(LoginError)
}

/// Which request an answer belongs to, for the defaults of its rules and for messages.
public enum Step: String, Equatable, Sendable {
    case login, verify, refresh, logout
    /// The page that is fetched before a request.
    case page
}

extension ParsedResponse {
    /// Reads the answer as the rules have it. What the profile says goes before what is usual, and `forbidden` before
    /// refusals: a profile that counts 403 among `logged-out` need not take it out of `forbidden`.
    /// - Parameter anonymous: what verify is known to answer without a login.
    public func judged(by rule: ResponseRule, at step: Step, anonymous: AnonymousResponse? = nil) -> Judgement {
        let refusal = Refusal(status: status, words: words(rule))
        let refused = step == .verify ? rule.loggedOut : rule.refused
        if matches(any: rule.forbidden ?? []) { return .forbidden(refusal) }
        if matches(any: rule.secondFactor ?? []) { return .needsSecondFactor(words: refusal.words) }
        if matches(any: rule.pending ?? []) { return .pending }
        if matches(any: refused ?? []) { return .refused(refusal) }
        if rule.forbidden == nil, refused == nil, let forbidden = toldForbidden(refusal) {
            return .forbidden(forbidden)
        }
        if isAnonymous(anonymous, rule, step) { return .refused(refusal) }
        if rule.forbidden == nil, matches(any: step.usuallyForbidden) { return .forbidden(refusal) }
        if refused == nil, matches(any: step.usuallyRefused(status)) { return .refused(refusal) }
        if let unclear = unclear(rule, step), !isNamedLogin(rule, step) { return .unclear(unclear) }
        if step == .verify, let place = rule.username, text(at: place)?.isEmpty ?? true { return .refused(refusal) }
        return .accepted
    }

    /// Whether the profile says that this answer proves a login, whatever its status says by itself.
    private func isNamedLogin(_ rule: ResponseRule, _ step: Step) -> Bool {
        step == .verify && !ResponseRule.provesNoLogin(status) && matches(any: rule.loggedIn ?? [])
    }

    /// The server's own words, where the profile says they are.
    public func words(_ rule: ResponseRule) -> String? {
        rule.message.flatMap { text(at: $0) } ?? lacksScope?.parameters["error_description"]
    }

    private var lacksScope: AuthenticateChallenge? {
        AuthenticateChallenge.parse(response.values(of: "WWW-Authenticate")).first {
            $0.scheme == "bearer" && $0.parameters["error"] == "insufficient_scope"
        }
    }

    /// An answer that by itself tells a good credential without rights from a wrong one: it carries the server's proof of the
    /// credential, or a Bearer challenge that says so (RFC 6750, section 3.1).
    func toldForbidden(_ refusal: Refusal) -> Refusal? {
        guard status == 401 || status == 403 else { return nil }
        return isProven || lacksScope != nil ? refusal : nil
    }

    private func unclear(_ rule: ResponseRule, _ step: Step) -> LoginError? {
        switch status {
        case 200..<300:
            return nil
        case 300..<400:
            return unclearRedirect(step)
        case 429, 500..<600:
            return .busy(BusyFault(status: status, retryAfter: response.retryAfter, words: words(rule)))
        case 400 where origin.scheme == "http" && response.wantsTLS:
            return .network(.notHTTP)
        default:
            return .failure(.unexpectedStatus(status, step: step.rawValue, words: words(rule)))
        }
    }

    /// A login form usually ends in a redirect, and what that means only verify can tell. A redirect that would have the
    /// body sent again elsewhere is not one of those.
    private func unclearRedirect(_ step: Step) -> LoginError? {
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
    /// `Retry-After` in seconds (RFC 9110, section 10.2.3). A date counts from the answer's own `Date`, so that no clock but
    /// the server's matters.
    public var retryAfter: Int? {
        guard let text = values(of: "Retry-After").first else { return nil }
        if let seconds = Int(text) { return seconds >= 0 ? seconds : nil }
        guard let then = HTTPDate(text), let now = values(of: "Date").first.flatMap({ HTTPDate($0) }) else {
            return nil
        }
        return Int(max(then.seconds - now.seconds, 0))
    }
}

extension Step {
    /// 423 tells of a locked account wherever it comes (the word is of RFC 4918, section 11.3).
    var usuallyForbidden: [Condition] {
        switch self {
        case .verify: [Condition(status: 403), Condition(status: 423)]
        case .login: [Condition(status: 423)]
        case .refresh, .logout, .page: []
        }
    }

    func usuallyRefused(_ status: Int) -> [Condition] {
        switch self {
        case .login, .verify: [Condition(status: 401)]
        case .refresh: (400..<500).contains(status) && status != 408 && status != 429 ? [Condition(status: status)] : []
        case .logout, .page: []
        }
    }
}
