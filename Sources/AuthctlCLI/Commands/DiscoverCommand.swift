import ArgumentParser
import LoginKit

/// `authctl discover URL`
struct DiscoverCommand: BasicCommand, ReportingCommand {
    static let outline = CommandConfiguration(
        commandName: "discover",
        abstract: "Detect how a URL's login works, and print a profile for it.",
        discussion: """
            Sends a few GET requests without credentials, and looks at challenges, OAuth metadata, login forms and API \
            descriptions. Each line of the profile says where it comes from.

            Examples:
              authctl discover https://wiki.example
              authctl discover --save --name wiki https://wiki.example/api/me
            """)

    @Argument(help: ArgumentHelp("A URL that requires a login, or a page of the service.", valueName: "url"))
    var url: String

    @Flag(help: "Save the profile.")
    var save = false

    @Option(help: ArgumentHelp("Name for the profile.", valueName: "name"))
    var name: String?

    @OptionGroup var connection: ConnectionOptions
    @Flag(help: .json) var json = false
    @OptionGroup var basic: BasicOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        var request = LoginRequest()
        connection.apply(to: &request)
        request.name = name
        invocation.context.topic.command = ["discover"]
        invocation.loginOptions = connection.words + optionWords([("--name", name)]) + (save ? ["--save"] : [])
        let proposal = try URLDiscovery(invocation.context, request).proposal(for: url)
        let head = "Written by authctl discover \(SafeText.line(url)); \(proposal.summary)."
        if printsJSON {
            try invocation.streams.result(json: proposal.report)
        } else {
            try invocation.streams.result(proposal.document(head: head, isAlone: false))
        }
        guard proposal.isUsable else { return .failure }
        let login = ShellCommand("authctl", "login", proposal.name)
        guard save else {
            invocation.say("To use it, add --save or paste it into config.toml, then run: \(login)")
            return .ok
        }
        guard try proposal.save(head: head, in: invocation.context.paths) else {
            throw .usage(.badValue(option: "--name", problem: "a profile of this name already exists"))
        }
        invocation.say("Saved as the profile \(SafeText.escaped(proposal.name)). To log in: \(login)")
        return .ok
    }
}
