import LoginCore

extension Refusal {
    /// The server's words, quoted and made harmless, to stand behind our own.
    var quoted: String {
        words.map { ": the server says \(SafeText.quoted($0))" } ?? ""
    }

    func rejection(_ topic: ErrorContext) -> Message {
        var what = rejected(topic)
        var check = hadTicket ? "check klist and the clocks" : topic.check
        if let missingName {
            what += "; its response to verify has no user name at \(SafeText.quoted(missingName))"
            check += ", or 'username' of 'verify' in the profile"
        }
        let register = topic.signup.map { "; no account yet? sign up at \(SafeText.escaped($0))" } ?? ""
        let command = topic.isCopied ? topic.loginCommand("--paste") : topic.loginCommand
        return Message(what, next: "\(check), then: \(command)\(register)")
    }

    private func rejected(_ topic: ErrorContext) -> String {
        let blocked = mayMeanForbidden && words == nil ? ", or the account is blocked" : ""
        let said = words.map { "; the server says \(SafeText.quoted($0))" } ?? ""
        if topic.isCopied { return "the service does not accept the pasted session (status \(status))\(said)" }
        if topic.machine != nil {
            let clock = clockDifference.map { "; \($0.words), by which an assertion may have looked expired" } ?? ""
            return
                "the authorization server refused the login (status \(status)): wrong \(topic.credentialName)\(said)\(clock)"
        }
        if hadTicket { return "the server refused the Kerberos ticket (status \(status))\(blocked)\(said)" }
        return "login refused (\(status)): wrong \(topic.credentialName)\(blocked)\(said)"
    }
}
