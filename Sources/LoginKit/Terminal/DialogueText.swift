/// The words of a login dialogue: ours first, the server's after them, quoted and escaped (T1, T3).
struct DialogueText {
    let challenge: Challenge
    /// The width of the terminal.
    let columns: Int
    /// The key that cancels.
    var cancelKey = CancelKey.interrupt

    /// The lines before the questions. Whoever is asked again has read the rest already.
    var opening: [String] {
        guard challenge.isFirst else { return reason }
        let profile = SafeText.escaped(challenge.profile, limit: 100)
        let origin = SafeText.escaped(challenge.protectionSpace.origin.description)
        var lines = ["Log in to \(profile) (\(origin)) (\(cancelKey.rawValue) cancels)"] + reason
        if let realm = challenge.protectionSpace.realm, !realm.isEmpty {
            lines.append(TextLine.quoting(realm, after: "Realm:", columns: columns))
        }
        if let signup = challenge.signup { lines.append("No account yet? Sign up at \(SafeText.escaped(signup))") }
        return lines
    }

    static func leftBlank(_ field: CredentialField) -> String {
        "The \(field.shownName) was left blank; nothing was sent."
    }

    /// The label before the answer; names the account where the name itself is not asked for.
    func label(_ field: CredentialField) -> String {
        if field == .password, challenge.asksForClientSecret { return "Client secret: " }
        guard field == .password || field == .token, !challenge.fields.contains(.username),
            let name = challenge.proposedUsername
        else { return "\(field.label): " }
        return "\(field.label) for \(SafeText.name(name)): "
    }

    /// The label where the name is kept, with the way back to it: behind the label, or in a line above it on a narrow terminal.
    /// - Parameter mayBeBlank: whether an empty line is an answer.
    func label(
        _ field: CredentialField, keeping name: String, mayBeBlank: Bool
    ) -> (line: String?, label: String) {
        let start = "\(field.label) for \(SafeText.name(name))"
        let hint = "\(mayBeBlank ? "Ctrl-U twice" : "leave empty") to change the name"
        let whole = "\(start) (\(hint)): "
        return whole.count < columns ? (nil, whole) : ("(\(hint))", "\(start): ")
    }

    /// The label where Return keeps a name: the name stands in it, or in a line above it where little room would be left to type.
    func usernameLabel(proposing name: String) -> (line: String?, label: String) {
        let whole = "\(CredentialField.username.label) [\(SafeText.name(name))]: "
        guard whole.count + Self.roomToType >= columns else { return (nil, whole) }
        return ("(leave empty to keep \(SafeText.name(name)))", "\(CredentialField.username.label): ")
    }

    /// Columns that are left for a name.
    private static let roomToType = 10

    private var reason: [String] {
        switch challenge.reason {
        case .notLoggedIn, .forced, .unjudged: []
        case .sessionEnded(at: nil): ["The server no longer accepts the stored session."]
        case .sessionEnded(at: let time?): ["The stored session expired \(LocalTime.words(of: time))."]
        case .passwordRefusedBefore:
            ["The server refused the stored \(secretName) before; it was not sent again."]
        case .undecided(let refusal): ["\(refusal.doubtWords.firstCapital)."]
        case .leftBlank(let field): [Self.leftBlank(field)]
        case .refused(let refusal): refused(refusal)
        case .storedRefused(let refusal): ["The server refused the stored \(secretName)."] + details(refusal)
        }
    }

    private func refused(_ refusal: Refusal) -> [String] {
        let attempt = "Attempt \(challenge.attempt) of \(challenge.maxAttempts)"
        // A server that locks accounts counts the stored one as well.
        let count = challenge.previousFailureCount
        let total = count >= challenge.attempt ? "; refusal \(count), counting the stored one" : ""
        let blocked = refusal.mayMeanForbidden && refusal.words == nil ? ", or a blocked account" : ""
        return ["Wrong \(refusedThing)\(blocked). \(attempt)\(total)."] + details(refusal, isBlockedTold: true)
    }

    private func details(_ refusal: Refusal, isBlockedTold: Bool = false) -> [String] {
        guard refusal.mayMeanForbidden, !isBlockedTold, refusal.words == nil else {
            return TextLine.saying(refusal.words, columns: columns)
        }
        return ["The account may also be blocked; the server does not say which."]
    }

    private var refusedThing: String {
        if challenge.asksForClientSecret { return "client secret" }
        return challenge.fields.isEmpty ? "login" : challenge.fields.map(\.shownName).joined(separator: " or ")
    }

    private var secretName: String {
        if challenge.asksForClientSecret { return "client secret" }
        return (challenge.fields.contains(.token) ? CredentialField.token : .password).name
    }
}

extension Challenge {
    /// The name that stands while the secret is asked for first. Whoever was refused types the password by reflex, and it must
    /// not land in a line that shows it.
    var keptUsername: String? {
        guard keepsUsername, fields.contains(.username), fields.count > 1, let name = proposedUsername else {
            return nil
        }
        return name.isEmpty ? nil : name
    }

    private var keepsUsername: Bool {
        switch reason {
        case .refused, .unjudged, .storedRefused, .passwordRefusedBefore: true
        case .leftBlank(let field): field != .username
        case .notLoggedIn, .forced, .sessionEnded, .undecided: false
        }
    }

    /// Whether nothing was asked in this login yet.
    var isFirst: Bool {
        switch reason {
        case .refused, .unjudged, .leftBlank: false
        case .notLoggedIn, .forced, .sessionEnded, .passwordRefusedBefore, .undecided, .storedRefused: true
        }
    }
}
