import Glibc
import Secrets

extension TerminalPrompt {
    /// The number of times that the code is asked for again after a blank line, before the question counts as not answered.
    private static let mostBlanks = 5

    /// Asks for the code of a second factor, masked as a password is: some codes are good for years.
    func ask(for request: CodeRequest) throws(LoginFault) -> Answer {
        var conversation = try begin(missing: [])
        let opening = request.opening(columns: conversation.columns)
        conversation.say(request.refusal == nil ? opening : TerminalLook.refused(opening))
        for _ in 0..<Self.mostBlanks {
            guard let typed = try conversation.read("Code: ", style: .masked(mask), for: .password) else {
                return .cancelled
            }
            guard typed.isEmpty else {
                conversation.hold = hold
                return .code(typed)
            }
            conversation.say([DialogueText.leftBlank(.code)])
        }
        return .leftBlank(.code)
    }

    /// Waits in the foreground, with a line that is taken away again.
    func wait(seconds: Int) throws(LoginFault) {
        let due = ContinuousClock.now + .seconds(seconds)
        while due > .now {
            if isCancelled?() == true { throw .cancelled }
            showWaiting("Approve the login on your other device\(CancelKey.hint)")
            sleep(1)
        }
        showWaiting(nil)
    }
}

extension CodeRequest {
    /// The words of the question for a code: ours first, the server's after them, quoted and escaped (T1, T3).
    /// - Parameter columns: the width of the terminal.
    fileprivate func opening(columns: Int) -> [String] {
        guard let refusal else {
            let name = SafeText.escaped(profile, limit: 100), place = SafeText.escaped(origin.description)
            return ["\(name) (\(place)) asks for a second factor."] + TextLine.saying(words, columns: columns)
        }
        let count = "Attempt \(attempt) of \(maxAttempts)"
        return ["Wrong code. \(count). A code works once, so wait for the next one."]
            + TextLine.saying(refusal.words, columns: columns)
    }
}

extension TerminalPrompt {
    /// Says what went wrong, and takes Enter as a yes. After a yes it waits until the server wants to be asked again.
    func ask(toRetryAfter error: LoginFault) throws(LoginFault) -> Answer {
        let due = ContinuousClock.now + .seconds(RetryDialogue.pause(of: error))
        guard let isWanted = try wantsRetry(after: error) else { return .cancelled }
        guard isWanted else { return .no }
        while true {
            let rest = (due - .now).components.seconds
            guard rest > 0 else { break }
            if isCancelled?() == true { throw .cancelled }
            showWaiting("Trying again in \(rest) s\(CancelKey.hint)")
            sleep(1)
        }
        showWaiting(nil)
        return .yes
    }

    /// - Returns: `nil` if the person cancelled.
    private func wantsRetry(after error: LoginFault) throws(LoginFault) -> Bool? {
        let conversation = try begin(missing: [])
        conversation.say(RetryDialogue.opening(error))
        while true {
            let question = RetryDialogue.question(error)
            guard let typed = try conversation.read(question, style: .shown, for: .username) else { return nil }
            if let isWanted = RetryDialogue.isWanted(String(shown: typed), after: error) { return isWanted }
            conversation.say(["Type y or n."])
        }
    }
}

/// The words of the question whether to send once more what a fault kept from being judged, or to type it anew where it may be wrong.
enum RetryDialogue {
    static func question(_ error: LoginFault) -> String {
        mayBeWrong(error) ? "Type the password again? [y/N] " : "Try again with the same password? [Y/n] "
    }

    private static func mayBeWrong(_ error: LoginFault) -> Bool {
        if case .usage(.unconfirmed) = error { true } else { false }
    }

    static func opening(_ error: LoginFault) -> [String] {
        let message = error.message()
        if mayBeWrong(error) { return ["\(message.what.firstCapital)."] }
        let wait = pause(of: error)
        let told = wait > 0 ? ["It asks to wait \(wait) second\(wait == 1 ? "" : "s") before the next try."] : []
        return ["\(message.what.firstCapital); your password was not checked."] + told
    }

    /// - Returns: `nil` for what is neither yes nor no.
    static func isWanted(_ typed: String, after error: LoginFault) -> Bool? {
        switch typed.lowercased() {
        case "": !mayBeWrong(error)
        case "y", "yes": true
        case "n", "no": false
        default: nil
        }
    }

    /// Seconds before which the server does not want to be asked again.
    static func pause(of error: LoginFault) -> Int {
        if case .busy(let fault) = error { fault.retryAfter ?? 0 } else { 0 }
    }
}

extension TerminalPrompt {
    /// Asks for a text that is shown.
    /// - Parameters:
    ///   - label: our own words, or what `SafeText` made fit to be shown.
    ///   - note: stands before it, likewise.
    /// - Returns: empty for a blank line.
    /// - Throws: as `ask`; `cancelled` for Ctrl-D.
    func askText(_ label: String, note: String?) throws(LoginFault) -> String {
        let conversation = try begin(missing: [])
        if let note { conversation.say([note]) }
        guard let typed = try conversation.read(label, style: .shown, for: .username) else { throw .cancelled }
        return String(shown: typed)
    }

    /// The number of times that a number is asked for again.
    private static let mostTries = 3

    /// Lists names and asks for the number of one.
    /// - Parameters:
    ///   - question: our own words.
    ///   - names: what `SafeText` made fit to be shown.
    /// - Returns: an index.
    /// - Throws: as `ask`; `cancelled` for Ctrl-D, a blank line, or no such number three times.
    func choose(_ question: String, among names: [String]) throws(LoginFault) -> Int {
        let conversation = try begin(missing: [])
        conversation.say([question])
        let columns = conversation.columns
        conversation.say(
            names.enumerated().map { TextLine.fitted("  \($0 + 1)  \($1)", columns: columns) }, isLaidOut: true)
        for _ in 1...Self.mostTries {
            guard let typed = try conversation.read("Number: ", style: .shown, for: .username), !typed.isEmpty else {
                throw .cancelled
            }
            if let number = Int(String(shown: typed)), names.indices.contains(number - 1) { return number - 1 }
            conversation.say(["Type a number from 1 to \(names.count), or press Return to cancel."])
        }
        throw .cancelled
    }
}

/// Shows a person a certificate that does not verify: the origin, what is wrong, what can be compared.
struct TrustDialogue {
    let trust: ServerTrust
    /// The width of the terminal.
    let columns: Int

    /// The label before the answer; on a narrow terminal with a line above it, which is not broken in a word.
    var question: (line: String?, label: String) {
        let start = "Trust it?", answers = "Type reject, once, always or its fingerprint",
            whole = "\(start) \(answers) [reject]: "
        return whole.count < columns ? (nil, whole) : ("\(answers).", "\(start) [reject]: ")
    }

    var lines: [String] {
        ["The certificate of \(SafeText.escaped(trust.origin.description)) cannot be verified:"]
            + trust.reasons.map { "  - \($0.words)" }
            + facts
            + ["SHA-256 fingerprint:"] + fingerprint
            + ["Compare it with the fingerprint from the server's administrator.", "Nothing has been sent yet."]
    }

    /// The names in it are the server's claim; the dates are in words of ours.
    private var facts: [String] {
        trust.facts.flatMap { fact in
            fact.name == "Valid"
                ? ["\(fact.name): \(fact.value)"] : TextLine.pair(fact.name + ":", fact.value, columns: columns)
        }
    }

    /// As `--trust-fingerprint` takes it; in lines of equal length where one has no room for it.
    private var fingerprint: [String] {
        let whole = "  \(trust.fingerprint)", digits = trust.fingerprint.digits
        guard TextWidth.of(whole) >= columns else { return [whole] }
        let perLine = columns > 36 ? 32 : 16
        return ["  sha256:"]
            + stride(from: 0, to: digits.count, by: perLine).map { "  " + digits.dropFirst($0).prefix(perLine) }
    }

    /// Reads the typed answer: one of the words, or the fingerprint, as ssh takes it. Another fingerprint is a no.
    /// - Returns: `nil` for anything else.
    func answer(_ typed: String) -> TrustAnswer? {
        if typed.isEmpty { return .reject }
        if let answer = TrustAnswer(rawValue: typed) { return answer }
        return Fingerprint(typed: typed).map { $0 == trust.fingerprint ? .always : .reject }
    }
}
