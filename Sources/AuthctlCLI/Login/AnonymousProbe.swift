import LoginCore
import LoginKit

/// `login --continue-without`: the verify endpoint without any credential.
struct AnonymousProbe {
    private let invocation: Invocation
    private let run: LoginRun

    init(_ invocation: Invocation, _ profile: Profile) throws(LoginFault) {
        self.invocation = invocation
        var request = LoginRequest()
        request.policy = LoginFlow.Policy(mayAsk: false)
        request.persist = Persistence.none
        var profile = profile
        // A certificate is a credential as well; where it alone is the proof, the service has a way without it.
        if !profile.traits.isProvedByCertificate { (profile.settings.certificate, profile.settings.key) = (nil, nil) }
        profile.oauth?.machine?.keyFile = nil
        run = try LoginRun(invocation.context, profile, request)
    }

    /// - Throws: `loginRequired` where the service lets no anonymous client in, after it was told what it says.
    func tell(printsJSON: Bool) throws(LoginFault) -> ExitCode {
        let url = run.service.guardedURL
        let instead = ShellCommand("authctl", "request", "--anonymous", "-i", url)
        invocation.say("--continue-without is deprecated; use: \(instead)")
        let evidence: Evidence, offered: [AuthenticateChallenge]
        do throws(LoginFault) {
            (evidence, offered) = try run.context.showingNotice { () throws(LoginFault) in
                try run.service.probeAnonymously()
            }
        } catch .untrusted(.clientCertificate) {
            invocation.say(
                "Without a login, \(run.profile.name) (\(run.endpoint.origin)): no response without a client certificate"
            )
            throw .loginRequired(LoginNeed(why: .nothingStored))
        }
        let schemes = offered.isEmpty ? "" : "; it asks for \(SafeText.list(offered.map(\.scheme)))"
        invocation.say("Without a login, \(run.profile.name) (\(run.endpoint.origin)): \(evidence.words)\(schemes)")
        switch evidence.judgement {
        case .accepted: break
        case .refused, .forbidden, .needsSecondFactor, .pending: throw .loginRequired(LoginNeed(why: .nothingStored))
        case .unclear(let error): throw error
        }
        if printsJSON {
            try invocation.streams.result(
                json: AnonymousReport(profile: run.profile.name, status: evidence.status, accepted: true))
        }
        return .ok
    }
}

private struct AnonymousReport: Encodable {
    let profile: String
    let status: Int
    let accepted: Bool
}
