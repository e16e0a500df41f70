import Secrets

/// The cookies and form entries of a page, for the request that follows it.
struct PageVisit {
    /// All that hold after its answer.
    var cookies: [Cookie]
    /// The entries of the chosen form, beside the profile's own fields.
    let entries: EntryList
    let url: ParsedURL
    /// Path and query of the link that the request follows; `nil` if it follows none.
    var link: String?
}

extension ServiceClient {
    /// Fetches the page that a request has to come from, if it says so, and finds its form there.
    ///
    /// The page sees what the request itself would carry of the session, and nothing of a credential. Redirects are followed only
    /// where they end at the page itself, as those do by which servers find out whether cookies come back, or at a URL that no profile
    /// can name: else `Referer` and the form would be another page's than the profile names.
    func visitPage(
        of rule: RequestRule, _ values: SlotValues, _ session: Session?, carrying cookies: [Cookie] = []
    ) throws(LoginFault) -> PageVisit? {
        guard let page = rule.page else { return nil }
        var url = try URLParser.parsed(endpoint.base + page)
        var request = HTTPRequest(page: url)
        request.cookies = cookies
        if let session { try fromTemplate(try request.attach(session, profile.sessionRule, values)) }
        let target = try fromTemplate(try rule.url(base: endpoint.base, values))
        let response: HTTPResponse
        (response, url) = try arrived(request, at: url)
        if let fault = ParsedResponse(response: response, json: nil, origin: endpoint.origin).pageFault { throw fault }
        var entries = EntryList()
        if let names = rule.formNames(values) {
            let forms = try HTMLFormReader(url: url).page(response)
            entries = try forms.entries(of: rule, with: names, leadingTo: URLParser.parsed(target).path)
        }
        var visit = PageVisit(cookies: response.cookies, entries: entries, url: url)
        if rule.followsLink {
            let path = try URLParser.parsed(target).path
            visit.link = try HTMLFormReader(url: url).page(response).link(to: path)
            if visit.link == nil {
                throw .failure("the page \(SafeText.quoted(page)) has no link to \(SafeText.quoted(path)), or several")
            }
        }
        return visit
    }
}

extension ServiceClient {
    /// The response to whoever fetches a page with no more than these cookies.
    func page(_ page: String, carrying cookies: [Cookie]) throws(LoginFault) -> HTTPResponse {
        let url = try URLParser.parsed(endpoint.base + page)
        var request = HTTPRequest(page: url)
        request.cookies = cookies
        return try arrived(request, at: url).response
    }

    private static let mostRedirects = 3

    /// The page after redirects that set cookies and lead back to it, or to one with a member of its query that is one session's alone;
    /// else the response to the request itself.
    private func arrived(
        _ request: HTTPRequest, at page: ParsedURL
    ) throws(LoginFault) -> (response: HTTPResponse, url: ParsedURL) {
        let first = try plainly(request).response
        var response = first
        for _ in 0..<Self.mostRedirects {
            guard (300..<400).contains(response.status), let redirect = response.redirect, redirect.fault == nil,
                redirect.origin == page.origin, !response.cookies.isEmpty || redirect.target.namesSession
            else { break }
            var next = request
            (next.url, next.cookies) = (redirect.url, response.cookies)
            response = try plainly(next).response
            if redirect.target == page.target || redirect.target.namesSession, !(300..<400).contains(response.status) {
                return (response, try URLParser.parsed(redirect.url))
            }
        }
        return (first, page)
    }
}

extension URLParser {
    /// Parses `text`, and throws what is wrong with it as the error of the whole program.
    package static func parsed(_ text: String) throws(LoginFault) -> ParsedURL {
        let parser = try URLParser()
        return try fromUsage(try parser.parse(text))
    }
}

/// A response that is an HTML page.
struct ResponsePage {
    private(set) var body: HTMLBody
    let page: LoginPage
    private let url: ParsedURL

    /// - Parameter text: the URL that it came from.
    /// - Returns: `nil` for a response of another type.
    init?(_ response: HTTPResponse, at text: String) throws(LoginFault) {
        guard response.isPage else { return nil }
        url = try URLParser.parsed(text)
        let reader = try HTMLFormReader(url: url)
        page = try reader.page(response)
        body = HTMLBody(fields: page.fields, plainText: reader.plainText)
        body.encoding = page.encoding
    }

    /// Whether it has the form that `rule` sends, with its field for the password.
    func asksAgain(_ rule: RequestRule) -> Bool { page.asksAgain(rule) }

    /// The name of the first field for a password.
    var passwordField: String? {
        page.forms.flatMap(\.fields).first { $0.type == "password" && !$0.name.isEmpty }?.name
    }

    /// The part of a request that a form of the page contributes; `nil` if the page has no such form.
    func visit(
        by rule: RequestRule, _ values: SlotValues, at endpoint: ServiceEndpoint, carrying cookies: [Cookie]
    ) throws(LoginFault) -> PageVisit? {
        guard let names = rule.formNames(values), page.forms.contains(where: { $0.has(names) }) else { return nil }
        let target = try fromTemplate(try rule.url(base: endpoint.base, values))
        let path = String(target.dropFirst(endpoint.origin.description.utf8.count).prefix { $0 != "?" })
        return PageVisit(cookies: cookies, entries: try page.entries(of: rule, with: names, leadingTo: path), url: url)
    }
}

extension SlotValues {
    /// A header of the request may repeat a cookie of the page.
    mutating func take(from visit: PageVisit) {
        cookies = visit.cookies
        pageEntries = visit.entries
    }
}

extension HTTPRequest {
    /// Fetches a page, as a browser prefers it.
    init(page: ParsedURL) {
        self.init(method: "GET", url: page.text)
        headers = [HTTPRequestField(name: "Accept", value: Secret("text/html, */*;q=0.1"))]
    }

    /// Takes the page's cookies along, and says that it comes from there.
    mutating func follow(_ visit: PageVisit) {
        cookies = visit.cookies
        comeFrom(visit.url.origin, visit.url.text)
    }

    /// Adds `Origin` and `Referer`, which a guard against forged requests checks beside its token, over https above all: whoever
    /// sends such a token is taken for a browser.
    mutating func comeFromBrowser(_ rule: SessionRule, at origin: Origin) {
        guard rule.cookies, !rule.writeHeaders.isEmpty || rule.csrf != nil, !RequestRule.onlyReads(method) else {
            return
        }
        comeFrom(origin, "\(origin)/")
    }

    /// As a browser says it for a request to its own origin (RFC 6454, section 7; RFC 9110, section 10.1.3).
    private mutating func comeFrom(_ origin: Origin, _ referer: String) {
        for (name, value) in [("Origin", origin.description), ("Referer", referer)]
        where !headers.contains(where: { $0.hasName(name) }) {
            headers.append(HTTPRequestField(name: name, value: Secret(value)))
        }
    }
}
