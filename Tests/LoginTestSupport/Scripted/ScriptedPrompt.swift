public import LoginCore

/// A person who answers by a script.
public final class ScriptedPrompt: Prompt {
    private var answers: Script<Answer>
    private let journal: Journal

    public private(set) var challenges: [Challenge] = []
    /// What was shown while the server was asked; nothing where it was taken away.
    public private(set) var notices: [String?] = []

    /// The certificates that were shown.
    public private(set) var shown: [ServerTrust] = []
    private var trust: Script<TrustAnswer>

    public init(
        _ answers: [Result<Answer, LoginError>] = [], trust: [Result<TrustAnswer, LoginError>] = [],
        journal: Journal = Journal()
    ) {
        self.answers = Script("prompt.ask", answers)
        self.trust = Script("prompt.ask(about:)", trust)
        self.journal = journal
    }

    public var rest: Int { answers.rest + trust.rest }

    public func ask(_ challenge: Challenge) throws(LoginError) -> Answer {
        journal.note("prompt.ask")
        challenges.append(challenge)
        return try answers.next()
    }

    public func ask(about trust: ServerTrust) throws(LoginError) -> TrustAnswer {
        journal.note("prompt.ask about \(trust.origin)")
        shown.append(trust)
        return try self.trust.next()
    }

    public func showWaiting(_ notice: String?) {
        notices.append(notice)
    }
}
