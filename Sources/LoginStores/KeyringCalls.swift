internal import CKeyutils
internal import Glibc
internal import LoginCore
internal import Secrets

// The single steps of `KeyringStore`, with the kernel's answers turned into facts.
extension KeyringStore {
    /// `authctl:` and the three parts of the account, each with everything percent-encoded that could be mistaken for
    /// a separator or is not printable ASCII, so that no two accounts share a description.
    func description(of account: AccountID) throws(StoreFault) -> String {
        let parts = [account.profile, account.origin.description, account.username].map(PrintableText.encode)
        let description = "authctl:" + parts.joined(separator: " ")
        guard description.utf8.count <= Self.longestDescription else {
            throw .tooLarge(.keyring, limit: Self.longestDescription)
        }
        return description
    }

    /// Makes the key in this thread's keyring, which ends with the thread.
    func add(_ secret: Secret, _ description: String) throws(StoreFault) -> Int32 {
        let result = secret.withUnsafeBytes {
            ckeyutils_add(description, $0.baseAddress, $0.count, Int32(CKEYUTILS_THREAD_KEYRING))
        }
        return Int32(try check(result, call: "add_key"))
    }

    /// - Returns: nothing if there is no such key, or if its time is over.
    func search(_ description: String, linkingTo keyring: Int) throws(StoreFault) -> Int32? {
        let result = ckeyutils_search(Int32(CKEYUTILS_USER_KEYRING), description, Int32(keyring))
        let absent = [ENOKEY, EKEYEXPIRED, EKEYREVOKED].map { -Int($0) }
        if absent.contains(result) { return nil }
        return Int32(try check(result, call: "keyctl_search"))
    }

    /// The time-out in seconds, at least one: the kernel takes 0 for 'none'.
    func seconds(until expires: Int64) -> UInt32 {
        let (left, overflow) = expires.subtractingReportingOverflow(clock.now())
        guard !overflow else { return UInt32(Int32.max) }
        return UInt32(max(1, min(left, Int64(Int32.max))))
    }

    @discardableResult
    func check(_ result: Int, call: String) throws(StoreFault) -> Int {
        guard result < 0 else { return result }
        switch Int32(-result) {
        case ELIBACC:
            let problem = ckeyutils_problem().map { String(cString: $0) }
            throw .unavailable(.keyring, problem: problem ?? "libkeyutils.so.1 cannot be opened")
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
