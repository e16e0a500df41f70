import LoginCore
import Secrets

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
