import ArgumentParser
import Glibc
import LoginKit
import Secrets
import Synchronization

extension Invocation {
    /// Walks a login step by step, ends it again, and keeps it nowhere.
    /// - Returns: whose login it was.
    func test(_ profile: Profile, _ request: LoginRequest, _ walk: LoginTranscript) throws(LoginFault) -> Identity {
        var request = request
        request.persist = Persistence.none
        request.showsNotice = false
        let run = try LoginRun(context, profile, request)
        run.service.observer = { walk.add($0) }
        defer {
            if let rule = profile.verify?.response {
                walk.propose(RuleProposal(rule, anonymous: run.service.anonymousResponse))
                walk.propose(RuleProposal(rule, passwordField: run.service.anonymousPasswordField))
            }
        }
        let account = try logIn(run, walk)
        if profile.logout != nil || profile.oauth != nil { try end(account) }
        return account.identity
    }

    private func logIn(_ run: LoginRun, _ walk: LoginTranscript) throws(LoginFault) -> AccountSession {
        do {
            return try run.run(for: .trial)
        } catch {
            walk.propose(run.profile.login.flatMap { RuleProposal($0.response, end: error) })
            if let rule = run.profile.verify?.response, run.service.protectionSpace?.method == .basic {
                walk.propose(RuleProposal(rule, endOfBasic: error))
            }
            throw error
        }
    }

    /// As `logout` does it, what goes on after it included.
    private func end(_ account: AccountSession) throws(LoginFault) {
        let receipt = Receipt.ofUnstored(account)
        if let problem = receipt.problem { throw .failure(.logoutIncomplete(problem)) }
        if receipt.facts.mayLiveOn { say(receipt.rest(now: context.dependencies.clock.now())) }
    }

    /// The lines that the profile lacks, ready to be pasted.
    func sayProposals(_ walk: LoginTranscript, _ profile: Profile) {
        for proposal in walk.proposals {
            say(asIs: "Suggested rule for '\(proposal.step.rawValue)' of \(profile.name):\n\(proposal.line)")
        }
    }
}

/// The output of `profile test --json` for a login that works.
struct WalkReport: Encodable {
    let steps: [LoginTranscript.Step]
    let username: String
    /// The lines that the profile lacks.
    let proposals: [[String: String]]

    init(_ walk: LoginTranscript, of identity: Identity) {
        steps = walk.steps
        username = identity.displayName
        proposals = walk.proposals.map { ["request": $0.step.rawValue, "line": $0.line] }
    }
}

/// Has another process read what this one wrote: some keyrings die with the process that made them, so that a test
/// inside of it passes and the next process finds nothing.
struct ReadBack {
    let test: StoreTest
    let store: any CredentialStore
    /// As given to this process; another configuration could stop the other one.
    let config: String?

    /// The stores that are no files.
    static func isNeeded(for store: StoreName) -> Bool {
        switch store {
        case .keyring, .secretService: true
        case .file, .plaintext, .helper, .shared, .none: false
        }
    }

    func run() throws(StoreFault) {
        try store.save(test.secret, for: test.account, expires: nil)
        if let problem = problem() {
            test.withdraw(from: store)
            throw .unavailable(store.name, problem: problem)
        }
        try store.erase(test.account)
    }

    /// The reason why a second authctl does not find the test's secret; `nil` if it does.
    private func problem() -> String? {
        let notFound = "another process cannot find what this one wrote"
        let command = ["/proc/self/exe", "store", "read-back", store.name.description]
        let words = command + (config.map { ["--config", $0] } ?? [])
        do {
            return try PasswordCommand(words: words).run() == test.secret.base64 ? nil : notFound
        } catch .loginRequired(let need) where need.why == .passwordCommandFailed(status: ExitCode.store.rawValue) {
            return notFound
        } catch {
            return access(command[0], X_OK) == 0
                ? "the process that reads it back failed" : "/proc is not mounted, which its test needs"
        }
    }
}

/// The other process of `ReadBack`: prints the test's secret, which protects nothing.
struct StoreReadBackCommand: InvokedCommand {
    static let outline = CommandConfiguration(
        commandName: "read-back", abstract: "Used by 'store test'.", shouldDisplay: false)

    @Argument(help: "The store.")
    var store: String

    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        guard let name = StoreName(store) else {
            throw .usage(.badValue(option: "store", problem: "there is no such store"))
        }
        let found = try fromStore(try invocation.context.stores().findTestItem(in: name))
        guard let found else { return .store }
        try invocation.streams.result(found.base64)
        return .ok
    }
}

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
        return steps.contains { $0.step == LoginKit.Step.logout.rawValue } ? ", with the ended session" : ""
    }

    /// The end of a walk that stopped in the midst of an exchange.
    func stop(_ error: LoginFault) {
        let lines = noted.withLock(\.lines)
        guard !lines.isEmpty else { return }
        let isAnswered = lines.contains { $0.hasPrefix("<") }
        end(isAnswered ? "the last response" : "no response", error.message().what)
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
