import Secrets

/// Authenticates a machine at an authorization server, whose access token is the session (RFC 6750).
final class MachineLogin: LoginMethod {
    let client: ServiceClient
    private let clock: WallClock
    private let others: OriginTransports
    /// The sources of the machine's proof; `nil` where nobody logs in.
    private let dependencies: MachineDependencies?

    init(_ parts: LoginMethodParts, _ dependencies: MachineDependencies?) {
        (client, clock, others) = (parts.client, parts.clock, parts.others)
        self.dependencies = dependencies
    }

    func findSpace(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        try AnonymousCheck(client: client).checkBearer()
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        // A refusal is thrown, so that the server's words are taken from it where they repeat a secret.
        let issued = try authorization().run(steps.credential.password) { JSONWebToken($0)?.subject }
        client.hide(issued.grant.grant.secrets)
        let given = steps.credential
        let credential = Credential(
            username: given.username ?? issued.name, given.kind, extraSecrets: given.extraSecrets)
        return .opened(
            OpenedLogin(credential: credential, session: .token(issued.grant.grant.session), verdict: .issuedToken))
    }

    func authenticationMethod(for credential: Credential) -> AuthenticationMethod { .oauth }

    func assertion(for grant: Grant) throws(LoginFault) -> Secret? {
        guard grant.terms.client.authentication == .privateKeyJWT else { return nil }
        return try authorization().assertion(
            of: grant.terms.client, issuer: grant.terms.issuer, tokenEndpoint: grant.terms.tokenEndpoint)
    }

    func identityFacts() throws(LoginFault) -> String? {
        guard let source = client.profile.oauth?.machine?.identity?.source else { return nil }
        let token = try prover(transport(client.authorizationSubject())).identity()
        return source.facts(of: JSONWebToken(token), now: clock.now())
    }

    private func authorization() throws(LoginFault) -> MachineAuthorization {
        let subject = try client.authorizationSubject()
        let transport = transport(subject)
        guard
            let authorization = MachineAuthorization(
                subject, transport: transport, proof: try prover(transport), clock: clock)
        else { throw client.lacking }
        return authorization
    }

    private func transport(_ subject: AuthorizationSubject) -> AuthorizationClient {
        AuthorizationClient(client, others, by: subject.profile)
    }

    private func prover(_ transport: AuthorizationClient) throws(LoginFault) -> MachineProver {
        guard let dependencies, let oauth = client.profile.oauth, let machine = oauth.machine else {
            throw client.lacking
        }
        return MachineProver(
            machine: machine, issuer: oauth.issuer, dependencies: dependencies, client: transport)
    }
}

extension LoginFeature {
    /// A machine that proves itself, by a key that is opened before.
    static var machine: LoginFeature {
        LoginFeature(
            makeMethod: { MachineLogin($0, nil) },
            opening: { (context, profile, request, keeper) throws(LoginFault) in
                let unlocker = MachineKeyUnlocker(context: context, profile: profile, request: request) {
                    () throws(LoginFault) in try keeper.fill()
                }
                var opened: MachineKeyUnlocker.Opened?
                let dependencies = try IdentityLenders(context: context).machineDependencies(of: profile) {
                    () throws(LoginFault) in
                    if let opened { opened.key } else { try unlocker.openedAfter() }
                }
                opened = try unlocker.openedBefore()
                return Opened(passphrase: opened?.passphrase) { MachineLogin($0, dependencies) }
            })
    }
}

/// The sources of a machine's proof, besides the network.
struct MachineDependencies {
    let environment: Environment
    let isCancelled: (@Sendable () -> Bool)?
    /// Opens the key if it is encrypted.
    let key: () throws(LoginFault) -> SigningKey?
    /// Returns the token of another profile's login, if that profile lends it to this issuer.
    let lend: (_ profile: String, _ issuer: String?) throws(LoginFault) -> Secret
}

/// Reads the key and the identity of a machine from where its profile says.
struct MachineProver: MachineProof {
    let machine: MachineGrant
    let issuer: String?
    let dependencies: MachineDependencies
    let client: AuthorizationClient

    /// The variables in which GitHub tells a job where its identity is to be had.
    fileprivate static let variablesOfActions = ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"]

    /// Seconds that a program has to print an identity: others wait for the token no longer than half a minute.
    private static let patience = 20

    func key() throws(LoginFault) -> any AssertionKey {
        if let key = try dependencies.key() { return key }
        let path = machine.keyFile ?? ""
        guard let key = try SigningKey.open(machine, try KeyFile.signingKey(path), passphrase: nil) else {
            throw .loginRequired(LoginNeed(why: .keyLocked(file: path)))
        }
        return key
    }

    func identity() throws(LoginFault) -> Secret {
        guard let identity = machine.identity else { throw .failure(.unexpectedEvent("no identity")) }
        let token = try read(identity.source)
        guard identity.isOpaque || JSONWebToken.isSigned(token) else {
            throw .usage(
                "\(identity.source.description) has no JSON Web Token; set opaque = true in 'identity' if it has another text"
            )
        }
        return token
    }

    private func read(_ source: MachineIdentity.Source) throws(LoginFault) -> Secret {
        switch source {
        case .githubActions(let audience): return try ofActions(audience)
        case .variable(let name):
            guard let text = dependencies.environment.secret(named: name) else {
                throw Self.missing("the variable \(SafeText.quoted(name)) is not set")
            }
            return try line(of: source) { () throws(SecretFile.Problem) in try SecretFile.soleLine(of: text) }
        case .file(let path):
            return try line(of: source) { () throws(SecretFile.Problem) in
                try SecretFile.read(path: path, until: .now + .seconds(Self.patience))
            }
        case .command(let words):
            return try output(of: words, named: "the identity command \(SafeText.quoted(words[0]))")
        case .profile(let name): return try dependencies.lend(name, issuer)
        }
    }

    /// Runs like a password command, and is not called one.
    private func output(of words: [String], named name: String) throws(LoginFault) -> Secret {
        do {
            return try PasswordCommand(words: words, patience: Self.patience).run(isCancelled: dependencies.isCancelled)
        } catch .usage(.badValue(_, let problem)) {
            throw .usage(.badValue(option: name, problem: problem))
        } catch .loginRequired(let need) {
            if case .passwordCommandFailed(let status, _) = need.why {
                let problem = "failed with status \(status)"
                throw Self.missing("\(name) \(status == 127 ? "was not found, or cannot be run" : problem)")
            }
            if case .passwordCommandTookTooLong(let seconds, _) = need.why {
                throw Self.missing("\(name) took more than \(seconds) seconds and was stopped")
            }
            throw .loginRequired(need)
        }
    }

    private func line(
        of source: MachineIdentity.Source, _ read: () throws(SecretFile.Problem) -> Secret
    ) throws(LoginFault) -> Secret {
        do {
            let text = try read().withoutByteOrderMark
            if !text.isEmpty { return text }
        } catch {
            throw Self.missing("\(source.description): \(error.words)")
        }
        throw Self.missing("\(source.description) is empty")
    }

    private static func missing(_ what: String) -> LoginFault { .loginRequired(LoginNeed(why: .noIdentity(what))) }

    /// As GitHub documents it: a GET with the audience in its query and the bearer token of the job.
    private func ofActions(_ audience: String) throws(LoginFault) -> Secret {
        guard let place = dependencies.environment.secret(named: Self.variablesOfActions[0])?.unprotectedText,
            let bearer = dependencies.environment.secret(named: Self.variablesOfActions[1])
        else {
            throw Self.missing(
                "this is no job of GitHub Actions with the permission to ask for an identity; in its workflow: "
                    + "permissions: id-token: write")
        }
        let address = try Self.url(place, audience: audience)
        var request = HTTPRequest(
            method: "GET", url: address,
            headers: [
                HTTPRequestField(name: "Accept", value: Secret("application/json")),
                HTTPRequestField(name: "Authorization", value: try Self.authorization(bearer)),
            ])
        request.hidden.add([bearer])
        var direct = client
        direct.takesNamedProxyAlone = true
        let response = try direct.send(request)
        if response.saysNothing {
            throw .busy(BusyFault(status: response.status, retryAfter: response.retryAfter, words: nil))
        }
        let body = response.body.withUnsafeBytes { bytes in try? JSONReader.read(bytes) }
        guard response.status == 200, let token = body?.member("value")?.string else {
            throw .failure(.unexpectedStatus(response.status, step: "identity", words: nil))
        }
        client.client.hide([Secret(token)])
        return Secret(token)
    }

    private static func url(_ place: String, audience: String) throws(LoginFault) -> String {
        let parsed = try URLParser.parsed(place)
        guard !place.contains("#"), parsed.query?.contains("audience=") != true else {
            throw .usage("\(variablesOfActions[0]) has a fragment or an audience of its own")
        }
        guard parsed.origin.scheme == "https" || parsed.origin.isLoopback else {
            throw .untrusted(.plainHTTP)
        }
        let value = try fromTemplate(try Secret(audience).formEncoded(limit: 4096).unprotectedText)
        return place + (place.contains("?") ? "&" : "?") + "audience=" + value
    }

    private static func authorization(_ token: Secret) throws(LoginFault) -> Secret {
        guard token.withUnsafeBytes({ $0.allSatisfy { (0x21...0x7e).contains($0) } }) else {
            throw .usage("\(variablesOfActions[1]) has characters that no header may have")
        }
        return Secret("Bearer ", followedBy: token)
    }
}

/// Limits the stack: each lender's login runs while those before it wait.
private let mostLenders = 8

/// The profiles whose tokens are the identity of others.
struct IdentityLenders {
    let context: LoginContext

    /// Returns the sources of the machine's proof.
    /// - Parameter key: opens the key if it is encrypted.
    /// - Throws: `usage` if profiles take their identity from one another, before one has a lock that another one waits for.
    func machineDependencies(
        of profile: Profile, key: @escaping () throws(LoginFault) -> SigningKey?
    ) throws(LoginFault) -> MachineDependencies {
        let (chain, circle) = context.profiles.chain(from: profile)
        if let circle {
            let names = (chain.map(\.name) + [circle]).map { SafeText.quoted($0) }.joined(separator: " → ")
            throw .usage("the profiles \(names) take their identity from one another; change 'identity' of one of them")
        }
        guard chain.count <= mostLenders + 1 else {
            throw .usage(
                "the profile \(SafeText.quoted(profile.name)) takes its identity through more than \(mostLenders) "
                    + "other profiles; change 'identity' of one of them")
        }
        return MachineDependencies(
            environment: context.dependencies.environment, isCancelled: context.dependencies.isCancelled, key: key
        ) { [unowned context] (other, issuer) throws(LoginFault) in
            try IdentityLenders(context: context).token(of: other, issuer)
        }
    }

    /// Turns a fault of the lender into one that names the lender: nothing of the borrower's is wrong.
    private func lenderFault(_ fault: LoginFault, _ lender: Profile, _ context: LoginContext) -> LoginFault {
        let message = fault.message(about: context.topic)
        let what =
            "the token of the profile \(SafeText.quoted(lender.name)) is the identity, and cannot be had: \(message.what)"
        switch fault {
        case .loginRequired, .rejected, .noTicketForService, .secondFactor, .forbidden, .oauth:
            let command = ShellCommand("authctl", lender.provesItself ? "token" : "login", lender.name)
            return .loginRequired(LoginNeed(why: .noIdentity("\(what); try: \(command)")))
        case .usage: return .usage(what)
        case .cancelled, .network, .untrusted, .store, .busy, .http, .promptExpired, .failure: return fault
        }
    }

    /// The token of another profile's login, if that lends it.
    private func token(of other: String, _ issuer: String?) throws(LoginFault) -> Secret {
        let lender = try fromUsage(try context.profiles.profile(named: other))
        guard let issuer, lender.settings.lendTo.contains(issuer) else {
            throw .usage(
                "the profile \(SafeText.quoted(other)) does not lend its token to \(SafeText.quoted(issuer ?? "this server")); "
                    + "it has to say so: lend-to = [\"\(SafeText.escaped(issuer ?? "ISSUER"))\"]")
        }
        let context = context.lending(), session: Session
        do {
            session = try SessionProvider(unattended: context, try context.profile(named: other)).session().session
        } catch {
            throw lenderFault(error, lender, context)
        }
        guard case .token(let token) = session else {
            throw .usage("the login of the profile \(SafeText.quoted(other)) is no token")
        }
        return token.value
    }
}

extension Configuration {
    /// The variables that say which machine this is, for a login of this profile and of those whose tokens it takes.
    package func identityVariables(of profile: Profile) -> [String] {
        MachineProver.variablesOfActions
            + chain(from: profile).profiles.compactMap {
                if case .variable(let name)? = $0.oauth?.machine?.identity?.source { name } else { nil }
            }
    }

    /// The profile, the one whose token it takes, the one whose token that takes, and so on, one more than there may be.
    /// - Returns: also the name that closes a circle.
    fileprivate func chain(from profile: Profile) -> (profiles: [Profile], circle: String?) {
        var chain = [profile]
        while chain.count <= mostLenders + 1,
            case .profile(let name)? = chain[chain.count - 1].oauth?.machine?.identity?.source,
            // One that cannot be read lends nothing.
            let next = try? self.profile(named: name)
        {
            if chain.contains(where: { $0.name == next.name }) { return (chain, next.name) }
            chain.append(next)
        }
        return (chain, nil)
    }
}
