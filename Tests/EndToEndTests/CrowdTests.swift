import Foundation
@testable import LoginTestSupport
import Testing

/// Many processes at once: every one ends, nothing is lost, and nobody sees what is another's.
@Suite(.onOwnThreads, .serialized) struct `Many processes at once` {
    private static let passwords = ["ann": "correct horse", "bob": "pä:ss%wörd&+\"\\ünïcode"]
    private static let names = ["ann": ["ann", "@ann:demo.invalid"], "bob": ["bob", "@bob:demo.invalid"]]

    let outside: TemporaryHome
    let demo: DemoBackendProcess

    init() throws {
        outside = try TemporaryHome()
        demo = try DemoBackendProcess()
    }

    /// One command of one account, run beside all others.
    private struct Member {
        let user: String
        let method: String
        let arguments: [String]
        let result: CommandResult
    }

    private static func command(_ number: Int, _ profile: String, _ user: String) -> (method: String, words: [String]) {
        switch number % 4 {
        case 0: ("login", ["login", profile, "-u", user, "--password-stdin"])
        case 1: ("whoami", ["whoami", profile, "-u", user])
        case 2:
            number % 8 < 4
                ? ("status", ["status", profile, "-u", user])
                : ("token", ["token", profile, "-u", user, "--header", "--verify"])
        default: ("logout", ["logout", profile, "-u", user])
        }
    }

    private func runAll(
        _ commands: [(user: String, method: String, words: [String])], _ authctl: Installation,
        _ environment: [String: String]
    ) async throws -> [Member] {
        let everything = authctl.environment.merging(environment) { $1 }
        let (program, folder) = (authctl.program, authctl.folder)
        return try await withThrowingTaskGroup(of: Member.self) { group in
            for (user, method, words) in commands {
                let input = Array((Self.passwords[user] ?? "").utf8)
                group.addTask {
                    try await Crowd.onThread {
                        let spec = ChildSpec(program, words, environment: everything, directory: folder)
                        let result = try Command.run(spec, input: method == "login" ? input : [], within: 120)
                        return Member(user: user, method: method, arguments: words, result: result)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// The passphrase is given once, and then held. All four in a full run.
    private static let crowds: [(StoreOnTest, String)] = Thoroughness.choose(
        usual: [(.keyFile, "chat")],
        full: [(.keyring, "chat"), (.keyFile, "chat"), (.keyFile, "wire"), (.passphrase, "chat")])

    @Test(arguments: crowds)
    func `logging in, reading and logging out leave the store whole and mix up nobody`(
        store: StoreOnTest, profile: String
    ) async throws {
        let holding = store == .passphrase ? "passphrase-cache = 600\n" : ""
        let authctl = try Installation(demo, top: holding, store: store.name)
        let opening = try store.setUp(authctl, outside: outside)
        for (user, password) in Self.passwords {
            let first = try authctl.run(
                ["login", profile, "-u", user, "--password-stdin", "--force"], input: password, environment: opening)
            #expect(first.code == 0, "\(first.error)")
        }
        // From here on nobody knows the passphrase.
        let environment: [String: String] = [:]
        try demo.reset()
        let commands = (0..<64).map { ("ann", $0) } + (0..<16).map { ("bob", $0) }
        let members = try await runAll(
            commands.map { user, number in
                let (method, words) = Self.command(number, profile, user)
                return (user, method, words)
            }, authctl, environment)
        #expect(members.count == 80)
        for member in members { expectRight(member) }
        try expectNobodyMixedUp(profile)
        try expectWhole(authctl, profile, environment)
        let codes = Dictionary(grouping: members) { "\($0.method) \($0.result.ending)" }.mapValues(\.count)
        print(
            "64 and 16 at once, \(profile), \(store.rawValue):",
            codes.sorted { $0.key < $1.key }.map { "\($0.value)× \($0.key)" })
    }

    private func expectRight(_ member: Member) {
        // A session that another process ended meanwhile is refused, or is not there any more; and 14 is the bounded wait on
        // a machine that is too slow for so many.
        let codes: Set<Int32> = ["login", "logout"].contains(member.method) ? [0, 14] : [0, 3, 4, 14]
        let what: Comment = "\(member.arguments): \(member.result.ending) \(member.result.error)"
        #expect(codes.contains(member.result.code ?? -1), what)
        let output = member.result.output
        if member.method == "whoami" {
            let name = output.trimmingCharacters(in: .newlines)
            #expect(name.isEmpty || Self.names[member.user]?.contains(name) == true, what)
        }
        let others = Self.passwords.keys.filter { $0 != member.user }
        if member.method != "token" { #expect(others.allSatisfy { !output.contains($0) }, what) }
    }

    /// A name with the password of another is refused by the server, and so is a name with the other's token.
    private func expectNobodyMixedUp(_ profile: String) throws {
        let seen = try demo.requests()
        if profile == "wire" {
            let basic = seen.filter { $0.carried == ["basic"] }
            #expect(basic.count > 16)
            #expect(basic.allSatisfy { $0.status == 200 })
        } else {
            let logins = seen.filter { $0.path.hasSuffix("/login") }
            #expect(logins.count > 10)
            #expect(logins.allSatisfy { $0.status == 200 })
        }
    }

    private func expectWhole(_ authctl: Installation, _ profile: String, _ environment: [String: String]) throws {
        let status = try authctl.run("status", profile, "--json", environment: environment)
        #expect([0, 3, 4].contains(status.code), "\(status.error)")
        for (user, password) in Self.passwords {
            let login = try authctl.run(
                ["login", profile, "-u", user, "--password-stdin", "--force"], input: password,
                environment: environment)
            #expect(login.code == 0, "\(login.error)")
            let name = try authctl.run("whoami", profile, "-u", user, environment: environment)
            #expect(Self.names[user]?.contains(name.output.trimmingCharacters(in: .newlines)) == true)
        }
        #expect(try authctl.run("logout", "--all", environment: environment).code == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: authctl.state)
        #expect(left.allSatisfy { !$0.contains(".new-") }, "\(left)")
    }

    /// All of them, or on a machine that is too slow for so many at once 14, which says: try again.
    private func expectLoggedIn(_ members: [Member], _ authctl: Installation) throws {
        let late = members.filter { $0.result.code == 14 }
        for member in members where member.result.code != 14 {
            #expect(member.result.code == 0, "\(member.result.error)")
        }
        for member in late {
            let again = try authctl.run(member.arguments, input: Self.passwords[member.user] ?? "")
            #expect(again.code == 0, "\(again.error)")
        }
        print("\(members.count) logins at once: \(late.count) had to try again, 0 lost")
    }

    @Test func `50 logins to 50 profiles are all there afterwards`() async throws {
        let names = (1...50).map { "p\($0)" }
        let profiles = names.map {
            """
            [profiles.\($0)]
            url = "\(demo.origin)"
            verify = { get = "/account/verify_credentials.json", username = "/screen_name" }

            """
        }
        let authctl = try Installation(config: profiles.joined(), store: "file")
        _ = try StoreOnTest.keyFile.setUp(authctl, outside: outside)
        let members = try await runAll(
            names.map { ("ann", "login", ["login", $0, "-u", "ann", "--password-stdin"]) }, authctl, [:])
        try expectLoggedIn(members, authctl)
        let rows = try authctl.run("status", "--json", "--offline").json as? [[String: Any]] ?? []
        #expect(rows.filter { $0["state"] as? String == "stored" }.count == 50)
        for name in ["p1", "p25", "p50"] { #expect(try authctl.run("whoami", name).output == "ann\n") }
        #expect(try authctl.run("logout", "--all").code == 0)
    }

    @Test func `50 logins of two accounts to one profile leave both, whole`() async throws {
        let authctl = try Installation(demo)
        let members = try await runAll(
            (0..<50).map { number in
                let user = number % 2 == 0 ? "ann" : "bob"
                return (user, "login", ["login", "blog", "-u", user, "--password-stdin", "--force"])
            }, authctl, [:])
        try expectLoggedIn(members, authctl)
        for user in ["ann", "bob"] {
            #expect(try authctl.run("whoami", "blog", "-u", user).output == "\(user)\n")
        }
        #expect(try authctl.keptSecrets().count == 2)
    }
}
