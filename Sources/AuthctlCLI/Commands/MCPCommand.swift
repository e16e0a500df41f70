import ArgumentParser
import LoginKit

/// `authctl mcp [PROFILE or URL]`
struct MCPCommand: InvokedCommand {
    static let outline = CommandConfiguration(
        commandName: "mcp",
        abstract: "Give an MCP client the login of a service.",
        discussion: """
            The client starts this command and speaks the Model Context Protocol on standard input and output; the \
            service's Streamable HTTP endpoint gets each message with the session. Log in beforehand: authctl login.

            Examples:
              "mcpServers": { "linear": { "command": "authctl", "args": ["mcp", "linear"] } }
              authctl mcp https://mcp.example/mcp
            """)
    static let mayUnlock = false

    @Argument(
        help: ArgumentHelp("A profile, or the URL of the service's endpoint.", valueName: "profile-or-url"))
    var profileOrURL: String?

    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        let server = try invocation.context.mcpServer(profileOrURL)
        let provider = try SessionProvider(invocation.context, server.profile, LoginRequest())
        try MCPBridge(provider, to: server.url).run()
        return .ok
    }
}
