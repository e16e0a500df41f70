import Foundation
@testable import LoginTestSupport
import Testing

/// `authctl ssh`, to another user of a real sshd.
@Suite(
    .onOwnThreads, .serialized, FarMachine.isPossible, RealServer.requirePackage("starlette"),
    RealServer.require("openssl"),
    RealServer.require("git"), RealServer.require("sshd"), RealServer.require("ssh"))
struct `A login on another machine` {
    private let stand: UnchangedStand
    private let far: FarMachine
    private var authctl: Installation { stand.authctl }

    private static let hello = "curl -q -fsS https://api.example.test/hello"

    init() throws {
        stand = try UnchangedStand("serve = { placeholder = \"API_TOKEN\" }")
        far = try FarMachine()
    }

    private func words(_ user: String, _ options: [String] = []) -> [String] {
        let settings = ["User=\(user)"] + far.options
        return ["ssh", "-P", "api"] + options + settings.flatMap { ["--ssh-option", $0] } + ["build.example"]
    }

    private func run(_ command: String, as user: String = "bash", _ options: String...) throws -> CommandResult {
        try authctl.run(words(user, options) + ["--", command])
    }

    private func terminal(_ command: [String] = [], as user: String = "sh") throws -> Pty {
        try Pty(authctl.spec(words(user) + command, [:]))
    }

    private func isClean() -> Bool { eventually(within: 30) { far.left.isEmpty } }

    @Test(arguments: FarMachine.shells.keys.sorted())
    func `is used from every login shell, whose code is that of the command`(shell: String) throws {
        let result = try run("\(Self.hello); env | grep _TOKEN=; exit 7", as: shell)
        #expect(result.output.hasSuffix("hello ann\nAPI_TOKEN=placeholder\n"), "\(result.output)\(result.error)")
        #expect(result.code == 7 && (result.error.isEmpty || shell == "loud"), "\(result.error)")
        #expect(isClean(), "\(far.left)")
        #expect(eventually { far.processes(of: "").isEmpty })
    }

    @Test func `clones and pushes`() throws {
        let result = try run(
            """
            cd "$HOME" && git clone -q https://api.example.test/git/r.git r && cd r &&
            git -c user.name=ann -c user.email=a@b.c commit -q --allow-empty -m two && git push -q && git log --oneline @{u} | wc -l
            """)
        #expect(result.output == "2\n" && result.code == 0, "\(result.output)\(result.error)")
        let requests = stand.requests
        #expect(requests.contains { $0.contains("git-receive-pack") && $0.hasPrefix("1 ") }, "\(requests)")
    }

    @Test func `has its password in no arguments, and in no file once the command runs`() throws {
        let result = try run(
            """
            word=${HTTPS_PROXY#http://authctl:}; word=${word%@*}; folder=${SSL_CERT_FILE%/*}
            case $word in *[!0-9a-f]*) echo no word;; esac
            case $(cat /proc/[0-9]*/cmdline 2>&- | tr '\\0' ' ') in *"$word"*) echo in arguments;; esac
            grep -rlF "$word" "$folder"; stat -c %a "$folder"; echo "$word" | wc -c
            """)
        #expect(result.output == "700\n33\n", "\(result.output)\(result.error)")
        #expect(result.error.contains("sent no request to https://api.example.test"))
    }

    @Test func `keeps the rules, and leads to no other host`() throws {
        let post = "curl -q -sS -o /dev/null -w '%{http_code} ' -X POST https://api.example.test/hello; "
        let other = "curl -q -s -o /dev/null -w '%{http_connect}' https://other.example.test/"
        let result = try run(post + other, as: "sh", "--read-only")
        #expect(result.output == "403 403", "\(result.output)\(result.error)")
        let open = try run(Self.hello, as: "sh", "--others", "all")
        #expect(open.error.contains("\"build.example\" reaches through ssh what this machine reaches"), "\(open.error)")
    }

    @Test func `is used by a shell on a terminal, with its size and its keys`() throws {
        let pty = try terminal()
        try pty.wait(for: "$ ")
        pty.type("stty size\r")
        try pty.wait(for: "24 80")
        pty.resize(columns: 100)
        #expect(
            eventually {
                pty.type("stty size\r")
                pty.watch(milliseconds: 300)
                return pty.text.contains("24 100")
            }, "\(pty.text)")
        pty.type("echo be''gun; sleep 600\r")
        try pty.wait(for: "begun")
        #expect(eventually { !far.processes(of: "sleep").isEmpty })
        pty.type("\u{3}")
        pty.type("echo $((6*7)) more\r")
        try pty.wait(for: "42 more")
        pty.type("\(Self.hello); exit 5\r")
        try pty.wait(for: "hello ann")
        #expect(try pty.waitForEnd() == .exited(5), "\(pty.text)")
        #expect(pty.settings == Pty.usualSettings && isClean())
    }

    @Test func `is used by two runs at once, each for as long as it lasts`() throws {
        let first = try terminal(["-t", "--", "echo be''gun; read line; \(Self.hello); exit 3"])
        try first.wait(for: "begun")
        #expect(far.left.count == 1)
        let second = try run("\(Self.hello); ls -d \"$XDG_RUNTIME_DIR\"/authctl-ssh.* | wc -l")
        #expect(second.output.hasSuffix("2\n") && second.code == 0, "\(second.output)\(second.error)")
        #expect(eventually { far.left.count == 1 }, "\(far.left)")
        first.type("\r")
        try first.wait(for: "hello ann")
        #expect(try first.waitForEnd() == .exited(3) && isClean(), "\(first.text)")
    }

    @Test func `leaves no folder if authctl is killed, or the connection is lost`() throws {
        let killed = try terminal(["-t", "--", "echo be''gun; sleep 600"])
        try killed.wait(for: "begun")
        killed.child.send(signal: SIGKILL)
        #expect(isClean())
        killed.hangUp()
        let lost = try terminal(["-t", "--", "echo be''gun; sleep 600"])
        try lost.wait(for: "begun")
        for process in far.processes(of: "sshd") { kill(process, SIGKILL) }
        #expect(try lost.waitForEnd() == .exited(255), "\(lost.text)")
        #expect(isClean())
    }

    @Test func `removes what a lost machine has left, and nothing else`() throws {
        let run = far.folder + "/run"
        // No process has such a number (proc(5), pid_max).
        for name in ["authctl-ssh.4194305.a", "authctl-ssh.1.b", "other"] {
            try FileManager.default.createDirectory(atPath: "\(run)/\(name)", withIntermediateDirectories: false)
            try #require(chown("\(run)/\(name)", FarMachine.user, FarMachine.user) == 0)
        }
        try FileManager.default.createSymbolicLink(
            atPath: run + "/authctl-ssh.4194305.link", withDestinationPath: run + "/other")
        #expect(try self.run("true").code == 0)
        #expect(far.left.sorted() == ["authctl-ssh.4194305.link", "other"], "\(far.left)")
    }

    @Test(
        arguments: [
            ("bare", [], "it needs sh, cat and mktemp"), ("closed", [], "'AllowTcpForwarding yes'"),
            ("stuck", ["--prompt-timeout", "3"], "did not run what ssh sent within 3 seconds"),
            ("bash", ["--ssh-option", "Port=1"], "ssh made no connection to \"build.example\""),
        ] as [(String, [String], String)])
    func `is not lent to a machine that cannot have it, and the command never runs`(
        user: String, options: [String], words: String
    ) throws {
        let result = try authctl.run(self.words(user, options) + ["--", "echo ran"])
        #expect(result.code == 101 && result.output.isEmpty && result.error.contains(words), "\(result.error)")
        #expect(isClean())
    }
}
