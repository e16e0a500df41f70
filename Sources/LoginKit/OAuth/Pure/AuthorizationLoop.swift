import Secrets

/// Performs what an `AuthorizationFlow` decides, through the ports, and tells it what came of it. It holds what is secret, and forgets
/// it at the end.
struct AuthorizationLoop {
    let subject: AuthorizationSubject
    let transport: any AuthorizationTransport
    let browser: any BrowserDialogue
    let device: any DeviceDialogue
    /// Says when the tokens came.
    let clock: WallClock

    /// The values that steps pass to each other.
    struct Held {
        var server: AuthorizationServer?
        var resource: ResourceMetadata?
        var client: OAuthClient?
        var redirect: LoopbackRedirect?
        var port: LoopbackPort?
        var attempt: AuthorizationAttempt?
        var requestURI: String?
        var code: Secret?
        var device: DeviceAuthorization?
        /// When the device code came.
        var deviceStart = 0
        var tokens: IssuedTokens?
        var receivedAt: Int64 = 0
    }

    /// Runs `flow` from its beginning to its end.
    func run(_ flow: consuming AuthorizationFlow) throws(LoginFault) -> AuthorizedGrant {
        var held = Held()
        var effect = flow.handle(.begun)
        while true {
            switch effect {
            case .finish(.failed(let error)):
                abandon(held.client)
                throw error
            case .finish(.granted): return try granted(held)
            case .discover, .ask, .listen, .register, .push, .show, .awaitAnswer, .requestCode, .showCode, .wait, .poll,
                .exchange:
                let event: AuthorizationFlow.Event
                do { event = try perform(effect, &held) } catch { event = .failed(error) }
                effect = flow.handle(event)
            }
        }
    }

    /// Seconds that the deletion of a client may take: somebody may have pressed Ctrl-C.
    private static let longestDeletion = 5

    /// A client that was registered for this login dies with it, as far as its server can be made to delete it.
    func abandon(_ client: OAuthClient?) {
        guard var deletion = client?.deletion else { return }
        deletion.limit = Self.longestDeletion
        _ = try? transport.send(deletion)
    }

    private func perform(
        _ effect: AuthorizationFlow.Effect, _ held: inout Held
    ) throws(LoginFault) -> AuthorizationFlow.Event {
        switch effect {
        case .discover: return try discover(&held)
        case .ask(let server): return try browser.agree(to: server) ? .agreed : .declined
        case .listen: return try listen(&held)
        case .register(let way): return try register(way, &held)
        case .push: return try push(&held)
        case .show(let starts, let insteadOfDevice):
            try browser.show(try visit(held, starts: starts, insteadOfDevice: insteadOfDevice))
            return .shown
        case .awaitAnswer(let wait): return try awaitAnswer(wait, &held)
        case .requestCode: return try requestCode(&held)
        case .showCode:
            try device.show(try present(held.device), at: try serverName(held, .deviceAuthorization))
            return .shown
        case .wait(let milliseconds, let secondsLeft):
            try device.wait(milliseconds: milliseconds, secondsLeft: secondsLeft)
            return .waited(total: device.now() - held.deviceStart)
        case .poll: return try poll(&held)
        case .exchange: return try exchange(&held)
        case .finish(let outcome): return .failed(.failure(.unexpectedEvent("\(outcome) performed")))
        }
    }

    private func discover(_ held: inout Held) throws(LoginFault) -> AuthorizationFlow.Event {
        let found = try ServerDiscovery(subject: subject, transport: transport).find()
        held.server = found.server
        held.resource = found.resource
        let client = subject.client(at: found.server.metadata)
        held.client = client
        return .discovered(
            AuthorizationFlow.Server(
                endpoints: Set(found.server.endpoints.keys), toAsk: found.toAsk, clientID: client?.id))
    }

    /// The grant at the end. A scope that the server does not name is the one that was asked for (RFC 6749, section 5.1).
    private func granted(_ held: Held) throws(LoginFault) -> AuthorizedGrant {
        let server = try present(held.server), client = try present(held.client), tokens = try present(held.tokens)
        let request = try request(held)
        let terms = Grant.Terms(
            issuer: server.issuer, tokenEndpoint: try server.endpoint(.token).text,
            revocation: server.revocation(for: client), client: client, scope: tokens.scope ?? request.scope,
            resource: request.resource)
        return AuthorizedGrant(
            grant: Grant(token: tokens.token(receivedAt: held.receivedAt), terms: terms),
            identityToken: tokens.identityToken, nonce: request.isOpenID ? held.attempt?.nonce : nil)
    }

    /// - Throws: where the flow asks for something before what it needs is there.
    func present<Value>(_ value: Value?) throws(LoginFault) -> Value {
        guard let value else { throw .failure(.unexpectedEvent("nothing to go on with")) }
        return value
    }

    /// A person's own scope goes before the profile's. What the service lists is for logins that nobody has configured.
    private func scope(_ held: Held) -> String? {
        let profile = subject.profile
        if let scope = subject.scope ?? profile.scope { return scope }
        guard profile.issuer == nil, !profile.needsNoMetadata else { return nil }
        return ResourceMetadata.usualScope(
            challenge: subject.challenge, resource: held.resource, server: held.server?.metadata)
    }

    func request(_ held: Held) throws(LoginFault) -> AuthorizationRequest {
        AuthorizationRequest(
            client: try present(held.client), scope: scope(held),
            resource: subject.profile.resource ?? held.resource?.resource, loginHint: subject.username,
            parameters: subject.profile.parameters,
            choosesAccount: subject.choosesAccount && held.server?.canChooseAccount == true)
    }

    func redirect(_ held: Held) throws(LoginFault) -> String {
        try present(held.redirect).uri(port: try present(held.port).number)
    }

    /// The profile's, else the one that the client's document says.
    private func findRedirect(_ held: Held) throws(LoginFault) -> LoopbackRedirect {
        if let redirect = subject.profile.redirect { return redirect }
        // The identifier of a registered client may be a URL that leads to no document.
        guard let client = held.client, !client.isRegistered, case let id = client.id,
            held.server?.metadata?.readsClientMetadata ?? true,
            ClientMetadata.isURL(id, parse: transport.read)
        else { return LoopbackRedirect() }
        return try ClientMetadata(try transport.get(id), at: id).redirect
    }

    func serverName(_ held: Held, _ endpoint: OAuthEndpoint) throws(LoginFault) -> BrowserVisit.Server {
        let server = try present(held.server), issuer = subject.profile.issuer == nil ? nil : server.issuer
        let origin = if let origin = server.metadata?.origin { origin } else { try server.endpoint(endpoint).origin }
        return BrowserVisit.Server(name: issuer ?? origin.description, scope: scope(held))
    }

    /// The port is opened, and what is new for each try is drawn.
    func listen(_ held: inout Held) throws(LoginFault) -> AuthorizationFlow.Event {
        let transport = transport
        held.attempt = try AuthorizationAttempt(
            random: { (count) throws(LoginFault) in try transport.random(count) },
            hash: { (hash, secret) throws(LoginFault) in try transport.digest(hash, of: secret) })
        let address = try findRedirect(held)
        let port = try browser.listen(on: address)
        (held.redirect, held.port) = (address, port)
        let redirect = try redirect(held)
        return port.isOpen ? .listened(redirect: redirect) : .portTaken(port.number, redirect: redirect)
    }

    func register(_ way: AuthorizationWay, _ held: inout Held) throws(LoginFault) -> AuthorizationFlow.Event {
        let endpoint = try present(held.server).endpoint(.registration)
        let redirect = try way == .device ? nil : redirect(held)
        let listed = held.server?.metadata?.tokenAuthentication
        let request = try RegistrationRequest(redirect: redirect, scope: scope(held), listed: listed).request(
            at: endpoint)
        let response = try transport.send(request), former = held.client
        held.client = try RegistrationResponse(response, from: endpoint, parse: transport.read).client
        // That of a device, which may have no code.
        abandon(former)
        return .registered
    }

    func push(_ held: inout Held) throws(LoginFault) -> AuthorizationFlow.Event {
        let endpoint = try present(held.server).endpoint(.pushedAuthorization), request = try request(held)
        // What the browser would carry (RFC 9126, section 2.1), with `client_id` in any case.
        let fields = request.fields(try present(held.attempt), redirect: try redirect(held))
        let call = OAuthCall(endpoint.text, fields, request.client)
        held.requestURI = try PushedRequest(try transport.send(try call.request())).requestURI
        return .pushed
    }

    func visit(_ held: Held, starts: Bool, insteadOfDevice: Bool) throws(LoginFault) -> BrowserVisit {
        let request = try request(held), endpoint = try present(held.server).endpoint(.authorization)
        let redirect = try redirect(held)
        let text: String
        if let requestURI = held.requestURI {
            text = try request.url(endpoint, pushedAs: requestURI)
        } else {
            text = try request.url(endpoint, try present(held.attempt), redirect: redirect)
        }
        let server = try serverName(held, .authorization), shown: String
        // The very text that is checked.
        do { shown = try subject.rule.shown(text, read: transport.read).text } catch { throw .oauth(error) }
        return BrowserVisit(
            server: server, url: shown, redirect: redirect, clientID: request.client.id, starts: starts,
            insteadOfDevice: insteadOfDevice)
    }

    func awaitAnswer(
        _ wait: AuthorizationFlow.CallbackWait, _ held: inout Held
    ) throws(LoginFault) -> AuthorizationFlow.Event {
        let server = try present(held.server)
        let judge = AuthorizationJudge(
            redirect: try present(held.redirect), port: try present(held.port).number,
            state: try present(held.attempt).state,
            issuer: server.issuer, promisesIssuer: server.promisesIssuer)
        guard let (answer, seconds) = try browser.awaitAnswer(wait, judge) else { return .nothingHeard }
        if case .right(let code) = answer { held.code = code }
        return .heard(AuthorizationFlow.Reply(answer), after: seconds)
    }

    func requestCode(_ held: inout Held) throws(LoginFault) -> AuthorizationFlow.Event {
        let endpoint = try present(held.server).endpoint(.deviceAuthorization), request = try request(held)
        let call = OAuthCall(endpoint.text, request.deviceFields, request.client)
        do {
            let response = try transport.send(try call.request())
            // The code lives from when it came.
            held.deviceStart = device.now()
            let code = try DeviceAuthorization(
                response, from: endpoint.origin, rule: subject.rule, parse: transport.read)
            held.device = code
            // Nobody is asked where the profile says the server, by its issuer or by endpoints.
            let foreign = held.server?.metadata.flatMap {
                ForeignServer.toAsk(
                    about: subject, metadata: $0, parse: transport.read, found: held.resource,
                    page: code.verificationURL.origin)
            }
            return .codeIssued(code.times, toAsk: foreign)
        } catch .oauth(.refused(let refusal)) {
            return .codeRefused(refusal)
        }
    }

    func poll(_ held: inout Held) throws(LoginFault) -> AuthorizationFlow.Event {
        let call = OAuthCall.poll(
            deviceCode: try present(held.device).deviceCode, try request(held),
            at: try present(held.server).endpoint(.token))
        let (answer, tokens) = try DevicePolling.Answer.read(try transport.send(try call.request()))
        take(tokens, &held)
        return .polled(answer, total: device.now() - held.deviceStart)
    }

    /// Sent once, whatever comes of it: a code that comes a second time ends the tokens of the first (RFC 6749, section 4.1.2).
    func exchange(_ held: inout Held) throws(LoginFault) -> AuthorizationFlow.Event {
        let code = try present(held.code)
        held.code = nil
        let call = OAuthCall.exchange(
            code: code, try present(held.attempt), redirect: try redirect(held), try request(held),
            at: try present(held.server).endpoint(.token))
        take(try TokenResponse(try transport.send(try call.request())).get(), &held)
        return .exchanged
    }

    private func take(_ tokens: IssuedTokens?, _ held: inout Held) {
        held.tokens = tokens
        held.receivedAt = clock.now()
    }
}
