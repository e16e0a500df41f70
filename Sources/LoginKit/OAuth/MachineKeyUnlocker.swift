import CCrypto
import Secrets

/// Opens the encrypted key of a machine for one run. A key that is not encrypted is read each time it signs, since it may be replaced.
struct MachineKeyUnlocker {
    let context: LoginContext
    let profile: Profile
    let request: LoginRequest
    /// Reads the stored login of the account that the request means.
    let stored: () throws(LoginFault) -> StoredLogin

    /// An open key, and the passphrase that has to be kept beside the token.
    struct Opened {
        let key: SigningKey
        let passphrase: Secret
    }

    /// Opens the key before the login, with a prompt for its passphrase if one is allowed.
    /// - Returns: `nil` for a profile without a key or with one that is not encrypted, and where the session may do without it.
    func openedBefore() throws(LoginFault) -> Opened? {
        guard !request.mayDoWithoutKey, let (machine, file, pem) = locked else { return nil }
        if supplied == nil, try hasSession() { return nil }
        return try open(machine, file, pem, mayAsk: context.person.mayBeAsked)
    }

    /// Opens the key once the session was refused after all, without a prompt: the terminal shows a wait for a server.
    /// - Returns: `nil` as above.
    func openedAfter() throws(LoginFault) -> SigningKey? {
        guard let (machine, file, pem) = locked else { return nil }
        return try open(machine, file, pem, mayAsk: false).key
    }

    /// `nil` also where the file cannot be read: whoever needs the key says why.
    private var locked: (MachineGrant, file: String, pem: Secret)? {
        guard let machine = profile.oauth?.machine, let file = machine.keyFile,
            let pem = try? KeyFile.signingKey(file), KeyFile.isLocked(pem)
        else { return nil }
        return (machine, file, pem)
    }

    private var supplied: Secret? { profile.givenPassphrase == .machineKey ? request.passphrase : nil }

    private func hasSession() throws(LoginFault) -> Bool {
        let policy = request.policy
        guard !policy.force, policy.sessionRefusal == nil, !policy.refreshesFirst, let session = try stored().session
        else {
            return false
        }
        return !context.dependencies.clock.isOver(session)
    }

    private func open(
        _ machine: MachineGrant, _ file: String, _ pem: Secret, mayAsk: Bool
    ) throws(LoginFault) -> Opened {
        let unlocker = KeyUnlocker(context: context, request: request, file: file, supplied: supplied, mayAsk: mayAsk)
        return try unlocker.unlock(
            kept: { () throws(LoginFault) in try stored().extraSecrets[.keyPassphrase] },
            open: { (passphrase) throws(LoginFault) in
                guard let passphrase, let key = try SigningKey.open(machine, pem, passphrase: passphrase) else {
                    return nil
                }
                return Opened(key: key, passphrase: passphrase)
            })
    }
}

extension SigningKey {
    /// Opens the key of a machine.
    /// - Returns: `nil` where it needs a passphrase.
    /// - Throws: `usage`, `wrongPassphrase` among it, for one that cannot be used.
    static func open(
        _ machine: MachineGrant, _ pem: Secret, passphrase: Secret?
    ) throws(LoginFault) -> SigningKey? {
        let file = machine.keyFile ?? ""
        do {
            return try SigningKey(pem: pem, passphrase: passphrase, id: machine.keyID)
        } catch {
            switch error {
            case .wrongPassphrase: throw .usage(.wrongPassphrase(file: file))
            case .locked: return nil
            case .missing: throw unusable(file, "has no private key (PEM)")
            case .unsuitable: throw unusable(file, "is not RSA of 2,048 to 16,384 bits, P-256, P-384 or Ed25519")
            case .library: throw .failure(.libraryMissing("libcrypto.so.3"))
            }
        }
    }

    private static func unusable(_ file: String, _ problem: String) -> LoginFault {
        .usage("the key in \(SafeText.quoted(file)) \(problem); check 'key-file' in the profile")
    }
}

/// A private key that signs assertions, by OpenSSL's libcrypto.
package final class SigningKey: AssertionKey {
    let id: String?
    private let key: OpaquePointer

    /// The algorithms for which keys are made.
    package static let algorithms = ["ES256", "ES384", "EdDSA", "RS256"]

    /// Of the longest RSA key that OpenSSL takes, and its modulus, in bytes.
    private static let longestSignature = 2048
    private static let longestFile = 16 << 10

    /// A key that cannot be used.
    enum Fault: Error, Equatable {
        case locked, wrongPassphrase, missing, unsuitable
        /// libcrypto is not there, or fails.
        case library
    }

    private init(_ key: OpaquePointer, id: String?) {
        (self.key, self.id) = (key, id)
    }

    deinit { ccrypto_key_free(key) }

    /// - Parameters:
    ///   - pem: PKCS#8, or one of the older forms that OpenSSL reads.
    ///   - passphrase: of an encrypted one.
    convenience init(pem: Secret, passphrase: Secret?, id: String? = nil) throws(Fault) {
        var key: OpaquePointer?
        let open = { (text: UnsafePointer<CChar>?) in
            pem.withUnsafeBytes { ccrypto_key_open($0.baseAddress, $0.count, text, &key) }
        }
        let state: ccrypto_key_state
        do {
            state = try passphrase?.withCString { (text) throws(LoginFault) in open(text) } ?? open(nil)
        } catch {
            throw .wrongPassphrase
        }
        self.init(try Self.made(state, key), id: id)
    }

    /// Makes a new one, in a file that nobody else may read; one that is there stays.
    /// - Parameter algorithm: one of `algorithms`.
    package static func create(_ algorithm: String, at path: String) throws(LoginFault) -> PublicKey {
        var key: OpaquePointer?
        let made: SigningKey, pem: Secret
        let state = ccrypto_key_make(algorithm, &key)
        do {
            made = SigningKey(try Self.made(state, key), id: nil)
        } catch {
            throw .failure(.libraryMissing("libcrypto.so.3 with \(algorithm)"))
        }
        do { pem = try made.pem() } catch { throw .failure(.libraryMissing("libcrypto.so.3")) }
        let publicKey = try made.publicKey()
        try KeyFile.create(path, pem)
        return publicKey
    }

    private static func made(_ state: ccrypto_key_state, _ key: OpaquePointer?) throws(Fault) -> OpaquePointer {
        switch state {
        case CCRYPTO_KEY_GOOD: if let key { return key } else { throw .library }
        case CCRYPTO_KEY_LOCKED: throw .locked
        case CCRYPTO_KEY_WRONG_PASSPHRASE: throw .wrongPassphrase
        case CCRYPTO_KEY_MISSING: throw .missing
        case CCRYPTO_KEY_UNSUITABLE: throw .unsuitable
        default: throw .library
        }
    }

    var algorithm: String { String(cString: ccrypto_key_algorithm(key)) }

    func sign(_ input: Secret) throws(LoginFault) -> Secret {
        let signature = input.withUnsafeBytes { bytes in
            Secret.written(upTo: Self.longestSignature) {
                ccrypto_key_sign(key, bytes.baseAddress, bytes.count, $0, Self.longestSignature)
            }
        }
        guard let signature else { throw .failure(.libraryMissing("libcrypto.so.3 with \(algorithm)")) }
        return signature
    }

    /// A member of the public key (RFC 7518, section 6), in base64url; `nil` where such keys have none of that name.
    func member(_ name: String) -> String? {
        var value = [UInt8](repeating: 0, count: Self.longestSignature)
        let length = ccrypto_key_member(key, name, &value, value.count)
        guard length > 0 else { return nil }
        return value.withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[..<length])) }
            .base64URL.unprotectedText
    }

    /// The private key in PEM, not encrypted.
    func pem() throws(Fault) -> Secret {
        let pem = Secret.written(upTo: Self.longestFile) { ccrypto_key_write(key, $0, Self.longestFile) }
        guard let pem else { throw .library }
        return pem
    }

    /// The public key as a JWK (RFC 7517), which names itself by its thumbprint.
    package struct PublicKey: Encodable, Equatable, Sendable {
        let kty: String
        let crv: String?
        let x: String?
        let y: String?
        let n: String?
        let e: String?
        let alg: String
        let use: String
        /// The thumbprint (RFC 7638).
        package let kid: String
    }

    /// - Throws: `libraryMissing` where libcrypto cannot hash.
    func publicKey() throws(LoginFault) -> PublicKey {
        let (type, curve): (String, String?) =
            switch algorithm {
            case "ES256": ("EC", "P-256")
            case "ES384": ("EC", "P-384")
            case "EdDSA": ("OKP", "Ed25519")
            default: ("RSA", nil)
            }
        let members = ["e", "n", "x", "y"].compactMap { name in member(name).map { (name, $0) } }
        let named = [("crv", curve), ("kty", type)].compactMap { name, text in text.map { (name, $0) } }
        // In the order of their names, without blanks (RFC 7638, section 3).
        let ordered = (members + named).sorted { $0.0 < $1.0 }
        let text = "{" + ordered.map { "\"\($0.0)\":\"\($0.1)\"" }.joined(separator: ",") + "}"
        return PublicKey(
            kty: type, crv: curve, x: member("x"), y: member("y"), n: member("n"), e: member("e"), alg: algorithm,
            use: "sig", kid: try HashLibrary.digest(.sha256, of: Secret(text)).base64URL.unprotectedText)
    }
}
