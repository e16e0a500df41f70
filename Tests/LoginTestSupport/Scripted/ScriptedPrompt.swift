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
    private var replace: Script<Bool>
    private var retry: Script<Bool>

    /// The faults after which it was asked whether to try again.
    public private(set) var faults: [LoginError] = []

    /// The logins of others that were shown.
    public private(set) var replacements: [Replacement] = []

    public init(
        _ answers: [Result<Answer, LoginError>] = [], trust: [Result<TrustAnswer, LoginError>] = [],
        replace: [Result<Bool, LoginError>] = [], retry: [Result<Bool, LoginError>] = [],
        journal: Journal = Journal()
    ) {
        self.answers = Script("prompt.ask", answers)
        self.trust = Script("prompt.ask(about:)", trust)
        self.replace = Script("prompt.ask(about replacement)", replace)
        self.retry = Script("prompt.ask(toRetryAfter:)", retry)
        self.journal = journal
    }

    public var rest: Int { answers.rest + trust.rest + replace.rest + retry.rest }

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

    public func ask(about replacement: Replacement) throws(LoginError) -> Bool {
        journal.note("prompt.ask about a replacement")
        replacements.append(replacement)
        return try replace.next()
    }

    public func ask(toRetryAfter error: LoginError) throws(LoginError) -> Bool {
        journal.note("prompt.ask to retry")
        faults.append(error)
        return try retry.next()
    }

    public func showWaiting(_ notice: String?) {
        notices.append(notice)
    }
}
