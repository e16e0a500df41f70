import Foundation

/// A site whose login is SAML and its identity provider, on two origins: Debian's SimpleSAMLphp as both, with the user `ada`, for as long
/// as this object lives.
final class SAMLSites {
    static let password = "Correct-Horse-7"

    let site: String
    private let server: ServerProcess

    /// - Throws: where SimpleSAMLphp or PHP is missing, or does not come up.
    init() throws {
        let port = try FreePort.next(), provider = try FreePort.next()
        let site = "http://127.0.0.1:\(port)"
        let server = try ServerProcess(), folder = server.folder.appendingPathComponent("server").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try server.start(
            "/usr/bin/python3",
            [
                Repository.testServer("preset_runner.py"), Self.password, "1", Repository.testServer("saml_sites.sh"),
                folder, "\(port)", "\(provider)",
            ])
        try server.wait(for: "SimpleSAMLphp") {
            let isThere = (try? Curl("http://localhost:\(provider)/saml/saml2/idp/metadata.php")) != nil
            return isThere && (try? Curl(site + "/me.json").status) == 401 ? () : nil
        }
        (self.site, self.server) = (site, server)
    }

    /// A profile for the site.
    var profile: String {
        """
        [profiles.saml]
        url = "\(site)"
        method = "browser"
        verify = { get = "/me.json", username = "/user" }
        login = { page = "/" }
        logout = { get = "/logout" }

        """
    }

    /// Whether the provider has refused a password.
    var hasRefused: Bool { server.text("server/idp/log/simplesamlphp.log").contains("Unsuccessful login") }

    /// Ends every session of the site, behind everybody's back.
    func endSessions() throws {
        guard try Curl(site + "/end-all").status == 204 else {
            throw ServerProcess.NotStarted(description: server.text("stderr"))
        }
    }
}
