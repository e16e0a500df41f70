import Glibc
import LoginCore
import Secrets

extension TerminalPrompt {
    /// The number of times that the code is asked for again after a blank line, before the question counts as not answered.
    private static let mostBlanks = 5

    /// Asks for the code of a second factor, masked as a password is: some codes are good for years.
    func ask(for request: CodeRequest) throws(LoginFault) -> Answer {
        var conversation = try begin(missing: [])
        conversation.say(CodeDialogue(request: request, columns: conversation.columns).opening)
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
            showWaiting("Approve the login on your other device (Ctrl-C cancels)")
            sleep(1)
        }
        showWaiting(nil)
    }
}

/// The words of the question for a code: ours first, the server's after them, quoted and escaped (T1, T3).
struct CodeDialogue {
    let request: CodeRequest
    /// The width of the terminal.
    package let columns: Int

    var opening: [String] {
        guard let refusal = request.refusal else {
            let profile = SafeText.escaped(request.profile, limit: 100)
            let origin = SafeText.escaped(request.origin.description)
            return ["\(profile) (\(origin)) asks for a second factor."] + quoted(request.words)
        }
        let attempt = "Attempt \(request.attempt) of \(request.maxAttempts)"
        return ["Wrong code. \(attempt). A code works once, so wait for the next one."] + quoted(refusal.words)
    }

    private func quoted(_ words: String?) -> [String] {
        guard let words, !words.isEmpty else { return [] }
        return [TextLine.quoting(words, after: "The server says:", columns: columns)]
    }
}
