import LoginCore
import Secrets

/// A machine proves itself at an authorization server, and the access token that it hands out is the session (RFC 6750).
final class MachineLogin: LoginProcedure {
    let client: ServiceClient
    private let clock: WallClock
    private let others: OriginTransports
    private(set) var space: ProtectionSpace?
    private var challenge: AuthenticateChallenge?
    /// What the machine has to prove itself with.
    var dependencies: MachineDependencies?

    init(_ client: ServiceClient, _ clock: WallClock, _ others: OriginTransports) {
        (self.client, self.clock, self.others) = (client, clock, others)
    }

    func prepare(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace {
        let found = try AnonymousCheck(client: client).bearer()
        (space, challenge) = found
        return found.space
    }

    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep {
        // A refusal is thrown, so that the server's words are taken from it where they repeat a secret.
        let issued = try authorization().run(steps.credential.password) { JSONWebToken($0)?.subject }
        client.hide(issued.grant.grant.secrets)
        let given = steps.credential
        let credential = Credential(
            username: given.username ?? issued.name, given.kind, extraSecrets: given.extraSecrets)
        return .opened(
            OpenedLogin(credential: credential, session: .token(issued.grant.grant.session), verdict: .accepted))
    }

    func method(for credential: Credential) -> AuthenticationMethod { .oauth }

    /// What proves the client where a grant is revoked; `nil` for one without a key.
    func assertion(for grant: Grant) throws(LoginFault) -> Secret? {
        guard grant.terms.client.authentication == .privateKeyJWT else { return nil }
        return try authorization().assertion(
            of: grant.terms.client, issuer: grant.terms.issuer, tokenEndpoint: grant.terms.tokenEndpoint)
    }

    /// What the machine's identity says of itself; `nil` for a profile without one.
    func identityFacts() throws(LoginFault) -> String? {
        guard let source = client.profile.oauth?.machine?.identity?.source else { return nil }
        let token = try prover(transport(client.authorizationSubject(challenge))).identity()
        return source.facts(of: JSONWebToken(token), now: clock.now())
    }

    private func authorization() throws(LoginFault) -> MachineAuthorization {
        let subject = try client.authorizationSubject(challenge)
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

extension ServiceClient {
    /// What is known of the grant before the first request.
    /// - Parameter challenge: of the service, for a request without a login.
    func authorizationSubject(_ challenge: AuthenticateChallenge?) throws(LoginFault) -> AuthorizationSubject {
        guard let oauth = profile.oauth else { throw lacking }
        let text: String
        do throws(FillFault) {
            text = try (profile.verify ?? profile.login)?.url(base: endpoint.base, SlotValues()) ?? endpoint.base
        } catch {
            throw error.asLoginFault
        }
        let url = try URLParser.parsed(text)
        var subject = AuthorizationSubject(
            profile: oauth, base: endpoint.base, resource: EndpointURL(origin: url.origin, path: url.path))
        subject.rule = EndpointRule(plainOrigin: profile.settings.allowHTTP ? endpoint.origin : nil)
        subject.challenge = challenge
        return subject
    }
}
