import Secrets

/// The session that requests are sent with: an account's, and what their responses have made of it. Does what `ChangingSession` decides:
/// asks verify about the values that responses bring, and stores those that are the account's.
package final class AccountSession {
    package let run: LoginRun
    /// As the server named it, if it was asked; else as it is stored.
    package let identity: Identity
    /// Where the login was verified, as far as that is known.
    var space: VerifiedSpace?
    /// Whether the server has confirmed the session for the next request.
    var isFresh: Bool
    private(set) var changing: ChangingSession
    /// The session at the beginning, as it was stored or made.
    private let first: Session
    private var stored: (session: Session, at: ContinuousClock.Instant?)
    private var hasTold = false

    /// The pause between two writes of the session to its store.
    private static let storing = Duration.seconds(10)

    /// Sends no request.
    init(
        _ run: LoginRun, _ session: Session, _ identity: Identity, space: VerifiedSpace? = nil, isFresh: Bool = true
    ) {
        (self.run, self.identity, self.space, self.isFresh) = (run, identity, space, isFresh)
        changing = ChangingSession(session, of: identity)
        (first, stored) = (session, (session, nil))
        run.service.owner = identity
    }

    /// The same login with another session, which no response has changed yet.
    func replaced(by session: Session) -> AccountSession {
        AccountSession(run, session, identity, space: space, isFresh: isFresh)
    }

    package var username: String { identity.username }

    /// The session for the next request.
    package var session: Session { changing.used }

    /// Whether a store has the session, so that it is refreshed there.
    package var isKept: Bool { run.hasStore && !run.keepsNothing }

    /// A cookie that verify's request does not carry is proved by nobody. One of a new name, such as that of a language, is used for this
    /// command.
    private func provable(_ session: Session) -> Session {
        run.service.provable(session, after: changing.used, username: username) { [first] name in
            !first.cookies.contains { $0.name == name }
        }
    }

    /// Takes note of what a response has made of the session. Whatever it says, a request that writes to the login's path may have
    /// logged in another account.
    /// - Parameter proved: what verify has said of the session before the request went out with it.
    func note(_ session: Session?, isLogin: Bool, proved: Login? = nil) {
        // Another request may have logged in somebody after verify was asked.
        let isInDoubt = isLogin || changing.isInDoubt
        if let proved { _ = changing.accept(proved.session, proved, at: .now) }
        if let session { changing.note(provable(session)) }
        if isInDoubt, run.profile.verify != nil { changing.doubt() }
    }

    /// Asks verify what is to be asked by now, and stores what it proves. A failure is no reason for another exit code: what was asked
    /// for is done.
    /// - Parameter isLast: no other request follows.
    func settle(isLast: Bool = false) {
        if let waiting = changing.waiting, run.profile.verify == nil || changing.isDue(at: .now, isLast: isLast) {
            settle(waiting, isLast: isLast)
        }
        if changing.isInDoubt {
            do {
                try confirmUsed()
            } catch .loginRequired(let need) {
                if case .sessionOfAnother(let other) = need.why {
                    tell("\(other.sessionWords); log in again: \(run.context.topic.loginCommand("--force"))")
                }
            } catch {
                // The next request asks again.
            }
        }
        if let other = run.service.result.otherUser { tell(run.words(of: other)) }
        store(isLast: isLast)
    }

    /// Asks verify to confirm the session in use.
    /// - Throws: `loginRequired` where verify names another user.
    func confirmUsed() throws(LoginFault) {
        let login = try run.service.verify(changing.used, username: username)
        if let other = changing.accept(changing.used, login, at: .now) { throw lost(other, login.identity) }
    }

    /// Returns the fault of a session that is another user's. If it is the stored one, no command uses it from now on.
    private func lost(_ other: Replacement, _ identity: Identity) -> LoginFault {
        do {
            try run.confirm(identity, hiding: run.service.repeatsSecret)
        } catch {
            return error
        }
        return .loginRequired(LoginNeed(why: .sessionOfAnother(other.hiding(run.service.repeatsSecret))))
    }

    private func settle(_ waiting: Session, isLast: Bool) {
        do {
            let login = try run.service.verify(waiting, username: username)
            if let other = changing.accept(waiting, login, at: .now) { tell(run.words(of: other)) }
        } catch .rejected(let refusal) where refusal.doubt == nil {
            changing.refuse(waiting, at: .now)
        } catch .forbidden(let refusal) where refusal.doubt == nil {
            changing.refuse(waiting, at: .now)
        } catch .secondFactor {
            changing.refuse(waiting, at: .now)
        } catch {
            changing.postpone(at: .now)
            if isLast { warnNotStored(error) }
        }
    }

    /// The result of asking verify after a request was refused.
    /// `unknown` with the last refusal, which may judge nothing.
    enum Recheck: Equatable { case unknown(Refusal?), known, replaced }

    /// Asks verify, after the service has refused a request, whether it still knows the session.
    /// - Parameter refreshed: the session as the refusal itself has changed it.
    /// - Returns: `replaced` if a value that waited is good, and the one that was sent is not.
    /// - Throws: `loginRequired` where the session is another user's.
    func recheck(after refreshed: Session?) throws(LoginFault) -> Recheck {
        let used = changing.used, refreshed = refreshed.map { provable($0) }
        var last: Refusal?
        for session in changing.candidates(after: refreshed) {
            let login: Login
            do {
                login = try run.service.verify(session, username: username)
            } catch .rejected(let refusal) {
                if refusal.doubt == nil { changing.refuse(session, at: .now) }
                last = refusal
                continue
            } catch .forbidden(let refusal) where refusal.doubt != nil {
                last = refusal
                continue
            }
            let isReplaced = session != used && session != refreshed
            guard let other = changing.accept(session, login, replacesRefused: isReplaced, at: .now) else {
                store(isLast: false)
                return isReplaced ? .replaced : .known
            }
            guard session != used else { throw lost(other, login.identity) }
            tell(run.words(of: other))
        }
        return .unknown(last)
    }

    private func store(isLast: Bool) {
        let session = run.service.provable(changing.used, after: first, username: username)
        guard changing.isProven, isKept, session != stored.session else { return }
        guard isLast || stored.at.map({ ContinuousClock.now - $0 >= Self.storing }) ?? true else { return }
        stored = (session, .now)
        do {
            try run.approve(Login(identity: identity, session: session), .refresh)
        } catch {
            warnNotStored(error)
        }
    }

    private func warnNotStored(_ error: LoginFault) {
        run.warn("the refreshed session was not stored: \(error.message(about: run.context.topic).what)")
    }

    /// Warns once: a service that does it again does it with each response.
    private func tell(_ words: String) {
        if !hasTold { run.warn(words) }
        hasTold = true
    }
}
