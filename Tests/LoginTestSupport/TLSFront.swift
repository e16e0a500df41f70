import Foundation

/// https on loopback in front of a plain server: what comes through TLS is handed on byte for byte. Python's `ssl`, so that
/// what is tested does not also do the testing.
final class TLSFront {
    let port: Int
    /// The file of its certificate for 127.0.0.1, localhost and `names`, which is its own authority.
    let certificate: String
    private let server: ServerProcess

    /// - Throws: where openssl or python3 are missing, or it does not come up.
    convenience init(to backend: Int, names: String...) throws { try self.init(to: backend, names: names) }

    init(to backend: Int, names: [String]) throws {
        let server = try ServerProcess()
        let (certificate, key) = (server.folder.path + "/own.pem", server.folder.path + "/own.key")
        let made = try Command.tool(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650"]
                + ["-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1"]
                + ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost" + names.map { ",DNS:\($0)" }.joined()])
        guard made.ending == .exited(0), let python = RealServer.path(of: "python3") else {
            throw ServerProcess.NotStarted(description: "openssl or python3: \(made.error)")
        }
        try server.start(python, ["-u", Repository.testServer("tls_front.py"), certificate, key, "\(backend)"])
        port = try server.wait(forPortOf: "the TLS front")
        (self.server, self.certificate) = (server, certificate)
    }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
