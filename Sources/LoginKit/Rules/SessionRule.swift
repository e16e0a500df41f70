import Secrets

/// The rule for sending the session with a request.
/// Without `cookies` and headers: the credential itself.
package struct SessionRule: Equatable, Sendable {
    /// Sent with every request.
    var headers: [HeaderRule] = []
    /// Headers for requests that write: every verb but GET, HEAD, OPTIONS, PROPFIND and REPORT.
    var writeHeaders: [HeaderRule] = []
    /// Whether the cookies are sent, as RFC 6265 has them match.
    var cookies = false
    /// `nil` unless a token is sent as user name and password.
    package var basic: BasicRule?
    /// Added to a person's own requests whose body is a form.
    var form: [RequestRule.Parameter] = []
    /// Added to a person's own requests whose body is a JSON object.
    var json: [JSONTemplate.Member] = []
    /// Where `{csrf}` comes from; `nil` if no request has it.
    var csrf: CSRFRule?

    /// The pair of RFC 7617, made from a token.
    /// As a profile writes them, with a colon between.
    package struct BasicRule: Equatable, Sendable {
        /// Filled in for each request, as a header's value is.
        var username: Template
        /// The slot as text, such as `{token}`.
        var password: Template
    }

    /// `Authorization: Bearer {token}` (RFC 6750, section 2.1).
    static let bearer = SessionRule(headers: [
        HeaderRule(name: "Authorization", value: Template(parts: [.text("Bearer "), .slot(.token)]))
    ])

    /// Whether the credential itself is what is sent, be it with more where the request writes.
    package var isCredential: Bool { headers.isEmpty && !cookies && basic == nil && !bodySlots.contains(.token) }

    /// Whether the pair of every account has this user name.
    package func sendsAlways(_ username: String) -> Bool { basic?.username == Template(literal: username) }

    /// The headers of a request with this verb.
    func headers(for method: String) -> [HeaderRule] {
        headers + (RequestRule.onlyReads(method) ? [] : writeHeaders)
    }

    /// Whether a request that writes carries cookies alone, which a page of somebody else's could have a browser send, too:
    /// many services refuse that (OWASP, Cross-Site Request Forgery Prevention).
    func isForgeable(_ method: String) -> Bool {
        cookies && csrf == nil && writeHeaders.isEmpty && form.isEmpty && json.isEmpty && !RequestRule.onlyReads(method)
    }

    /// Every slot in any of its templates.
    package var slots: Set<Template.Slot> {
        var slots = Set((headers + writeHeaders).flatMap(\.slots))
        if let basic { slots.formUnion(basic.username.slots + basic.password.slots) }
        return slots.union(bodySlots)
    }

    private var bodySlots: [Template.Slot] { form.flatMap(\.value.slots) + json.flatMap(\.value.slots) }

    /// The slots in the headers of a request with this method.
    func slots(for method: String) -> Set<Template.Slot> {
        Set(headers(for: method).flatMap(\.slots))
    }
}

/// One `Name: value`, as for curl's `-H`. Checks nothing: `filled` looks at what goes into the slots, the transport at the whole line.
struct HeaderRule: Equatable, Sendable {
    /// The field's name: what is filled in stands behind literal text.
    var name: Template
    /// The value of the header.
    var value: Template
}

extension HeaderRule {
    /// With a name that is sent as it is.
    init(name: String, value: Template) {
        self.init(name: Template(literal: name), value: value)
    }

    /// Every slot in name and value.
    var slots: [Template.Slot] { name.slots + value.slots }

    /// In lower case, with `…` for what is filled in, which no name has.
    var shownName: String { name.shown.lowercased() }
}

/// Where a service hands out the value that guards against forged requests, for `{csrf}`.
struct CSRFRule: Equatable, Sendable {
    /// The response that has the value.
    var source: Source
    /// Where that answer has it.
    var value: Place

    /// The source of the value.
    enum Source: Equatable, Sendable {
        /// Path and query of a page, appended to the profile's `url`: fetched with the session before each request that needs it.
        case fetched(path: String, headers: [HeaderRule] = [])
        /// The answer to a request without the value, or with one that is out of date; one of them must hold.
        case told(by: [Condition])
    }

    /// The request for the value; `nil` if an answer tells it.
    var request: RequestRule? {
        guard case .fetched(let path, let headers) = source else { return nil }
        return RequestRule(method: "GET", path: Template(literal: path), headers: headers)
    }

    /// The answers that tell the value; none where it is fetched.
    var stale: [Condition] { if case .told(let conditions) = source { conditions } else { [] } }

    /// By which an answer is looked into: whether it tells the value, and where.
    var response: ResponseRule { ResponseRule(refused: stale, token: value) }
}

extension ParsedResponse {
    /// The value, if this is an answer that tells it.
    func told(by rule: CSRFRule) -> Secret? {
        matches(any: rule.stale) ? value(at: rule.value) : nil
    }
}

extension Profile {
    /// Whether an answer with this head may turn out to be anything but the person's, so that its body is not to be shown yet.
    package func mayConcern(_ head: HTTPResponse) -> Bool {
        var rules = proof.rules
        if let stale = session?.csrf?.stale { rules.loggedOut = (rules.loggedOut ?? []) + stale }
        return rules.mayConcern(head) || mayShowLogin(head)
    }

    /// Whether its body may have the form of the profile's login, for which verify is then asked.
    private func mayShowLogin(_ head: HTTPResponse) -> Bool {
        hasLoginForm && verify != nil && (200..<300).contains(head.status) && head.mayBePage
    }
}

extension SessionRule {
    /// The header lines with which `session` is sent, for programs that send it themselves: `Name: value`, one below the
    /// other, those for requests that write last.
    ///
    /// - Parameter values: of the session, and what its login issued for later requests.
    /// - Returns: `nil` if the session is sent in no header. A header with `{csrf}` is left out (`fetchedHeaders`).
    /// - Throws: what of the profile's templates cannot be filled in, or not in a header.
    func headerLines(_ session: Session, _ values: SlotValues) throws(FillFault) -> Secret? {
        let fields = try headerFields(session, values)
        return fields.isEmpty ? nil : fields.lines
    }

    /// The fields of those lines.
    package func headerFields(_ session: Session, _ values: SlotValues) throws(FillFault) -> [HTTPRequestField] {
        var fields: [HTTPRequestField] = []
        if let pair = try basicPair(session, values) {
            var text = SecretBuilder(limit: RequestRule.bodyLimit)
            text.appendBasic(pair.username, pair.password)
            fields.append(HTTPRequestField(name: "Authorization", value: try text.filled()))
        }
        if !values.cookies.isEmpty {
            fields.append(HTTPRequestField(name: "Cookie", value: values.cookies.headerValue))
        }
        // What the service tells or shows for each request can only be left out.
        for header in headers + writeHeaders where header.value.isWanted(values) {
            fields.append(try header.filled(values))
        }
        return fields
    }

    /// The names of the headers whose value is fetched for each request.
    package var fetchedHeaders: [String] {
        csrf?.request == nil ? [] : (headers + writeHeaders).filter { $0.value.slots.contains(.csrf) }.map(\.name.shown)
    }

    /// User name and password of RFC 7617: the credential itself, or the pair that is made of a token.
    /// - Returns: `nil` if the session is neither.
    /// - Throws: what of the profile's template cannot be filled in, or not in a header.
    package func basicPair(
        _ session: Session, _ values: SlotValues
    ) throws(FillFault) -> (username: Secret, password: Secret)? {
        switch session {
        case .credential(let credential):
            return credential.password.map { (Secret(credential.username ?? ""), $0) }
        case .cookies:
            return nil
        case .token:
            guard let pair = basic else { return nil }
            return (try pair.username.filled(values, .header), try pair.password.filled(values, .header))
        }
    }

    /// The scheme of the header `Authorization` and what follows it (RFC 9110, section 11.4).
    /// - Returns: `nil` if a token is sent in another header.
    /// - Throws: what of the profile's template cannot be filled in, or not in a header.
    package func authorization(
        _ session: Session, _ values: SlotValues
    ) throws(FillFault) -> (scheme: String, value: Secret)? {
        guard case .token = session,
            let header = headers.first(where: { $0.shownName == "authorization" })
        else { return nil }
        let line = try header.value.filled(values, .header)
        return line.withUnsafeBytes { bytes in
            guard let blank = bytes.firstIndex(of: UInt8(ascii: " ")), blank > 0 else { return nil }
            let value = Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[(blank + 1)...]))
            return (String(decoding: bytes[..<blank], as: UTF8.self), value)
        }
    }
}

extension [HTTPRequestField] {
    /// `Name: value`, one below the other.
    package var lines: Secret {
        let pieces: [Secret] = flatMap { [Secret("\n"), Secret("\($0.name): "), $0.value] }
        return Secret(joining: Array<Secret>(pieces.dropFirst()))
    }
}

extension SlotValues {
    /// The slot values of a request that carries `session`.
    /// - Parameter extraSecrets: beside it, above all what the login issued for later requests.
    package init(_ session: Session, username: String, _ extraSecrets: [CredentialField: Secret] = [:]) {
        self.init()
        self.username = username
        self.extraSecrets = extraSecrets
        cookies = session.cookies
        if case .token(let token) = session { (self.token, refreshToken) = (token.value, token.refreshToken) }
    }
}

extension String {
    /// A token of RFC 9110, section 5.6.2.
    var isHeaderName: Bool { !isEmpty && utf8.allSatisfy(\.isTokenCharacter) }
}
