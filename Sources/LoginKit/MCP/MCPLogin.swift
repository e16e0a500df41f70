import Glibc
import Secrets

/// The login of all calls: one session, once there is one.
final class MCPLogin: @unchecked Sendable {
    let profile: Profile
    let endpoint: ServiceEndpoint
    /// The subject of messages.
    let topic: ErrorContext
    private let provider: SessionProvider
    private let registry: AccountRegistry
    private let monitor = Monitor()
    private var session: ServedSession?
    /// The logins of this machine when the last one was looked for.
    private var seen: AccountRegistryDocument?

    /// - Parameter provider: nobody is asked on this terminal.
    init(_ provider: SessionProvider) throws(LoginFault) {
        var unattended = provider.unattended()
        // What was given is for the first login.
        unattended.request.supplied = provider.request.supplied
        unattended.request.policy.hasSuppliedCredential = provider.request.policy.hasSuppliedCredential
        let context = provider.context
        (self.provider, profile, endpoint) = (unattended, provider.profile, try context.endpoint(provider.profile))
        topic = context.topic
        registry = AccountRegistry(folder: context.paths.stateFolder, remembers: false, isCancelled: { false })
    }

    func current() throws(LoginFault) -> ServedSession {
        try monitor.locked { () throws(LoginFault) in
            if let session { return session }
            seen = known
            provider.context.lookAgain()
            let found = ServedSession(provider.unattended(), try provider.enterUnverified())
            session = found
            return found
        }
    }

    /// Waits for a login that is made elsewhere, looking each second.
    /// - Returns: whether there may be one now.
    func hasChanged(until end: ContinuousClock.Instant, unless isOver: () -> Bool) -> Bool {
        while ContinuousClock.now < end {
            for _ in 0..<10 where !isOver() { usleep(100_000) }
            if isOver() { return false }
            let isNew = monitor.locked {
                if known == seen { return false }
                _ = session?.close()
                session = nil
                return true
            }
            if isNew { return true }
        }
        return false
    }

    /// Stores what was refreshed.
    func close() {
        monitor.locked { _ = session?.close() }
    }

    func warn(_ text: String) { provider.context.messages.warn("warning: \(text)") }

    private var known: AccountRegistryDocument? {
        do {
            return try registry.read()
        } catch {
            // Whoever logs in is told of it.
            return nil
        }
    }
}

extension LoginContext {
    /// The profile of an MCP server, and the server's URL.
    /// - Parameter target: a profile's name or a URL; `nil` if options or the environment say it.
    package func mcpServer(_ target: String?) throws(LoginFault) -> (profile: Profile, url: String) {
        if let target, target.contains("://") {
            let profile = try selectProfile(forRequestTo: target)
            return (profile, try requestURL(target, try endpoint(profile)))
        }
        let profile = try selectProfile(target, mayGuess: false)
        let isMade = if case .made = profiles.source(of: profile.name) { true } else { false }
        guard let path = profile.mcp ?? (isMade ? profile.verify?.path.source : nil) else {
            throw .usage(
                .other(
                    "the profile '\(profile.name)' does not name an MCP server; add its path to the profile: mcp = \"/mcp\""
                ))
        }
        return (profile, try requestURL(path, try endpoint(profile)))
    }
}

extension MCPError {
    /// What `request` would print.
    init(_ fault: LoginFault, _ topic: ErrorContext) {
        let command: String? =
            switch fault {
            case .loginRequired, .rejected, .secondFactor, .noTicketForService: topic.loginCommand
            case .forbidden(let refusal): refusal.scope.map { topic.loginCommand("--force", "--scope", $0) }
            case .usage, .cancelled, .network, .untrusted, .store, .busy, .http, .promptExpired, .oauth, .failure: nil
            }
        let message = fault.message(about: topic)
        let next = [message.next, command == nil ? "" : "then reconnect this server"]
        self.init(
            code: command == nil ? Self.failed : Self.needsLogin,
            message: ([message.what] + message.details + next).filter { !$0.isEmpty }.joined(separator: "; "),
            exitCode: fault.exitCode == .failure ? nil : Int64(fault.exitCode.rawValue), command: command)
    }
}
