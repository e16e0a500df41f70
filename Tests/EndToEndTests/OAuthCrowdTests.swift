import Foundation
@testable import LoginTestSupport
import Testing

/// A grant that has ended, in the hands of many processes.
@Suite(.onOwnThreads, .serialized) final class `Many processes with one grant` {
    private static let token = "/id/token"

    private let demo: DemoBackendProcess
    private let authctl: Installation
    private let person: ScriptedPerson

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(config: demo.oauthProfiles())
        authctl.givesSecretInConfig()
        person = try ScriptedPerson()
        let run = try authctl.onTerminal("login", "notes", "--browser", person.browser)
        guard try run.end() == .exited(0) else { throw DeadlineExceeded(waitingFor: "a login", seen: run.pty.text) }
    }

    deinit { demo.stop() }

    private func statuses(of path: String) throws -> [Int] {
        try demo.requests().filter { $0.path == path }.map(\.status)
    }

    /// `token` 38 times, and what else needs the access token.
    private static let commands: [[String]] = (0..<50).map { number in
        switch number {
        case 0..<6: ["request", "GET", "/me", "-P", "notes"]
        case 6..<12: ["exec", "-P", "notes", "--", "true"]
        default: ["token", "notes"]
        }
    }

    @Test func `refresh it once, fifty of them, where a used refresh token would end the family`() throws {
        try authctl.letTokensExpire()
        let before = try statuses(of: Self.token).count
        // Slow enough for all of them to have read the old token.
        try demo.order(.init(path: Self.token, delay: 2))
        let results = try Crowd.run(Self.commands, of: authctl)
        for (words, result) in zip(Self.commands, results) {
            #expect(result.code == 0, "\(words): \(result.ending) \(result.error)")
        }
        #expect(Set(results.dropFirst(12).map(\.output)).count == 1)
        #expect(try statuses(of: Self.token).dropFirst(before) == [200])
        #expect(try authctl.run("whoami", "notes").output == "ann\n")
    }

    @Test
    func `many processes with one grant are one dialogue once the refresh token has ended, and all take its result`()
        throws
    {
        try authctl.letTokensExpire()
        // Neither token is known there any more.
        try demo.reset()
        let runs = try (0..<20).map { number in
            try authctl.onTerminal("exec", "-P", "notes", "--no-browser", "--", "touch", "ran-\(number)")
        }
        let waits = "another authctl is logging in to notes; waiting for it"
        let isReady = eventually(within: 120) {
            for run in runs { run.pty.watch(milliseconds: 2) }
            return runs.count { $0.pty.text.contains(waits) } == 19 && runs.contains { url(shownIn: $0) != nil }
        }
        #expect(isReady, "\(runs.map(\.pty.text))")
        #expect(runs.count { url(shownIn: $0) != nil } == 1)
        _ = try person.consent(at: #require(runs.compactMap(url).first))
        for (number, run) in runs.enumerated() {
            #expect(try run.end() == .exited(0), "\(run.pty.text)")
            #expect(authctl.hasFile("ran-\(number)"))
        }
        #expect(try statuses(of: "/id/authorize") == [200])
        // The refresh that was refused, and the code.
        #expect(try statuses(of: Self.token) == [400, 200])
        #expect(try authctl.run("whoami", "notes").output == "ann\n")
    }

    /// What a person would open.
    private func url(shownIn run: TerminalRun) -> String? {
        run.pty.text.firstMatch(of: /http\S+\/authorize\?\S+/).map { String($0.0) }
    }
}
