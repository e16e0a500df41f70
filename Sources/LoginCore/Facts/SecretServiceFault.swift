/// A failure of the desktop's Secret Service. No answer at all is `StoreFault.timedOut`.
package enum SecretServiceFault: Error, Equatable, Sendable {
    /// In the words of the dynamic linker.
    case libraryMissing(String)
    /// No variable names the session bus.
    case noBus
    /// There is an address, but no service behind it.
    case busUnreachable(String)
    /// The bus belongs to another user, by this number as far as it is known: what is handed over there would be theirs.
    case foreignBus(owner: UInt32?)
    /// No program offers the service, and the bus has none to start.
    case noDaemon
    /// The program that offers it ended while it was asked.
    case ended
    /// This process may not use it.
    case denied(String)
    /// It has no collection that things are kept in unless said otherwise, or one that ends with the session.
    case noDefaultCollection
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
    package var isAbsence: Bool {
        switch self {
        case .libraryMissing, .noBus, .busUnreachable, .foreignBus, .noDaemon, .ended, .denied, .noDefaultCollection,
            .locked,
            .promptNeeded:
            true
        case .dismissed, .promptExpired, .failed: false
        }
    }
}
