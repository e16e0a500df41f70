import Foundation
@testable import LoginTestSupport
import Testing

/// The sweeps L0, M1 and M3 over logins by consent: codes, verifiers, states, tokens and a client's secret.
@Suite(.onOwnThreads, RealServer.require("python3")) struct `Secrets of a login by consent` {
    private let outside: TemporaryHome
    private let consent: ConsentSecrets

    init() throws {
        outside = try TemporaryHome()
        consent = try ConsentSecrets()
    }

    private func installation(_ store: StoreOnTest) throws -> (authctl: Installation, environment: [String: String]) {
        let authctl = try Installation(config: consent.profiles(), store: store.name)
        // That of tv, which comes with a program and is none.
        authctl.givesSecretInConfig()
        return (authctl, try store.setUp(authctl, outside: outside))
    }

    /// What a person saw but the URL, in which the state has to be.
    private func text(of run: TerminalRun) -> String {
        run.pty.text.split(separator: "\n").filter { !$0.contains("/authorize?") }.joined(separator: "\n")
    }

    @Test(arguments: [StoreOnTest.plaintext, .passphrase])
    func `secrets of a login by consent are nowhere but in the store, and after the logout not even there`(
        store: StoreOnTest
    ) throws {
        let (authctl, environment) = try installation(store)
        let desk = try authctl.onTerminal("login", "desk", "--no-browser", "--verbose", environment: environment)
        try desk.answer("desk: ", ConsentSecrets.clientSecret + "\r")
        try consent.paste(into: desk)
        #expect(try desk.end() == .exited(0), "\(desk.pty.text)")
        let tv = try authctl.onTerminal("login", "tv", "--device", "--verbose", environment: environment)
        _ = try consent.person.consent(at: consent.url(on: tv, "user_code="))
        #expect(try tv.end() == .exited(0), "\(tv.pty.text)")
        // Longer than it can live: what comes is kept, and not printed.
        let refresh = try authctl.run(
            "token", "desk", "--min-ttl", "100000", "--verbose", environment: environment)
        #expect(refresh.code == 1, "\(refresh.error)")
        var runs = [refresh]
        for profile in ["desk", "tv"] {
            for words in [["whoami", profile], ["status", profile, "--json"], ["exec", "-P", profile, "--", "env"]] {
                runs.append(try authctl.run([words[0], "--verbose"] + words.dropFirst(), environment: environment))
            }
        }
        runs.append(try authctl.run("request", "-P", "desk", "/me", "--verbose", environment: environment))
        let logouts = try ["desk", "tv"].map { try authctl.run("logout", $0, "--verbose", environment: environment) }
        for run in runs.dropFirst() + logouts { #expect(run.code == 0, "\(run.error)") }
        let texts = (runs + logouts).map { $0.output + $0.error } + [text(of: desk), text(of: tv)]
        let log = consent.demo.output
        try consent.sweep(withState: true).expectClean(
            ["talk": texts.joined(separator: "\n"), "the server's log": log],
            trees: [URL(fileURLWithPath: authctl.folder)])
    }

    @Test func `secrets of a login by consent are in the store alone while somebody is logged in`() throws {
        let (authctl, environment) = try installation(.plaintext)
        let desk = try authctl.onTerminal("login", "desk", "--no-browser", environment: environment)
        try desk.answer("desk: ", ConsentSecrets.clientSecret + "\r")
        try consent.paste(into: desk)
        #expect(try desk.end() == .exited(0), "\(desk.pty.text)")
        let tv = try authctl.onTerminal("login", "tv", "--device", environment: environment)
        _ = try consent.person.consent(at: consent.url(on: tv, "user_code="))
        #expect(try tv.end() == .exited(0), "\(tv.pty.text)")
        try consent.sweep(withState: true).expectClean(
            trees: [URL(fileURLWithPath: authctl.folder)], belonging: [URL(fileURLWithPath: authctl.plaintext)])
    }

    @Test(RealServer.require("strace")) func `secrets of a login by consent are in nothing that authctl starts`() throws
    {
        let (authctl, environment) = try installation(.plaintext)
        let strace = try #require(RealServer.path(of: "strace")), trace = outside.path + "/execve"
        let traced = { (words: [String]) in
            try TerminalRun(
                ChildSpec(
                    strace,
                    ["-f", "-v", "-s", "4096", "-e", "trace=execve", "-A", "-o", trace, authctl.program] + words,
                    environment: authctl.environment.merging(environment) { $1 }, directory: authctl.folder),
                output: outside.path + "/stdout", columns: 80)
        }
        let desk = try traced(["login", "desk", "--browser", consent.person.browser])
        try desk.answer("desk: ", ConsentSecrets.clientSecret + "\r")
        #expect(try desk.end() == .exited(0), "\(desk.pty.text)")
        let tv = try traced(["login", "tv", "--device"])
        _ = try consent.person.consent(at: consent.url(on: tv, "user_code="))
        #expect(try tv.end() == .exited(0), "\(tv.pty.text)")
        for words in [
            ["exec", "-P", "desk", "--", "env"], ["token", "desk", "--min-ttl", "100000"], ["logout", "--all"],
        ] {
            let run = try traced(words)
            #expect(try run.end() == .exited(words[0] == "token" ? 1 : 0), "\(run.pty.text)")
        }
        let seen = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(seen.contains(consent.person.browser) && seen.contains("request_uri="))
        try consent.sweep(withState: false).expectClean(["execve": seen])
    }

    @Test(.enabled(if: getuid() == 0, "only root can look into a hardened process"))
    func `secrets of a login by consent are in no argument, no variable and at the end in no memory of authctl`() throws
    {
        let (authctl, environment) = try installation(.passphrase)
        var images: [(command: String, image: ProcessMemory.Image, words: Data)] = []
        func look(_ tracee: Tracee, _ words: [String], expecting code: Int32 = 0) throws {
            let command = words.joined(separator: " ")
            try #require(try tracee.next() == .ending, "\(command)")
            let given = try ["cmdline", "environ"].map { try authctl.bytes("/proc/\(tracee.pid)/\($0)") }
            images.append((command, try ProcessMemory.Image(of: tracee.pid), given[0] + given[1]))
            #expect(try tracee.next() == .ended(.exited(code)), "\(command)")
        }
        // It waits for somebody, so that it is still there to be looked at.
        func login(_ words: String..., act: (TerminalRun) throws -> Void) throws {
            let run = try authctl.onTerminal(["login"] + words, environment: environment)
            let tracee = try Tracee(run.pty)
            try act(run)
            try look(tracee, ["login"] + words)
        }
        func run(_ words: String..., expecting code: Int32 = 0) throws {
            try look(Tracee(authctl.spec(words, environment)), words, expecting: code)
        }
        try login("notes", "--no-browser") { try consent.paste(into: $0) }
        try login("desk", "--no-browser") { run in
            try run.answer("desk: ", ConsentSecrets.clientSecret + "\r")
            _ = try consent.person.consent(at: consent.url(on: run))
        }
        try login("tv", "--device") { run in
            _ = try consent.person.consent(at: consent.url(on: run, "user_code="))
        }
        try run("whoami", "desk")
        try run("token", "desk")
        try run("token", "desk", "--min-ttl", "100000", expecting: 1)
        try run("request", "-P", "desk", "/me")
        for profile in ["notes", "desk", "tv"] { try run("logout", profile) }
        let sweep = try consent.sweep(withState: true), control = try LeakSweep(secrets: [authctl.folder])
        for (command, image, given) in images {
            #expect(!given.isEmpty && sweep.hits(in: given, place: command).isEmpty)
            #expect(!image.hits(control).isEmpty, "\(command)")
            for hit in image.hits(sweep) { Issue.record("M3: after '\(command)' \(hit)") }
        }
        print("M3 consent: \(images.count) runs, \(sweep.forms) forms")
    }
}
