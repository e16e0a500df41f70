/// A store that machines share cannot do what is asked.
package enum SharedFault: Error, Equatable, Sendable {
    /// The engine cannot be reached; in its program's words, if it has any.
    case engineAway(HelperFault.Words)
    /// The engine wants a login of this profile; in the words of a message.
    case notLoggedIn(profile: String, words: String)
    /// This machine has no key, which would be in this file.
    case keyMissing(path: String)
    /// The machines that share logins there have another key than this file.
    case otherKey(path: String)
    /// A login is older than one that this machine has seen: somebody has put a copy of it back.
    case oldCopy
    /// The value of this key was not sealed by any of the machines, or for another account.
    case foreignValue(key: String)

    /// Whether it is about one account, and not the whole store.
    package var concernsAccount: Bool {
        switch self {
        case .oldCopy, .foreignValue: true
        case .engineAway, .notLoggedIn, .keyMissing, .otherKey: false
        }
    }
}
