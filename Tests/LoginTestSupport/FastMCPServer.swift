import Foundation

/// A real MCP server with a real OAuth in front of it: FastMCP with its own in-memory authorization server, which asks nobody and
/// has clients register, for as long as this object lives.
final class FastMCPServer {
    /// As in `http://127.0.0.1:41234`; its issuer is this with a slash.
    let origin: String
    private let server: ServerProcess

    /// The protected resource: 401 with `resource_metadata` without a token, 400 for a GET with one.
    var resource: String { origin + "/mcp" }
    var issuer: String { origin + "/" }

    /// - Parameters:
    ///   - scopes: all of which a token needs.
    ///   - lifetime: seconds that an access token lives.
    ///   - registers: whether anybody may register a client.
    ///   - readsDocuments: whether a client may be known by the URL of its document.
    /// - Throws: where FastMCP is missing (see ``RealServer/requirePackage(_:)``) or does not come up.
    init(
        scopes: [String] = ["notes"], lifetime: Int = 300, registers: Bool = true, readsDocuments: Bool = false
    ) throws {
        guard let python = RealServer.packagesPython else {
            throw ServerProcess.NotStarted(description: "scripts/deps test has not been run")
        }
        let server = try ServerProcess(), port = try FreePort.next()
        var setting = OAuthSetting(scopes: scopes, lifetime: lifetime, registers: registers)
        setting.more["documents"] = readsDocuments
        let origin = "http://127.0.0.1:\(port)"
        try server.start(
            python,
            ["-u", Repository.testServer("fastmcp_server.py"), server.folder.path, "\(port)", try setting.json()])
        try server.wait(for: "FastMCP") {
            let runs = server.text("stderr").contains("Uvicorn running")
            return runs && (try? Curl(origin + "/mcp").status) == 401 ? () : nil
        }
        (self.server, self.origin) = (server, origin)
    }

    /// Everything that it printed, for a sweep.
    var log: String { server.text("stdout") + server.text("stderr") }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
