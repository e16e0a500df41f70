import Foundation
@testable import LoginTestSupport
import Testing

/// A user who may start no more threads, or has little memory: setrlimit(2). Root is not held by the first of these limits, so
/// authctl runs as somebody else.
@Suite(.onOwnThreads) struct `A machine that has no thread left` {
    /// Nobody else's, since the limit counts all processes of a user.
    private static let user: UInt32 = 64_917

    let demo: DemoBackendProcess
    let authctl: Installation
    let program: PublicProgram

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
        program = try PublicProgram("authctl")
        try authctl.logIn("wire")
        try authctl.logIn("wire", "bob", "pä:ss%wörd&+\"\\ünïcode")
        try giveAway()
    }

    private func giveAway() throws {
        guard getuid() == 0 else { return }
        _ = try Command.tool("chown", ["-R", "\(Self.user)", authctl.folder])
    }

    /// Runs a command with a limit of the shell, and gives it half a minute.
    private func run(
        _ limit: String, _ words: [String], input: String = "", by tracer: [String] = []
    ) throws -> CommandResult {
        let shell = ["/bin/bash", "-c", "ulimit \(limit); exec \"$@\"", "bash"] + tracer + [program.path] + words
        let somebody = getuid() == 0 ? ["/usr/bin/setpriv", "--reuid", "\(Self.user)", "--clear-groups"] : []
        let all = somebody + shell
        let spec = ChildSpec(
            all[0], Array(all.dropFirst()), environment: authctl.environment, directory: authctl.folder)
        return try Command.run(spec, input: Array(input.utf8))
    }

    /// The accounts that another command finds, which has no limit.
    private func accounts() throws -> [String] {
        let result = try run("-c 0", ["status", "--offline", "--json"])
        let rows = try #require(result.json as? [[String: Any]], "\(result.ending) \(result.error)")
        return rows.compactMap { $0["username"] as? String }.sorted()
    }

    @Test(arguments: ["-u 1", "-d 20000", "-d 16384"])
    func `the accounts are asked one after the other where no other thread can be had`(limit: String) throws {
        let status = try run(limit, ["status", "wire"])
        #expect(status.output.contains("ann") && status.output.contains("bob"), "\(status.ending) \(status.error)")
        #expect(status.code == 0, "\(status.error)")
        let logout = try run(limit, ["logout", "--all"])
        #expect(logout.code == 0, "\(logout.ending) \(logout.error)")
        #expect(try accounts() == [])
    }

    @Test func `authctl mcp without a thread fails at once and says why`() throws {
        let result = try run("-u 1", ["mcp", "wire"])
        #expect(
            result.code == 1 && result.error.contains("the system has no thread left"),
            "\(result.ending) \(result.error)")
    }

    private static let commands = [
        ["status"], ["login", "wire", "-u", "ann", "--force", "--password-stdin"],
        ["exec", "-P", "wire", "--serve", "--", "/bin/true"], ["logout", "--all"],
    ]

    @Test(
        arguments: Thoroughness.choose(
            usual: [64, 24, 16, 12, 8], full: [256, 64, 48, 32, 24, 20, 18, 16, 14, 12, 10, 8, 4, 1]))
    func `a command with that many MiB of memory ends, and leaves every login whole or gone`(size: Int) throws {
        for words in Self.commands {
            _ = try run("-d \(size * 1024)", words, input: "correct horse\n")
            let left = try accounts()
            #expect(words[0] == "logout" ? left.count <= 2 : left == ["ann", "bob"], "\(words) \(left)")
        }
    }

    @Test(RealServer.require("strace")) func `no thread reserves address space for a heap of its own`() throws {
        let trace = authctl.folder + "/mmap", strace = try #require(RealServer.path(of: "strace"))
        let tracer = [strace, "-f", "-o", trace, "-e", "trace=clone,clone3,mmap"]
        let result = try run("-c 0", ["status", "wire"], by: tracer)
        #expect(result.code == 0, "\(result.error)")
        let calls = try String(contentsOfFile: trace, encoding: .utf8)
        // Twice the size of a heap, of which the part that is not aligned goes back.
        #expect(calls.contains("clone") && !calls.contains("\(128 << 20), PROT_NONE"))
    }

    @Test(RealServer.require("curl"))
    func `a request through exec --serve is answered although no thread or descriptor is left for it`() throws {
        let script = "curl -q -s -m 20 -o /dev/null -w '%{http_code}' \"$AUTHCTL_SERVE_URL\"x; true"
        // The command itself is a process, and so is the shell's curl.
        let whole = try run("-u 50", ["exec", "-P", "wire", "--serve", "--", "/bin/sh", "-c", script])
        #expect(whole.output == "404", "\(whole.output)\(whole.error)")
        for limit in (1...6).map({ "-u \($0)" }) + (12...22).map({ "-n \($0)" }) {
            let result = try run(limit, ["exec", "-P", "wire", "--serve", "--", "/bin/sh", "-c", script])
            #expect(result.code != nil, "\(limit): \(result.ending) \(result.error)")
            if result.code == 0 {
                #expect(["404", "502", "503", "000", ""].contains(result.output), "\(limit): \(result.output)")
            }
        }
    }
}
