import Glibc
import LoginCore
import Secrets

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
            showWaiting(RetryDialogue.notice(seconds: rest))
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
            guard let typed = try conversation.read(RetryDialogue.question, style: .shown, for: .username) else {
                return nil
            }
            if let isWanted = RetryDialogue.isWanted(String(shown: typed)) { return isWanted }
            conversation.say([RetryDialogue.help])
        }
    }
}

/// The words of the question whether to send once more what a fault kept from being judged.
enum RetryDialogue {
    static let question = "Try again with the same password? [Y/n] "
    static let help = "Type y or n."

    static func opening(_ error: LoginFault) -> [String] {
        let message = error.message(about: ErrorContext())
        let wait = pause(of: error)
        let told = wait > 0 ? ["It asks to wait \(wait) second\(wait == 1 ? "" : "s") before the next try."] : []
        return ["\(message.what.prefix(1).uppercased() + message.what.dropFirst()); your password was not checked."]
            + told
    }

    /// - Returns: `nil` for what is neither yes nor no.
    static func isWanted(_ typed: String) -> Bool? {
        switch typed.lowercased() {
        case "", "y", "yes": true
        case "n", "no": false
        default: nil
        }
    }

    static func notice(seconds: Int64) -> String { "Trying again in \(seconds) s (Ctrl-C cancels)" }

    /// Seconds before which the server does not want to be asked again.
    static func pause(of error: LoginFault) -> Int {
        if case .busy(let fault) = error { fault.retryAfter ?? 0 } else { 0 }
    }
}
