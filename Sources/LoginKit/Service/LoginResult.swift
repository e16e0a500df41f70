/// The findings of a login, beside the session that it earned.
struct LoginResult {
    /// Whether the session is carried by cookies that the page before the login had set.
    var keepsAnonymousSession = false
    /// The difference of the clocks, if it makes the last token look expired.
    var clockDifference: ClockDifference?
    /// Where the last response to verify led.
    var verifyLeadsTo: Redirect?
    /// The place where the last response to verify has no user name although it was a login.
    var unnamedPlace: Place?
    /// The other user whose session a response to verify has set.
    var setOther: Replacement?
    /// The status that verify answered to a fresh grant, where it proves a login only beside the 401 of before.
    var status: Int?
    /// The place of the user name in verify's response, where no profile says it.
    var name: Place?
    /// The place that proves the login, where the search after it has found a better one than verify.
    var place: GuardedPlace?
    /// The logout of the page that proves the login, where no profile says one.
    var logout: FoundLogout?
    /// Where the login led, if that is a page which everybody may open and which wants nothing to be sent.
    var openTarget: String?
    /// Requests of the search for what proves a login.
    var requests = 0

    /// Whether a page of this login has shown a person, by name or by a way to log out.
    var showsPerson: Bool { name != nil || logout != nil }
}
