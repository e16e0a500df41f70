import CKeyutils
import Glibc
import LoginCore
import Secrets

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
        let absent = [ENOKEY, EKEYEXPIRED, EKEYREVOKED].map { -Int($0) }
        if absent.contains(result) { return nil }
        let key = try check(result, call: "keyctl_search")
        // What another user has put into a keyring that both of them had is not ours.
        return ckeyutils_owner(Int32(key)) == Int(geteuid()) ? Int32(key) : nil
    }

    /// The same in each of `keyrings`.
    func searchAll(_ description: String, linkingTo destination: Int) throws(StoreFault) -> Int32? {
        for keyring in try keyrings() {
            if let key = try search(description, in: keyring, linkingTo: destination) { return key }
        }
        return nil
    }

    /// Where secrets may be: the session's own keyring, if it has one, then the user's.
    func keyrings() throws(StoreFault) -> [Int32] {
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
    func unlinkAll(_ description: String, from keyring: Int32) throws(StoreFault) -> Bool {
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
