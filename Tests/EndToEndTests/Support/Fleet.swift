import Foundation
@testable import LoginTestSupport
import Testing

/// An engine that machines share logins on: the real thing.
enum FleetEngine: CustomTestStringConvertible {
    /// The example among the store helpers, with `Fleet.fault` in front of it.
    case folder
    case etcd(EtcdCluster)
    case postgresql(PostgreSQLServer)

    var store: String {
        switch self {
        case .folder: "shared:faulty"
        case .etcd: "shared:etcd"
        case .postgresql: "shared:postgresql"
        }
    }

    var testDescription: String { store }
}

/// Three machines that share the logins of a demo server, each of them a home of its own.
final class Fleet {
    let machines: [Installation]
    let store: String
    private let home: TemporaryHome
    private let demo: DemoBackendProcess
    private let environment: [String: String]

    /// - Parameter top: more for the beginning of `config.toml`.
    init(_ engine: FleetEngine, _ demo: DemoBackendProcess, top: String = "") throws {
        home = try TemporaryHome()
        (self.demo, store) = (demo, engine.store)
        let key = try home.write(String((0..<64).map { _ in "abcdef0123456789".randomElement() ?? "a" }), to: "key")
        var more: [String: String] = [:]
        if case .postgresql(let server) = engine { more = server.environment }
        // So short that a test can wait for the end of a lock, which is half as long again, or 22 seconds.
        let chat = try demo.profiles().replacing(
            "url     = \"http://127.0.0.1:\(demo.port)/_matrix",
            with: "timeout = 10\nurl     = \"http://127.0.0.1:\(demo.port)/_matrix")
        machines = try (0..<3).map { number in
            var etcd = ""
            if case .etcd(let cluster) = engine { etcd = cluster.profile(ofNode: number) }
            let beginning = "shared-key-file = \"\(key)\"\nshared-profile = \"etcd\"\n\(top)\n"
            return try Installation(config: beginning + chat + etcd, store: engine.store)
        }
        try home.write(Self.fault, to: "bin/authctl-store-faulty", mode: 0o700)
        for name in ["counts", "engine"] {
            try FileManager.default.createDirectory(atPath: "\(home.path)/\(name)", withIntermediateDirectories: true)
        }
        environment = more.merging([
            "PATH": "\(home.path)/bin:\(Repository.path)/Examples/store-helpers:/usr/bin:/bin",
            "AUTHCTL_SHARED_FOLDER": "\(home.path)/engine", "FLEET_COUNTS": "\(home.path)/counts",
        ]) { $1 }
        if case .etcd = engine {
            for machine in machines { try machine.logIn("etcd", "fleet", EtcdCluster.password) }
        }
    }

    /// Kills or stops authctl before or after one of its requests, or fails itself, as FLEET_FAULT says: `put 1 after kill`.
    private static let fault = """
        #!/bin/bash
        count=$(($(cat "$FLEET_COUNTS/$1" 2>/dev/null || echo 0) + 1))
        echo $count >"$FLEET_COUNTS/$1"
        act() { # act before|after
            case ${FLEET_FAULT:-} in
            "$1 kill") kill -9 $PPID; exit 1 ;;
            "$1 stop") kill -STOP $PPID ;;
            "$1 fail") exit 1 ;;
            esac
        }
        act "$1 $count before"
        answer=$(authctl-store-folder "$1") || exit
        act "$1 $count after"
        printf '%s\\n' "$answer"
        """

    /// What authctl is started with; requests are counted from here on.
    func spec(_ machine: Int, _ arguments: [String], fault: String = "") throws -> ChildSpec {
        for name in ["get", "put"] { try? FileManager.default.removeItem(atPath: "\(home.path)/counts/\(name)") }
        let more = environment.merging(["FLEET_FAULT": fault]) { $1 }
        return machines[machine].spec(arguments, more)
    }

    /// - Parameter machine: from 0.
    func run(_ machine: Int, _ arguments: String..., fault: String = "", input: String = "") throws -> CommandResult {
        try Command.run(try spec(machine, arguments, fault: fault), input: Array(input.utf8), within: 120)
    }

    /// The requests of the last run to the engine.
    func requests(_ verb: String) -> Int {
        let text = try? String(contentsOfFile: "\(home.path)/counts/\(verb)", encoding: .utf8)
        return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
    }

    /// An hour from now.
    func runLater(_ machine: Int, _ arguments: String...) throws -> CommandResult {
        try Command.run(try at("+1h", machine, arguments))
    }

    private func at(_ time: String, _ machine: Int, _ arguments: [String]) throws -> ChildSpec {
        var spec = try spec(machine, [])
        spec.path = try #require(RealServer.path(of: "faketime"))
        spec.arguments = ["-f", time, machines[machine].program] + arguments
        return spec
    }

    /// Logs in to `chat` an hour ago: here the token is past its end, at the server it is not.
    func logInAnHourAgo(_ machine: Int = 0) throws {
        let login = ["login", "chat", "-u", "ann", "--password-stdin", "--force"]
        let result = try Command.run(try at("-1h", machine, login), input: Array("correct horse".utf8))
        guard result.code == 0 else { throw Unexpected(result: result) }
    }

    /// The answers of the server to refreshes, so far.
    func refreshes() throws -> [Int] {
        try demo.requests().filter { $0.path.hasSuffix("/refresh") }.map(\.status)
    }
}
