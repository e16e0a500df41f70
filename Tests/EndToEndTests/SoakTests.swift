import Foundation
@testable import LoginTestSupport
import Testing

/// Mixed commands from eight processes at once against a server that fails one answer in five. `make soak` runs 2,000 of
/// them (`AUTHCTL_SOAK`), a full run 200, the usual tests 80.
@Suite(.onOwnThreads, .serialized) struct `A soak` {
    private static let count =
        ProcessInfo.processInfo.environment["AUTHCTL_SOAK"].flatMap { Int($0) }
        ?? Thoroughness.choose(usual: 80, full: 200)
    private static let base = "/_matrix/client/v3"

    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private func soak(sparing spared: String?) async throws -> SoakReport {
        try authctl.logIn("wire")
        try authctl.logIn("chat", "bob", SoakCommand.passwords["bob"] ?? "")
        let login = try ContinuousClock().measure { try authctl.logIn("chat") }
        // A request is sent again once: no token may end before the command that has taken it is over, on any machine.
        try demo.fail(every: 5, seed: 20, sparing: spared, youngest: login / .seconds(1) * 20)
        let report = try await SoakReport.collect(Self.count / 2, workers: 8, of: authctl)
        try demo.failNoMore()
        report.print()
        return report
    }

    private func refusedRefreshes() throws -> Int {
        try demo.requests().filter { $0.path == Self.base + "/refresh" && $0.status == 401 }.count
    }

    /// What is stored is whole, and nothing of a save that was not finished lies about.
    private func expectWhole() throws {
        #expect(try authctl.run("whoami", "wire").output == "ann\n")
        let left = try FileManager.default.contentsOfDirectory(atPath: authctl.state)
        #expect(left.allSatisfy { !$0.contains(".new-") }, "\(left)")
        // One each of wire and the accounts of chat, at most.
        #expect(try authctl.keptSecrets().count <= 3)
        #expect(try authctl.run("logout", "--all").code == 0)
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test func `a soak in which no refresh is lost asks for no login at all`() async throws {
        let report = try await soak(sparing: Self.base + "/refresh")
        for run in report.runs { #expect(run.isRight, "\(run)") }
        // Refused is at most a refresh of the second account, which meets its logout.
        let asked = report.runs.filter { $0.command.user == "ann" && [4, 104].contains($0.result.code) }
        #expect(asked.isEmpty, "\(asked.map { "\($0)" })")
        #expect(try authctl.run("whoami", "chat", "-u", "ann").output == "@ann:demo.invalid\n")
        try expectWhole()
    }

    @Test func `a soak in which anything is lost asks for a login only where a refresh was refused`() async throws {
        let report = try await soak(sparing: nil)
        for run in report.runs { #expect(run.isRight, "\(run)") }
        let asked = report.runs.filter { $0.command.user == "ann" && [4, 104].contains($0.result.code) }
        let refused = try refusedRefreshes()
        print("  asked for a login \(asked.count) times, after \(refused) refused refreshes")
        #expect(asked.isEmpty || refused > 0, "\(asked.map { "\($0)" })")
        try expectWhole()
    }
}
