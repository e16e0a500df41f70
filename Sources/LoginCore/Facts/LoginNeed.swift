/// A login that cannot go on without a person.
package struct LoginNeed: Equatable, Sendable {
    /// The reason that nobody is logged in.
    package enum Why: Equatable, Sendable {
        case noProfile
        case nothingStored
        case sessionRefused
        /// Verify answers the stored session, which it has accepted before, with a status that may mean either: it has ended, or the
        /// account may not. Nothing is erased for it.
        case sessionForbidden(Refusal)
        /// Verify has no user name at this place, as without a login, and nothing else tells the two apart.
        case unnamed(place: String)
        case sessionExpired
        /// In so many seconds, sooner than was asked for, and it cannot be refreshed.
        case sessionEndsSoon(seconds: Int64)
        case passwordRefusedBefore
        /// The key of the client certificate is encrypted.
        case keyLocked(file: String)
        /// The identity of a machine is missing, for this reason, in words.
        case noIdentity(String)
        /// A person left it blank until no question was left.
        case leftBlank(CredentialField)
        /// The profile has logins, but not of the account that was named.
        case noSuchAccount(username: String, known: [String])
        /// The profile has logins, but the active one has ended and no other was chosen.
        case noActiveAccount(known: [String])
        /// The server names another person than the one that is stored; what is stored stays.
        case otherPerson(Replacement)
        /// The service names another person for the session, or has refreshed it for one: it is kept, and not used.
        case sessionOfAnother(Replacement)
        /// The session has ended, and the response to its refresh judges nothing. Nothing is erased for it.
        case refreshNotJudged(BusyFault)
        /// Another machine, or an earlier process of this one, began to refresh a login that machines share, and has not ended it; the
        /// service refuses a second refresh.
        case unfinishedRefresh(machine: String)
        /// The clock shows an earlier time than when the login was saved, and the service was not to be asked.
        case clockSetBack(ClockDifference)
        /// `isCode` where it was to print the code of a second factor.
        case passwordCommandFailed(status: Int32, isCode: Bool = false)
        case passwordCommandTookTooLong(seconds: Int, isCode: Bool = false)
        case ticket(TicketProblem)
        /// The resource is in this realm; the login is for another one.
        case otherRealm(String, of: String, login: String)
        /// The server wants a method for which no person is asked here.
        case declined(AuthenticationMethod)
    }

    /// The reason.
    package let why: Why
    /// The missing fields; empty if they are not known, or would not help.
    package let missing: [CredentialField]

    /// Without `missing`, a message names no single field.
    package init(why: Why, missing: [CredentialField] = []) {
        self.why = why
        self.missing = missing
    }
}
