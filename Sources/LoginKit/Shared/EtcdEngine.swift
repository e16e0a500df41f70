import Secrets

/// etcd by the JSON gateway of its API, version 3 (<https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/>).
struct EtcdEngine: SharedEngine {
    /// Of its 1.5 MB for a request, in base64.
    var largest: Int { 1_000_000 }

    let store: StoreName
    /// Posts JSON to a path of the gateway, with the login that etcd wants, and returns the body of a good response.
    let post: (_ path: String, _ body: Secret) throws(StoreFault) -> Secret

    func get(_ key: String) throws(StoreFault) -> SharedItem? {
        let found = try send("/v3/kv/range", ["key": base64(key)], "get")
        // Absent where there is nothing.
        guard let entries = found["kvs"], entries != .null, entries != .array([]) else { return nil }
        guard let entry = entries.elements?.first, let value = entry.member("value")?.string.flatMap(Base64.decode),
            let version = entry.member("mod_revision")?.string, SharedItem.isVersion(version)
        else { throw .helper(store, notUnderstood: "get") }
        return SharedItem(value: value.unprotectedText, version: version)
    }

    func put(_ value: String, for key: String, over version: String?) throws(StoreFault) -> String? {
        let key = base64(key)
        // What does not exist was changed at 0. Numbers of 64 bits are text (proto3's JSON).
        let comparison: [String: JSONValue] = [
            "key": key, "target": .string("MOD"), "mod_revision": .string(version ?? "0"),
        ]
        let put: [String: JSONValue] = ["requestPut": .object(["key": key, "value": base64(value)])]
        let transaction: [String: JSONValue] = [
            "compare": .array([.object(comparison)]), "success": .array([.object(put)]),
        ]
        let outcome = try send("/v3/kv/txn", transaction, "put")
        // Absent where it is false.
        let succeeded = outcome["succeeded"] ?? .null
        guard let revision = outcome["header"]?.member("revision")?.string,
            succeeded != .bool(true) || SharedItem.isVersion(revision),
            [.null, .bool(false), .bool(true)].contains(succeeded)
        else { throw .helper(store, notUnderstood: "put") }
        return succeeded == .bool(true) ? revision : nil
    }

    /// All bytes of the gateway are in base64.
    private func base64(_ text: String) -> JSONValue { .string(Base64.encode(Secret(text))) }

    private func send(
        _ path: String, _ body: [String: JSONValue], _ method: String
    ) throws(StoreFault) -> [String: JSONValue] {
        guard let response = SecretJSON.members(try post(path, SecretJSON.encodeOwn(body))) else {
            throw .helper(store, notUnderstood: method)
        }
        return response
    }
}

/// The gateway of etcd, with the login of a profile: one session for all requests of a run.
final class EtcdClient {
    /// The largest response, in bytes: a value in base64, and what is about it.
    private static let limit = 2 << 20

    private unowned let context: LoginContext
    private var provider: SessionProvider?
    private var authenticated: AccountSession?

    init(_ context: LoginContext) { self.context = context }

    /// - Throws: `shared` where it cannot be reached, or wants another login; `unavailable` where it does not take the request.
    func post(_ path: String, _ body: Secret) throws(StoreFault) -> Secret {
        do {
            return try send(path, body)
        } catch {
            let profile = context.profiles.defaults.sharedProfile
            let words = error.message(about: ErrorContext(profile: profile)).what
            switch error {
            case .network, .busy, .http(status: 500...): throw .shared(.etcd, .engineAway(words: words))
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
        request.responseLimit = Self.limit
        let stored = try authenticated == nil ? provider.enterUnverified() : nil
        guard let stored, !stored.isFresh, stored.run.keeper.password != nil else {
            return try send(request, provider, with: stored)
        }
        // etcd does not refuse a token that is of a later moment than itself, after it was restored from a backup: it waits until
        // it gets there.
        let patience = context.options.timeout ?? provider.profile.settings.timeout ?? SharedHelper.patience
        request.timeout = min(patience, SharedHelper.patience)
        do {
            return try send(request, provider, with: stored)
        } catch .network(.unanswered(.timedOut(let seconds))) where seconds == request.timeout {
            request.timeout = nil
            return try send(request, provider, with: try provider.enter(after: stored.session))
        }
    }

    private func send(
        _ request: SessionRequest, _ provider: SessionProvider, with session: AccountSession?
    ) throws(LoginFault) -> Secret {
        var account = session ?? authenticated
        let (response, body) = try provider.send(request, with: &account)
        authenticated = account
        guard response.status == 200 else { throw .http(status: response.status) }
        return body.withUnsafeBytes { Secret(copying: $0) }
    }

    private func opened() throws(LoginFault) -> SessionProvider {
        if let provider { return provider }
        guard let name = context.profiles.defaults.sharedProfile else {
            throw .usage("config.toml does not say which profile logs in to etcd; add: shared-profile = \"NAME\"")
        }
        // New sessions are not reported: etcd wants one every few minutes.
        let part = context.lending(Messages(note: { _ in }, warn: context.person.messages.warn))
        part.takesNamedProxyAlone = true
        let profile: Profile
        do {
            profile = try part.profile(named: name)
        } catch .usage(.unknownProfile) {
            throw .usage(
                "shared-profile in config.toml names a profile that is not there: \(SafeText.quoted(name)); see: authctl profile list"
            )
        }
        if let store = profile.settings.store.flatMap({ StoreName($0) }), store.isShared {
            throw .usage(.engineLogin(of: store, profile: name))
        }
        if let store = try part.record(of: profile)?.activeAccount?.store, store.isShared {
            throw .usage(
                "the login that etcd wants is in '\(store)' itself; log in again: authctl login \(SafeText.quoted(profile.name)) --store file"
            )
        }
        let opened = try SessionProvider(part, profile, LoginRequest())
        provider = opened
        return opened
    }
}
