import Foundation

/// A service with all that passes through a proxy: bodies of any length, Server-Sent Events and WebSockets, by Starlette and
/// uvicorn, behind a token that can be ended at any time. It lives as long as this object.
final class StreamServer {
    /// As in `http://127.0.0.1:41234`.
    let origin: String
    private let server: ServerProcess

    /// What it has seen since its start.
    struct Seen: Decodable, Sendable {
        let logins: Int
        let refreshes: Int
        let verified: Int
        let refused: Int
        let answered: Int
        /// Names of the header fields of the last request, in lower case.
        let fields: [String]
        /// Streams that nobody has ended yet.
        let open: Int
    }

    /// - Throws: where Starlette is missing (see ``RealServer/requirePackage(_:)``) or does not come up.
    init() throws {
        guard let python = RealServer.packagesPython else {
            throw ServerProcess.NotStarted(description: "scripts/deps test has not been run")
        }
        let server = try ServerProcess(), port = try FreePort.next()
        let origin = "http://127.0.0.1:\(port)"
        try server.start(python, ["-u", Repository.testServer("stream_server.py"), "\(port)"])
        try server.wait(for: "Starlette") { (try? Curl(origin + "/seen").status) == 200 ? () : nil }
        (self.server, self.origin) = (server, origin)
    }

    /// A profile for it, called `stream`, whose paths are below `/v1`.
    var profile: String {
        """
        [profiles.stream]
        url = "\(origin)/v1"
        method = "token"
        verify = { get = "/me", username = "/name" }
        refresh = { post = "/refresh", json = { refresh = "{refresh-token}" } }

        [profiles.stream.login]
        post = "/login"
        json = { name = "{username}", password = "{password}" }
        token = "/token"
        refresh-token = "/refresh"

        """
    }

    func seen() throws -> Seen {
        try JSONDecoder().decode(Seen.self, from: Curl(origin + "/seen").body)
    }

    /// Ends every token; refresh tokens go on, unless they end as well.
    func endTokens(withRefreshTokens isAll: Bool = false) throws {
        _ = try Curl("-X", "POST", origin + (isAll ? "/end?all=1" : "/end"))
    }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
