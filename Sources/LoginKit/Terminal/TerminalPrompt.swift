import CProcess
import Secrets

/// Asks a person at the controlling terminal, with GNU readline for the lines.
///
/// Everything is written to and read from `/dev/tty`. The terminal is left exactly as it was, however the program
/// ends, SIGKILL and SIGSTOP excepted. What is typed is kept nowhere but in the answer: no history, no kill ring, no
/// copy in freed memory. Ctrl-C ends the program by SIGINT, Ctrl-Z stops it and the line is drawn again afterwards.
struct TerminalPrompt: Prompt, Sendable {
    let mask: Cell?
    private let timeout: Int
    private let allowsBlankPassword: Bool
    let isCancelled: (@Sendable () -> Bool)?
    private let holdsToEnd: Bool

    /// - Parameters:
    ///   - mask: what stands for one character of a secret; its first character counts. Empty: nothing does. Something
    ///     that cannot be shown is taken as `*`.
    ///   - timeout: seconds that a person has for each line.
    ///   - allowsBlankPassword: whether an empty password is an answer.
    ///   - holdsToEnd: keeps the terminal without echo after a secret was typed, until the process ends, for one command.
    ///   - isCancelled: asked about ten times a second, by the thread that asks: whether nobody waits for an answer any more.
    ///     The question then ends as if the person had cancelled.
    init(
        mask: String = "*", timeout: Int = 300, allowsBlankPassword: Bool = false,
        holdsToEnd: Bool = false, isCancelled: (@Sendable () -> Bool)? = nil
    ) {
        self.isCancelled = isCancelled
        self.holdsToEnd = holdsToEnd
        self.mask = mask.first.map { Self.mark($0) }
        self.timeout = timeout
        self.allowsBlankPassword = allowsBlankPassword
    }

    /// Whether there is a terminal at all, so that a caller need not begin what ends in a question that cannot be put.
    static var hasTerminal: Bool { Terminal() != nil }

    func takeTurn() throws(LoginFault) {
        // Without a terminal the question says so.
        guard let terminal = Terminal() else { return }
        try TerminalTurn(terminal, timeout: timeout, isCancelled)?.keep()
    }

    func endTurn() { cprocess_terminal_end_turn() }

    /// Puts one question; the first line names profile and origin. After a credential or a code the terminal stays without echo
    /// until `showWaiting` is called with nothing: what is typed in the meantime is thrown away.
    /// - Throws: `loginRequired` if there is no terminal, before anything is shown; `promptExpired`; `usage` for text
    ///   that is too long or is not UTF-8.
    func ask(_ question: Question) throws(LoginFault) -> Answer {
        switch question {
        case .credential(let challenge): try ask(challenge)
        case .certificate(let trust): try ask(about: trust)
        case .replacement(let replacement): try ask(about: replacement)
        case .retry(let request): try ask(toRetryAfter: request.fault)
        case .code(let request): try ask(for: request)
        }
    }

    private func ask(_ challenge: Challenge) throws(LoginFault) -> Answer {
        var conversation = try begin(missing: challenge.fields)
        let dialogue = DialogueText(challenge: challenge, columns: conversation.columns, cancelKey: .working)
        if case .refused = challenge.reason {
            conversation.say(TerminalLook.refused(dialogue.opening))
        } else {
            conversation.say(dialogue.opening)
        }
        var form = CredentialForm(challenge.fields, keeping: challenge.keptUsername)
        if let (field, name) = form.first {
            let mayBeBlank = mayBeBlank(field)
            let (line, label) = dialogue.label(field, keeping: name, mayBeBlank: mayBeBlank)
            if let line { conversation.say([line]) }
            let question = LineRequest(label: label, style: .masked(mask), timeout: timeout, mayGoBack: true)
            switch try conversation.line(question, for: field) {
            case .cancelled: return .cancelled
            case .typed(let typed) where !typed.isEmpty || mayBeBlank: form.fill(field, typed)
            case .typed, .wentBack, .interrupted: form.forgetUsername()
            }
        }
        while let field = form.next {
            guard let typed = try read(field, dialogue, in: conversation) else { return .cancelled }
            guard !typed.isEmpty || mayBeBlank(field) else { return .leftBlank(field, username: form.username) }
            // Before the password is typed for nothing.
            if field == .username, challenge.protectionSpace.method.endsNameAtColon, String(shown: typed).contains(":")
            {
                throw .usage(.usernameHasColon)
            }
            form.fill(field, typed)
        }
        conversation.hold = hold
        return .credential(form.credential, code: form.code)
    }

    /// Shows a notice on a line of its own until it is called with nothing, which takes it away without a trace, and ends what
    /// `ask` has left: a terminal without echo. Does not show anything without a terminal or in the background.
    func showWaiting(_ notice: String?) {
        guard let notice else { return cprocess_terminal_hide() }
        TerminalNotice.show(notice, onlyIfFree: false)
    }

    /// Asks for the passphrase of a store, twice if `confirm` is set and until both are the same.
    /// - Parameter label: what stands before the passphrase, such as `Passphrase: `.
    /// - Returns: `nil` if the person cancelled.
    /// - Throws: as `ask`; `store(.passphraseBlank)` for an empty one.
    func askPassphrase(_ label: String, confirm: Bool) throws(LoginFault) -> Secret? {
        var conversation = try begin(missing: [])
        while true {
            guard let first = try conversation.read(label, style: .masked(mask), for: .password) else { return nil }
            conversation.hold = holdsToEnd ? .untilEnd : nil
            guard !first.isEmpty else { throw .store(.passphraseBlank) }
            guard confirm else { return first }
            guard let second = try conversation.read("Repeat the passphrase: ", style: .masked(mask), for: .password)
            else {
                return nil
            }
            if first == second { return first }
            conversation.say(["The passphrases do not match."])
        }
    }

    /// Asks a question that only the whole word answers with yes.
    /// - Parameter question: our own words; of others only what `SafeText` made fit to be shown.
    /// - Returns: whether exactly `word` was typed; for less of it the question is asked again.
    /// - Throws: as `ask`; `cancelled` if the person wants neither.
    func confirm(_ question: String, typing word: String) throws(LoginFault) -> Bool {
        try confirm([question], label: "Type \(word) to continue: ", typing: word)
    }

    func decide(_ question: String, label: String, details: String?) throws(LoginFault) -> Bool {
        let conversation = try begin(missing: [])
        conversation.say([question])
        var left = 3
        while left > 0 {
            guard let answer = try conversation.read(label, style: .shown, for: .username) else { throw .cancelled }
            switch (String(shown: answer).lowercased(), details) {
            case ("yes", _), ("y", _?): return true
            case ("no", _), ("n", _?): return false
            case ("details", let details?):
                conversation.say([details], isLaidOut: true)
                continue
            case (_, nil):
                conversation.say(["Type the whole word yes or no, or press \(CancelKey.working.rawValue) to cancel."])
            case (_, _?):
                conversation.say(["Type yes, no or details, or press \(CancelKey.working.rawValue) to cancel."])
            }
            left -= 1
        }
        throw .cancelled
    }

    /// The same with several lines, and other words before the answer.
    func confirm(
        _ lines: [String], label: String, typing word: String
    ) throws(LoginFault) -> Bool {
        let conversation = try begin(missing: [])
        conversation.say(lines)
        for _ in 1...3 {
            guard let answer = try conversation.read(label, style: .shown, for: .username) else { throw .cancelled }
            if answer == Secret(word) { return true }
            // Somebody who types `y` means yes, but may not have read what for.
            guard !answer.isEmpty, word.hasPrefix(String(shown: answer).lowercased()) else { return false }
            conversation.say(["Type the whole word \(word), or press Return to cancel."])
        }
        return false
    }

    /// Shows a certificate that does not verify, and takes one of three words, or its fingerprint. Whatever else is typed, a
    /// blank line first of all, trusts nothing.
    private func ask(about trust: ServerTrust) throws(LoginFault) -> Answer {
        let conversation = try begin(missing: [])
        let dialogue = TrustDialogue(trust: trust, columns: conversation.columns)
        let (line, label) = dialogue.question
        conversation.say(dialogue.lines + (line.map { [$0] } ?? []))
        for _ in 1...3 {
            guard let typed = try conversation.read(label, style: .shown, for: .username) else { return .cancelled }
            let text = String(shown: typed)
            if let answer = dialogue.answer(text) {
                if answer == .reject, Fingerprint(typed: text) != nil {
                    conversation.say(["That is not the fingerprint of this certificate."])
                }
                return .trust(answer)
            }
            conversation.say([
                "Type one of the three words in full, or the fingerprint; nothing has been sent yet."
            ])
        }
        return .trust(.reject)
    }

    private func ask(about replacement: Replacement) throws(LoginFault) -> Answer {
        do {
            let (text, word) = replacement.question
            return try confirm([text], label: "Type \(word): ", typing: word) ? .yes : .no
        } catch .cancelled {
            return .cancelled
        }
    }

    /// The state in which the terminal is left after a credential or a code.
    var hold: Conversation.Hold { holdsToEnd ? .untilEnd : .untilJudged }

    func begin(missing fields: [CredentialField]) throws(LoginFault) -> Conversation {
        guard let conversation = try Conversation(timeout: timeout, isCancelled: isCancelled) else {
            throw .loginRequired(LoginNeed(why: .nothingStored, missing: fields))
        }
        return conversation
    }

    private func read(
        _ field: CredentialField, _ dialogue: DialogueText, in conversation: borrowing Conversation
    ) throws(LoginFault) -> Secret? {
        let label = dialogue.label(field)
        switch field {
        case .username:
            guard let name = dialogue.challenge.proposedUsername, !name.isEmpty else {
                return try conversation.read(label, style: .shown, for: field)
            }
            let (line, label) = dialogue.usernameLabel(proposing: name)
            if let line { conversation.say([line]) }
            let typed = try conversation.read(label, style: .shown, for: field)
            return typed?.isEmpty == true ? Secret(name) : typed
        case .password, .token, .passphrase, .secret, .code, .taken:
            return try conversation.read(label, style: .masked(mask), for: field)
        }
    }

    private func mayBeBlank(_ field: CredentialField) -> Bool {
        field == .code || field == .password && allowsBlankPassword
    }

    private static func mark(_ character: Character) -> Cell {
        let isHarmless = character.unicodeScalars.allSatisfy { SafeText.escape(for: $0) == nil }
        return Cell(isHarmless ? String(character) : "*")
    }
}
