/// A store cannot do what is asked.
package enum StoreFault: Error, Equatable, Sendable {
    /// It is not there, or cannot work here.
    case unavailable(StoreName, problem: String)
    /// `auto` found none that works.
    case noneWorks([UnusableStore])
    /// Another process held a lock for longer than so many seconds.
    case locked(path: String, seconds: Int)
    /// The file is not as authctl left it, or the passphrase is wrong: the two cannot be told apart.
    case wrongPassphraseOrDamaged(path: String)
    case damaged(path: String, problem: String)
    /// A newer authctl wrote it: the path, or the name of the store that has it, and the account or profile if the rest can be used.
    case newerVersion(path: String, of: String? = nil)
    /// The disk has no room for what a request would bring or change; it was not sent.
    case noSpace(path: String, errno: Int32)
    case unsafeFile(path: String, problem: String)
    case notSetUp(StoreName)
    /// There is one already; it is not replaced.
    case alreadySetUp(StoreName, path: String)
    case passphraseMissing(path: String)
    /// A system call failed.
    case system(call: String, path: String, errno: Int32)
    case timedOut(StoreName, seconds: Int)
    case secretService(SecretServiceFault)
    case tooLarge(StoreName, limit: Int)
    /// Profile, origin and user name, as the store writes them, take more than so many bytes.
    case namesTooLong(StoreName, limit: Int)
    case cannotBePermanent(StoreName)
    case passphraseCancelled, passphraseBlank
    /// A person took longer than so many seconds.
    case passphraseExpired(seconds: Int)
    /// The program behind a store does not do what it should, in words.
    case helper(StoreName, String, next: Advice)
    /// A store that machines share, its engine, or what is there.
    case shared(StoreName, SharedFault)
    /// The configuration does not say how authctl logs in to the engine of a shared store.
    case usage(UsageFault)
    /// In words, since no caller matches it.
    case other(String, next: Advice)
}

/// A store that was tried, and why it cannot be used.
package struct UnusableStore: Equatable, Sendable {
    /// The store that was tried.
    let name: StoreName
    /// The fault.
    let fault: StoreFault
}

/// A failure of the desktop's Secret Service. No answer at all is `StoreFault.timedOut`.
package enum SecretServiceFault: Error, Equatable, Sendable {
    /// It is not to be had here, in words; `next` is what stands before the advice to take another store.
    case absent(String, details: [String] = [], next: String = "")
    /// The bus belongs to another user, by this number as far as it is known: what is handed over there would be theirs.
    case foreignBus(owner: UInt32?)
    /// Its collection is locked, and this command must not ask a person.
    case locked
    /// It needs a dialogue, and this command must not ask a person.
    case promptNeeded
    /// The person closed the dialogue.
    case dismissed
    /// Nobody answered the dialogue for so many seconds.
    case promptExpired(seconds: Int)
    /// It cannot do it, in its own words.
    case failed(String)

    /// Whether the service is just not to be had here, so that `auto` looks further. Where nobody can be asked, a locked
    /// one is not; a person who closed the dialogue has decided.
    var isAbsence: Bool {
        switch self {
        case .absent, .foreignBus, .locked, .promptNeeded: true
        case .dismissed, .promptExpired, .failed: false
        }
    }
}

extension StoreName {
    /// Whether a docker credential helper of this name may be run. The name becomes part of a program's name, so that
    /// only what is plainly a part of one is taken; authctl's own helper would ask itself.
    static func isHelper(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { $0.isAlphanumeric || "._-".utf8.contains($0) }
        let first = name.utf8.first
        return isPlain && (1...64).contains(name.utf8.count) && first != UInt8(ascii: "-") && first != UInt8(ascii: ".")
            && !name.contains("..") && name != "authctl"
    }
}

/// A store that machines share cannot do what is asked.
package enum SharedFault: Error, Equatable, Sendable {
    /// The engine cannot be reached; in its program's words, if it has any.
    case engineAway(words: String?)
    /// The engine wants a login of this profile; in the words of a message.
    case notLoggedIn(profile: String, words: String)
    /// The engine does not let this login read or write what it has to; in the words of a message.
    case notPermitted(words: String)
    /// This machine has no key, which would be in this file.
    case keyMissing(path: String)
    /// The machines that share logins there have another key than this file.
    case otherKey(path: String)
    /// A login is older than one that this machine has seen, or gone: somebody has put a copy of it back, or removed it.
    case oldCopy
    /// The value of this key was not sealed by any of the machines, or for another account.
    case foreignValue(key: String)

    /// Whether the engine cannot be used, whatever is there: a login is used as it was read last then.
    var isOfEngine: Bool {
        switch self {
        case .engineAway, .notLoggedIn, .notPermitted: true
        case .keyMissing, .otherKey, .oldCopy, .foreignValue: false
        }
    }
}

extension StoreFault {
    /// Whether the engine of a shared store cannot be used.
    var isOfEngine: Bool { if case .shared(_, let fault) = self { fault.isOfEngine } else { false } }
}

/// Rethrows a store's fault as a `LoginFault`.
package func fromStore<Result>(_ body: @autoclosure () throws(StoreFault) -> Result) throws(LoginFault) -> Result {
    do {
        return try body()
    } catch {
        throw .store(error)
    }
}
