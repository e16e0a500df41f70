import CKeyutils
import Glibc
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
    private static let longestDescription = 4095

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
        guard let count = try unlessGone(ckeyutils_read(key, nil, 0), call: "keyctl_read") else { return nil }
        var isGone = false
        let secret = try Secret(count: count) { (buffer) throws(StoreFault) in
            let result = ckeyutils_read(key, buffer.baseAddress, buffer.count)
            let got = try unlessGone(result, call: "keyctl_read")
            isGone = got == nil
            // A key is never written twice, so another size is not ours.
            guard isGone || got == count else {
                throw .unavailable(.keyring, problem: "a key changed while it was read")
            }
        }
        return isGone ? nil : secret
    }

    func save(_ secret: Secret, for account: AccountID, expires: Int64?) throws(StoreFault) {
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
    func erase(_ account: AccountID) throws(StoreFault) -> Bool {
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

// The single steps of `KeyringStore`, with the kernel's answers turned into facts.
extension KeyringStore {
    /// `authctl:` and the three parts of the account, each with everything percent-encoded that could be mistaken for
    /// a separator or is not printable ASCII, so that no two accounts share a description.
    /// - Returns: `nil` for names so long that the kernel has no key of theirs.
    func description(of account: AccountID) -> String? {
        let parts = [account.profile, account.origin.description, account.username].map(PrintableText.encode)
        let description = "authctl:" + parts.joined(separator: " ")
        return description.utf8.count <= Self.longestDescription ? description : nil
    }

    /// Makes the key in this thread's keyring, which ends with the thread.
    func add(_ secret: Secret, _ description: String) throws(StoreFault) -> Int32 {
        let result = secret.withUnsafeBytes {
            ckeyutils_add(description, $0.baseAddress, $0.count, Int32(CKEYUTILS_THREAD_KEYRING))
        }
        return Int32(try check(result, call: "add_key"))
    }

    /// - Returns: `nil` if there is no such key, or if its time is over.
    private func search(
        _ description: String, in keyring: Int32, linkingTo destination: Int
    ) throws(StoreFault) -> Int32? {
        let result = ckeyutils_search(keyring, description, Int32(destination))
        guard let key = try unlessGone(result, call: "keyctl_search").map({ Int32($0) }) else { return nil }
        // What another user has put into a keyring that both of them had is not ours. And the time may be over by now.
        if ckeyutils_owner(key) == Int(geteuid()) { return key }
        // Where a new key is made, one that is left would be written to instead, whoever owns it.
        if destination != CKEYUTILS_NOWHERE { ckeyutils_unlink(key, Int32(destination)) }
        return nil
    }

    /// The same in each of `keyrings`.
    private func searchAll(_ description: String, linkingTo destination: Int) throws(StoreFault) -> Int32? {
        for keyring in try keyrings() {
            if let key = try search(description, in: keyring, linkingTo: destination) { return key }
        }
        return nil
    }

    /// Where secrets may be: the session's own keyring, if it has one, then the user's.
    private func keyrings() throws(StoreFault) -> [Int32] {
        let user = Int32(CKEYUTILS_USER_KEYRING)
        return try hasOwnSession() ? [Int32(CKEYUTILS_SESSION_KEYRING), user] : [user]
    }

    /// Without a keyring of its own, a process is shown the one that all sessions of the user share; and a process that
    /// changed its user may still have the one of the user before, which is not to be searched.
    private func hasOwnSession() throws(StoreFault) -> Bool {
        let own = ckeyutils_keyring(Int32(CKEYUTILS_SESSION_KEYRING))
        // None, or one that was revoked when the session ended.
        if own < 0, own != -Int(ELIBACC) { return false }
        try check(own, call: "keyctl_get_keyring_ID")
        return own != ckeyutils_keyring(Int32(CKEYUTILS_USER_SESSION_KEYRING))
            && ckeyutils_owner(Int32(own)) == Int(geteuid())
    }

    /// Where a new secret goes.
    func keyring(for description: String) throws(StoreFault) -> Int32 {
        let user = Int32(CKEYUTILS_USER_KEYRING), session = Int32(CKEYUTILS_SESSION_KEYRING)
        guard try keyrings().contains(session) else { return user }
        switch lifetime {
        case .untilRestart: return user
        case .session: return session
        case .asBefore:
            guard let key = try search(description, in: session, linkingTo: CKEYUTILS_NOWHERE) else { return user }
            return try links(of: session).contains(key) ? session : user
        }
    }

    /// The keys in a keyring, without those of keyrings in it.
    private func links(of keyring: Int32) throws(StoreFault) -> [Int32] {
        let size = try check(ckeyutils_read(keyring, nil, 0), call: "keyctl_read")
        var serials = [Int32](repeating: 0, count: size / 4)
        try check(
            serials.withUnsafeMutableBytes { ckeyutils_read(keyring, $0.baseAddress, $0.count) }, call: "keyctl_read")
        return serials
    }

    /// - Returns: whether there was such a key.
    private func unlinkAll(_ description: String, from keyring: Int32) throws(StoreFault) -> Bool {
        var found = false
        var last: Int32?
        // One that is found again lies in a keyring within this one, as the user's lies in the session's.
        while let key = try search(description, in: keyring, linkingTo: CKEYUTILS_NOWHERE), key != last {
            last = key
            let result = ckeyutils_unlink(key, keyring)
            // Not here, or displaced by another process just now: look again.
            if result == -Int(ENOENT) { continue }
            try check(result, call: "keyctl_unlink")
            found = true
        }
        return found
    }

    /// - Returns: `nil` if there is no such key, or if it has expired or was revoked, even since it was found.
    private func unlessGone(_ result: Int, call: String) throws(StoreFault) -> Int? {
        [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(Int32(-result)) ? nil : try check(result, call: call)
    }

    @discardableResult
    func check(_ result: Int, call: String) throws(StoreFault) -> Int {
        guard result < 0 else { return result }
        switch Int32(-result) {
        case ELIBACC:
            let problem = ckeyutils_problem().map { String(cString: $0) }
            throw .unavailable(.keyring, problem: problem ?? "libkeyutils.so.1 could not be loaded")
        case EDQUOT:
            throw .unavailable(.keyring, problem: "the kernel's quota for this user's keys is used up")
        case ENOSYS, EPERM, EACCES:
            // A container's system call filter answers like this.
            throw .unavailable(.keyring, problem: "the kernel refuses \(call) here")
        case let code:
            throw .system(call: call, path: "@u", errno: code)
        }
    }
}
