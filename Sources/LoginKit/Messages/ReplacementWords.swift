import LoginCore

extension Replacement {
    /// The message about a session that was refreshed.
    var refreshWords: String {
        """
        the session of \(SafeText.quoted(stored.serverName ?? "")) was refreshed, but the new one belongs to \
        \(SafeText.quoted(confirmed.serverName ?? "")); it is not used
        """
    }

    /// The question to a person, and the word that means yes.
    var question: (text: String, word: String) {
        let sentence = words.prefix(1).uppercased() + words.dropFirst()
        guard isBeside else { return ("\(sentence). Replace it?", "replace") }
        return ("\(sentence). Keep the login as \(SafeText.quoted(confirmed.serverName ?? ""))?", "yes")
    }

    /// Both names as the server gave them, and the name typed, where there is one.
    var words: String {
        if isBeside {
            return """
                you approved as \(SafeText.quoted(confirmed.serverName ?? "")), but asked for \
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
