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
        let response = visit.response, status = response.status
        if let busy = OAuthBody(response).busy {
            if namedBy == nil { throw .busy(busy) }
            return nil
        }
        if status == 401 || status == 403, let login = try challenged(visit) {
            return Glimpse(place: end(of: visit, namedBy), login: login)
        }
        guard visit.isOpen || status == 401 || status == 403 else { return nil }
        let page = try page(of: visit)
        if let page {
            var form = try page.loginForm()
            if let found = form { form?.page = try self.page(of: found, at: visit) }
            if let form, !form.isSubmittable, page.hasScripts {
                seen.append(.scriptedForm(page: page.target))
            } else if let form {
                return Glimpse(place: place(visit, refusal(visit), namedBy), login: .form(form))
            }
            if page.takesFiles { seen.append(.multipartForm(page: visit.end.target)) }
            if page.setsPassword { seen.append(.severalPasswords(page: visit.end.target)) }
        }
        if status == 401 || status == 403 { return try refused(visit, page, namedBy) }
        return open(visit, page)
    }

    /// The status that refuses, at the end of the redirects.
    private func end(of visit: DiscoveryVisit, _ namedBy: String?) -> GuardedPlace {
        GuardedPlace(target: visit.end.target, refusal: .status(visit.response.status), namedBy: namedBy)
    }

    private func place(_ visit: DiscoveryVisit, _ refusal: GuardedPlace.Refusal, _ namedBy: String?) -> GuardedPlace {
        GuardedPlace(target: visit.asked, refusal: refusal, namedBy: namedBy)
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

    /// Refused without a challenge: the origin itself may be an authorization server, and what the page links to a login.
    private func refused(
        _ visit: DiscoveryVisit, _ page: LoginPage?, _ namedBy: String?
    ) throws(LoginFault) -> Glimpse {
        let status = visit.response.status
        let place = end(of: visit, namedBy)
        guard namedBy == nil else { return Glimpse(place: place, login: nil) }
        do throws(LoginFault) {
            if let server = try findServer(of: visit.asked, nil) {
                return Glimpse(place: place, login: .oauth(server))
            }
        } catch .oauth, .busy {
            // Nothing said that there is one: what is wrong with it is no fault of the service's.
        }
        seen.append(.refused(target: visit.asked, status: status))
        return Glimpse(place: place, login: nil, leads: leads(of: page, visit))
    }

    /// What a response names: descriptions of the service, then links.
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
}

extension Discovery {
    /// The metadata of the service and its authorization server; `nil` if there is none.
    func findServer(of target: String, _ challenge: AuthenticateChallenge?) throws(LoginFault) -> FoundServer? {
        guard let resource = read("\(start.origin)\(target.withoutQuery)") else { return nil }
        var subject = AuthorizationSubject(profile: OAuthProfile(), base: start.origin.description, resource: resource)
        subject.rule = rule
        subject.challenge = challenge
        do throws(LoginFault) {
            let found = try ServerDiscovery(subject: subject, transport: self).find()
            let scope = ResourceMetadata.usualScope(
                challenge: challenge, resource: found.resource, server: found.server.metadata)
            return FoundServer(
                issuer: found.server.issuer, resource: found.resource?.resource, scope: scope,
                endpoints: found.server.endpoints,
                revocationAuthentication: found.server.metadata?.revocationAuthentication,
                evidence: found.resource?.evidence ?? [], elsewhere: found.toAsk?.elsewhere ?? [])
        } catch .oauth(.noServer) {
            return nil
        } catch .oauth(.metadata(.notFound)) {
            return nil
        }
    }
}
