/// A person who consents at an authorization server, in a browser or with a code.
protocol ConsentDialogue: BrowserDialogue, DeviceDialogue {
    /// Whether there is a browser here that the person sees.
    var canStartBrowser: Bool { get }

    /// Tells where to approve the login, and starts a browser if it is to.
    func show(page url: String, starts: Bool) throws(LoginFault)

    /// Closes the port and takes the question away, whatever came of it.
    func end()
}

extension AuthorizationDialogue: ConsentDialogue {}

extension ConsentDialogue {
    /// Shows a page of the service, then ends the dialogue.
    func showPage(_ url: String, mayStart: Bool) throws(LoginFault) {
        defer { end() }
        try show(page: url, starts: mayStart && canStartBrowser)
    }
}
