import Glibc
import Secrets

/// The login of all calls: one session, once there is one.
final class MCPLogin: @unchecked Sendable {
    /// The service, once there is a profile of it.
    struct Server {
        let provider: SessionProvider
        let origin: Origin
        /// Of the endpoint that speaks the protocol.
        let url: String
        let review: MCPReview
    }

    private let context: LoginContext
    private let target: String?
    private let options: MCPOptions
    private let registry: AccountRegistry
    /// `entrance` is held during a login, `monitor` only for moments.
    private let entrance = Monitor(), monitor = Monitor()
    private var found: Server?
    private var session: ServedSession?
    private var firstAccount = "", lastTopic = ErrorContext()
    private var waitEnd: ContinuousClock.Instant?
    private var isWaiting = false
    private var failure = RecentFailure()

    /// The time that the first message waits for a login that is made elsewhere: some clients give up after five seconds.
    private static let patience = Duration.seconds(3)
    /// The logins of this machine when the last one was looked for.
    private var seen: AccountRegistryDocument?

    /// - Parameter target: a profile's name, or a URL for which there may be no profile yet.
    init(_ context: LoginContext, _ target: String?, _ options: MCPOptions) {
        (self.context, self.target, self.options) = (context, target, options)
        registry = AccountRegistry(folder: context.paths.stateFolder, remembers: false, isCancelled: { false })
        do {
            _ = try server()
        } catch .loginRequired {
            // Told when the first message waits for a login.
        } catch {
            // Each call reports it: clients show nothing of a server that exits at once.
            warn(MCPError(error, topic).message)
        }
    }

    /// The subject of messages.
    var topic: ErrorContext { monitor.locked { lastTopic } }

    /// Whose session it is; empty until that is known.
    var account: String { monitor.locked { session?.account ?? firstAccount } }

    /// What is let through; `nil` until there is a profile.
    var review: MCPReview? { monitor.locked { found }?.review }

    func server() throws(LoginFault) -> Server {
        try monitor.locked { () throws(LoginFault) in
            if let found { return found }
            defer { lastTopic = context.topic }
            seen = known
            let (profile, url) = try context.selection.mcpServer(target)
            let given = try SessionProvider(context, profile, LoginRequest())
            var provider = given.unattended()
            // `unattended` drops the given credential; the first login needs it.
            provider.request.supplied = given.request.supplied
            firstAccount = try context.record(of: profile)?.activeAccount?.username ?? ""
            let server = Server(
                provider: provider, origin: try context.connections.endpoint(profile).origin, url: url,
                review: try MCPReview(options, profile, context))
            if options.logsIn, let obstacle = try obstacle(to: profile) { warn("--login has no effect: \(obstacle)") }
            found = server
            return server
        }
    }

    func current() throws(LoginFault) -> ServedSession {
        let provider = try server().provider
        return try entrance.locked { () throws(LoginFault) in
            if let session = monitor.locked({ session }) { return session }
            let isNew = monitor.locked {
                let old = seen
                seen = known
                return seen != old
            }
            if isNew { failure = RecentFailure() }
            context.lookAgain()
            defer {
                let topic = context.topic
                monitor.locked { lastTopic = topic }
            }
            return try failure.unlessRecent { () throws(LoginFault) in
                let entered = try enter(provider), new = ServedSession(provider.unattended(), entered)
                monitor.locked { session = new }
                return new
            }
        }
    }

    /// Takes the stored login; where there is none and that was chosen, one in the browser, for all processes that wait for it.
    private func enter(_ provider: SessionProvider) throws(LoginFault) -> AccountSession {
        do {
            return try provider.enterUnverified()
        } catch {
            guard case .loginRequired = error, options.logsIn, try obstacle(to: provider.profile) == nil
            else { throw error }
            var asking = provider
            asking.request.policy.mayAsk = true
            return try asking.enter()
        }
    }

    /// Why `--login` cannot open a browser; `nil` if it can.
    private func obstacle(to profile: Profile) throws(LoginFault) -> String? {
        if !profile.traits.asksForConsent { return "\(profile.name) has no login in a browser" }
        return try BrowserStart.canStart(for: profile) ? nil : "no browser can be opened here"
    }

    /// The secrets that no log may have.
    var knownSecrets: RepeatedSecrets { monitor.locked { session }?.knownSecrets ?? RepeatedSecrets() }

    /// The end of the wait for a login. All first messages share it: a client whose `server/discover` failed sends `initialize` next.
    var patienceEnd: ContinuousClock.Instant {
        monitor.locked {
            let end = waitEnd ?? .now + Self.patience
            waitEnd = end
            return end
        }
    }

    /// Waits for a login that is made elsewhere, looking each second.
    /// - Parameter error: why it waits, for whoever reads standard error; told once.
    /// - Returns: whether there may be one now.
    func hasChanged(
        until end: ContinuousClock.Instant, telling error: LoginFault, unless isOver: () -> Bool
    ) -> Bool {
        if ContinuousClock.now < end, !monitor.locked({ isWaiting }) {
            let message = error.message(about: topic)
            let words = [message.what, message.next, "waiting \(Self.patience.components.seconds) seconds for it"]
            warn(words.filter { !$0.isEmpty }.joined(separator: "; "))
        }
        let before = monitor.locked { seen }
        while ContinuousClock.now < end {
            monitor.locked { isWaiting = true }
            for _ in 0..<10 where !isOver() { usleep(100_000) }
            if isOver() { return false }
            var old: ServedSession?
            let isNew = known != before
            if isNew { monitor.locked { swap(&old, &session) } }
            guard isNew else { continue }
            old?.close()
            return true
        }
        return false
    }

    /// Stores what was refreshed, in five seconds at most: a refresh that is under way is waited for.
    func close() {
        review?.stop()
        guard let session = monitor.locked({ session }) else { return }
        let threads = CountedThreads()
        guard threads.start({ session.close() }) else { return }
        let end = ContinuousClock.now + .seconds(5)
        while threads.count > 0, ContinuousClock.now < end { usleep(5000) }
    }

    func warn(_ text: String) { context.person.messages.warn("warning: \(text)") }

    private var known: AccountRegistryDocument? {
        do {
            return try registry.read()
        } catch {
            // The next login reports the fault.
            return nil
        }
    }
}

extension ProfileSelection {
    /// The profile of an MCP server, and the server's URL.
    /// - Parameter target: a profile's name or a URL; `nil` if options or the environment say it.
    fileprivate func mcpServer(_ target: String?) throws(LoginFault) -> (profile: Profile, url: String) {
        if let target, target.contains("://") {
            let origin = try URLParser.parsed(target).origin
            var isKnown = context.options.profile != nil
            for name in context.profiles.names where !isKnown { isKnown = try self.origin(of: name) == origin }
            guard isKnown else {
                context.topic = ErrorContext(origin: origin, url: target)
                throw .loginRequired(LoginNeed(why: .nothingStored))
            }
            let profile = try profile(forRequestTo: target)
            return (profile, try context.connections.endpoint(profile).requestURL(target))
        }
        let profile = try self.profile(target, mayGuess: false)
        let isMade = if case .made = context.profiles.source(of: profile.name) { true } else { false }
        guard let path = profile.mcp ?? (isMade ? profile.verify?.path.source : nil) else {
            throw .usage(
                "the profile '\(profile.name)' does not name an MCP server; add its path to the profile: mcp = \"/mcp\""
            )
        }
        return (profile, try context.connections.endpoint(profile).requestURL(path))
    }
}

extension MCPError {
    /// What `request` would print.
    /// - Parameter isDoubtful: whether the call may have been carried out.
    init(_ fault: LoginFault, _ topic: ErrorContext, isDoubtful: Bool = false) {
        let command: String? =
            switch fault {
            case .loginRequired, .rejected, .secondFactor, .noTicketForService: topic.loginCommand
            case .forbidden(let refusal): refusal.scope.map { topic.loginCommand("--force", "--scope", $0) }
            case .usage, .cancelled, .network, .untrusted, .store, .busy, .http, .promptExpired, .oauth, .failure: nil
            }
        let message = fault.message(about: topic)
        // The other details are about options of `login`.
        let details = command == nil ? message.details : []
        var next = command == nil ? [message.next] : [message.next, "then reconnect this server"]
        if isDoubtful { next = (command == nil ? [] : next) + [NetworkFault.doubt] }
        self.init(
            code: command == nil ? Self.failed : Self.needsLogin,
            message: ([message.what] + details + next).filter { !$0.isEmpty }.joined(separator: "; "),
            exitCode: fault.exitCode == .failure ? nil : Int64(fault.exitCode.rawValue), command: command)
    }
}
