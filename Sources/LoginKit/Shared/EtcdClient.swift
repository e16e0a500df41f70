package import LoginCore
import Secrets

/// The gateway of etcd, with the login of a profile: one session for all requests of a run.
final class EtcdClient {
    /// The largest response, in bytes: a value in base64, and what is about it.
    private static let limit = 2 << 20

    private unowned let context: LoginContext
    private var provider: SessionProvider?
    private var authenticated: SessionProvider.AuthenticatedSession?

    init(_ context: LoginContext) { self.context = context }

    /// - Throws: `shared` where it cannot be reached, or wants another login; `unavailable` where it does not take the request.
    func post(_ path: String, _ body: Secret) throws(StoreFault) -> Secret {
        do throws(LoginFault) {
            return try send(path, body)
        } catch {
            let profile = context.profiles.defaults.sharedProfile
            let words = error.message(about: ErrorContext(profile: profile)).what
            switch error {
            case .network, .busy, .http(status: 500...): throw .shared(.etcd, .engineAway(.some(words)))
            case .usage(let fault): throw .usage(fault)
            case .store(let fault): throw fault
            case .loginRequired, .rejected:
                throw .shared(.etcd, .notLoggedIn(profile: profile ?? "", words: words))
            case .forbidden: throw .shared(.etcd, .notPermitted(words: words))
            case .noTicketForService, .cancelled, .untrusted, .secondFactor, .http,
                .promptExpired, .oauth, .failure:
                throw .unavailable(.etcd, problem: words)
            }
        }
    }

    private func send(_ path: String, _ body: Secret) throws(LoginFault) -> Secret {
        let provider = try opened()
        var request = SessionRequest(
            "POST", path, headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
            body: body.withUnsafeBytes { Array($0) })
        let stored = try authenticated == nil ? provider.enterUnverified() : nil
        guard let stored, !stored.isFresh, stored.run.keeper.password != nil else {
            return try send(request, provider, with: stored)
        }
        // etcd does not refuse a token that is of a later moment than itself, after it was restored from a backup: it waits until
        // it gets there.
        let patience = context.options.timeout ?? provider.profile.settings.timeout ?? SharedHelper.patience
        request.timeout = min(patience, SharedHelper.patience)
        do throws(LoginFault) {
            return try send(request, provider, with: stored)
        } catch .network(.timedOut(let seconds)) where seconds == request.timeout {
            request.timeout = nil
            return try send(request, provider, with: try provider.enter(after: stored.session))
        }
    }

    private func send(
        _ request: SessionRequest, _ provider: SessionProvider, with session: SessionProvider.AuthenticatedSession?
    ) throws(LoginFault) -> Secret {
        let collected = CollectedBody(limit: Self.limit)
        let outgoing = try OutgoingRequest(request, provider, into: collected)
        let (response, authenticated) = try UserRequest(
            provider: provider, outgoing: outgoing, after: session ?? authenticated
        ).exchange()
        self.authenticated = authenticated ?? self.authenticated
        guard response.status == 200 else { throw .http(status: response.status) }
        return collected.bytes.withUnsafeBytes { Secret(copying: $0) }
    }

    private func opened() throws(LoginFault) -> SessionProvider {
        if let provider { return provider }
        guard let name = context.profiles.defaults.sharedProfile else {
            throw .usage(
                .other("config.toml does not say which profile logs in to etcd; add: shared-profile = \"NAME\""))
        }
        // New sessions are not reported: etcd wants one every few minutes.
        let part = context.lending(Messages(note: { _ in }, warn: context.messages.warn))
        part.takesNamedProxyAlone = true
        let profile = try profile(name, part)
        if let store = profile.settings.store.flatMap({ StoreName($0) }), store.isShared {
            throw .usage(.engineLogin(of: store, profile: name))
        }
        if let store = try part.record(of: profile)?.activeAccount?.store, store.isShared {
            throw .usage(
                .other(
                    "the login that etcd wants is in '\(store)' itself; log in again: authctl login \(SafeText.quoted(profile.name)) --store file"
                ))
        }
        let provider = try SessionProvider(part, profile, LoginRequest())
        (self.part, self.provider) = (part, provider)
        return provider
    }

    private func profile(_ name: String, _ part: LoginContext) throws(LoginFault) -> Profile {
        do throws(LoginFault) {
            return try part.profile(named: name)
        } catch .usage(.unknownProfile) {
            throw .usage(
                .other(
                    "shared-profile in config.toml names a profile that is not there: \(SafeText.quoted(name)); see: authctl profile list"
                ))
        }
    }

    /// Kept for as long as the provider, which does not.
    private var part: LoginContext?
}

extension UsageFault {
    /// The login to an engine, which is to be put where it would be needed first.
    package static func engineLogin(of store: StoreName, profile: String) -> UsageFault {
        .other(
            "the profile \(SafeText.quoted(profile)) logs in to the engine of '\(store)', so its own login cannot be there"
        )
    }
}
