import Secrets

/// One of a profile's requests, and how its answer is read.
/// Without more: a request without a body, whose answer is read by what is usual.
package struct RequestRule: Equatable, Sendable {
    /// The largest body that a template may grow to, in bytes.
    package static let bodyLimit = 1 << 20

    /// The longest URL, in bytes.
    private static let urlLimit = 16 << 10

    /// The method of HTTP, sent as it is.
    var method: String
    /// Path and query as written, appended to the profile's `url`.
    var path: Template
    /// Appended to the path's own query, in this order.
    var query: [Parameter] = []
    /// Beside those of the session.
    var headers: [HeaderRule] = []
    /// The body.
    var content: Content = .none
    /// Path and query of a page that is fetched first, appended to the profile's `url`.
    var page: String?
    /// Whether it is the page's link to `path` that is followed, with the query that it has there.
    var followsLink = false
    /// Whether a redirect of the response is followed on its origin, as browsers do (RFC 9110, section 15.4).
    var followsRedirects = false
    /// The page to open after this response, where a person approves the login.
    var opens: OpenedPage?
    /// The rule for reading the response.
    package var response = ResponseRule()

    /// A page for a person.
    struct OpenedPage: Equatable, Sendable {
        /// The whole URL.
        var url: Template
        /// Where the page may be beside the profile's own origin, without a question: as a person wrote them.
        var origins: [String]
    }

    /// A name and its value, in a query or a form.
    struct Parameter: Equatable, Sendable {
        /// A literal name; percent-encoded when it is sent.
        var name: String
        /// Filled in and percent-encoded. Where it holds a `{ttl}` that was not asked for, all of it is left out.
        var value: Template
    }

    /// The body, with the `Content-Type` that is sent unless a header of the rule names another.
    enum Content: Equatable, Sendable {
        case none
        case form([Parameter])
        case json(JSONTemplate)
        /// Sent as it is.
        case body(String)
    }

    /// Whether the verb changes nothing, so that no write header is sent.
    static func onlyReads(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"].contains(method)
    }

    /// A hash of the request and its rules as they are written (FNV-1a), to tell whether the profile's verify has changed. A header may
    /// have something to hide.
    var fingerprint: String {
        let text = "\(method) \(path) \(query) \(headers) \(content) \(response)"
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// Every slot in any of its templates.
    var slots: Set<Template.Slot> {
        Set(slotsOutsideBodies + bodySlots)
    }

    /// The slots that get into the URL or a header.
    var slotsOutsideBodies: [Template.Slot] { urlSlots + headers.flatMap(\.slots) }

    /// The slots that get into the URL.
    var urlSlots: [Template.Slot] { path.slots + query.flatMap(\.value.slots) }

    private var bodySlots: [Template.Slot] {
        switch content {
        case .none, .body: []
        case .form(let parameters): parameters.flatMap(\.value.slots)
        case .json(let value): value.slots
        }
    }
}

extension RequestRule {
    /// The request, with every template filled in.
    /// - Parameter base: origin and base path, without a slash at the end.
    func request(base: String, _ values: SlotValues) throws(FillFault) -> HTTPRequest {
        var request = HTTPRequest(method: method, url: try url(base: base, values))
        if !path.slots.isEmpty { request.shownURL = base + path.shown }
        for header in headers where header.value.isWanted(values) {
            request.headers.append(try header.filled(values))
        }
        if let (type, body) = try body(values) {
            request.body = body
            if !headers.contains(where: { $0.shownName == "content-type" }) {
                request.headers.append(HTTPRequestField(name: "Content-Type", value: Secret(type)))
            }
        }
        return request
    }

    /// Path and query appended to `base`, which is as for the request.
    func url(base: String, _ values: SlotValues) throws(FillFault) -> String {
        var builder = SecretBuilder(limit: Self.urlLimit)
        builder.append(base)
        try path.fill(values, .path, into: &builder)
        var hasQuery = path.parts.contains { if case .text(let text) = $0 { text.contains("?") } else { false } }
        for parameter in query where parameter.value.isWanted(values) {
            builder.append(hasQuery ? "&" : "?")
            try parameter.fill(values, .query, into: &builder)
            hasQuery = true
        }
        return try builder.filled().unprotectedText
    }

    private func body(_ values: SlotValues) throws(FillFault) -> (type: String, body: Secret)? {
        var builder = SecretBuilder(limit: Self.bodyLimit)
        switch content {
        case .none:
            return nil
        case .form(let parameters):
            for (index, parameter) in parameters.filter({ $0.value.isWanted(values) }).enumerated() {
                if index > 0 { builder.append("&") }
                try parameter.fill(values, .form, into: &builder)
            }
            let body = try values.pageEntries.body(with: builder.filled(), limit: Self.bodyLimit)
            return ("application/x-www-form-urlencoded", body)
        case .json(let value):
            try value.fill(values, into: &builder)
            return ("application/json", try builder.filled())
        case .body(let text):
            builder.append(text)
            return ("text/plain; charset=utf-8", try builder.filled())
        }
    }
}

extension RequestRule.Parameter {
    func fill(
        _ values: SlotValues, _ escaping: Escaping, into builder: inout SecretBuilder
    ) throws(FillFault) {
        builder.append(name, escaping.text)
        builder.append("=")
        try value.fill(values, escaping, into: &builder)
    }
}

extension HeaderRule {
    /// The header with every slot filled in.
    /// - Throws: `missing`, `notForHeader`, `notForHeaderName` or `tooLong`, beyond `RequestRule.bodyLimit`.
    func filled(_ values: SlotValues) throws(FillFault) -> HTTPRequestField {
        let filledName = name.slots.isEmpty ? name.shown : try name.filled(values, .header).unprotectedText
        if let slot = name.slots.first, !filledName.isHeaderName { throw .notForHeaderName(slot) }
        return HTTPRequestField(name: filledName, value: try value.filled(values, .header))
    }
}

extension RequestRule {
    /// The same request as somebody would send it who has nothing to fill in yet: slots are empty, and headers that
    /// hold one are left out. What is no secret and known beforehand, `{ttl}`, stays.
    var anonymous: RequestRule {
        var rule = self
        rule.path = path.emptied
        rule.query = query.map(\.emptied)
        rule.headers = headers.filter { $0.value == $0.value.emptied && $0.name.slots.isEmpty }
        switch content {
        case .none, .body: break
        case .form(let parameters): rule.content = .form(parameters.map(\.emptied))
        case .json(let value): rule.content = .json(value.emptied)
        }
        return rule
    }
}

extension Template {
    fileprivate var emptied: Template {
        Template(
            parts: parts.filter { part in
                switch part {
                case .text, .slot(.ttl): true
                case .slot, .decoded: false
                }
            })
    }
}

extension RequestRule.Parameter {
    fileprivate var emptied: RequestRule.Parameter { RequestRule.Parameter(name: name, value: value.emptied) }
}

extension JSONTemplate {
    fileprivate var emptied: JSONTemplate {
        switch self {
        case .null, .bool, .integer, .number: self
        case .string(let template): .string(template.emptied)
        case .array(let elements): .array(elements.map(\.emptied))
        case .object(let members): .object(members.map { Member(name: $0.name, value: $0.value.emptied) })
        }
    }
}

/// The response of verify without a login, as far as it is compared with the response to one. Nothing of it is secret.
package struct AnonymousResponse: Equatable, Sendable {
    /// The status code of HTTP; never one that says nothing (408, 429, 5xx but 501).
    let status: Int
    /// With its origin if that is another one; `nil` without a redirect.
    let location: String?
    /// The media type of its body (RFC 9110, section 8.3.1), in lower case; `nil` in a record of 1.0.0, as the challenges.
    let contentType: String?
    /// The scheme and realm of each of its challenges.
    let challenges: [String]?
    /// Whether a rule of the profile, or the form of its login, refuses in it.
    let isRefusedByRule: Bool
    /// The user name that it shows, as to a guest; `nil` in a refusal, which may show the last user.
    let name: String?
    /// The responses to the cookies that anybody gets before a login, and to made-up ones; empty where nobody gets any. Many services
    /// answer any cookie in another way than none.
    private(set) var withCookies: [AnonymousResponse] = []

    /// In bytes: it is remembered.
    private static let longestLocation = 2000, longestName = 200, mostChallenges = 8

    /// - Parameter rule: by which verify is read.
    /// - Returns: `nil` for a response that is of no use for this.
    init?(_ facts: ParsedResponse, readBy rule: ResponseRule) {
        guard facts.status >= 200, !facts.response.saysNothing else { return nil }
        let location = facts.locationPath
        let isUsable = facts.response.redirect?.fault == nil && location?.utf8.count ?? 0 <= Self.longestLocation
        guard isUsable else { return nil }
        (status, self.location, contentType) = (facts.status, location, facts.response.mediaType)
        challenges = Array(facts.challenges.map(\.spaceName).prefix(Self.mostChallenges))
        isRefusedByRule = facts.matches(any: rule.loggedOut ?? []) || facts.showsLogin(rule, .verify)
        let name = facts.isSuccess && !isRefusedByRule ? rule.username.flatMap { facts.name(at: $0) } : nil
        self.name = name.flatMap { $0.utf8.count <= Self.longestName ? $0 : nil }
    }

    /// The same, beside the responses to cookies that prove no login.
    func with(_ others: [AnonymousResponse?]) -> AnonymousResponse {
        var both = self
        both.withCookies = others.compactMap(\.self)
        return both
    }

    /// Whether a response is what an anonymous client gets, and may mean 'logged out'. A 401 says so without it, and what lets everybody
    /// in says nothing.
    func meansLoggedOut(_ facts: ParsedResponse) -> Bool {
        facts.status >= 300 && facts.status != 401 && includes(facts)
    }

    /// Whether a response is what an anonymous client gets, as far as this goes.
    func includes(_ facts: ParsedResponse) -> Bool { all.contains { $0.isSame(as: facts) } }

    private func isSame(as facts: ParsedResponse) -> Bool {
        facts.status == status && facts.locationPath == location
            && (contentType == nil || contentType == facts.response.mediaType)
    }

    /// Each way in which anonymous clients are answered.
    var all: [AnonymousResponse] { [self] + withCookies }
}

extension AnonymousResponse: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FormKey.self)
        status = try container.decode(Int.self, forKey: "status")
        location = try container.decodeIfPresent(String.self, forKey: "location")
        contentType = try container.decodeIfPresent(String.self, forKey: "contentType")
        challenges = try container.decodeIfPresent([String].self, forKey: "challenges")
        isRefusedByRule = try container.decodeIfPresent(Bool.self, forKey: "refusedByRule") ?? false
        name = try container.decodeIfPresent(String.self, forKey: "name")
        withCookies = try container.decodeIfPresent([AnonymousResponse].self, forKey: "withCookies") ?? []
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FormKey.self)
        try container.encode(status, forKey: "status")
        try container.encodeIfPresent(location, forKey: "location")
        try container.encodeIfPresent(contentType, forKey: "contentType")
        try container.encodeIfPresent(challenges, forKey: "challenges")
        if isRefusedByRule { try container.encode(true, forKey: "refusedByRule") }
        try container.encodeIfPresent(name, forKey: "name")
        if !withCookies.isEmpty { try container.encode(withCookies, forKey: "withCookies") }
    }
}

extension HTTPResponse {
    /// The media type of the body, without its parameters and in lower case; empty where the response does not say it.
    var mediaType: String {
        (values(of: "Content-Type").first ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
    }
}

extension AuthenticateChallenge {
    /// The protection space that it is for: the scheme and the realm.
    var spaceName: String { realm.map { "\(scheme) \($0)" } ?? scheme }

    /// Whether a password answers it.
    var takesPassword: Bool { scheme == "basic" || scheme == "digest" }

    /// Whether a person's own credential answers it, and no token.
    var takesCredential: Bool { HTTPScheme(rawValue: scheme) != nil || scheme == "ntlm" }
}

extension ParsedResponse {
    /// The path that the answer leads to, behind its origin if that is another one.
    var locationPath: String? {
        guard response.isRedirect, let redirect = response.redirect else { return nil }
        let target = foreignRedirect == nil ? redirect.target : redirect.url
        return String(target.prefix { $0 != "?" && $0 != "#" })
    }
}
