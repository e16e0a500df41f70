import CSodium
import Glibc
import Secrets

/// The key of the machines that share logins; the engine does not have it.
struct SharedKey {
    /// The path of the key file, for messages.
    let path: String
    /// Seals values.
    private let sealing: Secret
    /// Makes the names of accounts in the engine.
    private let naming: Secret

    /// - Parameter path: of the key file, absolute.
    /// - Throws: what is wrong with the file.
    init(path: String) throws(StoreFault) {
        self.path = path
        sealing = try EncryptionKeyFile.key(path: path, salt: Array("authctl shared: sealing".utf8))
        naming = try EncryptionKeyFile.key(path: path, salt: Array("authctl shared: naming".utf8))
    }

    /// Makes a key file, which has to be the same on each machine: `authctl store init shared:NAME`.
    static func create(path: String) throws(LoginFault) {
        _ = try fromStore(try SafeDirectory.create(SafeDirectory.split(path).parent, privacy: .readable))
        try KeyFile.create(path, Secret.random(count: 32))
    }

    /// The key of an account in the engine: a hash that nobody can compute who does not have the file.
    func name(of account: AccountID) -> String {
        let message = Self.binding(account)
        var digest = [UInt8](repeating: 0, count: 32)
        naming.withBytes { key in
            _ = csodium_generichash(&digest, digest.count, message, UInt64(message.count), key, naming.count)
        }
        return "authctl/" + Hexadecimal.text(digest)
    }

    /// Seals for an account, bound to it and to what stands beside it in the open.
    func seal(_ secret: Secret, for account: AccountID, beside open: String) -> Cipher.Sealed {
        Cipher.seal(Self.padded(secret), context: Self.context(account, open), key: sealing)
    }

    /// - Returns: `nil` for anything that `seal` did not make of these.
    func open(_ sealed: Cipher.Sealed, for account: AccountID, beside open: String) -> Secret? {
        Cipher.open(sealed, context: Self.context(account, open), key: sealing).flatMap { Self.unpadded($0) }
    }

    private static func context(_ account: AccountID, _ open: String) -> [UInt8] {
        binding(account) + Array(open.utf8)
    }

    /// Each part with its length, so that no two accounts have the same.
    private static func binding(_ account: AccountID) -> [UInt8] {
        [account.profile, account.origin.description, account.username].flatMap { part in
            withUnsafeBytes(of: UInt32(part.utf8.count).littleEndian) { Array($0) } + Array(part.utf8)
        }
    }

    /// A multiple of so many bytes, so that the length of a value says little: ISO/IEC 7816-4, a one bit and then zeros.
    private static let block = 256

    private static func padded(_ secret: Secret) -> Secret {
        let count = (secret.count / block + 1) * block
        return Secret(count: count) { buffer in
            secret.withUnsafeBytes { buffer.copyMemory(from: $0) }
            buffer[secret.count] = 0x80
            for place in (secret.count + 1)..<count { buffer[place] = 0 }
        }
    }

    private static func unpadded(_ secret: Secret) -> Secret? {
        secret.withUnsafeBytes { bytes in
            guard let end = bytes.lastIndex(where: { $0 != 0 }), bytes[end] == 0x80 else { return nil }
            return Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        }
    }
}

/// A value in the engine: what is open about a login, and the login itself, sealed together with that.
///
/// As text it is `1.OPEN.SEALED`, both in base64: nothing that a shell, an SQL literal or a URL could read in another way.
struct SharedValue {
    /// Everything that whoever reads the engine can see. The seal covers it, so that nobody else can change it.
    struct Open: Codable, Equatable {
        struct Lock: Codable, Equatable {
            /// The machine that refreshes the login.
            let machine: String
            /// The time limit of the refresh, in seconds from the moment at which somebody first sees the lock.
            let seconds: Int

            /// The seconds that others wait for it: its time, and a sixth for what is still under way then.
            var patience: Int { seconds + seconds / 6 }

            init(machine: String, seconds: Int) { (self.machine, self.seconds) = (machine, seconds) }

            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: FormKey.self)
                machine = try members.decode(String.self, forKey: "machine")
                seconds = try members.decode(Int.self, forKey: "seconds")
            }
        }

        /// The number of logins, refreshes and logouts so far.
        let generation: Int
        /// Counts every put: a lower number is a copy that somebody has put back.
        var sequence = 0
        /// The machine that has put it.
        let machine: String
        /// In seconds of Unix time.
        let saved: Int64
        var refreshing: Lock?
        /// The machine that began a refresh of this session and did not end it: it may have the next one.
        var unfinished: String?
        /// Whether the provider has refused a refresh after that.
        var refused = false
        /// Whether somebody has logged out: the sealed part is empty then.
        var erased: Bool

        /// Whether its numbers are plausible: a holder of the key could make others fail at them.
        fileprivate var isWithinLimits: Bool {
            generation > 0 && sequence >= 0 && (!refused || unfinished != nil)
                && (refreshing.map { (1...5400).contains($0.seconds) } ?? true)
        }
    }

    private static let version = "1"

    let open: Open
    let secret: Secret

    init(_ open: Open, _ secret: Secret = Secret("")) { (self.open, self.secret) = (open, secret) }

    func text(for account: AccountID, key: SharedKey) -> String {
        let beside = Base64.encode(SecretJSON.encodeOwn(open)), sealed = key.seal(secret, for: account, beside: beside)
        let bytes = (sealed.nonce + sealed.ciphertext).withUnsafeBytes { Secret(copying: $0) }
        return "\(Self.version).\(beside).\(Base64.encode(bytes))"
    }

    /// Whether a newer authctl has written this text.
    static func isNewer(_ text: String) -> Bool { Int(text.prefix { $0 != "." }).map { $0 > 1 } ?? false }

    /// - Returns: `nil` if it is not of this account and this key, or somebody has changed it.
    init?(_ text: String, for account: AccountID, key: SharedKey) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts[0] == Self.version, let json = Base64.decode(parts[1]),
            let bytes = Base64.decode(parts[2])?.withUnsafeBytes({ Array($0) }), bytes.count > Cipher.nonceCount,
            let open = SecretJSON.decode(Open.self, from: json), open.isWithinLimits
        else { return nil }
        let sealed = Cipher.Sealed(
            nonce: Array(bytes.prefix(Cipher.nonceCount)), ciphertext: Array(bytes.dropFirst(Cipher.nonceCount)))
        guard let secret = key.open(sealed, for: account, beside: parts[1]) else { return nil }
        self.init(open, secret)
    }
}

extension SharedValue.Open {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: FormKey.self)
        generation = try members.decode(Int.self, forKey: "generation")
        sequence = try members.decode(Int.self, forKey: "sequence")
        machine = try members.decode(String.self, forKey: "machine")
        saved = try members.decode(Int64.self, forKey: "saved")
        refreshing = try members.decodeIfPresent(Lock.self, forKey: "refreshing")
        unfinished = try members.decodeIfPresent(String.self, forKey: "unfinished")
        refused = try members.decode(Bool.self, forKey: "refused")
        erased = try members.decode(Bool.self, forKey: "erased")
    }
}
