import Foundation

/// A Kerberos realm of the test's own, `AUTHCTL.TEST`: MIT's krb5kdc on loopback, for as long as this object lives.
final class KerberosRealm {
    /// What a server proves itself with, for `HTTP/localhost`.
    let keytab: String
    private let server: ServerProcess
    private let port: UInt16
    private let held: HeldPort

    /// Everybody's password is the name, backwards.
    init(users: [String] = ["ann", "bob"]) throws {
        guard let program = RealServer.path(of: "krb5kdc") else {
            throw ServerProcess.NotStarted(description: "krb5kdc is not installed")
        }
        server = try ServerProcess()
        port = try FreePort.next()
        held = try HeldPort(Int(port))
        let folder = server.folder
        keytab = folder.appendingPathComponent("http.keytab").path
        try Data(Self.client(port).utf8).write(to: folder.appendingPathComponent("krb5.conf"))
        try Data(Self.kdc(port, folder.path).utf8).write(to: folder.appendingPathComponent("kdc.conf"))
        try run("kdb5_util", ["create", "-s", "-P", "master", "-r", "AUTHCTL.TEST"])
        let orders =
            users.map { "addprinc -pw \(Self.password($0)) \($0)" } + [
                "addprinc -randkey +ok_as_delegate HTTP/localhost", "ktadd -k \(keytab) HTTP/localhost",
            ]
        try run("kadmin.local", [], input: orders.joined(separator: "\n") + "\n")
        for path in [folder.path, keytab] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        let guardian = "\"$@\" </dev/null & kdc=$!; cat >/dev/null; kill $kdc; wait $kdc"
        let variables = environment.map { "\($0.key)=\($0.value)" }
        try server.start("/bin/sh", ["-c", guardian, "sh", "/usr/bin/env"] + variables + [program, "-n"])
        let server = server
        try server.wait(for: "krb5kdc") { server.text("kdc.log").contains("commencing operation") ? () : nil }
    }

    /// Ends it; afterwards nobody answers on its port, as long as this object lives.
    func stop() { server.stop() }

    static func password(_ user: String) -> String { String(user.reversed()) + "-kdc" }

    /// What a program of this realm runs with; the cache of tickets apart.
    var environment: [String: String] {
        [
            "KRB5_CONFIG": server.folder.appendingPathComponent("krb5.conf").path,
            "KRB5_KDC_PROFILE": server.folder.appendingPathComponent("kdc.conf").path,
        ]
    }

    /// A cache without any ticket, as the environment of a client.
    func withoutTicket() -> [String: String] {
        environment.merging(["KRB5CCNAME": "FILE:\(server.folder.path)/nothing"]) { $1 }
    }

    /// A cache with a user's ticket, which can be forwarded, as the environment of a client.
    /// - Parameter seconds: how long the ticket is good.
    func ticket(for user: String, seconds: Int = 3600) throws -> [String: String] {
        let cache = ["KRB5CCNAME": "FILE:\(server.folder.path)/\(user)-\(UUID().uuidString)"]
        try run(
            "kinit", ["-f", "-l", "\(seconds)s", user], input: Self.password(user) + "\n", environment: cache)
        return environment.merging(cache) { $1 }
    }

    private func run(
        _ program: String, _ arguments: [String], input: String = "", environment more: [String: String] = [:]
    ) throws {
        guard let path = RealServer.path(of: program) else {
            throw ServerProcess.NotStarted(description: "\(program) is not installed")
        }
        let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }.merging(more) { $1 }
        let result = try Command.run(ChildSpec(path, arguments, environment: all), input: Array(input.utf8))
        guard result.ending == .exited(0) else {
            throw ServerProcess.NotStarted(description: "\(program): \(result.error)\(result.output)")
        }
    }

    private static func client(_ port: UInt16) -> String {
        """
        [libdefaults]
            default_realm = AUTHCTL.TEST
            dns_lookup_kdc = false
            dns_lookup_realm = false
            dns_canonicalize_hostname = false
            rdns = false
            udp_preference_limit = 1
        [realms]
            AUTHCTL.TEST = {
                kdc = 127.0.0.1:\(port)
            }
        [domain_realm]
            localhost = AUTHCTL.TEST
            127.0.0.1 = AUTHCTL.TEST

        """
    }

    private static func kdc(_ port: UInt16, _ folder: String) -> String {
        """
        [kdcdefaults]
            kdc_listen = 127.0.0.1:\(port)
            kdc_tcp_listen = 127.0.0.1:\(port)
        [realms]
            AUTHCTL.TEST = {
                database_name = \(folder)/principal
                key_stash_file = \(folder)/stash
                supported_enctypes = aes256-cts:normal
            }
        [logging]
            kdc = FILE:\(folder)/kdc.log

        """
    }
}
