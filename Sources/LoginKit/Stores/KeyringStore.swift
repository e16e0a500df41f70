import CKeyutils
import Glibc
import LoginCore
import Secrets

/// Keeps secrets in the kernel: keys of type `user` in the user keyring, gone with the user's last process or at the
/// next start of the machine. See user-keyring(7) and keyrings(7).
///
/// The user keyring is named directly (`@u`), since a session keyring that a process makes for itself dies with it.
/// Every key is made in the keyring of this thread, gets its permissions and its time-out there, and is then linked
/// into `@u`, where it displaces its predecessor in one step: nobody sees it half made, and the old one is whole until
/// then.
///
/// Where the session was given a keyring of its own at login (pam_keyinit(8)), what is to last for the session goes there
/// instead, and is looked for there first.
///
/// Only processes of the key's user have permissions, whoever possesses it: a process that changed its user may still hold
/// the session keyring of the user before. And a key of another user, which such a process may have put there, is none.
struct KeyringStore: CredentialStore {
    /// In bytes; the kernel's own limit for this type of key.
    static let largestSecret = 32_767
    /// In bytes, without the closing NUL; the kernel's own limit.
    static let longestDescription = 4095

    /// The lifetime of a new secret.
    enum Lifetime: Sendable {
        /// As that of the secret whose place it takes; else until the machine restarts.
        case asBefore
        case untilRestart
        /// Until the session ends, where it has a keyring of its own; else until the machine restarts.
        case session
    }

    /// Turns a time of expiry into a time-out.
    let clock: WallClock
    var lifetime: Lifetime = .asBefore

    var name: StoreName { .keyring }

    func find(_ account: AccountID) throws(StoreFault) -> Secret? {
        guard let description = description(of: account) else { return nil }
        guard let key = try searchAll(description, linkingTo: CKEYUTILS_THREAD_KEYRING) else { return nil }
        defer { ckeyutils_unlink(key, Int32(CKEYUTILS_THREAD_KEYRING)) }
        let count = try check(ckeyutils_read(key, nil, 0), call: "keyctl_read")
        return try Secret(count: count) { (buffer) throws(StoreFault) in
            let got = try check(ckeyutils_read(key, buffer.baseAddress, buffer.count), call: "keyctl_read")
            // A key is never written twice, so another size is not ours.
            guard got == count else { throw .unavailable(.keyring, problem: "a key changed while it was read") }
        }
    }

    package func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
        // What is saved was confirmed just now: if it is past its end, the clock is wrong, and verify decides.
        let left = expires.map { clock.seconds(until: $0) }.flatMap { $0 > 0 ? $0 : nil }
        try save(secret, for: account, timeout: left.map { UInt32(min($0, Int64(Int32.max))) })
    }

    /// - Parameter timeout: in seconds, at least one, since the kernel takes 0 for 'none'; `nil` for none.
    func save(_ secret: Secret, for account: AccountID, timeout: UInt32?) throws(StoreFault) {
        guard secret.count <= Self.largestSecret else { throw .tooLarge(.keyring, limit: Self.largestSecret) }
        guard let description = description(of: account) else {
            throw .namesTooLong(.keyring, limit: Self.longestDescription)
        }
        let key = try add(secret, description)
        defer { ckeyutils_unlink(key, Int32(CKEYUTILS_THREAD_KEYRING)) }
        if let timeout { try check(ckeyutils_set_timeout(key, timeout), call: "keyctl_set_timeout") }
        let permissions = [
            CKEYUTILS_USER_VIEW, CKEYUTILS_USER_READ, CKEYUTILS_USER_SEARCH, CKEYUTILS_USER_LINK,
        ]
        let mask = permissions.reduce(UInt32(0)) { $0 | UInt32($1) }
        try check(ckeyutils_set_permissions(key, mask), call: "keyctl_setperm")
        let keyring = try keyring(for: description)
        try check(ckeyutils_link(key, keyring), call: "keyctl_link")
        for other in try keyrings() where other != keyring { _ = try unlinkAll(description, from: other) }
    }

    @discardableResult
    package func erase(_ account: AccountID) throws(StoreFault) -> Bool {
        guard let description = description(of: account) else { return false }
        var found = false
        for keyring in try keyrings() where try unlinkAll(description, from: keyring) { found = true }
        return found
    }

    func contains(_ account: AccountID) throws(StoreFault) -> Bool {
        guard let description = description(of: account) else { return false }
        return try searchAll(description, linkingTo: CKEYUTILS_NOWHERE) != nil
    }
}
