package import LoginCore

extension Replacement {
    /// The same of a session that was renewed.
    package var refreshWords: String {
        """
        the session of \(SafeText.quoted(stored.serverName ?? "")) was refreshed, but the new one belongs to \
        \(SafeText.quoted(confirmed.serverName ?? "")); it is not used
        """
    }

    /// Both names as the server gave them, and the name typed, where there is one.
    package var words: String {
        if isBeside {
            return """
                the browser was logged in as \(SafeText.quoted(confirmed.serverName ?? "")), not as \
                \(SafeText.quoted(stored.username))
                """
        }
        let wasTyped = !stored.username.isEmpty && !stored.username.isSame(as: stored.serverName ?? "")
        let account = !wasTyped ? "the stored login" : "the login as \(SafeText.quoted(stored.username))"
        return """
            \(account) belonged to \(SafeText.quoted(stored.serverName ?? "")), but the server now returns \
            \(SafeText.quoted(confirmed.serverName ?? ""))
            """
    }
}
