import Foundation

/// An authorization server for machines by Authlib, a service that takes its tokens, and an endpoint like that of GitHub's Actions, for
/// as long as this object lives.
final class MachineIssuer {
    /// A client that it knows.
    struct Client: Sendable {
        let id: String
        let secret: String?
        let method: String
        /// The public key, as `authctl key new` prints it.
        let key: String?

        static func secret(_ id: String, _ secret: String, method: String = "client_secret_basic") -> Client {
            Client(id: id, secret: secret, method: method, key: nil)
        }

        /// One that is known by the common name of its certificate.
        static func certificate(_ id: String) -> Client {
            Client(id: id, secret: nil, method: "tls_client_auth", key: nil)
        }

        static func key(_ id: String, _ key: String) -> Client {
            Client(id: id, secret: nil, method: "private_key_jwt", key: key)
        }

        var json: String {
            let texts = [("id", id as String?), ("secret", secret), ("method", method)]
            let members = texts.compactMap { name, text in text.map { "\"\(name)\": \"\($0)\"" } }
            return "{" + (members + (key.map { ["\"jwk\": \($0)"] } ?? [])).joined(separator: ", ") + "}"
        }
    }

    /// The issuer, as in `http://127.0.0.1:41234`.
    let issuer: String
    /// The service: `/me` names whose token came.
    let service: String
    private let server: ServerProcess
    private let held: HeldPort

    /// - Parameters:
    ///   - lifetime: seconds that a token lives.
    ///   - certificate: for https on the side of the issuer; it is the authority of the clients' certificates, too.
    init(_ clients: [Client], lifetime: Int = 300, certificate: CertificatePair? = nil) throws {
        guard let python = RealServer.packagesPython else {
            throw ServerProcess.NotStarted(description: "scripts/deps test has not been run")
        }
        (server, held) = (try ServerProcess(), try HeldPort())
        let files = certificate.map { [$0.certificate, $0.key, $0.certificate] } ?? []
        let tls = files.isEmpty ? "null" : String(decoding: try JSONEncoder().encode(files), as: UTF8.self)
        let known = clients.map(\.json).joined(separator: ", ")
        let setting =
            "{\"clients\": [\(known)], \"lifetime\": \(lifetime), \"tls\": \(tls), \"port\": \(held.number)}"
        try server.start(
            python, ["-u", Repository.testServer("machine_issuer.py"), server.folder.path, setting])
        issuer = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(try server.wait(forPortOf: "the issuer"))"
        service = "http://127.0.0.1:\(server.text("service"))"
    }

    /// A profile of the service.
    /// - Parameter oauth: what the table says beside the issuer.
    func profile(_ name: String, _ oauth: String, _ more: String = "") -> String {
        """
        [profiles.\(name)]
        url = "\(service)"
        method = "oauth"
        oauth = { issuer = "\(issuer)", \(oauth) }
        verify = { get = "/me", username = "/name" }
        \(more)

        """
    }

    /// The forms that the token and revocation endpoints were sent.
    var requests: [String] { server.text("requests").split(separator: "\n").map(String.init) }

    /// A token as Kubernetes puts it into a pod.
    var identityFile: String { server.folder.appendingPathComponent("identity").path }

    /// The one that takes its place some time later, of another account.
    var rotatedIdentityFile: String { server.folder.appendingPathComponent("rotated").path }

    /// What GitHub's Actions tell a job that may ask for its identity.
    var jobEnvironment: [String: String] {
        [
            "ACTIONS_ID_TOKEN_REQUEST_URL": issuer + "/actions/token?api-version=2",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "of-the-job",
        ]
    }

    /// Ends it; afterwards nobody answers at the issuer, as long as this object lives.
    func stop() { server.stop() }
}
