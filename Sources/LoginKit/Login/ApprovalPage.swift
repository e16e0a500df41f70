extension LoginRun {
    /// Shows a person the page at which they approve this login, and opens it if a browser can be started.
    /// - Parameter origins: where it may be without a question, beside the profile's own origin.
    func openApprovalPage(_ url: String, allowing origins: [String]) throws(LoginFault) {
        let settings = try consentSettings()
        guard BrowserStart.isSafe(url, plainOrigin: settings.plainOrigin), !url.contains("@") else {
            throw .failure("the login page that the service named is not an https URL, so it was not opened")
        }
        let origin = try URLParser.parsed(url).origin
        var known = [endpoint.origin]
        for text in origins { known.append(try URLParser.parsed(text).origin) }
        if !known.contains(origin) { try ask(origin) }
        try context.dependencies.showPage(settings, url, request.way != .browser(starts: false))
    }

    private func ask(_ origin: Origin) throws(LoginFault) {
        guard context.person.mayBeAsked else { throw .untrusted(.otherOrigin(target: origin.description)) }
        let question =
            "\(profile.name) (\(endpoint.origin)) asks you to approve this login at \(origin), which is another server."
        guard
            try context.person.dialogue(allowsBlankPassword: request.allowsBlankPassword).confirm(
                question, typing: "yes")
        else {
            throw .cancelled
        }
    }
}
