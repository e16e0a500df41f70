import Foundation

/// etcd as a cluster of three nodes on loopback, for as long as this object lives; the user `fleet` has the keys of authctl.
final class EtcdCluster {
    static let password = "Correct-Horse-7"

    /// One for each node.
    let ports: [UInt16]
    private let server: ServerProcess

    /// - Throws: where etcd is missing, or does not come up.
    init() throws {
        let ports = try FreePort.next(6)
        self.ports = Array(ports.prefix(3))
        server = try ServerProcess.running(
            "etcd_cluster.sh", password: Self.password, arguments: ports.map { "\($0)" })
    }

    deinit { server.stop() }

    /// The profile that logs in to one node, from 0.
    func profile(ofNode node: Int) -> String {
        """
        [profiles.etcd]
        url = "http://127.0.0.1:\(ports[node])"
        store = "plaintext"
        method = "token"
        keep-password = true
        session = { header = "Authorization: {token}" }
        login = { post = "/v3/auth/authenticate", json = { name = "{username}", password = "{password}" }, token = "/token", refused = [400], message = "/error" }
        verify = { post = "/v3/auth/user/get", json = { name = "{username}" }, logged-out = [401, { "/error" = "etcdserver: user name is empty" }] }

        """
    }

    /// The requests that a node has had since it was started, by the name of the method (`Range`, `Txn`).
    func requests(ofNode node: Int, _ method: String) throws -> Int {
        let metrics = try Curl("http://127.0.0.1:\(ports[node])/metrics").body
        let line = String(decoding: metrics, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("grpc_server_started_total{") && $0.contains("grpc_method=\"\(method)\"")
                && $0.contains("\"etcdserverpb.KV\"")
        }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    /// The node, from 0, that the others follow.
    func leader() throws -> Int {
        for (node, port) in ports.enumerated() {
            let metrics = try? Curl("http://127.0.0.1:\(port)/metrics").body
            if String(decoding: metrics ?? Data(), as: UTF8.self).contains("\netcd_server_is_leader 1") { return node }
        }
        throw POSIXError(.ENOENT)
    }

    /// Ends a node, from 0, at once.
    func kill(node: Int) throws {
        guard let pid = Int32(server.text("server/\(node + 1).pid").trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw POSIXError(.ESRCH) }
        Foundation.kill(pid, SIGKILL)
    }

    /// Every key and value that a node has.
    func content() throws -> String {
        let files = FileManager.default.enumerator(at: server.folder, includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "db" || $0.pathExtension == "wal" }
            .compactMap { FileManager.default.contents(atPath: $0.path) }
            .map { String(decoding: $0, as: UTF8.self) }.joined()
    }
}

/// PostgreSQL at a Unix socket, with the table for shared logins, for as long as this object lives.
final class PostgreSQLServer {
    private let server: ServerProcess

    /// - Throws: where it is missing, or does not come up.
    init() throws { server = try ServerProcess.running("postgresql.sh", password: "", arguments: []) }

    deinit { server.stop() }

    /// Where libpq finds it.
    var environment: [String: String] {
        ["PGHOST": server.folder.appendingPathComponent("server").path, "PGUSER": "fleet", "PGDATABASE": "postgres"]
    }
}

extension ServerProcess {
    /// Runs a script of `Tests/TestServers` in a folder of its own, until it has made the file `ready` there.
    static func running(_ script: String, password: String, arguments: [String]) throws -> ServerProcess {
        let server = try ServerProcess(), folder = server.folder.appendingPathComponent("server").path
        // A server may run as somebody else where the tests are root's.
        for path in [server.folder.path, folder] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        try server.start(
            "/usr/bin/python3",
            [Repository.testServer("preset_runner.py"), password, "1", Repository.testServer(script), folder]
                + arguments)
        do {
            try server.wait(for: script) { FileManager.default.fileExists(atPath: folder + "/ready") ? () : nil }
        } catch {
            throw NotStarted(description: "\(error)\n\(server.text("server/log"))\(server.text("stderr"))")
        }
        return server
    }
}
