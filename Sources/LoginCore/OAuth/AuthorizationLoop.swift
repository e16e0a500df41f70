import Secrets

/// Performs what an `AuthorizationFlow` decides, through the ports, and tells it what came of it. It holds what is secret, and forgets
/// it at the end.
package struct AuthorizationLoop {
    let subject: AuthorizationSubject
    let transport: any AuthorizationTransport
    let browser: any BrowserDialogue
    let device: any DeviceDialogue
    let clock: WallClock

    /// - Parameter clock: says when the tokens came.
    package init(
        _ subject: AuthorizationSubject, transport: any AuthorizationTransport, browser: any BrowserDialogue,
        device: any DeviceDialogue, clock: WallClock
    ) {
        self.subject = subject
        self.transport = transport
        self.browser = browser
        self.device = device
        self.clock = clock
    }

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
    package func run(_ flow: consuming AuthorizationFlow) throws(LoginFault) -> AuthorizedGrant {
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
                effect = flow.handle(perform(effect, &held))
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

    private func perform(_ effect: AuthorizationFlow.Effect, _ held: inout Held) -> AuthorizationFlow.Event {
        do throws(LoginFault) {
            return try attempt(effect, &held)
        } catch {
            return .failed(error)
        }
    }

    private func attempt(
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
}
