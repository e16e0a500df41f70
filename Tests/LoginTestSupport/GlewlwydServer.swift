import Foundation

/// A real Glewlwyd 2.7 with its OpenID Connect plugin, as the package has it, on a port and with a database file of its own,
/// for as long as this object lives. It wants S256, gives a refresh token once, knows devices, and registers clients.
final class GlewlwydServer {
    /// As in `http://127.0.0.1:41234`.
    let origin: String
    private let server: ServerProcess

    var issuer: String { origin + "/api/oidc" }
    /// Its OpenID metadata: appended to the issuer, and nowhere else.
    var metadata: String { issuer + "/.well-known/openid-configuration" }
    /// `{"sub": …}` with a token, 401 without a challenge otherwise.
    var userinfo: String { issuer + "/userinfo" }

    /// - Parameters:
    ///   - clients: whose redirects are compared exactly.
    ///   - scopes: beside `openid`; every user may give them.
    ///   - lifetime: seconds that an access token lives.
    ///   - interval: seconds between two questions for a device's token.
    ///   - registers: whether anybody may register a client.
    ///   - more: switches of the plugin, such as `oauth-par-allowed`, `oauth-par-required`, `oauth-as-iss-id`.
    /// - Throws: where Glewlwyd is missing or does not come up.
    init(
        users: [OAuthUser] = [.ann], clients: [OAuthClient], scopes: [String] = ["notes"], lifetime: Int = 300,
        interval: Int = 1, registers: Bool = true, more: [String: Bool] = [:]
    ) throws {
        guard let program = RealServer.path(of: "glewlwyd"), let python = RealServer.path(of: "python3") else {
            throw ServerProcess.NotStarted(description: "glewlwyd is not installed")
        }
        let setting = OAuthSetting(
            users: users, clients: clients, scopes: scopes, lifetime: lifetime, registers: registers,
            interval: interval, more: more)
        let server = try ServerProcess()
        try server.start(
            python,
            [
                "-u", Repository.testServer("glewlwyd_server.py"), server.folder.path, "\(try FreePort.next())",
                try setting.json(), program,
            ])
        origin = "http://127.0.0.1:\(try server.wait(forPortOf: "Glewlwyd"))"
        self.server = server
    }

    /// Everything that it printed, for a sweep.
    var log: String { server.text("stderr") }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
