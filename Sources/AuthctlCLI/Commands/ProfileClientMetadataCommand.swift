import ArgumentParser
import LoginCore
import LoginKit

/// `authctl profile client-metadata URL`
struct ProfileClientMetadataCommand: InvokedCommand {
    static let outline = CommandConfiguration(
        commandName: "client-metadata", abstract: "Print the document that makes a URL of yours a client-id.",
        discussion: """
            Publish what it prints at that URL, on a site of yours. Authorization servers that read client ID metadata documents then \
            know authctl by it, and nothing has to be registered.

            Examples:
              authctl profile client-metadata https://ann.example/authctl.json
            """)

    @Argument(help: ArgumentHelp("Where the document will be: https, with a path.", valueName: "url"))
    var url: String

    @OptionGroup var basic: BasicOptions

    var global: GlobalOptions { basic.all() }

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        try invocation.context.dependencies.checkClientMetadata(url, as: "URL")
        try invocation.streams.result(try ClientMetadata.document(at: url))
        invocation.say(
            """
            Publish it at \(SafeText.escaped(url)). The server must return it directly, with no login and no redirect.
            Then write at the top of config.toml: client-metadata = "\(SafeText.escaped(url))"
            """)
        return .ok
    }
}
