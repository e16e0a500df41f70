import ArgumentParser
import Glibc
import LoginKit

/// `authctl mcp [PROFILE or URL]`
struct MCPCommand: PlainCommand {
    static let outline = CommandConfiguration(
        commandName: "mcp",
        abstract: "Give an MCP client the login of a service.",
        discussion: """
            The client starts this command and speaks the Model Context Protocol on standard input and output; the \
            service's Streamable HTTP endpoint gets each message with the session. Log in first: authctl login. In the \
            client's configuration: "command": "authctl", "args": ["mcp", "linear"]

            Examples:
              authctl mcp linear --read-only
              authctl mcp https://mcp.example/mcp
              authctl mcp linear --allow 'TOOL get_*,list_*' --ask 'TOOL create_*'
            """)
    static let mayUnlock = false

    @Argument(
        help: ArgumentHelp("A profile, or the URL of the service's endpoint.", valueName: "profile-or-url"))
    var profileOrURL: String?

    @OptionGroup(title: "What the client may do") var rules: MCPRuleOptions

    @Option(help: ArgumentHelp("Log each message in this file.", valueName: "file"), completion: .file())
    var log: String?

    @Flag(help: "Log in with a browser if there is no login.")
    var login = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if log == "" { throw ValidationError("--log must be a file.") }
    }

    func perform(_ invocation: Invocation) throws(LoginFault) {
        let chosen = try rules.rules()
        let log = try log.map { (file) throws(LoginFault) in try fromUsage(try Paths.absolute(file)) }
        if invocation.context.dependencies.isTerminal(STDIN_FILENO) {
            let arguments = "\"args\": [\"mcp\", \(SafeText.quoted(profileOrURL ?? "NAME"))]"
            invocation.say(
                "MCP clients start this command. Put this into the client's configuration: \"command\": \"authctl\", \(arguments)"
            )
        }
        let bridge = MCPBridge(
            invocation.context, to: profileOrURL, rules: chosen, readsOnly: rules.readOnly, log: log,
            answerTime: rules.promptTimeout ?? 60, logsIn: login)
        try bridge.run()
    }
}

/// The rules of `mcp` that a person adds to those of the profile.
struct MCPRuleOptions: ParsableArguments {
    @Flag(help: "Allow the tools that the service marks as read-only, and all prompts and resources.")
    var readOnly = false

    @Option(help: ArgumentHelp("Let these through, such as 'TOOL get_*,list_*'.", valueName: "rule"))
    var allow: [String] = []

    @Option(help: ArgumentHelp("Ask a person about these, in 'authctl approve'.", valueName: "rule"))
    var ask: [String] = []

    @Option(help: ArgumentHelp("Refuse these, even if another rule allows them.", valueName: "rule"))
    var deny: [String] = []

    @Option(help: ArgumentHelp("Time limit for each answer of 'authctl approve'. (default: 60)", valueName: "seconds"))
    var promptTimeout: Int?

    func validate() throws {
        if let promptTimeout, !(1...86_400).contains(promptTimeout) {
            throw ValidationError("--prompt-timeout must be from 1 to 86400 seconds.")
        }
    }

    /// - Throws: `usage` with the option that is no rule.
    func rules() throws(LoginFault) -> ServeRuleSet {
        try ServeRuleSet(allow: allow, ask: ask, deny: deny, forMCP: true)
    }
}
