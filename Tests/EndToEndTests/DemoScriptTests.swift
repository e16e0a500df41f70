import Foundation
@testable import LoginTestSupport
import Testing

/// `make demo` and the installed authctl-demo as a person sees them, on a terminal of the usual size.
@Suite struct `The demo on a terminal` {
    @Test(RealServer.require("man"), arguments: [false, true])
    func `it fits, and its shell has the manual and Tab`(isInstalled: Bool) throws {
        let home = try TemporaryHome()
        let pty = try Pty(try isInstalled ? installed(in: home) : ofTheSource(home))
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

    private func ofTheSource(_ home: TemporaryHome) throws -> ChildSpec {
        let programs = [try BuiltProducts.path(of: "authctl"), try BuiltProducts.path(of: "demo-backend")]
        return ChildSpec(
            Repository.path + "/scripts/demo", programs, environment: home.environment, directory: home.path)
    }

    private func installed(in home: TemporaryHome) throws -> ChildSpec {
        var environment = ProcessInfo.processInfo.environment
        environment["MAKEFLAGS"] = ""
        let words = [
            "-s", "install", "install-demo", "AUTHCTL=\(try BuiltProducts.path(of: "authctl"))",
            "DEMO_SERVER=\(try BuiltProducts.path(of: "demo-backend"))", "PREFIX=\(home.path)/usr",
        ]
        let make = try #require(RealServer.path(of: "make"))
        let made = try Command.run(ChildSpec(make, words, environment: environment, directory: Repository.path))
        try #require(made.code == 0, "\(made.error)")
        environment = home.environment
        environment["PATH"] = "\(home.path)/usr/bin:/usr/bin:/bin"
        return ChildSpec("\(home.path)/usr/bin/authctl-demo", environment: environment, directory: home.path)
    }
}
