import LoginCore
import LoginKit
import Secrets

/// A login that nothing is kept of: made for one command, and ended after it.
struct EphemeralLogin {
    let handover: Handover

    /// Logs in, whatever is stored.
    init(_ gate: Gate) throws(LoginError) {
        var settings = gate.settings
        settings.policy.force = true
        settings.persist = Persistence.none
        let run = try LoginRun(gate.context, gate.profile, settings)
        let keeper = NoKeeper()
        let (identity, _) = try run.run(through: keeper)
        guard let session = keeper.login?.session else { throw .loginRequired(LoginNeed(why: .nothingStored)) }
        handover = Handover(
            run: run, session: session, username: identity.username, identity: identity, isStored: false)
    }

    /// Ends the session at the server. What comes of it is said, and changes no exit code: that is the command's.
    /// - Parameter last: what has become of it since; nothing where nobody has renewed it.
    func end(_ invocation: Invocation, _ last: Session? = nil) {
        let (run, session) = (handover.run, last ?? handover.session)
        let context = run.context
        if case .credential = session, run.profile.logout == nil { return }
        var receipt = Receipt(
            profile: run.profile.name, place: run.endpoint.origin, username: handover.identity.displayName,
            server: .notAsked, expires: session.expires)
        do throws(LoginError) {
            receipt.server = Receipt.Server(try run.service.logout(session, username: handover.username))
            receipt.noteEnd()
        } catch {
            receipt.server = .failed
            receipt.problem = error.message(about: ErrorContext()).what
        }
        let words = receipt.words(now: context.world.clock.now())
        if receipt.problem != nil {
            context.warn(words)
        } else {
            invocation.say(words)
        }
    }
}
