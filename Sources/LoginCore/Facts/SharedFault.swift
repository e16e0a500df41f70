/// A store that machines share cannot do what is asked.
package enum SharedFault: Error, Equatable, Sendable {
    /// The engine cannot be reached; in its program's words, if it has any.
    case engineAway(HelperFault.Words)
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
    package var isOfEngine: Bool {
        switch self {
        case .engineAway, .notLoggedIn, .notPermitted: true
        case .keyMissing, .otherKey, .oldCopy, .foreignValue: false
        }
    }
}

extension StoreFault {
    /// Whether the engine of a shared store cannot be used.
    package var isOfEngine: Bool { if case .shared(_, let fault) = self { fault.isOfEngine } else { false } }
}
