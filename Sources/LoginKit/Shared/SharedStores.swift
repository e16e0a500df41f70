import Glibc
import Secrets

/// The stores of this machine that it shares with others, each opened once: a store knows of the refresh that it has begun.
final class SharedStores: SharedCredentialStores {
    /// The settings of the shared stores.
    struct Settings {
        /// The absolute path of the key file.
        var keyFile: String
        /// The time for which a login is used as it was read, without asking the engine, in seconds.
        var cacheTime = 0
        /// Whether no engine is asked, and a login is used as this machine read it last.
        var isOffline = false
        /// Posts to etcd's gateway, with the login that it requires.
        var etcd: (_ path: String, _ body: Secret) throws(StoreFault) -> Secret
        /// Called when a login is used as it was read last, since the engine is away.
        var warn: (StoreFault) -> Void = { _ in }
    }

    private let settings: Settings
    private let folder: String
    private let clock: WallClock
    private let environment: ProgramEnvironment
    private var opened: [StoreName: SharedStore] = [:]

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - environment: of the programs that are run; its `PATH` is where they are looked for.
    init(_ settings: Settings, folder: String, clock: WallClock, environment: ProgramEnvironment) {
        (self.settings, self.folder, self.clock, self.environment) = (settings, folder, clock, environment)
    }

    /// The stores of a command.
    convenience init(for context: LoginContext) {
        let etcd = EtcdClient(context)
        var settings = Settings(keyFile: context.profiles.sharedKeyFile) { (path, body) throws(StoreFault) in
            try etcd.post(path, body)
        }
        settings.cacheTime = context.profiles.defaults.sharedCache ?? 0
        settings.isOffline = context.isOffline
        settings.warn = { [unowned context] fault in
            let what = LoginFault.store(fault).message().what
            context.person.warnOnce("warning: \(what); using the login as it was read last")
        }
        self.init(
            settings, folder: context.paths.stateFolder, clock: context.dependencies.clock, environment: .inherited())
    }

    func open(_ name: StoreName) throws(StoreFault) -> any SharedCredentialStore { try store(name) }

    private func store(_ name: StoreName) throws(StoreFault) -> SharedStore {
        if let store = opened[name] { return store }
        let store = SharedStore(name, engine: engine(of: name), key: try key(of: name), folder: folder, clock: clock)
        store.cacheTime = settings.cacheTime
        store.isOffline = settings.isOffline
        store.warn = settings.warn
        opened[name] = store
        return store
    }

    func makeKey(of name: StoreName) throws(LoginFault) {
        let path = settings.keyFile
        guard access(path, F_OK) != 0 else { throw .store(.alreadySetUp(name, path: path)) }
        let engine = engine(of: name)
        let other = try fromStore(try engine.get(SharedStore.checkName))
        guard other == nil else { throw .store(.shared(name, .otherKey(path: path))) }
        try SharedKey.create(path: path)
        do {
            try store(name).noteKey()
        } catch {
            // Another machine was faster.
            if case .shared(_, .otherKey) = error { unlink(path) }
            throw .store(error)
        }
    }

    private func engine(of name: StoreName) -> any SharedEngine {
        name == .etcd
            ? EtcdEngine(store: name, post: settings.etcd) : SharedHelper(store: name, environment: environment)
    }

    private func key(of name: StoreName) throws(StoreFault) -> SharedKey {
        do {
            return try SharedKey(path: settings.keyFile)
        } catch .system(call: "open", _, errno: ENOENT) {
            throw .shared(name, .keyMissing(path: settings.keyFile))
        }
    }
}

/// An engine that several machines reach, with compare-and-swap: etcd and its like.
///
/// It sees sealed values under names that tell nothing (`SharedKey`). Whoever controls it can end logins, but not read them, nor
/// make others of them.
protocol SharedEngine {
    /// The longest value that it takes, in bytes.
    var largest: Int { get }

    /// - Returns: `nil` if the key has no value.
    func get(_ key: String) throws(StoreFault) -> SharedItem?

    /// Replaces the version that was read; where there was none, puts the value only if there still is none.
    /// - Returns: its version; `nil` if the engine has another one by now.
    func put(_ value: String, for key: String, over version: String?) throws(StoreFault) -> String?
}

/// An engine's value for one key.
struct SharedItem: Equatable {
    let value: String
    /// The engine's version of the value; only the engine can compare versions.
    let version: String

    /// Whether this version is safe to give back to a program: nothing special to a shell or in an SQL literal, and no option.
    static func isVersion(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { $0.isAlphanumeric || "._:-".utf8.contains($0) }
    }
}

/// An engine behind a program of two verbs, `authctl-store-NAME`; authctl-store(1), SHARED STORES, has its protocol.
///
/// As docker's helpers it is run by its absolute path, without a shell, once for each request.
struct SharedHelper: SharedEngine {
    /// The time limit of one request, in seconds.
    static let patience = 20

    /// A request has to fit into a pipe (pipe(7), 64 KiB).
    var largest: Int { 60_000 }

    let store: StoreName
    let environment: ProgramEnvironment
    var patience = Self.patience

    func get(_ key: String) throws(StoreFault) -> SharedItem? {
        let response = try run("get", ["key": .string(key)])
        switch (response["value"] ?? .null, response["version"] ?? .null) {
        case (.null, .null): return nil
        case (.string(let value), .string(let version)) where SharedItem.isVersion(version):
            return SharedItem(value: value, version: version)
        default: throw .helper(store, notUnderstood: "get")
        }
    }

    func put(_ value: String, for key: String, over version: String?) throws(StoreFault) -> String? {
        // The version that is replaced; `null` for none.
        let condition = version.map(JSONValue.string) ?? .null
        let response = try run("put", ["key": .string(key), "value": .string(value), "if": condition])
        let conflict = response["conflict"] ?? .null
        if conflict == .bool(true) { return nil }
        guard conflict == .null || conflict == .bool(false), let version = response["version"]?.string,
            SharedItem.isVersion(version)
        else { throw .helper(store, notUnderstood: "put") }
        return version
    }

    private func run(_ method: String, _ request: [String: JSONValue]) throws(StoreFault) -> [String: JSONValue] {
        let input = SecretJSON.encodeOwn(request)
        let answer: HelperProgram.Response
        do {
            answer = try HelperProgram(store: store, environment: environment, patience: patience).run(method, input)
        } catch .timedOut {
            throw .shared(store, .engineAway(words: "no answer within \(patience) seconds"))
        }
        guard answer.status == 0 else {
            let words = HelperResponse.trimmed(answer.errors).split(whereSeparator: \.isWhitespace).joined(
                separator: " ")
            throw .shared(store, .engineAway(words: words.isEmpty ? nil : words))
        }
        guard let response = SecretJSON.members(answer.output) else {
            throw .helper(store, notUnderstood: method)
        }
        return response
    }
}
