import Glibc
import LoginCore
import Secrets

/// The stores of this machine that it shares with others, each opened once: a store knows of the refresh that it has begun.
final class SharedStores {
    /// How they are reached.
    struct Settings {
        /// The key, a file at an absolute path.
        var keyFile: String
        /// How long a login is used as it was read, without asking the engine, in seconds.
        var cacheTime = 0
        /// Whether no engine is asked, and a login is what this machine has read of it last.
        var isOffline = false
        /// Posts to etcd's gateway, with the login that it wants.
        var etcd: (_ path: String, _ body: Secret) throws(StoreFault) -> Secret
        /// Is told where a login is used as it was read last, since the engine is away.
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

    /// - Throws: `shared(.keyMissing)` without a key.
    func open(_ name: StoreName) throws(StoreFault) -> SharedStore {
        if let store = opened[name] { return store }
        let store = SharedStore(name, engine: engine(of: name), key: try key(of: name), folder: folder, clock: clock)
        store.cacheTime = settings.cacheTime
        store.isOffline = settings.isOffline
        store.warn = settings.warn
        opened[name] = store
        return store
    }

    /// Makes the key that all machines are to have, unless one of them has made one.
    /// - Throws: `alreadySetUp` if this machine has one; `shared(.otherKey)` if another one has.
    func makeKey(of name: StoreName) throws(LoginFault) {
        let path = settings.keyFile
        try SharedKey.checkIsNew(path: path, for: name)
        let engine = engine(of: name)
        let other = try fromStore(try engine.get(SharedStore.checkName))
        guard other == nil else { throw .store(.shared(name, .otherKey(path: path))) }
        try SharedKey.create(path: path)
        do throws(StoreFault) {
            try open(name).noteKey()
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
        do throws(StoreFault) {
            return try SharedKey(path: settings.keyFile)
        } catch .system(call: "open", _, errno: ENOENT) {
            throw .shared(name, .keyMissing(path: settings.keyFile))
        }
    }
}
