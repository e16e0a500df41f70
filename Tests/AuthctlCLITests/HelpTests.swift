import ArgumentParser
import Glibc
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// The help of every command, as it is printed.
struct HelpTests {
    private static let commands: [(name: String, type: any ParsableCommand.Type)] = [
        ("authctl", Authctl.self), ("login", LoginCommand.self), ("whoami", WhoamiCommand.self),
        ("logout", LogoutCommand.self), ("switch", SwitchCommand.self), ("status", StatusCommand.self),
        ("discover", DiscoverCommand.self), ("token", TokenCommand.self), ("exec", ExecCommand.self),
        ("ssh", SSHCommand.self), ("mcp", MCPCommand.self), ("approve", ApproveCommand.self), ("log", LogCommand.self),
        ("profile", ProfileCommand.self),
        ("profile-list", ProfileListCommand.self),
        ("profile-show", ProfileShowCommand.self), ("profile-add", ProfileAddCommand.self),
        ("profile-default", ProfileDefaultCommand.self), ("profile-remove", ProfileRemoveCommand.self),
        ("profile-test", ProfileTestCommand.self), ("profile-presets", ProfilePresetsCommand.self),
        ("profile-client-metadata", ProfileClientMetadataCommand.self),
        ("store", StoreCommand.self), ("store-list", StoreListCommand.self), ("store-test", StoreTestCommand.self),
        ("store-init", StoreInitCommand.self), ("request", RequestCommand.self), ("store-move", StoreMoveCommand.self),
        ("key", KeyCommand.self), ("key-new", KeyNewCommand.self),
        ("trust", TrustCommand.self), ("trust-list", TrustListCommand.self),
        ("trust-remove", TrustRemoveCommand.self), ("git-credential", GitCredentialCommand.self),
        ("docker-credential", DockerCredentialCommand.self), ("completion", CompletionCommand.self),
        ("exit-codes", ExitCodesCommand.self), ("config", ConfigHelpCommand.self),
        ("environment", EnvironmentHelpCommand.self), ("tasks", TasksHelpCommand.self),
    ]

    @Test(arguments: commands.indices) func `the help of a command`(index: Int) throws {
        let command = Self.commands[index]
        let page = HelpTopics.page(Authctl.helpMessage(for: command.type, columns: 80), of: ["help", command.name])
        try Snapshot.expect(page + "\n", "help-\(command.name)")
    }

    @Test func `no line about the use of a command is wider than a terminal`() throws {
        for command in try CommandTree.root().all where !command.path.isEmpty {
            let page = try TestWorld().run(command.path + ["--help"], server: []).output
            let fault = try TestWorld().run(command.path + ["--frobnicate"], server: []).talk
            for line in (page + fault).split(separator: "\n") where line.lowercased().hasPrefix("usage:") {
                #expect(line.count <= 80, "\(line)")
            }
        }
    }

    @Test func `what a login takes is in the help of login alone`() throws {
        let help = { (command: String) in try TestWorld().run(command, "--help", server: []).output }
        #expect(try help("login").contains("--password-stdin"))
        for command in ["request", "exec", "ssh"] {
            let page = try help(command)
            #expect(!page.contains("--password-stdin") && page.contains("authctl login --help"), "\(command)")
        }
        #expect(try TestWorld().run("complete", "--", "request", "--password-st").output.contains("--password-stdin"))
    }

    @Test func `an option stands where it is of use`() throws {
        let without: [String: Set<String>] = [
            "profile": ["username"], "store": ["profile", "username", "no-prompt"],
            "trust": ["profile", "username", "no-prompt"],
            "discover": ["profile", "username", "no-prompt"], "git-credential": ["no-prompt"],
            "docker-credential": ["profile", "username", "no-prompt"],
        ]
        let withThem: Set = ["profile test", "store move", "store init", "store test", "store read-back"]
        for command in try CommandTree.root().all where command.children.isEmpty {
            let path = command.path.joined(separator: " ")
            guard let first = command.path.first, let lacking = without[first], !withThem.contains(path) else {
                continue
            }
            #expect(command.options.isDisjoint(with: lacking), "\(path)")
        }
    }

    @Test func `every command that is shown has its snapshot`() throws {
        let shown = try CommandTree.root().all.map { $0.path.isEmpty ? "authctl" : $0.path.joined(separator: "-") }
        #expect(Set(shown).subtracting(["help", "store-read-back"]).isSubset(of: Set(Self.commands.map(\.name))))
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["help"], ["login", "--help"], ["help", "store", "list"],
        ["token", "-qh"], ["token", "--header", "--help-hidden"],
    ])
    func `help is a result: on standard output, and 0`(arguments: [String]) throws {
        let run = try TestWorld().run(arguments, server: [])
        #expect(run.code == 0 && run.talk.isEmpty && run.output.contains("USAGE:"))
    }

    @Test(arguments: [
        ["help", "exit-codes"], ["exit-codes", "--help"], ["help", "config"], ["config"], ["help", "environment"],
        ["help", "tasks"],
    ])
    func `a topic has no options`(arguments: [String]) throws {
        let world = try TestWorld()
        for columns in [nil, 80, 62, 40] {
            world.terminals = columns == nil ? [] : [STDOUT_FILENO]
            world.columns = columns ?? 80
            let run = world.run(arguments, server: [])
            #expect(run.code == 0 && run.output.hasPrefix("OVERVIEW: ") && !run.output.contains("USAGE:"))
            #expect(!run.output.contains("--version") && !run.output.hasSuffix("\n\n"), "\(run.output)")
        }
    }

    @Test func `authctl alone fits a small terminal, with every command by name and its examples`() throws {
        let world = try TestWorld()
        world.terminals = [STDOUT_FILENO]
        let run = world.run([], server: [])
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(run.code == 0 && lines.count <= 22 && lines.allSatisfy { $0.count <= 80 }, "\(run.output)")
        for group in Authctl.configuration.groupedSubcommands {
            let names = group.subcommands.map { $0._commandName }.joined(separator: ", ")
            #expect(run.output.contains("\n  \(group.name): \(names)\n"), "\(run.output)")
        }
        #expect(run.output.contains("\n  authctl login https://") && run.output.contains("authctl --help"))
    }

    @Test func `the version is one line`() throws {
        #expect(try TestWorld().run("--version") == Run(code: 0, output: "authctl \(Version.number)\n", talk: ""))
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `a completion is a result`(shell: String) throws {
        let run = try TestWorld().run("completion", shell)
        #expect(run.code == 0 && run.talk.isEmpty && run.output.contains("authctl"))
    }

    @Test(arguments: [
        ["completion", "tcsh"], ["frobnicate"], ["login", "--frobnicate"], ["login", "a", "b"],
        ["switch", "a", "b", "c"],
        ["login", "--max-attempts", "0"], ["token", "--min-ttl", "-1"], ["profile", "remove"],
    ])
    func `what cannot be parsed is 2, on standard error`(arguments: [String]) throws {
        let run = try TestWorld().run(arguments, server: [])
        #expect(run.code == 2 && run.output.isEmpty && !run.talk.isEmpty)
    }

    @Test func `with --json a usage error is one JSON value, too`() throws {
        let run = try TestWorld().run("whoami", "--json", "--frobnicate")
        #expect(run.code == 2)
        try Snapshot.expect(run.output, "json-usage-error")
    }
}
