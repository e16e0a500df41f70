extension Replacement {
    /// The message about a session that is somebody else's by now.
    var sessionWords: String {
        """
        the session of \(SafeText.quoted(stored.serverName ?? "")) now belongs to \
        \(SafeText.quoted(confirmed.serverName ?? "")); it is not used
        """
    }

    /// The message about a session that a response has set.
    var responseWords: String { "a response \(setWords); it is neither used nor stored" }

    /// The clause about a session that a response before a request has set.
    var preparingWords: String { "a response before the request \(setWords)" }

    private var setWords: String {
        """
        set a session of \(SafeText.quoted(confirmed.serverName ?? "")) in the place of that of \
        \(SafeText.quoted(stored.serverName ?? ""))
        """
    }

    /// The question to a person, and the word that means yes.
    var question: (text: String, word: String) {
        let sentence = words.firstCapital
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

extension String {
    /// The text as the beginning of a sentence.
    var firstCapital: String { prefix(1).uppercased() + dropFirst() }
}
