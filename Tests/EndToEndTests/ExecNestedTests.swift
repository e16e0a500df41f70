import Foundation
@testable import LoginTestSupport
import Testing

/// An authctl that the command of an `exec` runs.
@Suite(.onOwnThreads) struct `An authctl inside an exec` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private static let given = ["exec", "-u", "ann", "--password-stdin"]

    private func run(_ more: [String], _ command: String) throws -> CommandResult {
        try authctl.run(
            Self.given + more + ["--", "sh", "-c", command.replacing("authctl", with: authctl.program)],
            input: "correct horse\n")
    }

    @Test(arguments: [["--ephemeral"], ["--store", "none"]])
    func `an authctl inside an exec is told that its login is not stored, and how the command gets it`(how: [String])
        throws
    {
        let nested = try run(["-P", "blog"] + how, "authctl request POST /posts --json '{}'")
        #expect(nested.code == 4 && nested.error.contains("not logged in"), "\(nested.error)")
        #expect(nested.error.contains("--ephemeral") && nested.error.contains("--curl-config"), "\(nested.error)")
        #expect(!nested.error.contains("missing:"), "\(nested.error)")
        let other = try run(["-P", "blog"] + how, "authctl whoami wire")
        #expect(other.code == 4 && !other.error.contains("--curl-config"), "\(other.error)")
    }

    @Test func `an authctl inside an exec has the login that is stored, also inside one that is not`() throws {
        let stored = try run(["-P", "blog"], "authctl request POST /posts --json '{}'; env")
        #expect(stored.code == 0 && stored.output.contains("\"author\":\"ann\""), "\(stored.error)")
        #expect(!stored.output.contains("AUTHCTL_EPHEMERAL"))
        let inner = try run(["-P", "wire", "--ephemeral"], "authctl exec -P blog -- env")
        #expect(inner.code == 0 && inner.output.contains("AUTHCTL_EXEC=blog"), "\(inner.error)")
        #expect(!inner.output.contains("AUTHCTL_EPHEMERAL"))
    }

    @Test func `an authctl inside an exec has the configuration that was named, also from another folder`() throws {
        let config = demo.blogWithLogout.replacing("profiles.blog", with: "profiles.elsewhere")
        _ = try authctl.file("other/authctl.toml", "store = \"plaintext\"\n" + config)
        let nested = try run(["--config", "other/authctl.toml"], "cd / && authctl whoami")
        #expect(nested.code == 0 && nested.output == "ann\n", "\(nested.error)")
    }
}
