@testable import LoginTestSupport

/// What of the examples is not run as it stands, and why. The parser takes these lines too: `AdviceTests`, `HelpExampleTests`.
enum ExampleList {
    /// By the beginnings of their commands.
    private static let notRun: [(reason: String, commands: [String])] = [
        ("changes the whole system", ["sudo ", "echo \"deb "]),
        (
            "needs a server that is no demo: PresetTests, PresetCommandTests, MCPServiceTests, GitOverHTTPTests, SharedLoginTests",
            [
                "authctl login github", "authctl login rabbitmq ", "authctl login radicale ",
                "authctl login https://mcp.example",
                "git clone ", "authctl store init shared:", "authctl profile add --preset etcd", "echo 'keep-password",
                "authctl login etcd", "scp ", "authctl profile add --from ",
                "authctl exec -P wiki --unchanged --read-only -- git fetch",
            ]
        ),
        ("waits for a client of MCP, or for that client: MCPTests", ["authctl mcp ", "claude mcp add "]),
        (
            "is answered by a person at another program: OAuthLoginTests, CopiedLoginTests, ServerTrustTests",
            [
                "authctl login notes --no-browser", "authctl login notes --device", "authctl login NAME --device",
                "authctl login intranet --paste", "authctl login NAME --paste", "authctl login box",
                "authctl login NAME --trust-", "authctl trust remove ",
            ]
        ),
        (
            "needs another machine, a container or a sandbox: UnattendedMachineTests, UnattendedContainerTests, ServeSandboxTests",
            [
                "ssh ", "authctl ssh ", "authctl log push.jsonl", "docker run ", "tar -xf ",
                "authctl exec -P blog --unchanged --own-network \\\n  --others",
                "authctl exec -P blog --serve-socket auto -- \\\n  sh -c 'ssh",
            ]
        ),
        (
            "needs namespaces, which are forbidden here",
            mayUnshare ? [] : ["authctl exec -P forge --unchanged --own-network"]
        ),
        (
            "a shell that is none of bash: CompletionTests",
            ["source <(authctl completion zsh)", "authctl completion fish | source"]
        ),
        (
            "stands in the program that another line starts",
            ["curl \"${AUTHCTL_SERVE_URL}posts\"", "curl -K \"$AUTHCTL_CURL_CONFIG\" -F"]
        ),
        (
            "needs a service of GraphQL: ExecServeRulesTests",
            [
                "authctl exec -P NAME --unchanged --read-only --ask 'GRAPHQL",
                "authctl exec -P github --unchanged --read-only \\",
            ]
        ),
        ("opens a shell: DemoScriptTests", ["authctl-demo"]),
        (
            "is a program for others to start, or needs an index of packages",
            ["#!/bin/sh\n# keyring", "pip install", "PATH=~/index-keyring"]
        ),
        (
            "has the store of a helper, which is the machine's: HelperStoreTests",
            ["authctl store test helper:", "authctl login --store helper:"]
        ),
    ]

    private static let mayUnshare = (try? Command.tool("unshare", ["-Urn", "--mount", "true"]))?.code == 0

    static func reason(for command: String) -> String? {
        notRun.first { $0.commands.contains { command.hasPrefix($0) } }?.reason
    }

    /// Those that do not end with 0, by their beginnings.
    private static let codes: [(code: Int, why: String, commands: [String])] = [
        (130, "goes on until Ctrl-C", ["authctl approve"]),
        (
            8, "the store of the tests keeps a login for more than a session",
            ["authctl login wiki -u ann --persist session"]
        ),
    ]

    /// Each has to fit an example.
    static var beginnings: [String] { notRun.flatMap(\.commands) + codes.flatMap(\.commands) }

    static func code(of command: String) -> Int {
        codes.first { $0.commands.contains { command.hasPrefix($0) } }?.code ?? 0
    }
}
