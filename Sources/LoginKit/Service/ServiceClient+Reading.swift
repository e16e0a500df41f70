import LoginCore
import Secrets

extension ServiceClient {
    /// How a response is read.
    struct Reading {
        let rule: ResponseRule
        /// Any response to a session may tell it what guards the next request.
        let told: CSRFRule?
        let request: RequestRule
        /// Whether it is a page to its readers even where the rules do not ask for that.
        let wantsPage: Bool

        func wants(_ kind: KeyPath<ResponseRule, Bool>) -> Bool {
            rule[keyPath: kind] || told.map { !$0.stale.isEmpty && $0.response[keyPath: kind] } == true
        }
    }

    func read(
        _ sent: Sent, to request: HTTPRequest, by reading: Reading, after visit: PageVisit?
    ) throws(LoginFault) -> Reply {
        let rule = reading.request, response = sent.response, readsHTML = reading.wants(\.readsHTML)
        var page = reading.wantsPage || readsHTML ? try ResponsePage(response, at: request.url) : nil
        let sendsPassword = rule.slots.contains(.password)
        // A step before the password may show the form for the first time.
        let looksForLogin =
            sendsPassword
            || RequestRule.onlyReads(rule.method) && profile.hasLoginForm && !profile.loginSteps.contains(rule)
        if page == nil, looksForLogin, response.judgesPasswords { page = readable(response, at: request.url) }
        let asksAgain = try page.map { (page) throws(LoginFault) in
            sendsPassword ? page.asksAgain(rule) : looksForLogin ? try offersLogin(page.page) : false
        }
        let facts = ParsedResponse(
            response: response, json: reading.wants(\.readsJSON) ? try json(of: response) : nil,
            html: readsHTML ? page?.body : nil, xml: reading.wants(\.readsXML) ? try response.xml() : nil,
            origin: endpoint.origin, isProven: sent.isProven,
            wrote: !RequestRule.onlyReads(request.method), asksAgain: asksAgain ?? false,
            asksForCode: page?.page.asksForCode ?? false)
        return Reply(facts: facts, visit: rule.page == nil ? nil : visit, page: page, url: request.url)
    }

    /// The body of a success must be read beyond doubt. Another status says enough by itself.
    private func json(of response: HTTPResponse) throws(LoginFault) -> JSONValue? {
        (200..<300).contains(response.status) ? try response.json() : response.looseJSON
    }

    /// Follows redirects on the origin by GET, with the cookies that hold by then, until a response says what its rules look for.
    /// A redirect that would send the body again (307, 308) is judged like any response.
    func following(_ first: Reply, by reading: Reading) throws(LoginFault) -> Reply {
        var reply = first
        for _ in 0..<Self.mostRedirects {
            let rule = reading.rule, facts = reply.facts
            let isJudged = [rule.refused, rule.forbidden, rule.secondFactor, rule.pending].contains {
                facts.matches(any: $0 ?? [])
            }
            guard [301, 302, 303].contains(facts.status), !isJudged, let redirect = facts.response.redirect,
                redirect.fault == nil, redirect.origin == endpoint.origin
            else { return reply }
            var request = HTTPRequest(method: "GET", url: redirect.url)
            (request.cookies, request.hidden) = (facts.response.cookies, hidden)
            reply = try read(try plainly(request), to: request, by: reading, after: first.visit)
        }
        throw .network(.redirectLoop(limit: Self.mostRedirects))
    }

    private static let mostRedirects = 5
}

extension HTTPResponse {
    /// The body; `nil` also for what is no clear JSON, which then has no place that a rule could name.
    var looseJSON: JSONValue? {
        do throws(LoginFault) { return try json() } catch { return nil }
    }
}
