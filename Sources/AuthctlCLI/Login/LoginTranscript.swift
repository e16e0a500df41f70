import LoginCore
import LoginKit
import Secrets
import Synchronization

/// A login step by step: what was sent and answered, without secrets, and what each answer was taken for.
final class LoginTranscript: Sendable {
    struct Step: Encodable {
        let step: String
        let exchange: [String]
        let judgement: String
        /// Where an answer was judged; else the walk has stopped here.
        let evidence: Evidence?
        /// Whether it is what a login that works shows here.
        let isGood: Bool

        private enum CodingKeys: String, CodingKey {
            case step, exchange, judgement
        }
    }

    /// Whether the first thing that is judged is what an anonymous client gets; a server that wants a certificate may have refused one
    /// before there was an answer.
    private let beginsAnonymously: Bool
    private let noted = Mutex<(steps: [Step], lines: [String], proposals: [RuleProposal])>(([], [], []))

    init(beginsAnonymously: Bool) {
        self.beginsAnonymously = beginsAnonymously
    }

    var steps: [Step] { noted.withLock(\.steps) }

    /// The keys that the profile lacks, judging by the responses.
    var proposals: [RuleProposal] { noted.withLock(\.proposals) }

    func propose(_ proposal: RuleProposal?) {
        if let proposal { noted.withLock { $0.proposals.append(proposal) } }
    }

    /// A line of a request or an answer.
    func add(_ line: String) { noted.withLock { $0.lines.append(SafeText.escaped(line, limit: 2000)) } }

    /// The judgement of the exchange so far.
    func add(_ evidence: Evidence) {
        let circumstance = circumstance(of: evidence)
        end(
            evidence.step.rawValue + circumstance, evidence.words, evidence,
            isGood: evidence.judgement.isGood(withLogin: circumstance.isEmpty))
    }

    /// The purpose of a verify request that is not part of the login.
    private func circumstance(of evidence: Evidence) -> String {
        guard evidence.step == .verify else { return "" }
        if evidence.hasCookiesOfAnybody { return ", without a login, with cookies that anyone can have" }
        if steps.isEmpty, beginsAnonymously { return ", without a login" }
        return steps.contains { $0.step == LoginCore.Step.logout.rawValue } ? ", with the ended session" : ""
    }

    /// The end of a walk that stopped in the midst of an exchange.
    func stop(_ error: LoginFault) {
        let lines = noted.withLock(\.lines)
        guard !lines.isEmpty else { return }
        let isAnswered = lines.contains { $0.hasPrefix("<") }
        end(isAnswered ? "the last response" : "no response", error.message(about: ErrorContext()).what)
    }

    private func end(_ step: String, _ judgement: String, _ evidence: Evidence? = nil, isGood: Bool = false) {
        noted.withLock { noted in
            noted.steps.append(
                Step(step: step, exchange: noted.lines, judgement: judgement, evidence: evidence, isGood: isGood))
            noted.lines = []
        }
    }

    /// For a person.
    var text: StyledText {
        let lines: [StyledText] = steps.enumerated().flatMap { number, step in
            ["\(number + 1). \(step.step, .bold)"] + step.exchange.map { "   \($0)" }
                + ["   \(isGood: step.isGood, instead: "= ")\(step.judgement)"]
        }
        return lines.joined()
    }
}

extension Judgement {
    /// - Parameter withLogin: without one, and with one that has ended, a refusal is what is expected.
    fileprivate func isGood(withLogin: Bool) -> Bool {
        switch self {
        case .accepted, .pending, .needsSecondFactor: withLogin
        case .refused, .forbidden: !withLogin
        case .unclear: false
        }
    }
}
