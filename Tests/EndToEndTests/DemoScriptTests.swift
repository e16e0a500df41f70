import Foundation
@testable import LoginTestSupport
import Testing

/// `make demo` as a person sees it, on a terminal of the usual size.
@Suite struct `The demo on a terminal` {
    private static let script = Repository.path + "/scripts/demo"

    @Test(RealServer.require("man")) func `it fits, and its shell has the manual and Tab`() throws {
        let home = try TemporaryHome()
        let pty = try Pty(
            ChildSpec(
                Self.script, [try BuiltProducts.path(of: "authctl"), try BuiltProducts.path(of: "demo-backend")],
                environment: home.environment, directory: home.path))
        try pty.wait(for: "User name")
        let lines = RenderedScreen(pty.transcript, columns: 80).lines
        #expect(lines.count <= 23, "with a line for the password: \(lines.joined(separator: "\n"))")
        #expect(lines.contains { $0.contains("correct horse") })
        pty.type("ann\r")
        try pty.wait(for: "Password")
        pty.type("correct horse\r")
        try pty.wait(for: "(demo) ")
        pty.type("authctl whoami wi\t\r")
        try pty.wait(for: "ann\r\n")
        pty.type("man -w authctl; man -w 5 authctl-config; accounts | grep -c demo-pat\r")
        try pty.wait(for: "/authctl.1")
        try pty.wait(for: "/authctl-config.5")
        try pty.wait(for: "10")
        pty.type("exit\r")
        #expect(try pty.waitForEnd() == .exited(0))
    }
}
