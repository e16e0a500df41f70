import Foundation

/// A real nginx on loopback with one TLS host for each certificate, for as long as this object lives. Every host has a
/// `/whoami.json` behind HTTP Basic, a `/limited.json` that is the same for two requests a minute, a `/to` that redirects
/// there, and an `/open.json` for anyone.
final class NginxServer {
    /// One line of the access log.
    struct Access: Equatable, Sendable {
        let port: Int
        let user: String?
        let path: String
        let status: Int
    }

    private let server: ServerProcess
    private let program: String
    private var hosts: [(port: UInt16, pair: CertificatePair)] = []
    private let held: [HeldPort]
    /// What comes of a request too many.
    private let limitStatus: Int

    /// - Parameter pairs: one for each host.
    /// - Throws: where nginx is missing or does not come up.
    init(_ pairs: [CertificatePair], user: String, password: String, limitStatus: Int = 429) throws {
        guard let program = RealServer.path(of: "nginx") else {
            throw ServerProcess.NotStarted(description: "nginx is not installed")
        }
        self.program = program
        self.limitStatus = limitStatus
        server = try ServerProcess()
        hosts = Array(zip(try FreePort.next(pairs.count), pairs))
        held = try hosts.map { try HeldPort(Int($0.port)) }
        let hash = try Command.tool("openssl", ["passwd", "-apr1", "-stdin"], input: Array(password.utf8)).output
        try Data("\(user):\(hash)".utf8).write(to: server.folder.appendingPathComponent("passwords"))
        try start()
    }

    /// As in `https://127.0.0.1:41234`.
    func origin(_ host: Int = 0) -> String { "https://127.0.0.1:\(hosts[host].port)" }

    /// Starts anew, with another certificate for one host.
    func present(_ pair: CertificatePair, on host: Int = 0) throws {
        server.stop()
        hosts[host].pair = pair
        try start()
    }

    /// Everything that was asked of it by HTTP. nginx writes a line after the answer, so this waits until there are as
    /// many as expected.
    func accesses(expecting count: Int = 0) -> [Access] {
        server.lines(of: "access.log", expecting: count, Self.access)
    }

    /// Ends it; afterwards nobody answers on its ports, as long as this object lives. Happens by itself when it goes.
    func stop() { server.stop() }

    private static func access(_ line: Substring) -> Access? {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count == 4, let port = Int(fields[0]), let status = Int(fields[3]) else { return nil }
        return Access(port: port, user: fields[1] == "-" ? nil : fields[1], path: fields[2], status: status)
    }

    private func start() throws {
        let file = server.folder.appendingPathComponent("nginx.conf")
        try Data(configuration.utf8).write(to: file)
        // nginx does not look at its stdin; a shell does it in its place.
        let guardian = "\"$@\" </dev/null & nginx=$!; cat >/dev/null; kill $nginx; wait $nginx"
        let early = "\(server.folder.path)/early.log"
        try server.start(
            "/bin/sh", ["-c", guardian, "sh", program, "-c", file.path, "-p", server.folder.path, "-e", early])
        let port = hosts.last?.port ?? 0
        try server.wait(for: "nginx") {
            try Command.tool("bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"]).ending == .exited(0) ? () : nil
        }
    }

    private var configuration: String {
        """
        daemon off;
        master_process off;
        pid nginx.pid;
        error_log error.log;
        events { }
        http {
            client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            log_format short "$server_port $remote_user $request_uri $status";
            access_log access.log short;
            limit_req_zone $binary_remote_addr zone=slow:1m rate=1r/m;
        \(hosts.map(host).joined(separator: "\n"))
        }

        """
    }

    private func host(_ port: UInt16, _ pair: CertificatePair) -> String {
        """
            server {
                listen 127.0.0.1:\(port) ssl;
                ssl_certificate \(pair.certificate);
                ssl_certificate_key \(pair.key);
                location = /to { return 302 https://127.0.0.1:\(port)/whoami.json; }
                location = /open.json { default_type application/json; return 200 '{}'; }
                location = /whoami.json {
                    auth_basic "Real nginx";
                    auth_basic_user_file passwords;
                    default_type application/json;
                    try_files /none @whoami;
                }
                location = /limited.json {
                    limit_req zone=slow burst=1 nodelay;
                    limit_req_status \(limitStatus);
                    auth_basic "Real nginx";
                    auth_basic_user_file passwords;
                    default_type application/json;
                    try_files /none @whoami;
                }
                location @whoami {
                    default_type application/json;
                    return 200 '{"user": "$remote_user"}';
                }
            }
        """
    }
}
