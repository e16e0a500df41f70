import Foundation
@testable import LoginTestSupport
import Testing

/// Programs as Debian and PyPI have them, at a service that only authctl can log in to.
@Suite(
    .onOwnThreads, Thoroughness.isNeeded, RealServer.requirePackage("aiohttp"), RealServer.require("openssl"),
    RealServer.require("git"))
struct UnchangedProgramsTests {
    struct Program: CustomTestStringConvertible, Sendable {
        let name: String
        let command: String
        /// Whether it sends the password of the proxy.
        let sendsPassword: Bool

        var testDescription: String { name }

        /// What the suite runs of the programs of the stand.
        static let all = lines.compactMap { line -> Program? in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2, ["suite", "open"].contains(words[0]),
                let colon = words[1].firstRange(of: ": ")
            else { return nil }
            let name = String(words[1][..<colon.lowerBound])
            // Debian 13's npm is packed with a library for proxies that it does not give the password to.
            let sendsPassword = words[0] == "suite" && !(RealServer.isDebian13 && name == "npm install")
            return Program(
                name: name, command: String(words[1][colon.upperBound...]), sendsPassword: sendsPassword)
        }

        /// Those of `all` that are there; all where a missing one is a failure.
        static let installed = all.filter { program in
            let first = program.name.prefix { $0 != " " }
            return RealServer.isRequired || program.command.contains("$P ") || RealServer.path(of: String(first)) != nil
        }

        private static var lines: [Substring] {
            let text = try? String(contentsOfFile: UnchangedStand.folder + "/programs", encoding: .utf8)
            return (text ?? "").split(separator: "\n")
        }
    }

    private let stand: UnchangedStand

    init() throws { stand = try UnchangedStand() }

    @Test func `the stand has twelve programs for this suite`() { #expect(Program.all.count == 12) }

    @Test(arguments: Program.installed) func `gets the login as it is`(program: Program) throws {
        let before = stand.requests.count, options = program.sendsPassword ? [] : ["--no-proxy-password"]
        let result = try stand.authctl.run(
            ["exec", "-P", "api", "--unchanged"] + options
                + ["--", "bash", "-c", "cd \"$(mktemp -d \"$HOME/XXXXXX\")\" && HOME=$PWD && \(program.command)"],
            environment: ["U": "https://api.example.test", "P": stand.python])
        let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("hello ann") && result.code == 0, "\(result.output)\(result.error)")
        let own = stand.requests.dropFirst(before)
        #expect(own.contains { !$0.hasSuffix(" /me") } && own.allSatisfy { $0.hasPrefix("1 ") }, "\(own)")
    }

    /// Java does not look at it, so that the wiped key is what it relies on.
    @Test(RealServer.require("cc")) func `an authority that is constrained to one host signs for no other`() throws {
        let folder = stand.authctl.folder + "/constraints"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let result = try Command.run(
            ChildSpec(
                stand.python, [UnchangedStand.folder + "/constraints.py", folder],
                environment: ProcessInfo.processInfo.environment),
            within: 300)
        let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("Java") }
        #expect(lines.count >= 3 && lines.allSatisfy { $0.hasSuffix(": accepted refused") }, "\(lines)\(result.error)")
    }
}
