extension Replacement {
    /// The same of a session that was renewed.
    public var refreshWords: String {
        """
        the session of \(SafeText.quoted(stored.serverName ?? "")) was renewed by the server for somebody else, \
        \(SafeText.quoted(confirmed.serverName ?? "")); nothing of it is used
        """
    }

    /// Both names as the server gave them, and the name typed, where there is one.
    public var words: String {
        let wasTyped = !stored.username.isEmpty && !stored.username.isSame(as: stored.serverName ?? "")
        let account = !wasTyped ? "the stored login" : "the login as \(SafeText.quoted(stored.username))"
        return """
            \(account) was of \(SafeText.quoted(stored.serverName ?? "")), and the server now names \
            \(SafeText.quoted(confirmed.serverName ?? ""))
            """
    }
}
