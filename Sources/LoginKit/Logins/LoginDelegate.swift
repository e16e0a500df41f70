public import LoginCore
public import Secrets

/// Whoever answers what a login asks: the terminal (`TerminalDelegate`) unless a program brings its own.
///
/// Only `answer(_:)` has to be written. It may take as long as a person does: nothing else of the program waits for it. When the
/// task of the login is cancelled, so is the one that a method runs in, and what it returns then is dropped.
public protocol LoginDelegate: Sendable {
    /// Answers a question: with `.credential` what `Question.credential` asks for, and so on; `question.no` is the safe answer to
    /// each.
    ///
    /// What a challenge asks for is `challenge.fields`, for its `protectionSpace` and for nobody else; its `reason` tells why it
    /// is asked, or asked again. `.cancelled` ends the login with `LoginError.cancelled`.
    func answer(_ question: Question) async -> Answer

    /// The passphrase of a store or of a certificate's key.
    /// - Parameter label: what is asked for, ready to stand before the answer.
    /// - Returns: nothing to end the login; so it is without this method.
    func passphrase(for label: String) async -> Secret?

    /// Is told what is waited for, and with nothing that the wait is over. Called on a thread of the login, which waits until it
    /// returns.
    func waits(for notice: String?)

    /// Is told what a person may want to know and nobody has to: which store is passed over, what was not kept. One sentence,
    /// in English. Called on a thread of the login, which waits until it returns.
    func note(_ text: String)
}

extension LoginDelegate {
    /// Has none.
    public func passphrase(for label: String) async -> Secret? { nil }

    /// Shows nothing.
    public func waits(for notice: String?) {}

    /// Drops it.
    public func note(_ text: String) {}
}

extension Question {
    /// The answer that sends nothing, trusts nothing and replaces nothing.
    public var no: Answer {
        switch self {
        case .credential, .code: .cancelled
        case .certificate: .trust(.reject)
        case .replacement, .retry: .no
        }
    }
}
