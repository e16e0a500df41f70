import Dispatch
import Glibc
import Secrets
import Synchronization

/// Runs one login and the requests after it on a thread of its own.
actor LoginActor {
    /// The profile of the login.
    enum Place: Sendable {
        /// `nil` for the one that authctl would take.
        case named(String?)
        case made(Profile)
    }

    private let executor = BlockingExecutor()
    private let logins: Logins
    private let place: Place
    private let username: String?
    private var provider: SessionProvider?
    private var authenticated: AccountSession?
    private var hasEnded = false

    init(_ logins: Logins, _ place: Place, _ username: String?) {
        (self.logins, self.place, self.username) = (logins, place, username)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func enter(verifying: Bool) throws -> LoginSession {
        let session = try unlessCancelled { () throws(LoginFault) in
            let provider = try opened()
            let authenticated = verifying ? try provider.enter() : try provider.enterUnverified()
            authenticated.isFresh = false
            self.authenticated = authenticated
            return LoginSession(loginActor: self, profile: provider.profile, identity: authenticated.identity)
        }
        // Cancelled during a refresh, which was finished all the same: what follows is not wanted any more.
        try Task.checkCancellation()
        return session
    }

    func send(_ request: SessionRequest) throws -> SessionResponse {
        try unlessCancelled { () throws(LoginFault) in
            let provider = try opened()
            provider.context.lookAgain()
            var account = authenticated
            let (response, body) = try provider.send(request, with: &account)
            authenticated = account
            return SessionResponse(response, body: body)
        }
    }

    func headerLines() throws -> String? {
        guard let authenticated, let provider else { throw LoginError(.failure(Self.over)) }
        do {
            return try provider.profile.sessionRule.headerLines(
                authenticated.session,
                SlotValues(
                    authenticated.session, username: authenticated.username, authenticated.run.service.takenForLater))?
                .unprotectedText
        } catch {
            throw LoginError(.failure(.sessionFitsNoHeader))
        }
    }

    func logOut() throws {
        try unlessCancelled { () throws(LoginFault) in
            let context = try logins.context(for: username)
            let profile = try profile(in: context)
            let account = try context.accounts.account(profile)
            guard let record = try context.record(of: profile) else {
                throw .loginRequired(LoginNeed(why: .nothingStored))
            }
            if let problem = try AccountLogout.ofOne(account, of: record, in: context, as: profile)?.problem {
                throw .failure(.logoutIncomplete(problem))
            }
        }
    }

    func isLoggedIn() throws -> Bool {
        try unlessCancelled { () throws(LoginFault) in
            let context = try logins.context(for: username), profile = try profile(in: context)
            do throws(LoginFault) {
                let account = try context.accounts.account(profile)
                guard let problem = try context.accounts.problem(with: account, of: profile) else { return true }
                guard case .loginRequired(let need) = problem, case .sessionExpired = need.why else { return false }
                return context.accounts.refreshes(account, of: profile)
            } catch .loginRequired {
                return false
            }
        }
    }

    /// Stores what was refreshed, and closes the connections, on the thread that they belong to.
    func end() {
        authenticated?.settle(isLast: true)
        (provider, authenticated, hasEnded) = (nil, nil, true)
    }

    private static let over = "the session was handed out for the time of a block, which is over"

    private func opened() throws(LoginFault) -> SessionProvider {
        guard !hasEnded else { throw .failure(Self.over) }
        if let provider { return provider }
        let context = try logins.context(for: username)
        var request = LoginRequest()
        if let terminal = logins.delegate as? TerminalDelegate { request.policy.patience = terminal.timeout }
        let opened = try SessionProvider(context, try profile(in: context), request)
        provider = opened
        return opened
    }

    private func profile(in context: LoginContext) throws(LoginFault) -> Profile {
        switch place {
        case .named(let name): try context.selection.profile(name)
        case .made(let profile): try context.selection.adopt(profile)
        }
    }

    /// Runs a step. If the task was cancelled meanwhile, throws `CancellationError` whatever the step threw.
    private func unlessCancelled<Result>(_ step: () throws(LoginFault) -> Result) throws -> Result {
        try Task.checkCancellation()
        do {
            return try step()
        } catch {
            try Task.checkCancellation()
            throw LoginError(error)
        }
    }
}

/// Runs an actor's work one after the other on a thread that may wait as long as it likes: a server, a lock and a person block
/// it, and no thread of Swift's own pool.
final class BlockingExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "LoginKit")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job), executor = asUnownedSerialExecutor()
        queue.async {
            withoutBrokenPipes { job.runSynchronously(on: executor) }
        }
    }
}

/// Has a write to a connection that its other end has closed fail, where it would end the process by SIGPIPE (signal(7)): what
/// the process does about that signal is the program's own choice.
func withoutBrokenPipes<Result>(_ body: () -> Result) -> Result {
    var pipe = sigset_t(), before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer {
        var atOnce = timespec()
        while sigtimedwait(&pipe, nil, &atOnce) > 0 {}
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return body()
}

/// Tells whether the task is cancelled, and postpones that while a refresh is under way.
final class CancellationHold: Sendable {
    private static let patience = Duration.seconds(5)
    /// The number of holds, and the time when one of them first saw the task cancelled.
    private let state = Mutex((holds: 0, cancelled: ContinuousClock.Instant?.none))

    /// Whether the task is cancelled and no hold postpones that any more.
    var isCancelled: Bool {
        guard Task.isCancelled else { return false }
        return state.withLock { state in
            guard state.holds > 0 else { return true }
            let first = state.cancelled ?? .now
            state.cancelled = first
            return first.duration(to: .now) >= Self.patience
        }
    }

    func begin() { state.withLock { $0.holds += 1 } }

    func end() { state.withLock { $0.holds -= 1 } }
}
