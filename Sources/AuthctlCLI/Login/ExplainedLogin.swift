import LoginCore
import LoginKit

/// `login --explain`: what was sent, answered and decided, on standard error once the login has ended, before its message.
final class ExplainedLogin {
    private let invocation: Invocation
    private let walk = LoginTranscript(beginsAnonymously: false)
    /// Once it is known.
    var profile: Profile?

    init(_ invocation: Invocation) {
        self.invocation = invocation
        invocation.trace(into: walk)
    }

    func watch(_ run: LoginRun) {
        run.service.observer = { [walk] in walk.add($0) }
    }

    func say() {
        var explanation = Explanation(profile, invocation.context)
        explanation.take(walk, of: profile)
        invocation.streams.say(explanation.text)
    }

    /// - Returns: the error as it can be shown to others, too.
    func end(_ error: LoginFault) -> LoginFault {
        walk.stop(error)
        say()
        return error.withoutQueries
    }
}
