import LoginCore
import LoginHTTP
import LoginStores

/// `login --continue-without`: the verify endpoint without any credential.
struct StrangerVisit {
    private let run: LoginRun

    init(_ invocation: Invocation, _ profile: Profile) throws(LoginError) {
        var settings = LoginSettings()
        settings.policy = LoginFlow.Policy(mayAsk: false)
        settings.persist = Persistence.none
        run = try LoginRun(invocation, profile, settings)
    }

    /// - Throws: `loginRequired` where the service lets no stranger in, after it was told what it says.
    func tell(printsJSON: Bool) throws(LoginError) -> ExitCode {
        let (evidence, offered) = try run.service.visitAsStranger()
        let schemes = offered.isEmpty ? "" : "; it asks for \(SafeText.list(offered.map(\.scheme)))"
        run.invocation.say("Without a login, \(run.profile.name) (\(run.endpoint.origin)): \(evidence.words)\(schemes)")
        switch evidence.judgement {
        case .accepted: break
        case .refused, .forbidden: throw .loginRequired(LoginNeed(why: .nothingStored))
        case .unclear(let error): throw error
        }
        if printsJSON {
            try run.invocation.world.streams.result(
                json: StrangerReport(profile: run.profile.name, status: evidence.status, accepted: true))
        }
        return .ok
    }
}

private struct StrangerReport: Encodable {
    let profile: String
    let status: Int
    let accepted: Bool
}
