import LoginCore
import LoginKit
import Secrets

/// A login that nothing is kept of: made for one command, and ended after it.
struct EphemeralLogin {
    let execEnvironment: ExecEnvironment

    /// Logs in, whatever is stored.
    init(_ provider: SessionProvider) throws(LoginFault) {
        var request = provider.request
        request.policy.force = true
        request.persist = Persistence.none
        let run = try LoginRun(provider.context, provider.profile, request)
        let keeper = NoKeeper()
        let (identity, _) = try run.run(through: keeper)
        guard let session = keeper.login?.session else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        execEnvironment = ExecEnvironment(
            run: run, session: session, username: identity.username, identity: identity, isStored: false)
    }

    /// Ends the session at the server. What comes of it is said, and changes no exit code: that is the command's.
    /// - Parameter last: the session now; `nil` if it was not refreshed.
    func end(_ invocation: Invocation, _ last: Session? = nil) {
        let (run, session) = (execEnvironment.run, last ?? execEnvironment.session)
        let context = run.context
        if case .credential = session, run.profile.logout == nil { return }
        let receipt = Receipt.ofUnstored(
            execEnvironment.identity, session, of: run, username: execEnvironment.username)
        let words = receipt.words(now: context.dependencies.clock.now())
        if receipt.problem != nil {
            context.warn(words)
        } else {
            invocation.say(words)
        }
    }
}
