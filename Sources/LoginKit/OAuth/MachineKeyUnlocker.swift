import LoginCore
import Secrets

/// Opens the encrypted key of a machine for one run. A key that is not encrypted is read each time it signs, since it may be replaced.
struct MachineKeyUnlocker {
    let context: LoginContext
    let profile: Profile
    let request: LoginRequest
    /// What is kept of the account that the request means.
    let stored: () throws(LoginFault) -> StoredLogin

    /// An open key, and the passphrase that has to be kept beside the token.
    struct Opened {
        let key: SigningKey
        let passphrase: Secret
    }

    /// Opens the key before the login, asking if somebody may be asked.
    /// - Returns: `nil` for a profile without a key or with one that is not encrypted, and where the session may do without it.
    func openedBefore() throws(LoginFault) -> Opened? {
        guard !request.mayDoWithoutKey, let (machine, file, pem) = locked else { return nil }
        if supplied == nil, try hasSession() { return nil }
        return try open(machine, file, pem, mayAsk: context.mayAsk)
    }

    /// Opens the key of a session that was refused after all, asking nobody: the terminal shows that a server is waited for.
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
        guard !policy.force, !policy.sessionWasRefused, !policy.refreshesFirst, let session = try stored().session
        else {
            return false
        }
        return !context.dependencies.clock.isOver(session.expires)
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
        do throws(Fault) {
            return try SigningKey(pem: pem, passphrase: passphrase, id: machine.keyID)
        } catch {
            switch error {
            case .wrongPassphrase: throw .usage(.clientCertificate(.wrongPassphrase(file: file)))
            case .locked: return nil
            case .missing: throw unusable(file, "has no private key (PEM)")
            case .unsuitable: throw unusable(file, "is not RSA of 2,048 to 16,384 bits, P-256, P-384 or Ed25519")
            case .library: throw .failure(.libraryMissing("libcrypto.so.3"))
            }
        }
    }

    private static func unusable(_ file: String, _ problem: String) -> LoginFault {
        .usage(.other("the key in \(SafeText.quoted(file)) \(problem); check 'key-file' in the profile"))
    }
}
