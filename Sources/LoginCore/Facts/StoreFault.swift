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
    /// A newer authctl wrote it; the path, or the name of the store that has it.
    case newerVersion(path: String)
    /// The disk has no room for what a request would bring or change; it was not sent.
    case noSpace(path: String, errno: Int32)
    case unsafeFile(path: String, problem: String)
    case notSetUp(StoreName)
    /// There is one already; it is not replaced.
    case alreadySetUp(StoreName, path: String)
    case passphraseMissing(path: String)
    /// The encrypted file is to be set up, and no person can be asked for its passphrase.
    case newPassphraseMissing
    /// A system call failed.
    case system(call: String, path: String, errno: Int32)
    case timedOut(StoreName, seconds: Int)
    case secretService(SecretServiceFault)
    case tooLarge(StoreName, limit: Int)
    /// Profile, origin and user name, as the store writes them, take more than so many bytes.
    case namesTooLong(StoreName, limit: Int)
    case cannotBePermanent(StoreName)
    /// The file that is to hold the passphrase does not.
    case passphraseFile(path: String, problem: String)
    case passphraseCancelled, passphraseBlank
    /// A person took longer than so many seconds.
    case passphraseExpired(seconds: Int)
    /// The program behind a store does not do what it should.
    case helper(StoreName, HelperFault)
    /// A store that machines share, its engine, or what is there.
    case shared(StoreName, SharedFault)
    /// The configuration does not say how authctl logs in to the engine of a shared store.
    case usage(UsageFault)
}
