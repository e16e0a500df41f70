import LoginCore
import LoginKit

/// `whoami --explain`: the explanation is the result, however the check ends.
struct ExplainedWhoami {
    let invocation: Invocation
    let profile: Profile
    private let walk = LoginTranscript(beginsAnonymously: false)

    init(_ invocation: Invocation, _ profile: Profile) {
        self.invocation = invocation
        self.profile = profile
    }

    /// - Returns: the code that it would be without an explanation.
    func tell(printsJSON: Bool) throws(LoginFault) -> ExitCode {
        var explanation = Explanation(profile, invocation.context)
        invocation.trace(into: walk)
        do throws(LoginFault) {
            try explain(&explanation)
        } catch {
            walk.stop(error)
            explanation.end(error, about: invocation.typedTopic)
        }
        explanation.take(walk, of: profile)
        if printsJSON {
            try invocation.streams.result(json: explanation)
        } else {
            try invocation.streams.result(sentences: explanation.text)
        }
        return explanation.code
    }

    private func explain(_ explanation: inout Explanation) throws(LoginFault) {
        explanation.login = try invocation.whatIsStored(of: profile)
        let verifier = try SessionVerifier(invocation.context, profile)
        verifier.run.service.observer = { walk.add($0) }
        if verifier.run.request.supplied != nil {
            explanation.login = "supplied by the environment for this command; what is stored is not used."
        } else {
            let stored = try verifier.run.keeper.fill()
            if let account = verifier.run.keeper.filledRecord {
                let sentences = ExplainedAccount(account, invocation.context.dependencies.clock)
                explanation.login = sentences.login(stored)
                explanation.granted = sentences.granted(stored)
            }
        }
        do throws(LoginFault) {
            explanation.identity = try verifier.run.identityFacts()
        } catch {
            // What is stored may be good without it.
            explanation.identity = error.message(about: ErrorContext()).what + "."
        }
        let identity = try verifier.identity()
        let isRepeated = verifier.run.service.repeatsSecret(identity.displayName)
        let name = isRepeated ? "…" : identity.displayName
        explanation.name = origin(of: identity)
        explanation.username = name
        let who = name.isEmpty ? "" : " as \(SafeText.name(name))"
        explanation.conclusion =
            profile.verify == nil
            ? "a login\(who) is stored; nobody knows whether the service accepts it."
            : "logged in\(who)."
    }

    private func origin(of identity: Identity) -> String {
        guard let verify = profile.verify else {
            return "as stored; the profile has no verify request, so the service was not asked."
        }
        guard let place = verify.response.username, identity.serverName != nil else {
            return "as typed at login; verify has no 'username', so the service does not say it."
        }
        return "'username' of verify, \(SafeText.quoted("\(place)")), is there."
    }
}

extension Invocation {
    /// Keeps what is sent and answered, beside what -v does with it.
    func trace(into walk: LoginTranscript) {
        let shown = context.trace
        context.trace = {
            walk.add($0)
            shown?($0)
        }
    }

    /// As far as it is known without a store, and where that was looked up.
    fileprivate func whatIsStored(of profile: Profile) throws(LoginFault) -> String {
        let record = try context.record(of: profile)
        let name = context.username(for: profile)
        if let account = name.map({ record?.account(named: $0) }) ?? record?.activeAccount {
            return ExplainedAccount(account, context.dependencies.clock).login(nil)
        }
        let whose = name.map { "no account \(SafeText.quoted($0))" } ?? "no active account"
        return "none; \(whose) of this profile is in \(SafeText.quoted(registry))."
    }

    /// The path of the account registry, with `~` for the home folder.
    private var registry: String {
        let file = "\(context.paths.stateFolder)/\(AccountRegistry.fileName)"
        guard let home = context.paths.home, file.hasPrefix("\(home)/") else { return file }
        return "~\(file.dropFirst(home.count))"
    }
}
