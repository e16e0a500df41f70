import Foundation
@testable import LoginTestSupport
import Testing

/// Machines that share logins in a folder, by a helper that can be made to fail at any step.
@Suite(.onOwnThreads, .serialized, RealServer.require("faketime"), RealServer.require("jq"))
struct `A login that machines share` {
    let demo: DemoBackendProcess
    let fleet: Fleet

    init() throws {
        demo = try DemoBackendProcess()
        fleet = try Fleet(.folder, demo)
    }

    private func token(_ machine: Int, fault: String = "") throws -> CommandResult {
        try fleet.run(machine, "token", "chat", fault: fault)
    }

    @Test func `is there on a machine that never logged in, and a logout ends it for all`() throws {
        let login = try fleet.run(0, "login", "chat", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(login.code == 0, "\(login.error)")
        let name = try fleet.run(1, "whoami", "chat")
        #expect(name.output == "@ann:demo.invalid\n", "\(name.error)")
        let status = try fleet.run(2, "status", "chat", "--json")
        #expect(status.output.contains("\"machine\"") && status.output.contains("shared:faulty"), "\(status.output)")
        #expect(try fleet.run(2, "logout", "chat").code == 0)
        for machine in 0..<2 { #expect(try token(machine).code == 4) }
    }

    @Test func `asks the engine once for a valid token or a status, and not again in the time of the cache`() throws {
        let login = try fleet.run(0, "login", "chat", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(login.code == 0, "\(login.error)")
        #expect(try token(0).code == 0)
        #expect(fleet.requests("get") == 1 && fleet.requests("put") == 0)
        let status = try fleet.run(0, "status", "chat", "--json")
        #expect(status.output.contains("\"renews\" : true"), "\(status.output)")
        #expect(fleet.requests("get") == 1 && fleet.requests("put") == 0)
        let cached = try Fleet(.folder, demo, top: "shared-cache = 30")
        _ = try cached.run(0, "login", "chat", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(try cached.run(0, "token", "chat").code == 0)
        #expect(cached.requests("get") == 0)
    }

    @Test(arguments: [Int64.max, .min, -1])
    func `a shared login whose numbers here nobody can have counted to is 8, and no end by a signal`(number: Int64)
        throws
    {
        let fleet = try Fleet(.folder, demo, top: "shared-cache = 30")
        let login = try fleet.run(0, "login", "chat", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(login.code == 0, "\(login.error)")
        let folder = fleet.machines[0].state + "/shared/"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
        let whole = try names.map { try String(contentsOfFile: folder + $0, encoding: .utf8) }
        for member in ["mark", "sequence", "milliseconds"] {
            let pattern = try Regex("\"\(member)\" ?: ?[0-9]+")
            let changed = whole.map { $0.replacing(pattern, with: "\"\(member)\":\(number)") }
            #expect(changed != whole, "\(member) is not in \(whole)")
            for (name, text) in zip(names, changed) {
                try Data(text.utf8).write(to: URL(fileURLWithPath: folder + name))
            }
            for command in [["whoami", "chat"], ["status", "chat", "--offline"], ["token", "chat"]] {
                let result = try Command.run(try fleet.spec(0, command))
                #expect(result.code == 8, "\(member) \(command): \(result.ending) \(result.error)")
            }
        }
    }

    @Test func `ends by a logout on a machine that never used it, and not by --offline`() throws {
        let login = try fleet.run(0, "login", "chat", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(login.code == 0, "\(login.error)")
        #expect(try fleet.run(1, "whoami", "chat", "--offline").code == 4)
        #expect(fleet.requests("get") == 0)
        #expect(try fleet.run(0, "status", "chat", "--offline").code == 0)
        #expect(fleet.requests("get") == 0)
        for option in ["--local", "--all"] {
            #expect(try fleet.run(1, "logout", "chat", option).code == 0)
            #expect(try token(0).code == 0)
        }
        let logout = try fleet.run(1, "logout", "chat")
        #expect(logout.code == 0 && logout.error.contains("in 'shared:faulty', for all machines"), "\(logout.error)")
        #expect(try token(0).code == 4)
        let second = try fleet.run(0, "logout", "chat")
        #expect(second.code == 0 && !second.error.contains("stays valid"), "\(second.error)")
    }

    @Test func `a second logout ends nobody else's`() throws {
        for (machine, name, password) in [(1, "bob", #"pä:ss%wörd&+"\ünïcode"#), (0, "ann", "correct horse")] {
            let login = try fleet.run(
                machine, "login", "blog", "-u", name, "--password-stdin", input: password)
            #expect(login.code == 0, "\(login.error)")
        }
        for _ in 1...2 { #expect(try fleet.run(1, "logout", "blog").code == 0) }
        #expect(try fleet.run(0, "whoami", "blog").output == "ann\n")
        #expect(try fleet.run(1, "logout", "blog", "-u", "ann").code == 0)
        #expect(try fleet.run(0, "whoami", "blog").code == 4)
    }

    @Test func `is told of once, with every profile that it concerns, if its program is not there`() throws {
        func run(_ arguments: String...) throws -> CommandResult {
            try Command.run(fleet.machines[0].spec(arguments, ["PATH": "/usr/bin:/bin"]))
        }
        let problem = "the store 'shared:faulty' cannot be used: authctl-store-faulty was not found in PATH"
        let status = try run("status")
        #expect(status.code == 8)
        let lines = status.error.split(separator: "\n").filter { $0.contains(problem) }
        #expect(lines.count == 1 && lines[0].hasPrefix("authctl: blog, admin, chat, "), "\(status.error)")
        let list = try run("store", "list").output.split(separator: "\n").filter { $0.hasPrefix("shared:") }
        #expect(list.contains { $0.hasPrefix("shared:faulty") && $0.contains(problem) }, "\(list)")
        #expect(list.contains { $0.hasPrefix("shared:etcd") && $0.contains("yes") }, "\(list)")
    }

    @Test func `is carried into the shared store and out of it`() throws {
        try fleet.machines[0].logIn("chat", "ann", "correct horse", "--store", "plaintext")
        let moved = try fleet.run(0, "store", "move", "plaintext", fleet.store)
        #expect(moved.code == 0, "\(moved.error)")
        #expect(try token(1).code == 0)
        let back = try fleet.run(0, "store", "move", fleet.store, "plaintext")
        #expect(back.code == 0, "\(back.error)")
        #expect(try token(1).code == 4)
        #expect(try token(0).code == 0)
    }

    @Test(arguments: ["", "nobody", "engine"])
    func `no login of the engine, or one that is shared itself, is a mistake in the configuration`(name: String) throws
    {
        let home = try TemporaryHome()
        let key = try home.write(String(repeating: "0123456789abcdef", count: 4), to: "key")
        let top = name.isEmpty ? "" : "shared-profile = \"\(name)\"\n"
        let profiles = ["blog", "engine"].map {
            """
            [profiles.\($0)]
            url = "http://127.0.0.1:\(demo.port)"
            store = "shared:etcd"
            verify = { get = "/account/verify_credentials.json" }

            """
        }
        let installation = try Installation(
            config: "shared-key-file = \"\(key)\"\n" + top + profiles.joined(), store: nil)
        let result = try installation.run("whoami", "blog")
        #expect(result.code == 2, "\(result.error)")
        #expect(result.error.contains(name.isEmpty ? "shared-profile = \"NAME\"" : name), "\(result.error)")
    }

    /// Where the machine that refreshes dies before the provider was asked.
    @Test(arguments: ["get 1 before", "get 3 after", "put 1 before", "put 1 after", "get 4 after"])
    func `a machine that dies before the provider was asked costs the others no more than its lock`(
        moment: String
    ) throws {
        try fleet.logInAnHourAgo()
        #expect(try token(0, fault: "\(moment) kill").ending == .signalled(SIGKILL))
        let other = try token(1)
        #expect(other.code == 0, "\(other.error)")
        #expect(try token(0).output == other.output)
        #expect(try fleet.refreshes() == [200])
    }

    @Test(arguments: ["put 2 before", "put 2 after", "get 5 before"])
    func `a machine that dies with the answer in its journal brings it when it comes back`(moment: String) throws {
        try fleet.logInAnHourAgo()
        #expect(try token(0, fault: "\(moment) kill").ending == .signalled(SIGKILL))
        let own = try token(0)
        #expect(own.code == 0, "\(own.error)")
        #expect(try token(1).output == own.output)
        #expect(try fleet.refreshes() == [200])
    }

    @Test func `a refresh that a gateway answers on one machine ends the login on none`() throws {
        try fleet.logInAnHourAgo()
        try demo.order(.init(path: "/_matrix/client/v3/refresh", status: 403, body: "<html>"))
        let first = try token(0)
        #expect(first.code == 4 && first.error.contains("nothing was erased"), "\(first.error)")
        let second = try token(1)
        #expect(second.code == 0, "\(second.error)")
        #expect(try token(0).output == second.output)
        #expect(try fleet.refreshes() == [403, 200])
    }

    @Test func `an engine that fails once while the refreshed session is put costs nothing`() throws {
        try fleet.logInAnHourAgo()
        let own = try token(0, fault: "put 2 before fail")
        #expect(own.code == 0 && own.output.hasPrefix("access-"), "\(own.error)")
        #expect(try token(0).output == own.output)
        #expect(try token(1).output == own.output)
        #expect(try fleet.refreshes() == [200])
    }

    @Test func `a machine that dies while the provider answers has lost the login, and all are told which one`() throws
    {
        try fleet.logInAnHourAgo()
        try demo.order(.init(path: "/_matrix/client/v3/refresh", delay: 8))
        let pty = try Pty(try fleet.spec(0, ["token", "chat"]))
        #expect(eventually(within: 30) { (try? fleet.refreshes().isEmpty) == false })
        pty.child.send(signal: SIGKILL)
        _ = try pty.waitForEnd()
        for machine in [1, 2, 0] {
            let result = try token(machine)
            #expect(result.code == 4, "\(result.error)")
            #expect(result.error.contains("began to refresh this login and did not end it"), "\(result.error)")
        }
        // One more was tried, and no third.
        #expect(try fleet.refreshes() == [200, 401])
        let login = try fleet.run(2, "login", "chat", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(login.code == 0, "\(login.error)")
        let outputs = try (0..<3).map { try token($0).output }
        #expect(Set(outputs).count == 1 && outputs[0].hasPrefix("access-"))
    }

    @Test func `a machine that was stopped for longer than its lock takes what another has got meanwhile`() throws {
        try fleet.logInAnHourAgo()
        let stopped = try Pty(try fleet.spec(0, ["token", "chat"], fault: "put 1 after stop"))
        #expect(eventually { fleet.requests("put") == 1 } && stopped.child.isStopped())
        let other = try token(1)
        #expect(other.code == 0, "\(other.error)")
        stopped.child.send(signal: SIGCONT)
        #expect(try stopped.waitForEnd() == .exited(0), "\(stopped.text)")
        #expect(stopped.text.contains(other.output.trimmingCharacters(in: .newlines)))
        #expect(try fleet.refreshes() == [200])
    }
}

/// The same on what people run.
@Suite(.onOwnThreads, .serialized, PresetServer.required, RealServer.require("faketime"))
struct `A login that machines share by a real engine` {
    let demo: DemoBackendProcess

    init() throws { demo = try DemoBackendProcess() }

    /// As many on each of the three.
    private func tokens(_ fleet: Fleet, _ count: Int) throws -> [CommandResult] {
        try Crowd.run(try (0..<(3 * count)).map { try fleet.spec($0 % 3, ["token", "chat"]) })
    }

    private func tryRounds(_ fleet: Fleet, _ rounds: Int, _ count: Int) throws {
        for round in 1...rounds {
            try fleet.logInAnHourAgo()
            let before = try fleet.refreshes().count
            let results = try tokens(fleet, count)
            for result in results { #expect(result.code == 0, "round \(round): \(result.error)") }
            #expect(Set(results.map(\.output)).count == 1)
            #expect(try fleet.refreshes().dropFirst(before) == [200])
        }
    }

    @Test func `a token of etcd from before a backup was restored is replaced, though etcd does not refuse it`() throws
    {
        let cluster = try EtcdCluster(), fleet = try Fleet(.etcd(cluster), demo)
        defer { withExtendedLifetime(cluster) {} }
        let result = try fleet.run(0, "login", "chat", "-u", "ann", "--password-stdin", input: "correct horse")
        #expect(result.code == 0, "\(result.error)")
        // Such a token ends with the moment at which it was made, and etcd waits for that.
        let token = try fleet.run(0, "token", "etcd").output.trimmingCharacters(in: .newlines)
        let later = token.split(separator: ".")[0] + ".99999999"
        let path = fleet.machines[0].plaintext, file = try String(contentsOfFile: path, encoding: .utf8)
        let part = try #require(file.firstMatch(of: /"secret":"([^"]*)"/)).output.1
        let login = String(decoding: try #require(Data(base64Encoded: String(part))), as: UTF8.self)
        let other = login.replacing(
            Data(token.utf8).base64EncodedString(), with: Data(later.utf8).base64EncodedString())
        #expect(other != login)
        try file.replacing(part, with: Data(other.utf8).base64EncodedString())
            .write(toFile: path, atomically: false, encoding: .utf8)
        let first = try fleet.run(0, "token", "chat")
        #expect(first.code == 0 && first.error.isEmpty, "\(first.error)")
        #expect(try !fleet.run(0, "token", "etcd").output.hasPrefix(later))
    }

    @Test func `sixty processes on three machines with etcd refresh it once in each round, whichever node is gone`()
        throws
    {
        let cluster = try EtcdCluster(), fleet = try Fleet(.etcd(cluster), demo)
        try tryRounds(fleet, 2, 20)
        let ranges = try cluster.requests(ofNode: 0, "Range"), puts = try cluster.requests(ofNode: 0, "Txn")
        let token = try fleet.run(0, "token", "chat").output
        #expect(try cluster.requests(ofNode: 0, "Range") == ranges + 1)
        #expect(try cluster.requests(ofNode: 0, "Txn") == puts)
        // What an attacker reads who has its disks.
        let content = try cluster.content()
        #expect(content.contains("authctl/"))
        for clear in [token.trimmingCharacters(in: .newlines), "refresh-", "\"ann\"", "chat", ":\(demo.port)"] {
            #expect(!content.contains(clear), "\(clear)")
        }
        let leader = try cluster.leader()
        try cluster.kill(node: leader)
        // Its machine uses what it has read, and says so; the others go on.
        let cut = try fleet.run(leader, "token", "chat")
        #expect(cut.code == 0 && cut.output == token, "\(cut.error)")
        #expect(cut.error.contains("the engine of the store 'shared:etcd' cannot be reached"), "\(cut.error)")
        let others = (0..<3).filter { $0 != leader }
        // A new leader is there within seconds.
        var left = 30
        while left > 0, try fleet.run(others[0], "token", "chat").error.contains("cannot be reached") {
            left -= 1
            sleep(1)
        }
        try fleet.logInAnHourAgo(others[0])
        #expect(try fleet.run(others[1], "token", "chat").code == 0)
        #expect(try fleet.run(others[0], "token", "chat").output == fleet.run(others[1], "token", "chat").output)
        // Past its end there is nothing left to use.
        let later = try fleet.runLater(leader, "token", "chat")
        #expect(later.code == 6, "\(later.error)")
    }

    @Test func `twelve processes on three machines with PostgreSQL refresh it once in each round`() throws {
        let server = try PostgreSQLServer(), fleet = try Fleet(.postgresql(server), demo)
        let test = try fleet.run(0, "store", "test", fleet.store)
        #expect(test.code == 0, "\(test.error)")
        // Each request is a shell, jq and psql: sixty processes need minutes of two busy cores.
        try tryRounds(fleet, 2, 4)
        withExtendedLifetime(server) {}
    }
}
