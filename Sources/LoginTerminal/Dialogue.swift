internal import LoginCore

/// The words of a login dialogue: ours first, the server's after them, quoted and escaped (T1, T3).
enum Dialogue {
    /// The lines before the questions.
    static func opening(_ challenge: Challenge) -> [String] {
        let profile = SafeText.escaped(challenge.profile, limit: 100)
        let origin = SafeText.escaped(challenge.protectionSpace.origin.description)
        var lines = ["Log in to \(profile) (\(origin))"] + reason(challenge)
        if let realm = challenge.protectionSpace.realm, !realm.isEmpty {
            lines.append("The server names the place \(SafeText.quoted(realm)).")
        }
        let isOffered = challenge.fields.contains(.username) && challenge.settledUsername == nil
        // A name in place looks as if the password came next.
        if isOffered, challenge.proposedUsername?.isEmpty == false { lines.append("Enter keeps the user name.") }
        return lines
    }

    /// What stands before the answer; names the account where the name itself is not asked for.
    static func label(_ field: CredentialField, of challenge: Challenge) -> String {
        let isAsked = challenge.fields.contains(.username) && challenge.settledUsername == nil
        let belongsToName = field == .password || field == .token
        guard belongsToName, !isAsked, let name = challenge.proposedUsername else { return "\(field.label): " }
        return "\(field.label) for \(SafeText.escaped(name)): "
    }

    private static func reason(_ challenge: Challenge) -> [String] {
        switch challenge.reason {
        case .notLoggedIn: ["Nothing is stored for it yet."]
        case .forced: []
        case .sessionEnded(at: nil): ["The server no longer accepts the stored session."]
        case .sessionEnded(at: let time?): ["The stored session expired \(LocalTime.words(of: time))."]
        case .passwordRefusedBefore:
            ["The server refused the stored \(secretName(challenge.fields)) before; it was not sent again."]
        case .leftBlank(let field): ["The \(field.shownName) was left blank; nothing was sent."]
        case .refused(let refusal): refused(refusal, challenge)
        case .storedRefused(let refusal):
            ["The server refused the stored \(secretName(challenge.fields))."] + details(refusal, challenge)
        }
    }

    private static func refused(_ refusal: Refusal, _ challenge: Challenge) -> [String] {
        let attempt = "Attempt \(challenge.attempt) of \(challenge.maxAttempts)"
        let refused = "the server refused this \(refusedThing(challenge.fields))"
        // A server that locks accounts counts the stored one as well.
        let count = challenge.previousFailureCount
        let total = count >= challenge.attempt ? ", its refusal number \(count) with the stored one" : ""
        return ["\(attempt): \(refused)\(total)."] + details(refusal, challenge)
    }

    private static func details(_ refusal: Refusal, _ challenge: Challenge) -> [String] {
        var lines: [String] = []
        if refusal.mayMeanForbidden {
            let secret = secretName(challenge.fields)
            lines.append("It answers the same where the \(secret) is right but the account may not log in.")
        }
        if let words = refusal.words, !words.isEmpty {
            lines.append("The server says: \(SafeText.quoted(words))")
        }
        return lines
    }

    private static func refusedThing(_ fields: [CredentialField]) -> String {
        fields.isEmpty ? "login" : fields.map(\.shownName).joined(separator: " or ")
    }

    private static func secretName(_ fields: [CredentialField]) -> String {
        (fields.contains(.token) ? CredentialField.token : .password).name
    }
}

extension Challenge {
    /// The name that need not be asked for again: what was left blank came after it.
    var settledUsername: String? {
        guard case .leftBlank(let field) = reason, field != .username, proposedUsername?.isEmpty == false else {
            return nil
        }
        return proposedUsername
    }
}
