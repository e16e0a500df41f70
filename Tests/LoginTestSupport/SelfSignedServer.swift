import Foundation

/// An https server on loopback whose certificate nobody knows, for as long as this object lives. Python's `ssl`, so that
/// what is tested does not also do the testing. Every request is answered with 200.
final class SelfSignedServer {
    /// As in `https://127.0.0.1:41234`.
    let origin: String
    /// The file of its certificate, which is its own authority.
    let certificate: String
    private let server: ServerProcess

    /// - Throws: where openssl or python3 are missing, or it does not come up.
    init() throws {
        let server = try ServerProcess()
        let (certificate, key) = (server.folder.path + "/own.pem", server.folder.path + "/own.key")
        let made = try Command.tool(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650"]
                + ["-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1"]
                + ["-addext", "subjectAltName=IP:127.0.0.1"])
        guard made.ending == .exited(0), let python = RealServer.path(of: "python3") else {
            throw ServerProcess.NotStarted(description: "openssl or python3: \(made.error)")
        }
        try server.start(python, ["-u", Repository.testServer("self_signed_server.py"), certificate, key])
        let port = try server.wait(forPortOf: "the TLS server")
        (self.server, self.certificate, origin) = (server, certificate, "https://127.0.0.1:\(port)")
    }

    /// What came through TLS so far.
    func received() throws -> String { server.text("stderr") }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
