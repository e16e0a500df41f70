import Glibc
import Secrets

/// A person at a terminal, with the questions that are not about a login.
package protocol Dialogue: Prompt {
    func askPassphrase(_ label: String, confirm: Bool) throws(LoginFault) -> Secret?
    func confirm(_ question: String, typing word: String) throws(LoginFault) -> Bool
    /// Asks a question that `yes` or `no` answers.
    /// - Parameters:
    ///   - label: stands before the answer.
    ///   - details: lines that are shown to whoever types `details`. Where there are none, the whole word is the safeguard; else
    ///     `y` and `n` are answers, too.
    /// - Throws: `cancelled` where none of these is typed.
    func decide(_ question: String, label: String, details: String?) throws(LoginFault) -> Bool
    /// Asks for a text that is no secret.
    /// - Parameter note: stands before the question.
    /// - Returns: empty where nothing was typed.
    /// - Throws: `cancelled`.
    func askText(_ label: String, note: String?) throws(LoginFault) -> String
    /// Asks for a text of several lines that is pasted, and shows nothing of it.
    /// - Throws: `cancelled`; `usage` for a text that is too long.
    func askPasted(_ note: String) throws(LoginFault) -> Secret
    /// Asks for the number of one of these names.
    /// - Returns: an index.
    /// - Throws: `cancelled`.
    func choose(_ question: String, among names: [String]) throws(LoginFault) -> Int
}

extension TerminalPrompt: Dialogue {}

/// For commands that never ask.
struct NoPrompt: Prompt {
    func ask(_ question: Question) throws(LoginFault) -> Answer {
        switch question {
        case .credential(let challenge):
            throw .loginRequired(LoginNeed(why: .nothingStored, missing: challenge.fields))
        case .code(let request): throw .secondFactor(.required(words: request.words))
        case .certificate: .trust(.reject)
        case .replacement, .retry: .no
        }
    }

    func wait(seconds: Int) throws(LoginFault) { _ = sleep(UInt32(seconds)) }

    func showWaiting(_ notice: String?) {}
}
