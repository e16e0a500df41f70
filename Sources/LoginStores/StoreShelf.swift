public import LoginCore
public import Secrets

/// The stores of one user on this machine, opened by name.
///
/// A further store (docker helpers) joins in `open` and, if `auto` is to consider it, in `candidates`.
public struct StoreShelf {
    private let folder: String
    private let clock: WallClock
    private let encrypted: EncryptedFileStore
    private let secretService: SecretServiceStore

    /// - Parameters:
    ///   - folder: the state folder, an absolute path.
    ///   - desktop: how the Secret Service is reached; not at all, unless said.
    ///   - passphrase: of the encrypted file; asked at most once, when first needed.
    public init(
        folder: String, clock: WallClock, desktop: DesktopSession = .absent,
        passphrase: @escaping () throws(StoreFault) -> Secret
    ) {
        self.folder = folder
        self.clock = clock
        // One object, so that whatever opened the file once need not be asked for again.
        self.encrypted = EncryptedFileStore(folder: folder, passphrase: passphrase)
        // One connection, so that a service that does not answer is waited for once.
        self.secretService = SecretServiceStore(session: desktop)
    }

    /// The store of this name, untested.
    /// - Throws: `unavailable` for a store that this release does not have.
    public func open(_ name: StoreName) throws(StoreFault) -> any CredentialStore {
        switch name {
        case .keyring: KeyringStore(clock: clock)
        case .file: encrypted
        case .plaintext: PlaintextStore(folder: folder)
        case .none: NoStore()
        case .secretService: secretService
        case .helper: throw .unavailable(name, problem: "not yet in this release")
        }
    }

    /// Whether the encrypted file was set up.
    public func hasEncryptedFile() throws(StoreFault) -> Bool { try encrypted.isSetUp() }

    /// What `auto` considers, in its order.
    public var candidates: [StoreChooser.Candidate] {
        let encrypted = encrypted
        return [
            StoreChooser.Candidate(name: .secretService, isPermanent: true) { () throws(StoreFault) in
                try open(.secretService)
            },
            StoreChooser.Candidate(name: .file, isPermanent: true) { () throws(StoreFault) in
                guard try encrypted.isSetUp() else { throw .notSetUp(.file) }
                return encrypted
            } check: { (_) throws(StoreFault) in
                try encrypted.check()
            },
            StoreChooser.Candidate(name: .keyring, isPermanent: false) { () throws(StoreFault) in
                try open(.keyring)
            },
        ]
    }

    /// - Parameter words: turns a fault into a sentence, for `noneWorks`.
    public func chooser(words: @escaping (StoreFault) -> String) -> StoreChooser {
        StoreChooser(candidates: candidates, open: { (name) throws(StoreFault) in try open(name) }, words: words)
    }
}
