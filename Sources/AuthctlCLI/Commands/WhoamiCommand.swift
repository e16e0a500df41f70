import ArgumentParser
import LoginKit

/// `authctl whoami [PROFILE]`
struct WhoamiCommand: InvokedCommand, ReportingCommand, OptionList {
    static let outline = CommandConfiguration(
        commandName: "whoami", abstract: "Ask the service who is logged in and print the user name.",
        discussion: """
            Examples:
              authctl whoami
              authctl whoami wiki --explain
            """)

    @Argument(help: "The profile.")
    var profile: String?

    @Flag(help: "Print the stored name, without asking the service.")
    var offline = false

    @Flag(help: "Explain what was asked, what came back, and which rule decided.")
    var explain = false

    @Flag(help: .json) var json = false
    @OptionGroup var global: GlobalOptions

    var options: KeyValuePairs<String, Any> {
        ["_profile": _profile, "_offline": _offline, "_explain": _explain, "_json": _json, "_global": _global]
    }

    func validate() throws {
        if offline && explain { throw ValidationError("--explain asks the service, and --offline does not.") }
    }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        invocation.context.isOffline = offline
        let profile = try invocation.context.selection.profile(profile)
        if explain { return try ExplainedWhoami(invocation: invocation, profile: profile).tell(printsJSON: printsJSON) }
        let identity: Identity
        if offline {
            identity = try invocation.context.accounts.usable(profile).identity
            invocation.say("authctl: this is the stored name; the service was not asked")
        } else {
            identity = try invocation.context.accounts.verifyingRun(profile).verifiedIdentity()
            invocation.context.person.sayIfUnverifiable(profile)
        }
        invocation.context.person.sayIfNameless(identity, of: profile)
        guard printsJSON else {
            // A result is whole, however long.
            try invocation.streams.result(SafeText.line(identity.displayName, limit: .max))
            return .ok
        }
        let report: [String: JSONValue] = [
            "profile": .string(profile.name), "username": .string(identity.displayName),
            "verified": .bool(!offline && profile.verify != nil),
        ]
        try invocation.streams.result(json: report)
        return .ok
    }
}
