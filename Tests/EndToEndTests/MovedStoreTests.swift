import Foundation
@testable import LoginTestSupport
import Testing

/// `store move` between all permanent stores, killed on its way: the login is in one place or in both, never in none.
@Suite(
    .onOwnThreads, .serialized, RealServer.require("gnome-keyring-daemon"), RealServer.require("dbus-daemon"),
    RealServer.require("docker-credential-pass"), RealServer.require("pass"), RealServer.require("gpg"))
final class `A move that is killed` {
    enum Place: String, CaseIterable {
        case plaintext, file
        case secretService = "secret-service"
        case helper = "helper:pass"

        /// Runs of other programs take long.
        var kills: Int {
            switch self {
            case .plaintext, .file: 6
            case .secretService: 2
            case .helper: 1
            }
        }
    }

    /// Every direction in a full run, else once from each store and once to each.
    static let directions = Thoroughness.choose(
        usual: [
            (Place.plaintext, Place.file), (.file, .secretService), (.secretService, .helper), (.helper, .plaintext),
        ],
        full: Place.allCases.flatMap { from in Place.allCases.map { (from, $0) } }.filter { $0 != $1 })

    private let demo: DemoBackendProcess
    private let authctl: Installation
    private let keyring: KeyringSession
    private let environment: [String: String]

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo, store: nil)
        keyring = try KeyringSession()
        let own = ["GNUPGHOME": authctl.folder + "/gnupg", "PASSWORD_STORE_DIR": authctl.folder + "/pass"]
        environment = keyring.address.merging(own) { $1 }
        try FileManager.default.createDirectory(
            atPath: authctl.folder + "/gnupg", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
        )
        let key = ["--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "ann@example.invalid"]
        try other("/usr/bin/gpg", key + ["future-default", "default", "never"])
        try other("/usr/bin/pass", ["init", "ann@example.invalid"])
        let secret = try authctl.file("key", String(repeating: "k3y-f1le", count: 8))
        #expect(try authctl.run(["store", "init", "file", "--key-file", secret], environment: environment).code == 0)
    }

    deinit {
        _ = try? other("/usr/bin/gpgconf", ["--kill", "all"])
    }

    private func other(_ program: String, _ arguments: [String]) throws {
        let all = authctl.environment.merging(environment) { $1 }
        let result = try Command.run(ChildSpec(program, arguments, environment: all))
        guard result.code == 0 else { throw Unexpected(result: result) }
    }

    private func run(_ words: String..., input: String = "") throws -> CommandResult {
        try authctl.run(words, input: input, environment: environment)
    }

    private func move(_ from: Place, _ to: Place) throws -> Tracee {
        let words = ["store", "move", from.rawValue, to.rawValue]
        return try Tracee(
            ChildSpec(
                authctl.program, words, environment: authctl.environment.merging(environment) { $1 },
                directory: authctl.folder))
    }

    /// How many stops a whole move has.
    private func length(_ from: Place, _ to: Place) throws -> Int {
        let tracee = try move(from, to)
        var stops = 0
        while let stop = try tracee.next(atCalls: true) {
            if case .ended(let ending) = stop {
                #expect(ending == .exited(0))
                break
            }
            stops += 1
        }
        return stops
    }

    private func kill(_ from: Place, _ to: Place, after number: Int) throws {
        let tracee = try move(from, to)
        for _ in 0..<number {
            guard let stop = try tracee.next(atCalls: true), stop != .ending else { break }
            if case .ended = stop { return }
        }
        Foundation.kill(tracee.pid, SIGKILL)
        while try tracee.next() != nil {}
        try waitForOrphans()
    }

    /// A helper that the killed move had started goes on writing; what it leaves is looked at once it has ended.
    private func waitForOrphans() throws {
        let mark = Data("PASSWORD_STORE_DIR=\(authctl.folder)/pass\0".utf8)
        /// gpg's own daemon stays as long as its folder does.
        func isOrphan(_ pid: String) -> Bool {
            guard let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8),
                !name.hasPrefix("gpg-agent"), !name.hasPrefix("scdaemon"), !name.hasPrefix("keyboxd"),
                let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ")
            else { return false }
            return environment.range(of: mark) != nil
        }
        let ended = try eventually {
            try !FileManager.default.contentsOfDirectory(atPath: "/proc").contains { Int($0) != nil && isOrphan($0) }
        }
        #expect(ended, "what the killed move had started has not ended after a minute")
    }

    @Test(RealServer.require("strace"), arguments: directions)
    func `a move that is killed leaves the login in one place or in both, and the next move ends it`(
        from: Place, to: Place
    ) throws {
        let login = ["login", "wire", "-u", "ann", "--password-stdin", "--force", "--store", from.rawValue]
        func logIn() throws {
            let done = try authctl.run(login, input: "correct horse", environment: environment)
            #expect(done.code == 0, "\(done.error)")
        }
        try logIn()
        let good = try run("token", "wire", "--header").output
        let stops = try length(from, to)
        let kills = min(from.kills, to.kills)
        var lost = 0
        for number in 1...kills {
            try logIn()
            // What comes first is the start of the program; the last part is what moves.
            try kill(from, to, after: stops * 2 / 5 + stops * 3 / 5 * number / (kills + 1))
            let found = try run("token", "wire", "--header")
            if found.code != 0 || found.output != good { lost += 1 }
            let again = try run("store", "move", from.rawValue, to.rawValue)
            #expect(again.code == 0, "\(from) → \(to), killed \(number): \(again.error)")
            #expect(try isEmpty(from), "\(from) → \(to), killed \(number)")
            #expect(try run("token", "wire", "--header").output == good, "\(from) → \(to), killed \(number)")
        }
        #expect(lost == 0, "\(from) → \(to)")
        print(
            "F4 move \(from.rawValue) → \(to.rawValue): killed \(kills) times within \(stops) stops, logins lost \(lost)"
        )
        // Wherever a crash has left a copy, the logout finds it.
        try logIn()
        try kill(from, to, after: stops * 4 / 5)
        let logout = try run("logout", "wire")
        #expect(logout.code == 0, "\(from) → \(to): \(logout.error)")
        for store in [from, to] { #expect(try isEmpty(store), "\(from) → \(to): \(store)") }
    }

    /// Whether the login is gone. What a killed write-read-delete leaves is random, and nobody's.
    private func isEmpty(_ place: Place) throws -> Bool {
        switch place {
        case .plaintext, .file:
            let name = place == .file ? "store.authctl" : "plaintext.json"
            let path = authctl.state + "/" + name
            let entries = try FileManager.default.contentsOfDirectory(atPath: authctl.state)
            // In plain text, what a killed save left beside the file is a copy too.
            if place == .plaintext, entries.contains(where: { $0.hasPrefix(".\(name).new-") }) { return false }
            guard FileManager.default.fileExists(atPath: path) else { return true }
            return try authctl.bytes(path).range(of: Data("wire".utf8)) == nil
        case .secretService:
            let found = try keyring.tool("secret-tool", "search", "--all", "xdg:schema", "authctl.Login")
            return !(found.output + found.error).contains("wire")
        case .helper:
            let list = try Command.run(
                ChildSpec(
                    "/usr/bin/docker-credential-pass", ["list"],
                    environment: authctl.environment.merging(environment) { $1 }))
            return !list.output.contains("wire")
        }
    }
}
