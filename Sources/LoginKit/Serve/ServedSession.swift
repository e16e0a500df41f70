import LoginCore
import Secrets

/// The session of many requests at once. One of them renews it, and the others get what that has brought.
final class ServedSession: @unchecked Sendable {
    /// What one request goes out with.
    struct Lent {
        package let session: Session
        /// Which of the sessions that there have been it is.
        let number: Int
        let username: String
        package let extraSecrets: [CredentialField: Secret]
        let space: VerifiedSpace?
        /// What no header may repeat to the command.
        let hidden: RepeatedSecrets
    }

    /// Seconds between two times that renewed cookies are stored, and between two tries to renew what could not be.
    private static let (storing, patience) = (Duration.seconds(10), Duration.seconds(2))
    /// In bytes: a shorter secret stands in many a text. A password is longer than what it is mistaken for.
    private static let (leastHidden, leastPassword) = (8, 4)

    /// Whoever has it uses the gate, its context and its services.
    private let monitor = Monitor()
    private let gate: Gate
    private var admission: Gate.Admission
    /// Worked out once for each session: every secret takes pages of its own.
    private var hidden: RepeatedSecrets
    private var number = 0
    /// The last session that the server has refused at verify.
    private var refused = -1
    private var failure: (error: LoginError, at: ContinuousClock.Instant)?
    private var stored: (session: Session, at: ContinuousClock.Instant)
    private var told: Set<String> = []

    /// - Parameter gate: that asks nobody.
    init(_ gate: Gate, _ admission: Gate.Admission) {
        (self.gate, self.admission) = (gate, admission)
        stored = (admission.session, .now)
        hidden = Self.hidden(admission, besides: [])
    }

    /// What is there, renewed before it is used if it is past its end. A password that the server has refused is not sent
    /// again, since that would lock the account: somebody has to log in.
    func current() throws(LoginError) -> Lent {
        try monitor.locked { () throws(LoginError) in
            let isRefused = refused == number && admission.session.password != nil
            if isRefused || gate.context.world.clock.isOver(admission.session.expires) { try renew(after: nil) }
            return lent
        }
    }

    /// Another one than that which the server has refused.
    func renewed(after former: Lent) throws(LoginError) -> Lent {
        try monitor.locked { () throws(LoginError) in
            if former.number == number {
                refused = number
                try renew(after: former.session)
            }
            return lent
        }
    }

    /// Asks the server, once for all requests, whether it still knows the session.
    /// - Parameter refreshed: what its last answer has made of it.
    func isKnown(_ former: Lent, refreshed: Session?) throws(LoginError) -> Bool {
        try monitor.locked { () throws(LoginError) in
            guard former.number == number, refused < number else { return false }
            let newer = refreshed.flatMap { $0 == former.session ? nil : $0 }
            for session in [newer, admission.session].compactMap({ $0 }) {
                do throws(LoginError) {
                    let login = try admission.run.service.verify(session, username: admission.username)
                    replace(by: login.session)
                    return true
                } catch .rejected {
                    continue
                }
            }
            refused = number
            return false
        }
    }

    /// Takes note of cookies that an answer has renewed.
    func note(_ session: Session?, of former: Lent) {
        monitor.locked {
            guard let session, former.number == number, session != former.session else { return }
            replace(by: session)
            if ContinuousClock.now - stored.at >= Self.storing { store() }
        }
    }

    /// Stores what has been renewed since the last time.
    /// - Returns: what there is at last.
    func close() -> Session {
        monitor.locked {
            store()
            return admission.session
        }
    }

    /// Tells the person, once, why requests fail.
    func tell(_ error: LoginError) {
        monitor.locked {
            let message = error.message(about: gate.context.topic)
            guard told.insert(message.what).inserted else { return }
            gate.context.warn(message.next.isEmpty ? message.what : "\(message.what); \(message.next)")
        }
    }

    private var lent: Lent {
        Lent(
            session: admission.session, number: number, username: admission.username,
            extraSecrets: admission.run.service.heldSecrets, space: admission.space, hidden: hidden)
    }

    /// What no header may repeat.
    /// - Parameter earlier: of the session before, which a late answer may name.
    private static func hidden(_ admission: Gate.Admission, besides earlier: [Secret]) -> RepeatedSecrets {
        var hidden = RepeatedSecrets()
        let name = admission.username
        hidden.add((admission.session.secrets + earlier).filter { $0.count >= leastHidden }, username: name)
        if let password = admission.session.password {
            if password.count >= leastPassword { hidden.add([password], username: name) }
            hidden.addPair(name, password)
        }
        return hidden
    }

    private func replace(by session: Session) {
        guard session != admission.session else { return }
        let earlier = admission.session.secrets
        admission.session = session
        hidden = Self.hidden(admission, besides: earlier)
    }

    /// Those who have waited for the same in vain are not made to wait once more.
    private func renew(after former: Session?) throws(LoginError) {
        if let failure, ContinuousClock.now - failure.at < Self.patience { throw failure.error }
        gate.context.lookAgain()
        let earlier = admission.session.secrets
        do throws(LoginError) {
            if admission.isKept { admission = try gate.enter(after: former) } else { try renewUnkept() }
        } catch {
            failure = (error, .now)
            throw error
        }
        (number, failure, stored) = (number + 1, nil, (admission.session, .now))
        hidden = Self.hidden(admission, besides: earlier)
    }

    /// There is no store to find another one in, and nobody else renews it.
    private func renewUnkept() throws(LoginError) {
        let service = admission.run.service
        guard let next = try service.refresh(admission.session, username: admission.username) else {
            throw .loginRequired(LoginNeed(why: .sessionRefused))
        }
        replace(by: next)
        replace(by: try service.verify(next, username: admission.username).session)
    }

    private func store() {
        guard admission.isKept, admission.session != stored.session else { return }
        stored = (admission.session, .now)
        do throws(LoginError) {
            try admission.keep()
        } catch {
            gate.context.warn(
                "warning: the refreshed session was not stored: \(error.message(about: gate.context.topic).what)")
        }
    }
}

extension Session {
    /// Nothing where it is none.
    fileprivate var password: Secret? {
        guard case .credential(let credential) = self, case .password(let password) = credential.kind else {
            return nil
        }
        return password
    }
}

extension Gate.Admission {
    /// Stores a session that the service has renewed by itself.
    fileprivate func keep() throws(LoginError) {
        try keeper.approve(Login(identity: identity, session: session), .refresh)
    }
}
