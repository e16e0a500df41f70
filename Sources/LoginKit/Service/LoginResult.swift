/// The findings of a login, beside the session that it earned.
struct LoginResult {
    /// Whether the session is carried by cookies that the page before the login had set.
    var keepsAnonymousSession = false
    /// The difference of the clocks, if it makes the last token look expired.
    var clockDifference: ClockDifference?
    /// Whether the response to verify tells that the service binds sessions to the device of a browser.
    var bindsToDevice = false
    /// The target of the last response to verify, if that was a redirect.
    var verifyLeadsTo: Redirect?
    /// The methods that the last response to verify says it takes (RFC 9110, section 10.2.1).
    var allowedMethods: [String] = []
    /// The other user whose session a response to verify has set.
    var otherUser: Replacement?
    /// The names of cookies that responses to verify have given other values.
    var changedByVerify: Set<String> = []
    /// What verify has proved of a session that the last request of the person's own was prepared with.
    var proved: Login?
    /// The status that verify answered to a fresh grant, where only the 401 without one makes it a proof.
    var loggedInStatus: Int?
    /// The place of the user name in verify's response, where no profile says it.
    var usernamePlace: Place?
    /// Whether the last response to verify has the form of the login.
    var verifyShowsForm = false
    /// The request that proves a password where the given URL does not.
    var otherVerify: RequestRule?
    /// The place that proves the login, where the search after it has found a better one than verify.
    var verifyPlace: GuardedPlace?
    /// The logout of the page that proves the login, where no profile says one.
    var logout: FoundLogout?
    /// Whether the page that verify asks for shows a way to log out, be it one that no profile can say.
    var showsLogout = false
    /// Whether the page that verify asks for has a link to a page where people log in.
    var linksToLogin = false
    /// The target of the login, if that is a page which everybody may open and which wants nothing to be sent.
    var openTarget: String?
    /// Whether the page of the login, with the session, has more links than without it.
    var hasMoreLinks = false
    /// Whether the page that verify asks for has no form for a password any more, and is not what a failed login may show instead.
    var isPastForm = false
    /// Requests of the search for what proves a login.
    var searchRequests = 0

    /// Whether a page of this login has shown a person, by name or by a way to log out.
    var showsPerson: Bool { usernamePlace != nil || logout != nil || showsLogout }
}
