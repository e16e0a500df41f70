/// The way to what is looked at without a login.
package protocol DiscoveryTransport: MetadataTransport {
    /// The response as a page; `nil` if it is none.
    /// - Throws: `answerTooLarge` for one that is longer than what is read of a page.
    func page(_ response: HTTPResponse, at url: EndpointURL) throws(LoginFault) -> LoginPage?
}

/// Looks for the login of a URL by GET requests without credentials: at the challenges there, the metadata that they lead to, the
/// forms of pages, and what a page that lets anonymous clients in links to. No path is guessed but the well-known ones.
package final class Discovery: MetadataTransport {
    /// Requests in all, redirects and metadata among them: six for the URL itself, and five for metadata.
    package static let mostRequests = 12
    private static let mostRedirects = 5
    /// The time limit of a search, in seconds.
    private static let patience: Int64 = 60

    let start: EndpointURL
    private let transport: any DiscoveryTransport
    let rule: EndpointRule
    private let clock: WallClock
    private var requests = 0
    /// The cookies of this search, for its own origin: a page may refuse whoever brings none back.
    private var cookies: [Cookie] = []
    private var origins: [Origin]
    private var first: DiscoveryVisit?
    var seen: [Sighting] = []
    /// The service's description of itself, once it was read.
    var description: APIDescription?
    /// The names of the services.
    package private(set) var names: [String] = []

    /// - Parameter rule: which URLs of others may be asked.
    package init(_ url: EndpointURL, over transport: any DiscoveryTransport, rule: EndpointRule, clock: WallClock) {
        start = url
        self.transport = transport
        self.rule = rule
        self.clock = clock
        origins = [url.origin]
    }

    /// Asks the URL itself, and follows redirects on its origin, before anything secret is sent.
    /// - Returns: path and query of the end, and what it wants of somebody without a login.
    /// - Throws: `usage` where it is not there; `untrusted` for a redirect to another origin; `network`.
    package func arrive() throws(LoginFault) -> (target: String, challenges: [AuthenticateChallenge]) {
        let visit = try firstVisit()
        return (visit.end.target, visit.challenges)
    }

    private func firstVisit() throws(LoginFault) -> DiscoveryVisit {
        if let first { return first }
        let visit = try visit(start.target)
        if visit.response.status == 404 || visit.response.status == 410 {
            let place = SafeText.escaped(visit.end.text)
            throw .usage(.badValue(option: place, problem: "not found (\(visit.response.status))"))
        }
        first = visit
        return visit
    }

    /// - Throws: `verifyProvesNothing` where everything lets anonymous clients in; `untrusted` for a redirect or a form that leads to another
    ///   origin; `busy`, `network`.
    package func run() throws(LoginFault) -> Discovered {
        let first = try firstVisit()
        names += first.challenges.compactMap(\.realm)
        if let elsewhere = first.elsewhere {
            // What that origin answers says nothing of this service.
            let place = GuardedPlace(
                target: first.asked, refusal: .elsewhere(status: first.response.status, elsewhere), namedBy: nil)
            return discovered(place, .browser(at: elsewhere))
        }
        let glimpse = try look(at: first, namedBy: nil)
        if let place = glimpse?.place, let login = glimpse?.login { return discovered(place, login) }
        let (place, login, form) = try search(from: glimpse)
        if place == nil, login == nil, form == nil, first.isOpen, seen.isEmpty {
            throw .usage(.verifyProvesNothing(url: start.text))
        }
        var found = discovered(place, login)
        found.formAlone = form
        return found
    }

    /// Asks what is named, one after the other. What cannot be asked is passed over: nobody wanted to go there.
    private func search(
        from glimpse: Glimpse?
    ) throws(LoginFault) -> (place: GuardedPlace?, login: FoundLogin?, formAlone: FoundForm?) {
        var search = LinkSearch(glimpse, at: start.target)
        let end = clock.now() + Self.patience
        while search.complete == nil, requests < Self.mostRequests, let lead = search.next() {
            if clock.isOver(end) {
                seen.append(.unasked(page: lead.target, after: Self.patience))
                break
            }
            do throws(LoginFault) {
                if let found = try look(at: try visit(lead.target), namedBy: lead.namedBy) {
                    search.take(found, from: lead)
                }
            } catch .cancelled {
                throw .cancelled
            } catch {
                continue
            }
        }
        if let (place, login) = search.complete { return (place, login, nil) }
        return (search.place, search.formAlone == nil ? search.login : nil, search.formAlone)
    }

    private func discovered(_ place: GuardedPlace?, _ login: FoundLogin?) -> Discovered {
        // That it refuses is what the login is for.
        let seen = login == nil ? seen : seen.filter { if case .refused = $0 { false } else { true } }
        var found = Discovered(
            guarded: place, login: login, seen: seen, names: names, requests: requests, origins: origins)
        found.logout = description?.logout(of: login)
        return found
    }

    package func read(_ url: String) -> EndpointURL? { transport.read(url) }

    package func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        // Only a search comes so far.
        guard requests < Self.mostRequests else { throw .network(.redirectLoop(limit: Self.mostRequests)) }
        requests += 1
        if let origin = read(request.url)?.origin, !origins.contains(origin) { origins.append(origin) }
        return try transport.send(request)
    }

    /// Follows redirects on the own origin.
    private func visit(_ target: String) throws(LoginFault) -> DiscoveryVisit {
        var visit = DiscoveryVisit(asked: target, end: start)
        var next = target
        // The same URL once more is another request where cookies were set in between, as servers do to see whether they come back.
        var passed: [(target: String, cookies: [Cookie])] = []
        while passed.count <= Self.mostRedirects, !passed.contains(where: { $0 == (next, cookies) }) {
            passed.append((next, cookies))
            guard let url = read("\(start.origin)\(next)"), url.origin == start.origin else {
                throw .usage(.badURL(url: "\(start.origin)\(next)", problem: "it leads nowhere on this origin"))
            }
            // As verify is asked later: without an Accept header of its own.
            var request = HTTPRequest(method: "GET", url: url.text)
            request.cookies = cookies
            visit.response = try send(request)
            cookies = visit.response.cookies
            visit.end = url
            guard (300..<400).contains(visit.response.status), let redirect = visit.response.redirect else {
                guard let refresh = refresh(of: visit) else { return visit }
                // What leads on by itself shows the same to everybody.
                (visit.asked, visit.redirect, next) = (refresh.target, nil, refresh.target)
                continue
            }
            if let fault = redirect.fault { throw fault }
            guard redirect.origin == start.origin else {
                if let elsewhere = redirect.origin, redirect.url.asksForLogin(for: start.origin) {
                    visit.elsewhere = elsewhere
                    return visit
                }
                throw .untrusted(.otherOrigin(target: redirect.origin?.description ?? redirect.url))
            }
            if redirect.target.differsBySlash(from: next) {
                // The same place, by its other name.
                if visit.redirect == nil { visit.asked = redirect.target }
            } else {
                visit.redirect = visit.redirect ?? (visit.response.status, redirect.target.withoutSession.withoutQuery)
            }
            if redirect.target.namesSession { visit.source = visit.source ?? next }
            next = redirect.target
        }
        throw .network(.redirectLoop(limit: Self.mostRedirects))
    }

    /// The page that a profile names for a form: its own URL without what is one session's alone, unless that has no such form for a
    /// client without cookies.
    func page(of form: FoundForm, at visit: DiscoveryVisit) throws(LoginFault) -> String {
        guard visit.end.target.namesSession, let source = visit.source else { return form.page }
        let kept = cookies
        cookies = []
        defer { cookies = kept }
        do throws(LoginFault) {
            let plain = try self.visit(form.page)
            let found = try transport.page(plain.response, at: plain.end)?.loginForm()
            return found?.action == form.action ? form.page : source
        } catch .cancelled {
            throw .cancelled
        } catch {
            return source
        }
    }

    /// Where the page is left for by itself, on the own origin.
    private func refresh(of visit: DiscoveryVisit) -> Redirect? {
        guard visit.isOpen else { return nil }
        do throws(LoginFault) {
            let refresh = try transport.page(visit.response, at: visit.end)?.refresh
            guard let refresh, refresh.fault == nil, refresh.origin == start.origin,
                refresh.target != visit.end.target
            else { return nil }
            return refresh
        } catch {
            // It is told where the page is read.
            return nil
        }
    }

    /// The response as a page; `nil` if it is none.
    func page(of visit: DiscoveryVisit) throws(LoginFault) -> LoginPage? {
        do throws(LoginFault) {
            let page = try transport.page(visit.response, at: visit.end)
            names += page?.names ?? []
            return page
        } catch .network(.answerTooLarge) {
            seen.append(.tooLarge(page: visit.end.target))
            return nil
        }
    }
}

extension String {
    /// Whether the paths are the same but for a slash at their end.
    fileprivate func differsBySlash(from other: String) -> Bool {
        self != other && (self == other + "/" || self + "/" == other)
    }
}
