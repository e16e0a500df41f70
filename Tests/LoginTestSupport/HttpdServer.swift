import Foundation

/// A real Apache httpd on loopback, with HTTP Basic by mod_auth_basic and an htpasswd file (bcrypt), for as long as
/// this object lives (see ``DemoBackendProcess``). Its files are in a temporary folder; as root its workers run as www-data.
final class HttpdServer {
    /// One line of its access log.
    struct Access: Equatable, Sendable {
        /// The name in the request, believed or not; nothing where there was none.
        let user: String?
        /// The scheme of the `Authorization` header, as in `Basic`; nothing where there was none.
        let scheme: String?
        let method: String
        let path: String
        let status: Int
    }

    /// As in `http://127.0.0.1:41234`.
    let origin: String
    private let server: ServerProcess
    private let held: HeldPort

    /// The verify endpoint: `{"user": …}` with the name that httpd believed.
    var whoami: String { origin + "/private/whoami.json" }
    /// A page that is open to anyone; requests for it are not among the ``accesses(expecting:)``.
    var open: String { origin + "/open.json" }
    /// The same as ``whoami``, refused by a script (`nph-`) that writes the realm to the connection byte by byte: httpd
    /// itself answers 500 rather than send a control character in a header.
    var rawRealm: String { origin + "/raw/nph-realm" }

    /// - Parameters:
    ///   - realm: the text of the realm, escape sequences included; only a line end is not possible.
    ///   - accounts: who may log in; a name has no colon.
    /// - Throws: where httpd is missing or does not come up.
    init(realm: String = "Real httpd", accounts: [(user: String, password: String)]) throws {
        guard let program = RealServer.path(of: "apache2") else {
            throw ServerProcess.NotStarted(description: "apache2 is not installed")
        }
        server = try ServerProcess()
        let port = try FreePort.next()
        held = try HeldPort(Int(port))
        origin = "http://127.0.0.1:\(port)"
        try HttpdFiles(folder: server.folder, port: port, realm: realm).write(accounts: accounts)
        // httpd does not look at its stdin; a shell does it in its place.
        let guardian = "\"$@\" </dev/null & httpd=$!; cat >/dev/null; kill $httpd; wait $httpd"
        let configuration = server.folder.appendingPathComponent("httpd.conf").path
        try server.start(
            "/bin/sh", ["-c", guardian, "sh", program, "-f", configuration, "-DFOREGROUND"])
        let (server, open) = (server, open)
        try server.wait(for: "httpd") {
            (try? Curl(open).json("server") == server.folder.lastPathComponent) == true ? () : nil
        }
    }

    /// The lines of the access log, the tests for its coming up left out. httpd writes a line after the answer, so this
    /// waits until there are as many as expected.
    func accesses(expecting count: Int = 0) throws -> [Access] {
        server.lines(of: "access.log", expecting: count, Self.access)
    }

    /// Lets the page of ``whoami`` name nobody any more.
    func forgetNames() throws {
        let page = server.folder.appendingPathComponent("pages/private/whoami.json")
        try Data("{\"account\": {}}\n".utf8).write(to: page)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: page.path)
    }

    /// Everything that httpd logged, for a sweep.
    var logs: String {
        server.text("access.log") + server.text("error.log")
    }

    /// Ends it; afterwards nobody answers on its port, as long as this object lives. Happens by itself when it goes.
    func stop() {
        server.stop()
    }

    private static func access(_ line: Substring) -> Access? {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 5, let status = Int(fields[4]), fields[3] != "/open.json" else { return nil }
        return Access(
            user: fields[0] == "-" ? nil : fields[0], scheme: fields[1] == "-" ? nil : fields[1], method: fields[2],
            path: fields[3], status: status)
    }
}
