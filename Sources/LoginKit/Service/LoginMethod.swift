import Secrets

/// Logs in at one service, in the way of the profile's `LoginKind`. A `LoginFeature` makes it.
protocol LoginMethod: AnyObject {
    /// Sends the requests.
    var client: ServiceClient { get }

    /// Asks the server, before anybody is asked for a credential.
    /// - Parameter hasPassword: whether a password is there, so that no ticket is looked for.
    func findSpace(hasPassword: Bool) throws(LoginFault) -> ProtectionSpace

    /// Exchanges a credential for a session, or resumes. `prepare` has run.
    /// - Parameter code: for the request that is sent next.
    func open(_ steps: StepsInProgress, code: Secret?) throws(LoginFault) -> OpeningStep

    /// The method that sends a credential which is the session itself.
    func authenticationMethod(for credential: Credential) throws(LoginFault) -> AuthenticationMethod

    /// Sends a request with a credential that is the session, in the way that the server wants it.
    /// - Parameter answersOtherRealms: whether a challenge of another realm than the first one's is answered, too.
    func send(
        _ request: HTTPRequest, with credential: Credential, answersOtherRealms: Bool, over line: ServiceClient.Line
    ) throws(LoginFault) -> ServiceClient.Sent

    /// Signs an assertion that authenticates the client when a grant is revoked; `nil` for a client without a key.
    func assertion(for grant: Grant) throws(LoginFault) -> Secret?

    /// Describes the identity by which a machine proves itself; `nil` for a login without one.
    func identityFacts() throws(LoginFault) -> String?
}

/// The parts that every login method gets.
struct LoginMethodParts {
    /// Sends the profile's requests.
    let client: ServiceClient
    let clock: WallClock
    let tickets: TicketCache
    /// The ways to other origins than the profile's.
    let others: OriginTransports
    let options: Service.Options
}

/// Makes the method of one service.
typealias LoginMethodMaker = (LoginMethodParts) -> any LoginMethod

extension LoginMethod {
    func assertion(for grant: Grant) throws(LoginFault) -> Secret? { nil }

    func identityFacts() throws(LoginFault) -> String? { nil }

    func send(
        _ request: HTTPRequest, with credential: Credential, answersOtherRealms: Bool, over line: ServiceClient.Line
    ) throws(LoginFault) -> ServiceClient.Sent { ServiceClient.Sent(response: try line(request)) }

    /// Sends a request over the transport.
    func send(
        _ request: HTTPRequest, with credential: Credential, answersOtherRealms: Bool
    ) throws(LoginFault) -> ServiceClient.Sent {
        try send(request, with: credential, answersOtherRealms: answersOtherRealms, over: client.transport.send)
    }
}

extension ServiceClient {
    /// Sends a request and returns the response: over the transport, or on a kept connection of its own.
    typealias Line = (HTTPRequest) throws(LoginFault) -> HTTPResponse
}

/// The result of one step of a login, before its session is confirmed.
enum OpeningStep {
    case opened(OpenedLogin)
    case refused(Refusal)
    case needsCode(words: String?, StepsInProgress)
    /// To be sent again after so many seconds; `took` is how many the server needed to say so.
    case pending(seconds: Int, took: Int, StepsInProgress)
}

/// A session that no verify endpoint has confirmed yet.
struct OpenedLogin {
    /// The credential that it was earned with.
    let credential: Credential
    var session: Session
    /// The verdict of the login's own responses.
    let verdict: LoginVerdict
    /// Where the last response led.
    var redirect: Redirect?
    /// The last page before the session.
    var visit: PageVisit?
    /// The difference of the clocks, if it makes the token look expired.
    var clockDifference: ClockDifference?
}

extension Refusal {
    /// The refusal, marked if a good credential without permission may look the same.
    func ambiguous(_ isAmbiguous: Bool, _ credential: Credential?) -> Refusal {
        var refusal = self
        (refusal.mayMeanForbidden, refusal.hadTicket) = (isAmbiguous, credential?.kind == .ticket)
        return refusal
    }
}

extension Credential {
    /// The user name and password for Basic and Digest.
    var pair: BasicCredential { BasicCredential(username: username ?? "", password: password ?? Secret("")) }

    /// Refuses credentials that HTTP authentication cannot carry, before they are sent.
    ///
    /// RFC 7617, section 2 has no colon in a user name and no control characters in either.
    func checkPair() throws(LoginFault) {
        try fromUsage(try BasicCredential.check(username: username ?? ""))
        if let password { try fromUsage(try BasicCredential.check(password: password)) }
    }
}

extension Credential {
    /// Where no request earns another session, it is the session.
    var opened: OpeningStep {
        .opened(OpenedLogin(credential: self, session: .credential(self), verdict: .leftToVerify))
    }
}
