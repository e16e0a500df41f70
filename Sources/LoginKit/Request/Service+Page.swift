import LoginCore
import Secrets

extension Service {
    /// Fetches a page with the session, and makes of a person's own request what a browser sends of the form there that leads to
    /// its URL: with the fields of the form beside those of the request, the page's cookies, and `Origin` and `Referer`.
    /// - Parameters:
    ///   - page: the URL of the page; no redirect is followed.
    ///   - session: `nil` for an anonymous request.
    /// - Returns: the session with what the page has refreshed in it.
    /// - Throws: `noSuchForm` also for a response that leads to a login or that is no page, so that verify is asked.
    func fill(
        _ request: inout HTTPRequest, fromPage page: String, with session: Session?, username: String
    ) throws(LoginFault) -> Session? {
        let url = try URLParser.parsed(page)
        let relayed = try relay(HTTPRequest(page: url), with: session, username: username)
        let response = relayed.response
        let facts = ParsedResponse(response: response, json: nil, origin: endpoint.origin)
        if !(300..<400).contains(response.status), let fault = facts.pageFault { throw fault }
        let wanted = try URLParser.parsed(request.url)
        guard let found = client.readable(response, at: url.text)?.page else {
            throw .failure(.noSuchForm(page: url.target, fields: [], found: 0))
        }
        let (target, body) = try found.submission(leadingTo: wanted.target, filled: request.body ?? Secret(""))
        (request.url, request.body) = ("\(wanted.origin)\(target)", body)
        request.follow(PageVisit(cookies: response.cookies, entries: EntryList(), url: url))
        return relayed.session
    }
}
