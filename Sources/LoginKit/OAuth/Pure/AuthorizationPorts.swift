/// A person with a browser that comes back to this machine (RFC 8252): the listener and the prompt, which are waited for together.
protocol BrowserDialogue {
    /// Asks whether to log in at a server on another origin, or with a code that is typed on another one.
    func agree(to server: ForeignServer) throws(LoginFault) -> Bool

    /// Opens the port. The listener is closed when the dialogue is over, whatever came of it.
    func listen(on redirect: LoopbackRedirect) throws(LoginFault) -> LoopbackPort

    /// Tells where to go, and starts a browser if it is to.
    func show(_ visit: BrowserVisit) throws(LoginFault)

    /// Waits for one response or pasted address, answers its sender, and returns what the judge says.
    /// - Returns: with the seconds since the first wait began; nothing when the time is up.
    func awaitAnswer(
        _ wait: AuthorizationFlow.CallbackWait, _ judge: AuthorizationJudge
    ) throws(LoginFault) -> (answer: AuthorizationResponse, after: Int)?
}

/// A person with a code that is typed anywhere (RFC 8628).
protocol DeviceDialogue {
    /// Shows the code and where it is typed.
    func show(_ code: DeviceAuthorization, at server: BrowserVisit.Server) throws(LoginFault)

    /// Lets so much time pass, and shows how much is left.
    func wait(milliseconds: Int, secondsLeft: Int) throws(LoginFault)

    /// Milliseconds of a clock that goes on while the machine sleeps.
    func now() -> Int
}

/// The port where the response comes back.
struct LoopbackPort: Equatable, Sendable {
    /// As it stands in the redirect: the one that was drawn, or that the profile says.
    let number: Int
    /// Whether it is open; another program may have the port.
    var isOpen = true
}

/// The facts that a person is shown before they go to a browser.
struct BrowserVisit: Equatable, Sendable {
    /// The server, and the scope it is asked for.
    struct Server: Equatable, Sendable {
        /// The issuer that a profile says, else the origin of the issuer or of the endpoint.
        let name: String
        /// As it is asked for; `nil` for the server's own default.
        let scope: String?
    }

    /// The server.
    let server: Server
    /// Safe to be shown and to be handed to a browser; it holds a state, and so does not belong in a log.
    let url: String
    /// Where the response comes back.
    let redirect: String
    /// The client, for which the redirect has to be registered.
    let clientID: String
    /// Whether a browser is started.
    let starts: Bool
    /// Whether the server has refused a device code.
    var insteadOfDevice = false
}
