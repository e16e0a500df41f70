/// The way to what is looked at without a login.
protocol DiscoveryTransport: MetadataTransport {
    /// The response as a page; `nil` if it is none.
    /// - Throws: `answerTooLarge` for one that is longer than what is read of a page.
    func page(_ response: HTTPResponse, at url: EndpointURL) throws(LoginFault) -> LoginPage?
}

/// Looks for the login of a URL by GET requests without credentials: at the challenges there, the metadata that they lead to, the
/// forms of pages, and what a page that lets anonymous clients in links to. No path is guessed but the well-known ones.
final class Discovery: MetadataTransport {
    /// Requests in all, redirects and metadata among them: six for the URL itself, and five for metadata.
    static let mostRequests = 12
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
    private(set) var names: [String] = []

    /// - Parameter rule: which URLs of others may be asked.
    init(_ url: EndpointURL, over transport: any DiscoveryTransport, rule: EndpointRule, clock: WallClock) {
        start = url
        self.transport = transport
        self.rule = rule
        self.clock = clock
        origins = [url.origin]
    }

    /// Asks the URL itself, and follows redirects on its origin, before anything secret is sent.
    /// - Throws: `usage` where it is not there, or verifies no password; `untrusted` for a redirect to another origin; `network`.
    func firstVisit() throws(LoginFault) -> DiscoveryVisit {
        if let first { return first }
        var visit = try visit(start.target)
        try initialize(&visit)
        if visit.response.status == 404 || visit.response.status == 410 {
            let place = SafeText.escaped(visit.end.text)
            throw .usage(.badValue(option: place, problem: "not found (\(visit.response.status))"))
        }
        let endpoint = try passwordEndpoint(of: visit)
        first = endpoint
        return endpoint
    }

    /// - Returns: where a container registry verifies a password before it issues tokens; of any other service the same visit.
    /// - Throws: `usage` for a registry that does so on another origin, or not at all.
    private func passwordEndpoint(of visit: DiscoveryVisit) throws(LoginFault) -> DiscoveryVisit {
        guard let tokens = visit.challenges.registryTokens else { return visit }
        if let url = read(tokens), url.origin == start.origin {
            let endpoint = try self.visit(url.target)
            if endpoint.challenges.areAnswered { return endpoint }
        }
        throw .usage(.registry(url: visit.end.text, tokens: tokens))
    }

    /// Sends the first message of an MCP client to an endpoint that takes no GET, and may refuse that instead.
    private func initialize(_ visit: inout DiscoveryVisit) throws(LoginFault) {
        guard [400, 405, 406].contains(visit.response.status), visit.end.target.isMCPPath else { return }
        let rule = RequestRule.initializingMCP(at: visit.end.target)
        guard let request = try? rule.request(base: "\(start.origin)", SlotValues()) else { return }
        let response = try send(request)
        if response.isRefusal { (visit.response, visit.isInitialize) = (response, true) }
    }

    /// - Throws: `verifyProvesNothing` where everything lets anonymous clients in; `untrusted` for a redirect or a form that leads to another
    ///   origin; `busy`, `network`.
    func run() throws(LoginFault) -> Discovered {
        let first = try firstVisit()
        names += first.challenges.compactMap(\.realm)
        if let elsewhere = first.elsewhere {
            // What that origin answers says nothing of this service.
            let place = GuardedPlace(
                target: first.asked, refusal: .elsewhere(status: first.response.status, elsewhere), namedBy: nil)
            return discovered(place, .browser(at: elsewhere))
        }
        let glimpse = try look(at: first, namedBy: nil)
        if let place = glimpse?.place, let login = glimpse?.login {
            var found = discovered(place, login)
            found.mcp = first.mcp
            return found
        }
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
            do {
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

    func read(_ url: String) -> EndpointURL? { transport.read(url) }

    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
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
            (request.cookies, request.bodyNeed) = (cookies, .rules)
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
            if redirect.target == next + "/" || redirect.target + "/" == next {
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
        do {
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
        do {
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
        do {
            let page = try transport.page(visit.response, at: visit.end)
            names += page?.names ?? []
            return page
        } catch .network(.answerTooLarge) {
            seen.append(.tooLarge(page: visit.end.target))
            return nil
        }
    }
}

/// The finding of one visit: a resource that refuses anonymous clients, a way to log in, or both.
struct Glimpse {
    let place: GuardedPlace?
    let login: FoundLogin?
    /// Descriptions and links that lead on.
    var leads: [LinkSearch.Lead] = []
}

extension Discovery {
    /// - Parameter namedBy: what led there; `nil` for the URL that the person gave.
    /// - Returns: `nil` if it shows nothing at all.
    func look(at visit: DiscoveryVisit, namedBy: String?) throws(LoginFault) -> Glimpse? {
        let response = visit.response
        if let busy = OAuthBody(response).busy {
            if namedBy == nil { throw .busy(busy) }
            return nil
        }
        if response.isRefusal, let login = try challenged(visit) {
            return Glimpse(place: end(of: visit, namedBy), login: login)
        }
        guard visit.isOpen || response.isRefusal else { return nil }
        let page = try page(of: visit)
        if let page {
            var form = try page.loginForm()
            if let found = form { form?.page = try self.page(of: found, at: visit) }
            if let form, !form.isSubmittable, page.hasScripts {
                seen.append(.scriptedForm(page: page.target))
            } else if let form {
                return Glimpse(
                    place: GuardedPlace(target: visit.asked, refusal: refusal(visit), namedBy: namedBy),
                    login: .form(form))
            }
            if page.takesFiles { seen.append(.multipartForm(page: visit.end.target)) }
            if page.setsPassword { seen.append(.severalPasswords(page: visit.end.target)) }
        }
        if response.isRefusal { return try refused(visit, page, namedBy) }
        return open(visit, page)
    }

    /// The status that refuses, at the end of the redirects.
    private func end(of visit: DiscoveryVisit, _ namedBy: String?) -> GuardedPlace {
        GuardedPlace(target: visit.end.target, refusal: .status(visit.response.status), namedBy: namedBy)
    }

    private func refusal(_ visit: DiscoveryVisit) -> GuardedPlace.Refusal {
        if let redirect = visit.redirect { return .redirect(status: redirect.status, path: redirect.path) }
        let status = visit.response.status
        return (200..<300).contains(status) ? .form(status: status) : .status(status)
    }

    /// The way to log in that the challenges of a 401 offer.
    private func challenged(_ visit: DiscoveryVisit) throws(LoginFault) -> FoundLogin? {
        let challenges = visit.challenges, field = visit.challengeFields.joined(separator: ", ")
        let schemes = challenges.compactMap { HTTPScheme(rawValue: $0.scheme) }
        if !schemes.isEmpty { return .challenge(schemes, field: field) }
        if let bearer = challenges.first(where: { $0.scheme == "bearer" }) {
            if let server = try findServer(of: visit.asked, bearer) { return .oauth(server) }
            return .token(header: nil, field: field)
        }
        // As Django REST framework and its likes have it: a token under a scheme of that name.
        if challenges.contains(where: { $0.scheme == "token" }) {
            return .token(header: "Authorization: Token {token}", field: field)
        }
        if let other = challenges.first {
            seen.append(.unknownChallenge(target: visit.end.target, scheme: other.scheme))
        }
        return nil
    }

    /// Handles a refusal without a challenge: the origin may be an authorization server, or the page may link to a login.
    private func refused(
        _ visit: DiscoveryVisit, _ page: LoginPage?, _ namedBy: String?
    ) throws(LoginFault) -> Glimpse {
        let status = visit.response.status
        let place = end(of: visit, namedBy)
        guard namedBy == nil else { return Glimpse(place: place, login: nil) }
        do {
            if let server = try findServer(of: visit.asked, nil) {
                return Glimpse(place: place, login: .oauth(server))
            }
        } catch .oauth, .busy {
            // Nothing said that there is one: what is wrong with it is no fault of the service's.
        }
        seen.append(.refused(target: visit.asked, status: status))
        // People may log in at the front page.
        let front = LinkSearch.Lead(target: "/", namedBy: visit.asked, schemes: [])
        return Glimpse(place: place, login: nil, leads: leads(of: page, visit) + [front])
    }

    /// Returns the targets that a response names: descriptions of the service, then links.
    private func leads(of page: LoginPage?, _ visit: DiscoveryVisit) -> [LinkSearch.Lead] {
        let named = visit.response.namedDescription(from: visit.end.target)
        let linked = visit.response.linkedDescriptions.compactMap { link -> String? in
            let url = read(link.hasPrefix("/") && !link.hasPrefix("//") ? "\(start.origin)\(link)" : link)
            return url?.origin == start.origin ? url?.target : nil
        }
        let targets = linked + (page?.descriptions ?? []) + (named.map { [$0] } ?? []) + (page?.targetsToTry ?? [])
        return targets.map { LinkSearch.Lead(target: $0, namedBy: visit.asked, schemes: []) }
    }

    /// Lets anonymous clients in: what it names may not.
    private func open(_ visit: DiscoveryVisit, _ page: LoginPage?) -> Glimpse {
        var glimpse = Glimpse(place: nil, login: nil)
        if let description = APIDescription(visit.response, at: visit.asked) {
            glimpse.leads = description.guarded.prefix(3).map {
                LinkSearch.Lead(target: $0.path, namedBy: visit.asked, schemes: $0.schemes)
            }
            self.description = self.description ?? description
            if glimpse.leads.isEmpty { seen.append(.openDescription(visit.asked)) }
            return glimpse
        }
        glimpse.leads = leads(of: page, visit)
        if glimpse.leads.isEmpty, let page, page.hasScripts { seen.append(.scripts(page: visit.end.target)) }
        return glimpse
    }

    /// The metadata of the service and its authorization server; `nil` if there is none.
    func findServer(of target: String, _ challenge: AuthenticateChallenge?) throws(LoginFault) -> FoundServer? {
        guard let resource = read("\(start.origin)\(target.withoutQuery)") else { return nil }
        var subject = AuthorizationSubject(profile: OAuthProfile(), base: start.origin.description, resource: resource)
        subject.rule = rule
        subject.challenge = challenge
        do {
            let found = try ServerDiscovery(subject: subject, transport: self).find()
            let scope = ResourceMetadata.usualScope(
                challenge: challenge, resource: found.resource, server: found.server.metadata)
            return FoundServer(
                issuer: found.server.issuer, resource: found.resource?.resource, scope: scope,
                endpoints: found.server.endpoints,
                revocationAuthentication: found.server.metadata?.revocationAuthentication,
                evidence: found.resource?.evidence ?? [], elsewhere: found.toAsk?.elsewhere ?? [])
        } catch .oauth(.noServer), .oauth(.metadata(.notFound)), .network(.redirectLoop) {
            // The last: no request is left.
            return nil
        }
    }
}
