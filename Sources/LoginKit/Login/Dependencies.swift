import Secrets

/// Everything outside of the program, as one value. A test hands in its own.
package struct Dependencies {
    package var environment: Environment
    package var clock: WallClock
    /// Whether there is a terminal to ask a person at.
    var hasTerminal: () -> Bool
    /// Whether standard output or standard error is a terminal.
    package var isTerminal: (_ descriptor: Int32) -> Bool
    /// Characters in a line of such a terminal.
    package var columns: (_ descriptor: Int32) -> Int = { TerminalLook.columns(of: $0) }
    /// Whether the locale has more than ASCII.
    package var isUnicode: () -> Bool = { TerminalLook.isUnicode }
    /// Whether standard input is a pipe or a file, which may have a password in it.
    package var isInputPiped: () -> Bool = { false }
    var dialogue: (DialogueSettings) -> any Dialogue
    /// The login method of each kind, and who consents to it.
    var features: (LoginKind) -> LoginFeature
    /// Shows a person a page of the service, in a browser if one may be started.
    var showPage: (AuthorizationSettings, _ url: String, _ mayStart: Bool) throws(LoginFault) -> Void
    /// The way to one origin, for one identity and through one proxy.
    var transport: (Origin, TransportSettings) -> any Transport
    var tickets: TicketCache
    /// The lock for asking a person; `nil` with one thread.
    var promptLock: PromptLock?
    /// The largest number of servers that are asked at a time.
    var width = 8
    /// Whether the caller has cancelled; `nil` if it cannot.
    var isCancelled: (@Sendable () -> Bool)?
    /// Postpones the end of the program or of the call while a refresh is under way.
    var postponement = Postponement(begin: { _ in }, end: {})
    /// The line on the terminal that names the server a command waits for.
    var noticeLine = NoticeLine(show: { _ in false }, hide: {})
    /// Finds out how to log in at a URL that has no profile.
    var discover: (LoginContext, ParsedURL, LoginRequest) throws(LoginFault) -> LoginTarget
    /// Takes the session out of what a person has copied in a browser.
    var readCopiedLogin: (LoginContext, Secret, Profile, _ username: String?) throws(LoginFault) -> Credential
    /// Takes the login for a profile's host out of a netrc file.
    var readNetrc:
        (LoginContext, _ path: String, Profile, _ username: String?, _ allowsBlank: Bool) throws(LoginFault)
            -> (username: String?, password: Secret, line: Int)
    /// The stores that other machines use, too.
    var sharedStores: (LoginContext) -> any SharedCredentialStores
    package var stores: (StoreLocation, _ passphrase: @escaping () throws(StoreFault) -> Secret) -> Stores

    /// A line on the terminal that is removed again.
    struct NoticeLine: Sendable {
        /// - Returns: whether it stands there now.
        let show: @Sendable (_ text: String) -> Bool
        let hide: @Sendable () -> Void
        /// Animates the end of a line that is shown.
        var move: @Sendable (_ tail: String) -> Void = { _ in }
    }

    /// Settings for asking a person.
    struct DialogueSettings: Equatable {
        var mask = "*"
        /// Seconds for each answer.
        var timeout = 300
        var allowsBlankPassword = false
    }
}

extension Dependencies {
    /// A profile's service, over the transport of its origin.
    /// - Parameter method: makes the login method with a key that was opened for it; `nil` where none was.
    func service(
        _ profile: Profile, _ endpoint: ServiceEndpoint, _ settings: TransportSettings,
        others: OriginTransports = OriginTransports(), _ options: Service.Options, method: LoginMethodMaker? = nil
    ) -> Service {
        var bare = settings
        bare.identity = nil
        let anonymous: (any Transport)? =
            profile.traits.isProvedByCertificate ? transport(endpoint.origin, bare) : nil
        return Service(
            profile: profile, endpoint: endpoint, transport: transport(endpoint.origin, settings), clock: clock,
            tickets: tickets, options: options, anonymous: anonymous, others: others,
            method: method ?? features(profile.kind).makeMethod)
    }
}
