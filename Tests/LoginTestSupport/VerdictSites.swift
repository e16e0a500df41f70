import Foundation

/// Services that answer a wrong password in ways of their own, behind a real nginx with TLS: Tests/TestServers/verdict_sites.py has them.
/// `ann` may log in to each; `bob` only to the gateway and to what logs in by a form.
final class VerdictSites {
    static let password = "correct horse", guest = "only a guest"

    /// As in `https://127.0.0.1:41234`.
    let origin: String
    /// The file of its certificate, which is its own authority.
    var certificate: String { server.folder.path + "/own.pem" }
    private let server: ServerProcess

    /// - Throws: where nginx, openssl or python3 are missing, or it does not come up.
    init() throws {
        let server = try ServerProcess(), port = try FreePort.next()
        try server.start(
            "/usr/bin/python3", ["-u", Repository.testServer("verdict_sites.py"), "\(port)", server.folder.path])
        origin = "https://127.0.0.1:\(try server.wait(forPortOf: "the sites"))"
        self.server = server
    }

    /// Lets nginx answer everybody with 403 or 503; `nil` for an end of that.
    func gate(_ status: Int?) throws {
        for other in [403, 503] { try have("gate-\(other)", status == other) }
    }

    /// Whether the services behind Basic answer those whom they know as they answer others.
    func close(_ isClosed: Bool) throws { try have("closed", isClosed) }

    private func have(_ name: String, _ isThere: Bool) throws {
        let file = server.folder.appendingPathComponent(name)
        if isThere { return try Data().write(to: file) }
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}

/// A real Django REST framework that answers 403 to whoever has no login, with the user `ann`.
final class RestServer {
    /// As in `http://127.0.0.1:41234`.
    let origin: String
    private let server: ServerProcess

    /// - Throws: where it is missing or does not come up.
    init(password: String) throws {
        let server = try ServerProcess()
        guard let python = RealServer.python(with: "rest_framework") else {
            throw ServerProcess.NotStarted(description: "no Python has Django REST framework")
        }
        try server.start(python, ["-u", Repository.testServer("rest_server.py"), server.folder.path, password])
        origin = "http://127.0.0.1:\(try server.wait(forPortOf: "Django REST framework"))"
        self.server = server
    }

    /// Logs everybody out, behind the back of whoever has a session.
    func endSessions() throws { try DjangoServer.endSessions(in: server.folder) }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
