/// The rule for reading a response.
/// The defaults: every response is read by what is usual.
///
/// The names of its types and properties are part of `RequestRule.fingerprint`: after a new one, no verify is the one that a stored login
/// was accepted by. A property that is a place, or has some, belongs in `places`, too, or the body that it looks into is not read; one of a
/// session's belongs in `completed`.
package struct ResponseRule: Equatable, Sendable {
    /// The signs of a refusal; one must hold. `nil` means the request's default.
    var refused: [Condition]?
    /// The signs that the session has ended; for verify, instead of `refused`. `nil` means 401.
    var loggedOut: [Condition]?
    /// The responses other than 2xx that prove a login at verify; never a status that refuses or tells nothing.
    var loggedIn: [Condition]?
    /// The responses that mean 'no permission'; `nil` means 403 for verify, or a response that says so by itself
    /// (RFC 6750, section 3.1).
    var forbidden: [Condition]?
    /// The signs that a code or an approval is needed; checked after `forbidden`.
    var secondFactor: [Condition]?
    /// The signs that an approval on another device is still missing.
    var pending: [Condition]?
    /// Seconds after which a pending request is sent again.
    var interval = 5
    /// Where the server's own words are.
    var message: Place?
    /// Where the name of the account is. A response to verify without one proves nothing.
    package var username: Place?
    /// Where the token is; `nil` means that it is the whole JSON body.
    var token: Place?
    /// Where the refresh token is; the old one stays where an answer has none (RFC 6749, section 6).
    var refreshToken: Place?
    /// Where the end of the session is; `nil` for the end that a token or a cookie tells of itself.
    var expiry: Expiry?
    /// The values that later requests need from the response, by name.
    var taken: [Taken] = []

    /// A value of a response that later requests send, as `{NAME}`.
    struct Taken: Equatable, Sendable {
        /// The text between the braces.
        let name: String
        /// Where the response has it.
        let place: Place
    }

    /// Where the end of a session is told, and in what unit.
    enum Expiry: Equatable, Sendable {
        /// A date, or seconds of Unix time.
        case at(Place)
        case inSeconds(Place)
        case inMilliseconds(Place)
    }

    /// The statuses that `logged-in` cannot name: they refuse, or say nothing of the session.
    static func provesNoLogin(_ status: Int) -> Bool {
        [401, 403, 408, 429].contains(status) || (500..<600).contains(status)
    }

    /// Whether any of it looks into a JSON body.
    var readsJSON: Bool { places.contains { $0.body == .json } }

    /// Whether any of it looks into the forms or the text of an HTML page.
    var readsHTML: Bool { places.contains { $0.body == .html } }

    /// Whether any of it looks into an XML body.
    var readsXML: Bool { places.contains { $0.body == .xml } }

    /// Whether any of it looks into a body of whatever kind.
    var readsBody: Bool { places.contains(where: \.isInBody) }

    private var places: [Place] {
        let told = [refused, loggedOut, loggedIn, forbidden, secondFactor, pending]
        let conditions = told.flatMap { $0 ?? [] }
        let named: [Place?] = [message, username, token, refreshToken, expiry?.place]
        return named.compactMap { $0 } + conditions.flatMap { $0.places.map(\.place) } + taken.map(\.place)
    }
}

extension ResponseRule {
    /// The rule with another one's places of a session for those it lacks, such as that of `refresh` with those of `login`.
    func completed(by other: ResponseRule?) -> ResponseRule {
        var rule = self
        rule.token = token ?? other?.token
        rule.refreshToken = refreshToken ?? other?.refreshToken
        rule.expiry = expiry ?? other?.expiry
        rule.message = message ?? other?.message
        return rule
    }
}

extension ResponseRule.Expiry {
    /// Where it is told.
    var place: Place {
        switch self {
        case .at(let place), .inSeconds(let place), .inMilliseconds(let place): place
        }
    }
}

/// A condition on a response: a status, or places that must all hold a text of a certain form.
/// Without arguments it holds for every answer.
struct Condition: Equatable, Sendable {
    /// The code that it must have; `nil` for any.
    var status: Int?
    /// All of them must hold.
    var places: [PlacePattern] = []

    /// A place, and what must stand there.
    struct PlacePattern: Equatable, Sendable {
        /// Where it is looked for.
        let place: Place
        /// The form that the text must have; the empty one for a place that must be missing or empty.
        let pattern: TextPattern
    }
}

/// A text in which `*` stands for anything; the empty text stands for 'missing or empty'.
struct TextPattern: Equatable, Sendable {
    /// As the profile has it, stars included.
    let text: String

    /// Takes any text: each is a pattern.
    init(_ text: String) {
        self.text = text
    }

    /// - Parameter value: `nil` for a place that the answer does not have.
    func matches(_ value: String?) -> Bool {
        guard let value, !value.isEmpty else { return text.isEmpty || text == "*" && value != nil }
        let pieces = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
        var rest = Array(value.utf8)[...]
        guard pieces.count > 1 else { return Array(rest) == pieces[0] }
        guard rest.starts(with: pieces[0]) else { return false }
        rest = rest.dropFirst(pieces[0].count)
        for piece in pieces.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        let last = pieces[pieces.count - 1]
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }
}

extension ResponseRule {
    /// Whether an answer with this head may turn out to be anything but `passed`, so that its body is not to be shown yet.
    func mayConcern(_ head: HTTPResponse) -> Bool {
        // Whatever anonymous clients may get from verify, and a session that has ended.
        if (400..<500).contains(head.status) { return true }
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

extension BodyNeed {
    /// Whether something is looked for in the body of an answer with this head.
    func wants(bodyOf head: HTTPResponse) -> Bool {
        switch self {
        case .whole: true
        case .rules: !head.isStream
        case .page: head.mayBePage
        case .loginForm: head.mayBePage && head.judgesPasswords
        case .head: false
        }
    }
}

extension HTTPResponse {
    /// Whether it is a page, as it says, or as its body may show.
    var mayBePage: Bool { values(of: "Content-Type").isEmpty || isXML || isPage }

    /// Many servers call JSON something else, but not a file.
    fileprivate var mayBeJSON: Bool {
        guard let type = values(of: "Content-Type").first?.lowercased() else { return true }
        return type.contains("json") || type.hasPrefix("text/")
    }
}
