@testable import LoginKit

/// A person who answers by a script.
final class ScriptedPrompt: Prompt {
    private var answers: Script<Answer>
    private let journal: Journal

    private(set) var challenges: [Challenge] = []
    /// What was shown while the server was asked; nothing where it was taken away.
    private(set) var notices: [String?] = []

    /// The certificates that were shown.
    private(set) var shown: [ServerTrust] = []
    private var trust: Script<TrustAnswer>
    private var replace: Script<Bool>
    private var retry: Script<Bool>
    private var codes: Script<Answer>

    /// The codes that were asked for.
    private(set) var codeRequests: [CodeRequest] = []
    /// The seconds that were waited for an approval.
    private(set) var waits: [Int] = []

    /// The faults after which it was asked whether to try again.
    private(set) var faults: [LoginFault] = []

    /// The logins of others that were shown.
    private(set) var replacements: [Replacement] = []

    /// The questions that yes or no answers, with their details.
    var decisions: [(question: String, details: String?)] = []

    private(set) var turns = 0

    init(
        _ answers: [Result<Answer, LoginFault>] = [], trust: [Result<TrustAnswer, LoginFault>] = [],
        replace: [Result<Bool, LoginFault>] = [], retry: [Result<Bool, LoginFault>] = [],
        codes: [Result<Answer, LoginFault>] = [], journal: Journal = Journal()
    ) {
        self.answers = Script("prompt.ask", answers)
        self.trust = Script("prompt.ask(about:)", trust)
        self.replace = Script("prompt.ask(about replacement)", replace)
        self.retry = Script("prompt.ask(toRetryAfter:)", retry)
        self.codes = Script("prompt.ask for a code", codes)
        self.journal = journal
    }

    var rest: Int { answers.rest + trust.rest + replace.rest + retry.rest + codes.rest }

    func ask(_ question: Question) throws(LoginFault) -> Answer {
        switch question {
        case .credential(let challenge):
            journal.note("prompt.ask")
            challenges.append(challenge)
            return try answers.next()
        case .certificate(let trust):
            journal.note("prompt.ask about \(trust.origin)")
            shown.append(trust)
            return .trust(try self.trust.next())
        case .replacement(let replacement):
            journal.note("prompt.ask about a replacement")
            replacements.append(replacement)
            return try replace.next() ? .yes : .no
        case .retry(let request):
            journal.note("prompt.ask to retry")
            faults.append(request.fault)
            // As a person who presses Return.
            if retry.rest == 0, case .usage(.unconfirmed) = request.fault { return .no }
            return try retry.next() ? .yes : .no
        case .code(let request):
            journal.note("prompt.ask for a code")
            codeRequests.append(request)
            return try codes.next()
        }
    }

    func takeTurn() throws(LoginFault) {
        journal.note("prompt.takeTurn")
        turns += 1
    }

    func endTurn() {
        journal.note("prompt.endTurn")
        turns -= 1
    }

    func wait(seconds: Int) throws(LoginFault) {
        journal.note("prompt.wait")
        waits.append(seconds)
    }

    func showWaiting(_ notice: String?) {
        notices.append(notice)
    }
}
