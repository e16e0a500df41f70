import ArgumentParser
import LoginKit

/// `authctl approve [PROFILE]`
struct ApproveCommand: BasicCommand, PlainCommand {
    static let outline = CommandConfiguration(
        commandName: "approve",
        abstract: "Answer what running commands ask to send.",
        discussion: """
            An 'exec --serve' with an 'ask' rule waits for an answer before it sends such a request. Run this in another \
            terminal: it shows one request at a time.

            Examples:
              authctl approve
              authctl approve wiki
            """)
    static let mayAsk = true
    static let mayUnlock = false

    @Argument(help: "Profile (default: all).")
    var profile: String?

    @OptionGroup var basic: BasicOptions

    func perform(_ invocation: Invocation) throws(LoginFault) {
        let name = try profile.map { (name) throws(LoginFault) in try invocation.context.profile(named: name).name }
        try ApprovalRound(invocation.context, profile: name).run()
    }
}
