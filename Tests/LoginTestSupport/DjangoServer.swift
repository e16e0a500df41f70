import Foundation

/// A real Django with little of ours in it: its stock admin site, its stock login page, a database file, a few users, for as long as
/// this object lives. A refused login answers 200 with the form again.
final class DjangoServer {
    struct User: Sendable {
        let name: String
        let password: String
        let isStaff: Bool
        let codes: [String]

        /// - Parameters:
        ///   - isStaff: whether the admin site lets the user in.
        ///   - codes: of a second factor, each good once; a server of which any user has some asks everybody for one.
        init(_ name: String, _ password: String, isStaff: Bool = true, codes: [String] = []) {
            (self.name, self.password, self.isStaff, self.codes) = (name, password, isStaff, codes)
        }
    }

    /// As in `https://127.0.0.1:41234`.
    let origin: String
    /// With https, the file of its certificate, which is its own authority.
    let certificate: String?
    private let server: ServerProcess

    /// The path of its `LoginView`, which shows its form to everybody, logged in or not, and after three wrong passwords
    /// answers 403 to every one.
    static let loginPage = "/accounts/login/"

    /// - Parameter isSecure: whether it speaks https; Django then checks where a form came from, too.
    /// - Throws: where Django is missing or does not come up.
    init(users: [User], isSecure: Bool) throws {
        let server = try ServerProcess()
        guard let python = RealServer.python(with: "django") else {
            throw ServerProcess.NotStarted(description: "no Python has Django")
        }
        var arguments = [server.folder.path]
        certificate = isSecure ? server.folder.path + "/own.pem" : nil
        if let certificate {
            let key = server.folder.path + "/own.key"
            let made = try Command.tool(
                "openssl",
                ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650"]
                    + ["-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1"]
                    + ["-addext", "subjectAltName=IP:127.0.0.1"])
            guard made.ending == .exited(0) else { throw ServerProcess.NotStarted(description: made.error) }
            arguments += [certificate, key]
        }
        let list = users.map { user in
            [
                "name": user.name, "password": user.password, "staff": user.isStaff ? "yes" : "",
                "codes": user.codes.joined(separator: " "),
            ]
        }
        try JSONEncoder().encode(list).write(to: server.folder.appendingPathComponent("users.json"))
        try server.start(python, ["-u", Repository.testServer("django_server.py")] + arguments)
        let port = try server.wait(forPortOf: "Django")
        (self.server, origin) = (server, "\(isSecure ? "https" : "http")://127.0.0.1:\(port)")
    }

    /// The requests so far, each as `POST /admin/login/ 200`.
    var requests: [String] {
        server.text("stderr").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\"")
            guard parts.count == 3 else { return nil }
            let request = parts[1].split(separator: " "), status = parts[2].split(separator: " ").first ?? ""
            return (request.dropLast() + [status]).joined(separator: " ")
        }
    }

    /// Logs everybody out, behind the back of whoever has a session.
    func endSessions() throws { try Self.endSessions(in: server.folder) }

    /// The same for any Django of django_settings.py.
    static func endSessions(in folder: URL) throws {
        let script =
            "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as db: db.execute('delete from django_session')"
        let ended = try Command.tool("python3", ["-c", script, folder.path + "/db.sqlite3"])
        guard ended.ending == .exited(0) else { throw ServerProcess.NotStarted(description: ended.error) }
    }

    /// The file of its SQLite.
    var database: String { server.folder.path + "/db.sqlite3" }

    /// Everything that it printed, for a sweep.
    var log: String { server.text("stderr") }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
