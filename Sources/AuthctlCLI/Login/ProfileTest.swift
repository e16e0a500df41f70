import LoginCore
import LoginKit

/// A login that is walked step by step, ended again, and kept nowhere.
struct ProfileTest {
    let invocation: Invocation
    let profile: Profile
    let walk: LoginTranscript

    /// - Returns: whose login it was.
    func perform(_ request: LoginRequest) throws(LoginFault) -> Identity {
        var request = request
        request.persist = Persistence.none
        request.showsNotice = false
        let run = try LoginRun(invocation.context, profile, request)
        run.service.observer = { walk.add($0) }
        let keeper = NoKeeper()
        defer {
            if let rule = profile.verify?.response {
                walk.propose(RuleProposal(rule, anonymous: run.service.anonymousResponse))
                walk.propose(RuleProposal(rule, passwordField: run.service.anonymousPasswordField))
            }
        }
        let identity = try logIn(run, keeper)
        if let login = keeper.login, profile.logout != nil || profile.oauth != nil {
            try end(login.session, of: identity, run)
        }
        return identity
    }

    private func logIn(_ run: LoginRun, _ keeper: NoKeeper) throws(LoginFault) -> Identity {
        do throws(LoginFault) {
            return try run.run(through: keeper).identity
        } catch {
            walk.propose(run.profile.login.flatMap { RuleProposal($0.response, end: error) })
            if let rule = run.profile.verify?.response, run.service.protectionSpace?.method == .basic {
                walk.propose(RuleProposal(rule, endOfBasic: error))
            }
            throw error
        }
    }

    /// As `logout` does it, what goes on after it included.
    private func end(_ session: Session, of identity: Identity, _ run: LoginRun) throws(LoginFault) {
        let receipt = Receipt.ofUnstored(identity, session, of: run, username: identity.username)
        if let problem = receipt.problem { throw .failure(.logoutIncomplete(problem)) }
        if receipt.facts.mayLiveOn { invocation.say(receipt.rest(now: invocation.context.dependencies.clock.now())) }
    }
}

extension Invocation {
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
    let proposals: [Proposal]

    /// A line that the profile lacks.
    struct Proposal: Encodable {
        let request: String
        let line: String
    }

    init(_ walk: LoginTranscript, of identity: Identity) {
        steps = walk.steps
        username = identity.displayName
        proposals = walk.proposals.map { Proposal(request: $0.step.rawValue, line: $0.line) }
    }
}
