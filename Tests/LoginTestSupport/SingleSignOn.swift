import Foundation

/// Sites behind a provider on another origin, as companies have them: who asks for what is behind the login is sent to the provider and
/// comes back with a ticket, for which the site sets a cookie. It lives as long as this object.
final class SingleSignOn {
    private let server: ServerProcess
    private let port: Int

    /// A kind of session, each at a host of its own.
    enum Site: String, CaseIterable, Sendable { case wiki, keep, agent, parent, slow, token, forbidden }

    /// What a server saw: a request, or the moment at which a site accepted somebody.
    struct Seen: Decodable, Sendable {
        let host: String?
        let method: String?
        let path: String?
        let cookies: String?
        let agent: String?
        let accepted: String?
        /// Seconds of Unix time.
        let at: Double
    }

    /// - Parameter isAutomatic: whether the provider's page fills in its form by itself.
    /// - Throws: where Python is missing.
    init(isAutomatic: Bool) throws {
        guard let python = RealServer.path(of: "python3") else {
            throw ServerProcess.NotStarted(description: "python3 is not installed")
        }
        server = try ServerProcess()
        try server.start(
            python, ["-u", Repository.testServer("single_sign_on.py"), isAutomatic ? "auto" : "person"])
        port = try server.wait(forPortOf: "single sign-on")
    }

    func origin(_ site: Site) -> String { "http://\(site.rawValue).corp.localhost:\(port)" }

    /// A profile for a site, which has its name.
    func profile(_ site: Site, _ more: String = "") -> String {
        """
        [profiles.\(site)]
        url = "\(origin(site))"
        method = "browser"
        verify = { get = "/api/me", username = "/name" }
        logout = { get = "/logout" }
        \(more)

        """
    }

    /// Everything that it has seen since its start.
    func seen() throws -> [Seen] {
        try JSONDecoder().decode([Seen].self, from: Curl("http://127.0.0.1:\(port)/told").body)
    }
}
