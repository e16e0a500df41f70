import Secrets
import Synchronization

/// The session of many requests at once. One of them refreshes it for all.
final class ServedSession: @unchecked Sendable {
    /// The session that one request is sent with.
    struct Lent {
        let session: Session
        /// Counts refreshes; tells a stale session from the current one.
        let number: Int
        let identity: Identity
        let extraSecrets: [CredentialField: Secret]
        let space: VerifiedSpace?
        /// The secrets that the service has issued, which no header may repeat to the command.
        let hidden: RepeatedSecrets
    }

    /// In bytes: a shorter secret occurs in ordinary text, and could be found by trying what is hidden.
    private static let leastHidden = 16

    /// Guards the session provider, its context and its services.
    private let monitor = Monitor()
    private let provider: SessionProvider
    private var authenticated: AccountSession
    /// Computed once for each session: every secret takes pages of its own.
    private let hidden: Mutex<(account: String, fromCommand: RepeatedSecrets, fromLog: RepeatedSecrets)>
    private var number = 0
    /// The number of the last session that the server has refused at verify.
    private var refused = -1
    /// What verify has said of the session of this number.
    private var answer: (number: Int, refusal: Refusal?) = (-1, nil)
    private var failure = RecentFailure()
    private var told: Set<String> = []

    /// - Parameter provider: one that never prompts.
    init(_ provider: SessionProvider, _ authenticated: AccountSession) {
        (self.provider, self.authenticated) = (provider, authenticated)
        hidden = Mutex(Self.hidden(authenticated, besides: []))
    }

    /// The secrets that no log may have; nobody waits for a refresh to learn them.
    var knownSecrets: RepeatedSecrets { hidden.withLock { $0.fromLog } }

    /// The account's name, which a refresh may change: somebody may have logged in to another one.
    var account: String { hidden.withLock { $0.account } }

    /// Returns the current session, refreshed first if it is past its end. A password that the server has refused is not sent
    /// again, since that would lock the account: somebody has to log in.
    func current() throws(LoginFault) -> Lent {
        monitor.lock()
        defer { monitor.unlock() }
        let isRefused = refused == number && authenticated.session.credential?.password != nil
        if isRefused || provider.context.dependencies.clock.isOver(authenticated.session) {
            try refresh(after: nil)
        } else if authenticated.changing.isInDoubt {
            // Verify says whose the session is by now, or what is stored: somebody may have logged in again.
            if authenticated.isKept { try refresh(after: nil) } else { try authenticated.confirmUsed() }
        } else {
            changing { authenticated.settle() }
        }
        return lent
    }

    /// Another one than that which the server has refused; tells the person, once, if there is none.
    func lend(after former: Lent) throws(LoginFault) -> Lent {
        do {
            monitor.lock()
            defer { monitor.unlock() }
            if former.number == number {
                if answer.number != number || answer.refusal?.doubt == nil { refused = number }
                try refresh(after: former.session)
            }
            return lent
        } catch {
            throw telling(error)
        }
    }

    /// Asks the server, once for all requests, whether it still knows the session.
    /// - Parameter refreshed: what its last answer has made of it.
    func isKnown(_ former: Lent, refreshed: Session?) throws(LoginFault) -> Bool {
        monitor.lock()
        defer { monitor.unlock() }
        guard former.number == number, refused < number else { return false }
        let found = try changing { () throws(LoginFault) in try authenticated.recheck(after: refreshed) }
        if case .unknown(let refusal) = found {
            answer = (number, refusal)
            if refusal?.doubt == nil { refused = number }
        }
        return found == .known
    }

    /// Takes note of what a response has made of the session.
    /// - Parameters:
    ///   - isLogin: whether the request may have logged in another account.
    ///   - proved: what verify has said of the session before the request went out with it.
    func note(_ session: Session?, of former: Lent, isLogin: Bool, proved: Login?) {
        monitor.locked {
            let isCurrent = former.number == number, isNew = isCurrent && session != former.session
            changing {
                authenticated.note(isNew ? session : nil, isLogin: isLogin, proved: isCurrent ? proved : nil)
            }
        }
    }

    /// Has verify judge what responses have made of the session, as far as that is due.
    func settle() {
        monitor.locked { changing { authenticated.settle() } }
    }

    /// Stores what has been refreshed since the last time.
    /// - Returns: what there is at last.
    @discardableResult
    func close() -> AccountSession {
        monitor.locked {
            authenticated.settle(isLast: true)
            return authenticated
        }
    }

    /// Tells the person, once, why requests fail.
    fileprivate func telling(_ error: LoginFault) -> LoginFault {
        monitor.locked {
            let message = error.message(about: provider.context.topic)
            if told.insert(message.what).inserted {
                provider.context.person.warn(message.next.isEmpty ? message.what : "\(message.what); \(message.next)")
            }
        }
        return error
    }

    private var lent: Lent {
        Lent(
            session: authenticated.session, number: number, identity: authenticated.identity,
            extraSecrets: authenticated.run.service.client.extraSecrets, space: authenticated.space,
            hidden: hidden.withLock { $0.fromCommand })
    }

    /// The secrets that no header may repeat, and those that no log may have. Those that a person has chosen are only among the latter: the
    /// command could send its guesses and see which of them does not come back.
    /// - Parameter earlier: of the session before, which a late answer may name.
    private static func hidden(_ authenticated: AccountSession, besides earlier: [Secret])
        -> (account: String, fromCommand: RepeatedSecrets, fromLog: RepeatedSecrets)
    {
        var made = RepeatedSecrets()
        let secrets = authenticated.session.made + earlier
        made.add(secrets.filter { $0.count >= leastHidden }, username: authenticated.username)
        var all = made
        let chosen = [authenticated.session.credential?.secret, authenticated.run.password]
        all.add(
            chosen + authenticated.run.service.client.extraSecrets.values.map { $0 }, username: authenticated.username)
        return (authenticated.identity.accountName, made, all)
    }

    private func hide(besides earlier: [Secret]) {
        let secrets = Self.hidden(authenticated, besides: earlier)
        hidden.withLock { $0 = secrets }
    }

    /// Runs a step that may put another value in the place of the session.
    private func changing<Result, Failure>(_ step: () throws(Failure) -> Result) throws(Failure) -> Result {
        let earlier = authenticated.session
        defer {
            if authenticated.session != earlier {
                hide(besides: earlier.made)
                // Of what went out with the old value, a refusal says nothing of the new one.
                if authenticated.changing.rotates { number += 1 }
            }
        }
        return try step()
    }

    private func refresh(after former: Session?) throws(LoginFault) {
        try failure.unlessRecent { () throws(LoginFault) in
            provider.context.lookAgain()
            let earlier = authenticated.session.made
            if authenticated.isKept {
                authenticated = try provider.enter(after: former, answer.number == number ? answer.refusal : nil)
            } else {
                try refreshUnkept()
            }
            number += 1
            hide(besides: earlier)
        }
    }

    /// There is no store to find another one in, and nobody else refreshes it.
    private func refreshUnkept() throws(LoginFault) {
        let service = authenticated.run.service
        if provider.profile.traits.isForMachines { return try proveAgain(service) }
        guard let next = try service.refresh(authenticated.session, username: authenticated.username) else {
            throw .loginRequired(LoginNeed(why: .sessionRefused))
        }
        // What there was is used up, whoever this is for.
        authenticated = authenticated.replaced(by: next.session)
        authenticated.note(nil, isLogin: true)
        if let other = next.owner.otherPerson(than: authenticated.identity) {
            throw .loginRequired(LoginNeed(why: .sessionOfAnother(other)))
        }
        try authenticated.confirmUsed()
    }

    /// A machine proves itself anew, with the secret that it was given if it needs one.
    private func proveAgain(_ service: Service) throws(LoginFault) {
        let secret = authenticated.run.password ?? authenticated.run.request.supplied?.password
        let credential = Credential(username: authenticated.username, secret.map { .password($0) } ?? .ticket)
        switch try service.begin(credential, code: nil) {
        case .accepted(let login): authenticated = authenticated.replaced(by: login.session)
        case .refused(let refusal): throw .rejected(refusal)
        case .unconfirmed, .needsCode, .pending: throw .loginRequired(LoginNeed(why: .sessionRefused))
        }
    }
}

extension ServedSession {
    /// The session for a request; tells the person, once, if there is none.
    func lend() throws(LoginFault) -> Lent {
        do { return try current() } catch { throw telling(error) }
    }

    /// Sends a request, and once more, the same, with a refreshed session if the response means that there was none.
    /// - Parameter hiding: told, before each try, of the secrets that nobody may see.
    /// - Returns: the response, which is still to be handed on.
    func send(
        _ outgoing: OutgoingRequest, with lent: Lent, over service: Service, hiding: @escaping (RepeatedSecrets) -> Void
    ) throws(LoginFault) -> RelayLoop<ServedLender>.Outcome {
        var loop = RelayLoop(outgoing, ServedLender(session: self, service: service, lent: lent, hiding: hiding))
        let isLogin = try service.mayLogIn(outgoing.message)
        do {
            let outcome = try loop.run()
            // Before anybody can know that the request has ended.
            note(outcome.refreshed, of: loop.lender.lent, isLogin: isLogin, proved: service.result.proved)
            return outcome
        } catch {
            note(nil, of: loop.lender.lent, isLogin: isLogin, proved: service.result.proved)
            throw error
        }
    }

    /// A service for the requests of one thread.
    func serviceBeside(isCancelled: @escaping @Sendable () -> Bool) throws(LoginFault) -> Service {
        try monitor.locked { () throws(LoginFault) in try authenticated.run.serviceBeside(isCancelled: isCancelled) }
    }
}

/// Lends one request the session of all of them.
struct ServedLender: SessionLender {
    let session: ServedSession
    let service: Service
    fileprivate(set) var lent: ServedSession.Lent
    let hiding: (RepeatedSecrets) -> Void
    let mayAsk = false

    func lend() -> CarriedSession {
        service.hold(lent.extraSecrets)
        service.owner = lent.identity
        hiding(lent.hidden)
        return CarriedSession(
            service: service, session: lent.session, username: lent.identity.username, space: lent.space)
    }

    func isKnown(after relayed: Service.Relayed?) throws(LoginFault) -> Bool {
        do { return try session.isKnown(lent, refreshed: relayed?.session) } catch { throw session.telling(error) }
    }

    mutating func lendAnother(
        after relayed: Service.Relayed?, missing: LoginFault?
    ) throws(LoginFault) -> CarriedSession {
        lent = try session.lend(after: lent)
        return lend()
    }
}

extension Session {
    /// The secrets in it that the service has made.
    fileprivate var made: [Secret] { credential?.password == nil ? secrets : [] }
}

/// Rethrows a recent failure instead of failing anew, one after the other, for all that wait.
struct RecentFailure {
    private var last: (error: LoginFault, at: ContinuousClock.Instant)?
    private static let span = Duration.seconds(2)

    mutating func unlessRecent<Result>(_ step: () throws(LoginFault) -> Result) throws(LoginFault) -> Result {
        if let last, ContinuousClock.now - last.at < Self.span { throw last.error }
        do {
            let result = try step()
            last = nil
            return result
        } catch {
            last = (error, .now)
            throw error
        }
    }
}
