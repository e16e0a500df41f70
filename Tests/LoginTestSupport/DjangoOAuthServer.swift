import Foundation

/// A real Django with Debian's django-oauth-toolkit and their stock pages, for as long as this object lives. Confidential clients
/// use Basic or the form; redirects on loopback have any port; it knows neither devices nor registration.
final class DjangoOAuthServer {
    /// As in `http://127.0.0.1:41234`.
    let origin: String
    private let server: ServerProcess

    var issuer: String { origin + "/o" }
    /// Its OpenID metadata has a slash at its end; without one it is a redirect there. It does not name ``revocation``.
    var metadata: String { issuer + "/.well-known/openid-configuration/" }
    var revocation: String { issuer + "/revoke_token/" }
    /// `{"name": …}` with a token, 403 without a challenge otherwise.
    var me: String { origin + "/me" }

    /// - Parameters:
    ///   - scopes: beside `openid`, and what a request without a scope gets.
    ///   - lifetime: seconds that an access token lives.
    /// - Throws: where the toolkit is missing or does not come up.
    init(
        users: [OAuthUser] = [.ann], clients: [OAuthClient], scopes: [String] = ["notes"], lifetime: Int = 300
    ) throws {
        guard let python = RealServer.python(with: "oauth2_provider") else {
            throw ServerProcess.NotStarted(description: "no Python has django-oauth-toolkit")
        }
        let server = try ServerProcess()
        let setting = OAuthSetting(users: users, clients: clients, scopes: scopes, lifetime: lifetime)
        try server.start(
            python, ["-u", Repository.testServer("django_oauth_server.py"), server.folder.path, try setting.json()])
        origin = "http://127.0.0.1:\(try server.wait(forPortOf: "Django"))"
        self.server = server
    }

    /// The file of its SQLite.
    var database: String { server.folder.path + "/db.sqlite3" }

    /// Everything that it printed, for a sweep.
    var log: String { server.text("stderr") }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }
}
