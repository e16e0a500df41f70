import Foundation
@testable import LoginTestSupport
import Testing

/// Threat M3: what root finds in the memory of the binary at the end of a run, when everything that it knew was used.
@Suite(.onOwnThreads, .enabled(if: getuid() == 0, "only root can look into a hardened process"))
struct `At its end the memory of authctl` {
    static let (user, password, wrong) = ("ann", "correct horse", "wrong battery staple")

    let outside: TemporaryHome
    let demo: DemoBackendProcess

    init() throws {
        outside = try TemporaryHome()
        demo = try DemoBackendProcess()
    }

    /// A run that was held at its end.
    private struct Look {
        let command: String
        let image: ProcessMemory.Image
    }

    private func run(
        _ authctl: Installation, _ arguments: [String], input: String = "", _ environment: [String: String],
        expecting code: Int32 = 0
    ) throws -> Look {
        let tracee = try Tracee(authctl.spec(arguments, environment), input: Array(input.utf8))
        return try look(tracee, arguments.joined(separator: " "), expecting: code)
    }

    private func look(_ tracee: Tracee, _ command: String, expecting code: Int32 = 0) throws -> Look {
        let stop = try tracee.next()
        try #require(stop == .ending, "\(command)")
        let look = Look(command: command, image: try ProcessMemory.Image(of: tracee.pid))
        #expect(try tracee.next() == .ended(.exited(code)), "\(command)")
        return look
    }

    /// What header lines prove the session with.
    private func proofs(in headers: String) -> [String] {
        let values = headers.split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1).last ?? "" }
        return values.flatMap { $0.split { " ;".contains($0) } }.map { word in
            let value = word.split(separator: "=", maxSplits: 1).last ?? word
            return String(value.count >= 12 ? value : word)
        }.filter { $0.count >= 12 }
    }

    private func expectClean(_ looks: [Look], _ sweep: LeakSweep, _ what: String, home: String) throws {
        let control = try LeakSweep(secrets: [home])
        var hits = 0
        for look in looks {
            // Something must be found where something was left, or nothing proves nothing.
            #expect(!look.image.hits(control).isEmpty, "\(what): \(look.command)")
            for hit in look.image.hits(sweep) {
                Issue.record("M3: \(what): after '\(look.command)' \(hit)")
                hits += 1
            }
        }
        let (places, bytes) = looks.reduce((0, 0)) { ($0.0 + $1.image.places, $0.1 + $1.image.bytes) }
        print(
            "M3 \(what): \(looks.count) runs, \(sweep.forms) forms, \(places) places of \(bytes >> 20) MiB: \(hits) hits"
        )
    }

    /// Every method, in one store, and every store.
    static let cases: [(StoreOnTest, String)] =
        ["wire", "screencast", "chat", "blog", "admin", "index"].map { (.keyFile, $0) }
        + [StoreOnTest.plaintext, .keyring, .passphrase].flatMap { store in ["wire", "chat"].map { (store, $0) } }

    @Test(arguments: Thoroughness.sample(cases, 5))
    func `at its end the memory of authctl holds nothing after a refused login, a login, a look, a token and a logout`(
        store: StoreOnTest, profile: String
    ) throws {
        let authctl = try Installation(demo, store: store.name)
        let environment = try store.setUp(authctl, outside: outside)
        let login = ["login", profile, "-u", Self.user, "--password-stdin"]
        var looks = [
            try run(authctl, login, input: Self.wrong, environment, expecting: 3),
            try run(authctl, login, input: Self.password + "\n", environment),
        ]
        let header = try authctl.run("token", profile, "--header", environment: environment)
        #expect(header.code == 0, "\(header.error)")
        looks.append(try run(authctl, ["whoami", profile], environment))
        looks.append(try run(authctl, ["status", profile, "--json"], environment))
        looks.append(try run(authctl, ["token", profile, "--header"], environment))
        if ["screencast", "chat", "index"].contains(profile) {
            looks.append(try run(authctl, ["token", profile, "--verify"], environment))
        }
        looks.append(try run(authctl, ["token", profile, "--header", "--json"], environment))
        let kept = store == .plaintext ? try authctl.keptSecrets().flatMap(Witness.proofs) : []
        let keys = try store.keys(authctl)
        looks.append(try run(authctl, ["logout", profile], environment))
        let sweep = try LeakSweep(
            secrets: proofs(in: header.output) + kept + [StoreOnTest.secret, Self.wrong],
            pairs: [(Self.user, Self.password), (Self.user, Self.wrong)], keys: keys)
        try expectClean(looks, sweep, "\(profile), \(store.rawValue)", home: authctl.folder)
    }

    @Test func `at its end the memory of authctl holds nothing however the password was given`() throws {
        let authctl = try Installation(demo)
        let file = try outside.write(Self.password + "\n", to: "password")
        let named = ["AUTHCTL_PROFILE": "wire", "AUTHCTL_USERNAME": Self.user]
        let looks = [
            try run(
                authctl, ["login", "wire", "--force"], named.merging(["AUTHCTL_PASSWORD": Self.password]) { $1 }),
            try run(authctl, ["login", "wire", "-u", Self.user, "--force", "--password-file", file], [:]),
            try run(
                authctl, ["login", "wire", "-u", Self.user, "--force", "--password-command", "cat \(file)"], [:]),
        ]
        try expectClean(
            looks, try LeakSweep(secrets: [], pairs: [(Self.user, Self.password)]), "given", home: authctl.folder)
    }

    @Test func `at its end the memory of authctl holds nothing of a second factor's code`() throws {
        let authctl = try Installation(config: demo.vaultProfile(login: DemoBackendProcess.vaultWantsCode))
        let (wrong, given, piped, typed) = ("771829", "907214", "335518", "248163")
        let named = ["AUTHCTL_PROFILE": "vault", "AUTHCTL_PASSWORD": Self.password]
        let login = ["login", "vault", "-u", Self.user, "--force"]
        var looks = [
            try run(authctl, login, named.merging(["AUTHCTL_OTP": wrong]) { $1 }, expecting: 9),
            try run(authctl, login, named.merging(["AUTHCTL_OTP": given]) { $1 }),
            try run(authctl, login + ["--otp-stdin"], input: piped + "\n", named),
        ]
        let terminal = try authctl.onTerminal(login)
        try terminal.answer("Password for ann: ", Self.password + "\r").pty.wait(for: "Code: ")
        let tracee = try Tracee(terminal.pty)
        terminal.pty.type(typed + "\r")
        looks.append(try look(tracee, "a code on a terminal"))
        let kept = try authctl.keptSecrets().flatMap(Witness.proofs)
        let sweep = try LeakSweep(
            secrets: [wrong, given, piped, typed] + kept, pairs: [(Self.user, Self.password)])
        try expectClean(looks, sweep, "a second factor", home: authctl.folder)
    }

    @Test func `at its end the memory of authctl holds nothing of what was typed on a terminal`() throws {
        let authctl = try Installation(demo, store: "file")
        _ = try StoreOnTest.passphrase.setUp(authctl, outside: outside)
        let typed = try authctl.onTerminal("login", "wire")
        try typed.answer("Passphrase", StoreOnTest.secret + "\r")
        try typed.answer("User name: ", Self.user + "\r").answer("Password: ", Self.wrong + "\r")
        try typed.pty.wait(for: "Password for ann (leave empty to change the name): ")
        let tracee = try Tracee(typed.pty)
        typed.pty.type(Self.password + "\r")
        let looks = [try look(tracee, "login on a terminal")]
        let sweep = try LeakSweep(
            secrets: [StoreOnTest.secret], pairs: [(Self.user, Self.password), (Self.user, Self.wrong)],
            keys: StoreOnTest.passphrase.keys(authctl))
        try expectClean(looks, sweep, "typed", home: authctl.folder)
    }

    @Test(RealServer.require("lighttpd"), RealServer.require("openssl"))
    func `at its end the memory of authctl holds nothing after Digest`() throws {
        let lighttpd = try LighttpdDigest(accounts: [(Self.user, Self.password)])
        defer { lighttpd.stop() }
        let authctl = try Installation()
        for function in LighttpdDigest.algorithms.keys.sorted() {
            let login = ["login", lighttpd.whoami(function), "-u", Self.user, "--password-stdin", "--force"]
            let looks = [
                try run(authctl, login, input: Self.wrong, [:], expecting: 3),
                try run(authctl, login, input: Self.password, [:]),
                try run(authctl, ["whoami"], [:]),
            ]
            let text = "\(Self.user):\(LighttpdDigest.realm):\(Self.password)"
            let hash = try Command.tool("openssl", ["dgst", "-\(function)", "-r"], input: Array(text.utf8)).output
            let sweep = try LeakSweep(
                secrets: [text, String(hash.prefix { $0 != " " })],
                pairs: [(Self.user, Self.password), (Self.user, Self.wrong)])
            try expectClean(looks, sweep, "Digest with \(function)", home: authctl.folder)
        }
    }

    @Test(RealServer.require("python3"), RealServer.require("openssl"))
    func `at its end the memory of authctl holds nothing after Basic, a token and a logout through TLS`() throws {
        let front = try TLSFront(to: demo.port)
        defer { front.stop() }
        let config = try demo.profiles().replacing(demo.origin, with: "https://127.0.0.1:\(front.port)")
        let authctl = try Installation(config: config)
        for profile in ["wire", "chat"] {
            let login = ["login", profile, "-u", Self.user, "--password-stdin"]
            let trusting = ["AUTHCTL_CA_FILE": front.certificate]
            var looks = [
                try run(authctl, login, input: Self.wrong, trusting, expecting: 3),
                try run(authctl, login, input: Self.password, trusting),
            ]
            let kept = try authctl.keptSecrets().flatMap(Witness.proofs)
            looks.append(try run(authctl, ["whoami", profile], trusting))
            looks.append(try run(authctl, ["logout", profile], trusting))
            let sweep = try LeakSweep(
                secrets: kept, pairs: [(Self.user, Self.password), (Self.user, Self.wrong)])
            try expectClean(looks, sweep, "\(profile) through TLS", home: authctl.folder)
        }
    }
}
