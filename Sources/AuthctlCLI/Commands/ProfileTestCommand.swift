import ArgumentParser
import LoginCore
import LoginKit

/// `authctl profile test [NAME]`
struct ProfileTestCommand: InvokedCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "test", abstract: "Log in step by step, show each request, response and rule, and keep nothing.",
        discussion: """
            Stored logins are not changed; if the profile has a logout, the new session is ended.

            Examples:
              authctl profile test wiki
              authctl profile test wiki -u ann --password-command "pass wiki"
            """)
    static let mayAsk = true

    @Argument(help: "The profile.")
    var name: String?

    @OptionGroup var login: AttemptOptions
    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let profile = try login.request.applied(to: try invocation.context.selectProfile(name))
        invocation.context.topic.command = ["profile", "test"]
        let walk = LoginTranscript(beginsAnonymously: !profile.traits.isProvedByCertificate)
        do throws(LoginFault) {
            invocation.context.promptTimeout = login.patience
            invocation.loginOptions = login.words
            invocation.context.trace = { walk.add($0) }
            let target = LoginTarget(profile: profile)
            var request = login.request
            request.policy.force = true
            request = try request.resolved(for: target, in: invocation.context)
            let identity = try ProfileTest(invocation: invocation, profile: profile, walk: walk).perform(request)
            try show(walk, identity, invocation)
            invocation.sayProposals(walk, profile)
            return .ok
        } catch {
            walk.stop(error)
            // The error is the one JSON value then.
            if printsJSON {
                invocation.say(styled: walk.text, wraps: false)
            } else {
                try invocation.streams.result(styled: walk.text)
            }
            invocation.sayProposals(walk, profile)
            throw error
        }
    }

    private func show(_ walk: LoginTranscript, _ identity: Identity, _ invocation: Invocation) throws(LoginFault) {
        if printsJSON {
            return try invocation.streams.result(json: WalkReport(walk, of: identity))
        }
        try invocation.streams.result(styled: walk.text)
        let name = SafeText.name(identity.displayName)
        let who: StyledText = name.isEmpty ? "" : " as \(name, .bold)"
        invocation.say(styled: "\(isGood: true)The login works" + who + "; nothing was stored.")
    }
}
