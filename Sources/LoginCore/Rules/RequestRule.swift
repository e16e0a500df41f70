import Secrets

/// One of a profile's requests, and how its answer is read.
package struct RequestRule: Equatable, Sendable {
    /// The largest body that a template may grow to, in bytes.
    package static let bodyLimit = 1 << 20

    /// The longest URL, in bytes.
    static let urlLimit = 16 << 10

    /// The method of HTTP, sent as it is.
    package var method: String
    /// Path and query as written, appended to the profile's `url`.
    package var path: Template
    /// Appended to the path's own query, in this order.
    package var query: [Parameter] = []
    /// Beside those of the session.
    package var headers: [HeaderRule] = []
    /// The body.
    package var content: Content = .none
    /// Path and query of a page that is fetched first, appended to the profile's `url`.
    package var page: String?
    /// Whether it is the page's link to `path` that is followed, with the query that it has there.
    package var followsLink = false
    /// Whether a redirect of the response is followed on its origin, as browsers do (RFC 9110, section 15.4).
    package var followsRedirects = false
    /// The page to open after this response, where a person approves the login.
    package var opens: OpenedPage?
    /// The rule for reading the response.
    package var response: ResponseRule

    /// A page for a person.
    package struct OpenedPage: Equatable, Sendable {
        /// The whole URL.
        package var url: Template
        /// Where the page may be beside the profile's own origin, without a question: as a person wrote them.
        package var origins: [String]

        package init(url: Template, origins: [String]) { (self.url, self.origins) = (url, origins) }
    }

    /// A name and its value, in a query or a form.
    package struct Parameter: Equatable, Sendable {
        /// A literal name; percent-encoded when it is sent.
        package var name: String
        /// Filled in and percent-encoded. Where it holds a `{ttl}` that was not asked for, all of it is left out.
        package var value: Template

        /// - Parameter name: as it is, before any encoding.
        package init(name: String, value: Template) {
            self.name = name
            self.value = value
        }
    }

    /// The body, with the `Content-Type` that is sent unless a header of the rule names another.
    package enum Content: Equatable, Sendable {
        case none
        case form([Parameter])
        case json(JSONTemplate)
        /// Sent as it is.
        case body(String)
    }

    /// Without more: a request without a body, whose answer is read by what is usual.
    package init(method: String, path: Template, response: ResponseRule = ResponseRule()) {
        self.method = method
        self.path = path
        self.response = response
    }

    /// Whether the verb changes nothing, so that no write header is sent.
    package static func onlyReads(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"].contains(method)
    }

    /// Every slot in any of its templates.
    package var slots: Set<Template.Slot> {
        Set(slotsOutsideBodies + bodySlots)
    }

    /// The slots that get into the URL or a header.
    package var slotsOutsideBodies: [Template.Slot] { urlSlots + headers.flatMap(\.slots) }

    /// The slots that get into the URL.
    package var urlSlots: [Template.Slot] { path.slots + query.flatMap(\.value.slots) }

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
    package func request(base: String, _ values: SlotValues) throws(FillFault) -> HTTPRequest {
        var request = HTTPRequest(method: method, url: try url(base: base, values))
        if !path.slots.isEmpty { request.shownPath = path.shown }
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
    package func url(base: String, _ values: SlotValues) throws(FillFault) -> String {
        var builder = SecretBuilder(limit: Self.urlLimit)
        try builder.write(base)
        try path.fill(values, .path, into: &builder)
        var hasQuery = path.parts.contains { if case .text(let text) = $0 { text.contains("?") } else { false } }
        for parameter in query where parameter.value.isWanted(values) {
            try builder.write(hasQuery ? "&" : "?")
            try parameter.fill(values, .query, into: &builder)
            hasQuery = true
        }
        return builder.finish().unprotectedText
    }

    private func body(_ values: SlotValues) throws(FillFault) -> (type: String, body: Secret)? {
        var builder = SecretBuilder(limit: Self.bodyLimit)
        switch content {
        case .none:
            return nil
        case .form(let parameters):
            for (index, parameter) in parameters.filter({ $0.value.isWanted(values) }).enumerated() {
                if index > 0 { try builder.write("&") }
                try parameter.fill(values, .form, into: &builder)
            }
            let body = try values.pageEntries.body(with: builder.finish(), limit: Self.bodyLimit)
            return ("application/x-www-form-urlencoded", body)
        case .json(let value):
            try value.fill(values, into: &builder)
            return ("application/json", builder.finish())
        case .body(let text):
            try builder.write(text)
            return ("text/plain; charset=utf-8", builder.finish())
        }
    }
}

extension RequestRule.Parameter {
    func fill(
        _ values: SlotValues, _ escaping: Escaping, into builder: inout SecretBuilder
    ) throws(FillFault) {
        try builder.write(Secret(name), escaping.text)
        try builder.write("=")
        try value.fill(values, escaping, into: &builder)
    }
}

extension HeaderRule {
    /// The header with every slot filled in.
    /// - Throws: `missing`, `notForHeader`, `notForHeaderName` or `tooLong`, beyond `RequestRule.bodyLimit`.
    package func filled(_ values: SlotValues) throws(FillFault) -> HTTPRequestField {
        let filledName = try name.filled(values, .header).unprotectedText
        if let slot = name.slots.first, !filledName.isHeaderName { throw .notForHeaderName(slot) }
        return HTTPRequestField(name: filledName, value: try value.filled(values, .header))
    }
}
