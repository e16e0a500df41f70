import Foundation
@testable import LoginTestSupport
import Testing

/// The completion scripts in the shells themselves, with a person's hands on the keys.
@Suite struct `Completion in a shell` {
    private let demo: DemoBackendProcess
    private let authctl: Installation

    /// A shell, and how it is told of the script.
    struct Shell: CustomTestStringConvertible, Sendable {
        let name: String
        let arguments: [String]
        let setup: String
        let echo: String

        var testDescription: String { setup.contains("bash_completion;") ? "\(name) with bash-completion" : name }

        private static let bashEcho = #"authctl() { printf '<%s>' "$@"; echo; }; PS1='re''ady> '"#
        static let bash = Shell(
            name: "bash", arguments: ["--noprofile", "--norc", "-i"], setup: "source <(authctl completion bash)",
            echo: bashEcho)
        static let fullBash = Shell(
            name: "bash", arguments: ["--noprofile", "--norc", "-i"],
            setup: "source /usr/share/bash-completion/bash_completion; source <(authctl completion bash)",
            echo: bashEcho)
        static let zsh = Shell(
            name: "zsh", arguments: ["-f", "-i"],
            setup: "autoload -Uz compinit; compinit -u -D; source <(authctl completion zsh)", echo: bashEcho)
        static let fish = Shell(
            name: "fish", arguments: ["--no-config", "-i"], setup: "authctl completion fish | source",
            echo: #"function authctl; printf '<%s>' $argv; echo; end; function fish_prompt; echo re'ady> '; end"#)
    }

    private static let shells = Thoroughness.choose(
        usual: [Shell.fullBash, .fish], full: [.bash, .fullBash, .zsh, .fish])

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(
            config: try demo.profiles() + """

                [profiles."127.0.0.1:8765"]
                url = "http://127.0.0.1:8765"
                verify = { get = "/me" }
                """)
        try authctl.logIn("wire")
        try authctl.logIn("wire", "guest", "", "--blank-password")
        let helper = try authctl.home.write("#!/bin/sh\n", to: "bin/docker-credential-gcloud", mode: 0o755)
        #expect(FileManager.default.isExecutableFile(atPath: helper))
        try authctl.home.write("", to: "only-this-file")
    }

    /// Types each line up to a Tab, and has the shell show the words that it makes of the completed one.
    private func expect(_ lines: [(typed: String, words: String)], in shell: Shell) throws {
        let program = try #require(RealServer.path(of: shell.name))
        let folder = URL(fileURLWithPath: authctl.program).deletingLastPathComponent().path
        let path = "\(authctl.folder)/bin:\(folder):/usr/bin:/bin"
        let pty = try Pty(
            ChildSpec(
                program, shell.arguments, environment: authctl.environment.merging(["PATH": path]) { $1 },
                directory: authctl.folder), columns: 200)
        pty.type("\(shell.setup)\r\(shell.echo)\r")
        for line in lines {
            try pty.wait(for: "ready> ")
            pty.type("\(line.typed)\t")
            pty.watch(milliseconds: 100)
            pty.type("\r")
            try pty.wait(for: line.words)
        }
        pty.type("exit\r")
        try pty.waitForEnd()
    }

    @Test(RealServer.require("zsh"), RealServer.require("fish"), arguments: shells)
    func `completion in a shell gives names with colons whole, and has choices for everything`(shell: Shell) throws {
        try expect(
            [
                ("authctl whoami 127", "<whoami><127.0.0.1:8765>"),
                ("authctl whoami 127.0.0.1:87", "<whoami><127.0.0.1:8765>"),
                ("authctl whoami '127.0.0.1:8", "<whoami><127.0.0.1:8765>"),
                ("authctl status -P 127", "<status><-P><127.0.0.1:8765>"),
                ("authctl switch wire gu", "<switch><wire><guest>"),
                ("authctl whoami wire -u gu", "<whoami><wire><-u><guest>"),
                ("authctl whoami -P wire --username=gu", "<whoami><-P><wire><--username=guest>"),
                ("authctl login --store helper:g", "<login><--store><helper:gcloud>"),
                ("authctl login --store=helper:g", "<login><--store=helper:gcloud>"),
                ("authctl store move plain", "<store><move><plaintext>"),
                ("authctl help exit", "<help><exit-codes>"), ("authctl help profile rem", "<help><profile><remove>"),
                ("authctl logi", "<login>"), ("authctl login --blank", "<login><--blank-password>"),
                ("authctl login --persist perm", "<login><--persist><permanent>"),
                ("authctl login --ca-file only", "<login><--ca-file><only-this-file>"),
                ("authctl exec -- mktem", "<exec><--><mktemp>"),
                ("authctl exec -- cat only", "<exec><--><cat><only-this-file>"),
            ], in: shell)
    }

    @Test(RealServer.require("zsh"), RealServer.require("fish"), arguments: shells)
    func `what stands in a name is never run`(shell: Shell) throws {
        // As another release, or another program, could have left it behind.
        let profile = "url = \"https://x.example\"\nverify = { get = \"/\" }\n"
        try authctl.home.write(profile, to: "config/authctl/profiles/q$(touch RAN).toml")
        let registry = try String(contentsOfFile: authctl.registry, encoding: .utf8)
        try authctl.home.write(
            registry.replacing("\"guest\"", with: "\"x$(touch RAN)'`touch RAN`;\""), to: "state/authctl/state.json")
        try expect(
            [
                ("authctl switch wire x", "<switch><wire><x$(touch RAN)'`touch RAN`;>"),
                ("authctl whoami wi", "<whoami><wire>"), ("authctl whoami q", "<whoami><q>"),
            ], in: shell)
        #expect(!authctl.hasFile("RAN"))
    }
}
