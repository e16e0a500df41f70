/// The rule for sending the session with a request.
package struct SessionRule: Equatable, Sendable {
    /// Sent with every request.
    package var headers: [HeaderRule] = []
    /// Headers for requests that write: every verb but GET, HEAD, OPTIONS, PROPFIND and REPORT.
    package var writeHeaders: [HeaderRule] = []
    /// Whether the cookies are sent, as RFC 6265 has them match.
    package var cookies = false
    /// `nil` unless a token is sent as user name and password.
    package var basic: BasicRule?
    /// Added to a person's own requests whose body is a form.
    package var form: [RequestRule.Parameter] = []
    /// Added to a person's own requests whose body is a JSON object.
    package var json: [JSONTemplate.Member] = []
    /// Where `{csrf}` comes from; `nil` if no request has it.
    package var csrf: CSRFRule?

    /// The pair of RFC 7617, made from a token.
    package struct BasicRule: Equatable, Sendable {
        /// Filled in for each request, as a header's value is.
        package var username: Template
        /// The slot as text, such as `{token}`.
        package var password: Template

        /// As a profile writes them, with a colon between.
        package init(username: Template, password: Template) {
            self.username = username
            self.password = password
        }
    }

    /// Without `cookies` and headers: the credential itself.
    package init(cookies: Bool = false) {
        self.cookies = cookies
    }

    /// `Authorization: Bearer {token}` (RFC 6750, section 2.1).
    package static let bearer: SessionRule = {
        var rule = SessionRule()
        let value = Template(parts: [.text("Bearer "), .slot(.token)])
        rule.headers = [HeaderRule(name: "Authorization", value: value)]
        return rule
    }()

    /// Whether the credential itself is what is sent, be it with more where the request writes.
    package var isCredential: Bool { headers.isEmpty && !cookies && basic == nil && !bodySlots.contains(.token) }

    /// The headers of a request with this verb.
    package func headers(for method: String) -> [HeaderRule] {
        headers + (RequestRule.onlyReads(method) ? [] : writeHeaders)
    }

    /// Whether a request that writes carries cookies alone, which a page of somebody else's could have a browser send, too:
    /// many services refuse that (OWASP, Cross-Site Request Forgery Prevention).
    package func isForgeable(_ method: String) -> Bool {
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
    package func slots(for method: String) -> Set<Template.Slot> {
        Set(headers(for: method).flatMap(\.slots))
    }
}

/// One `Name: value`, as for curl's `-H`.
package struct HeaderRule: Equatable, Sendable {
    /// The field's name: what is filled in stands behind literal text.
    package var name: Template
    /// The value of the header.
    package var value: Template

    /// Checks nothing: `filled` looks at what goes into the slots, the transport at the whole line.
    package init(name: Template, value: Template) {
        self.name = name
        self.value = value
    }

    /// With a name that is sent as it is.
    package init(name: String, value: Template) {
        self.init(name: Template(literal: name), value: value)
    }

    /// Every slot in name and value.
    package var slots: [Template.Slot] { name.slots + value.slots }

    /// In lower case, with `…` for what is filled in, which no name has.
    package var shownName: String { name.shown.lowercased() }
}
