/// The login itself: stored credential → verify → ask again on refusal → save, as one table.
///
/// A flow only decides. Events say what happened, effects say what is to be done; `LoginLoop` performs them, and keeps
/// what is secret to itself: no state, event or effect holds any of it.
///
/// Promises, proved by a walk of every reachable state with every event (`LoginFlowWalkTests`):
/// - a login is saved only after the verify endpoint confirmed it, but for a refreshed session, which is saved before, since the
///   old one may be used up by then; a stored one is rejected only after a refusal;
/// - at most `maxAttempts` credentials and as many codes are sent, with at most ten blank answers between two, and as many again that
///   nothing has judged; every path ends, nothing happens after the end;
/// - what the service took, or did not judge, is never told as refused because verify looks the same afterwards: nothing is marked, no
///   attempt is counted, and it is sent or asked for again only if the person says so;
/// - a stored login that verify answers with what judges nothing is neither refused nor marked nor erased;
/// - a wrong code is no wrong password: a stored password that meets a second factor is neither refused nor marked;
/// - only a refusal counts as a failed attempt, and only a refusal is told as one; what a fault kept from being judged may be sent
///   once more, at most as often, and only if the person says so;
/// - nothing takes the place of a login of another person, unless a person says so;
/// - no certificate is trusted that nobody accepted, and none is remembered before a login has succeeded with it.
package struct LoginFlow: Equatable, Sendable {
    /// Where a credential that is being judged came from.
    enum Source: Equatable, Sendable, CaseIterable { case supplied, stored, typed, ticket }

    /// The progress of a login: what was asked for last, and what has to be known once the answer is there.
    enum State: Equatable, Sendable, NamedCase {
        case starting
        case lookingUp
        /// A session was stored, and is judged before anybody is asked: `LoginFlow+StoredSession.swift`.
        case judging(StoredSession)
        case preparing(Source)
        /// A person is asked: `LoginFlow+Questions.swift`.
        case awaiting(Question, then: Continuation)
        case authenticating(Source)
        /// A second factor was wanted: `LoginFlow+SecondFactor.swift`, as the next one.
        case resuming(Source, CodeSource)
        case waiting(Source)
        case rejectingCredential(Refusal)
        case saving(Identity, Source)
        /// The server's certificate does not verify: `LoginFlow+Trust.swift`, as the next one.
        case trusting(Interruption)
        case rememberingTrust(Outcome)
        case finished(Outcome)
    }

    /// The continuation after a question.
    enum Continuation: Equatable, Sendable {
        case authenticate
        case resume(Source)
        case save(Identity, Source)
        case retake(Interruption)
        /// The credential is asked for again, for nothing has judged the last one.
        case retype
    }

    /// The stored login, as facts: the secrets stay with the loop.
    enum Found: Equatable, Sendable, CaseIterable {
        case nothing, session, credential, both
        /// A password that the server has refused before.
        case refusedCredential
    }

    /// The result of the last effect, or the beginning of the flow.
    enum Event: Equatable, Sendable, NamedCase {
        case begun
        /// `endedAt`, in seconds of Unix time, if the stored session is past its end, or was dropped by its store for that.
        case lookedUp(Found, endedAt: Int64? = nil)
        /// A credential is stored, and the server has refused just that before this login began.
        case foundRefused(Refusal)
        /// The store takes secrets, and the server named the protection space.
        case prepared(ProtectionSpace)
        case answered(Reply)
        /// The service confirmed a login; `isRefreshed` if it differs from what is stored.
        case confirmed(Identity, isRefreshed: Bool)
        case refused(Refusal)
        /// The login went through, and verify does not tell it from no login.
        case unconfirmed(UnconfirmedLogin)
        /// The credential is good, and the server wants a second factor; with its own words, unescaped.
        case needsCode(words: String?)
        /// It waits for an approval on another device, and is to be asked again after so many seconds.
        case pending(seconds: Int, took: Int = 0)
        case waited
        /// The refresh request gave another session.
        case refreshed
        /// There is nothing to refresh the session with.
        case notRefreshable
        case rejected
        case saved
        case trusted
        case failed(LoginFault)
    }

    /// The next step. Its result is the next event.
    enum Effect: Equatable, Sendable {
        case lookUp
        case prepare
        case ask(Question)
        case verifySession
        case refreshSession
        /// With what was given, stored or typed last, or without a person: with the Kerberos ticket, or what a machine proves.
        case authenticate(Source)
        /// Goes on with a login that wants a second factor.
        case resume(CodeSource)
        /// Lets so many seconds pass.
        case wait(seconds: Int)
        /// Keeps what was confirmed or refreshed last.
        case save(Approval)
        case reject(StoredLogin.Part)
        case trust(TrustedCertificate)
        case rememberTrust(TrustedCertificate)
        case finish(Outcome)
    }

    /// The end of a login.
    enum Outcome: Equatable, Sendable {
        /// The stored login is good; nobody was asked.
        case alreadyLoggedIn(Identity)
        case loggedIn(Identity)
        /// Nobody is logged in, since the answer was to go on without; nothing was sent, saved or erased for it.
        case continuedWithout
        case failed(LoginFault)
    }

    /// Where it is now.
    var state = State.starting
    /// The number of refusals, of typed and of stored credentials.
    private(set) var previousFailureCount = 0
    /// The last of those refusals.
    private(set) var lastRefusal: Refusal?
    /// The number of credentials a person has typed, without those sent again after a fault.
    var credentialsSent = 0
    /// The number of codes a person has typed.
    var codesSent = 0
    /// The number of blank answers since the last credential that was sent.
    var blanksInARow = 0
    /// Whether the code that was given has been sent.
    var hasSentSuppliedCode = false
    /// Seconds spent in waiting for an approval.
    var secondsWaited = 0
    /// The number of questions whether to try again after a fault.
    var retriesOffered = 0
    /// When the stored session ended, where it is past its end.
    private(set) var endedAt: Int64?
    private var reason = Challenge.Reason.notLoggedIn
    var proposedUsername: String?
    let policy: Policy
    /// The certificate that was accepted in this login or before it.
    var acceptance: TrustAcceptance?
    private(set) var subject: Subject

    /// - Parameter acceptance: what a person has accepted already, on the way to this login.
    init(
        subject: Subject, policy: Policy, proposedUsername: String? = nil, acceptance: TrustAcceptance? = nil
    ) {
        self.subject = subject
        self.policy = policy
        self.proposedUsername = proposedUsername
        self.acceptance = acceptance
    }

    /// Takes note of what happened.
    /// - Returns: what to do next; `finish` with the outcome at the end, and after it whatever happens. An event that cannot
    ///   follow ends the login as a failure.
    mutating func handle(_ event: Event) -> Effect {
        switch (state, event) {
        case (.finished(let outcome), _):
            return .finish(outcome)

        case (_, .failed(.untrusted(.certificate(let trust)))):
            return judge(trust)
        case (.judging, .failed(.forbidden(let refusal))) where refusal.doubt == .forbidden,
            (.authenticating(.stored), .failed(.forbidden(let refusal))) where refusal.doubt == .forbidden:
            return doubt(refusal)
        case (.judging(let session), .failed(.busy(let fault))) where fault.isDoubtful && isOver(session):
            if session.withCredential { return authenticate(.stored) }
            return askOrEnd(.sessionEnded(at: endedAt), why: .refreshNotJudged(fault))
        case (_, .failed(let error)):
            return offerRetry(after: error)

        case (.starting, .begun):
            if policy.hasSuppliedCredential { return go(.preparing(.supplied), .prepare) }
            if policy.force { return askOrEnd(.forced, why: .nothingStored) }
            return go(.lookingUp, .lookUp)

        case (.lookingUp, .lookedUp(let found, let end)):
            endedAt = end
            return judge(found)
        case (.lookingUp, .foundRefused(let refusal)):
            if refusal.doubt != nil { return doubt(refusal) }
            note(refusal)
            return go(.rejectingCredential(refusal), .reject(.credential))
        case (.judging(let session), _):
            return handle(event, judging: session)
        case (.awaiting(let question, let continuation), .answered(let reply)):
            return take(reply, to: question, then: continuation)
        case (.resuming, _), (.waiting, _), (.authenticating, .needsCode), (.authenticating, .pending):
            return handleSecondFactor(event)
        case (.trusting, _), (.rememberingTrust, _):
            return handleTrust(event)

        case (.preparing(.supplied), .prepared(let space)):
            subject.protectionSpace = space
            return authenticate(.supplied)
        case (.preparing(.typed), .prepared(let space)):
            subject.protectionSpace = space
            // What is stored was tried before, and without anything the server has just refused.
            if policy.declines.contains(space.method) {
                return finish(.failed(.loginRequired(LoginNeed(why: .declined(space.method)))))
            }
            if space.method == .negotiate || policy.provesItself { return authenticate(.ticket) }
            guard mayAskNow else { return finish(.failed(.loginRequired(need(.nothingStored)))) }
            return ask(reason)

        case (.authenticating(let source), .confirmed(let identity, let isRefreshed)):
            return confirm(identity, isRefreshed, from: source)
        case (.authenticating(.supplied), .refused(let refusal)), (.authenticating(.ticket), .refused(let refusal)):
            return finish(.failed(.rejected(refusal)))
        case (.authenticating(.stored), .refused(let refusal)):
            if refusal.doubt != nil { return doubt(refusal) }
            note(refusal)
            return go(.rejectingCredential(refusal), .reject(.credential))
        case (.authenticating(.typed), .refused(let refusal)):
            note(refusal)
            guard credentialsSent < policy.maxAttempts else { return finish(.failed(.rejected(refusal))) }
            return ask(.refused(refusal))
        case (.authenticating(let source), .unconfirmed(let login)):
            return end(with: login, from: source)
        case (.rejectingCredential(let refusal), .rejected):
            guard mayAskNow else { return finish(.failed(.rejected(refusal))) }
            reason = .storedRefused(refusal)
            return go(.preparing(.typed), .prepare)

        case (.saving(let identity, .stored), .saved):
            return succeed(.alreadyLoggedIn(identity))
        case (.saving(let identity, .supplied), .saved), (.saving(let identity, .typed), .saved),
            (.saving(let identity, .ticket), .saved):
            return succeed(.loggedIn(identity))

        // Nothing else can follow; a new state has to be named here before this builds.
        case (.starting, _), (.lookingUp, _), (.preparing, _), (.awaiting, _), (.authenticating, _),
            (.rejectingCredential, _), (.saving, _):
            return unexpected(event)
        }
    }
}

extension LoginFlow {
    mutating func go(_ next: State, _ effect: Effect) -> Effect {
        state = next
        return effect
    }

    mutating func authenticate(_ source: Source) -> Effect {
        // Without the code that is sent with it, a good password would be refused.
        if source == .stored, subject.fields.contains(.code), !policy.hasSuppliedCode {
            guard mayAskNow else { return finish(.failed(.secondFactor(.required(words: nil)))) }
            reason = .sessionEnded(at: endedAt)
            return go(.preparing(.typed), .prepare)
        }
        return go(.authenticating(source), .authenticate(source))
    }

    /// Saves the login that the service has confirmed, unless it is the stored one. What is stored is not used where the service
    /// names another user for it.
    mutating func confirm(_ identity: Identity, _ isRefreshed: Bool, from source: Source) -> Effect {
        if source == .stored, let other = replacement(by: identity) {
            return askOrEnd(.sessionEnded(at: endedAt), why: .sessionOfAnother(other))
        }
        if source == .stored, !isRefreshed { return succeed(.alreadyLoggedIn(identity)) }
        return save(identity, from: source)
    }

    mutating func finish(_ outcome: Outcome) -> Effect {
        go(.finished(outcome), .finish(outcome))
    }

    mutating func unexpected(_ event: Event) -> Effect {
        finish(.failed(.failure(.unexpectedEvent("\(event.name) while \(state.name)"))))
    }

    /// With what is stored, a session is only refreshed; with a credential that a person gave, an account is logged in.
    func approval(_ source: Source) -> Approval {
        switch source {
        case .stored: .refresh
        case .supplied, .typed, .ticket: .login(subject.protectionSpace.method)
        }
    }

    /// Whether a session is of no use any more, unless it can be refreshed.
    private func isOver(_ session: StoredSession) -> Bool {
        session.isRefused || session.doubt != nil || endedAt != nil
    }

    /// The effect on the stored login.
    private mutating func judge(_ found: Found) -> Effect {
        switch found {
        case .nothing where endedAt != nil: askOrEnd(.sessionEnded(at: endedAt), why: .sessionExpired)
        case .nothing: askOrEnd(.notLoggedIn, why: .nothingStored)
        case .refusedCredential: askOrEnd(.passwordRefusedBefore, why: .passwordRefusedBefore)
        case .session: judge(StoredSession(withCredential: false))
        case .both: judge(StoredSession(withCredential: true))
        case .credential: authenticate(.stored)
        }
    }

    /// Asks for another login where the response to the stored one judges nothing; what is stored stays.
    mutating func doubt(_ refusal: Refusal) -> Effect { askOrEnd(.undecided(refusal), why: .undecided(refusal)) }

    /// The server does not know the stored session any more.
    mutating func endRefusedSession() -> Effect {
        askOrEnd(.sessionEnded(at: endedAt), why: .sessionRefused)
    }

    private var mayAskNow: Bool { policy.mayAsk && policy.maxAttempts > 0 }

    /// - Parameter why: as `reason` says it, for the end of a login without a person.
    mutating func askOrEnd(_ reason: Challenge.Reason, why: LoginNeed.Why) -> Effect {
        guard mayAskNow || policy.mayUseTicket || policy.provesItself else {
            return finish(.failed(.loginRequired(need(why))))
        }
        self.reason = reason
        return go(.preparing(.typed), .prepare)
    }

    private mutating func note(_ refusal: Refusal) {
        previousFailureCount += 1
        lastRefusal = refusal
    }

    mutating func ask(_ reason: Challenge.Reason) -> Effect {
        self.reason = reason
        var challenge = Challenge(
            profile: subject.profile, protectionSpace: subject.protectionSpace, fields: subject.fields,
            proposedUsername: proposedUsername, previousFailureCount: previousFailureCount,
            attempt: credentialsSent + 1, maxAttempts: policy.maxAttempts, reason: reason)
        challenge.asksForClientSecret = subject.asksForClientSecret
        challenge.signup = credentialsSent + blanksInARow == 0 ? subject.signup : nil
        return ask(.credential(challenge), then: .authenticate)
    }

    func need(_ why: LoginNeed.Why) -> LoginNeed {
        // A name that is known already is not missing.
        let isNamed = proposedUsername?.isEmpty == false
        return LoginNeed(why: why, missing: subject.fields.filter { $0 != .username || !isNamed })
    }
}
