import Foundation

/// A service whose responses set a new cookie of the same user, or of another one. It lives as long as this object.
final class ChangingServer {
    /// Where it listens, on loopback.
    let port: Int
    private let server: ServerProcess

    /// Returns once it listens.
    init() throws {
        let server = try ServerProcess()
        try server.start("/usr/bin/python3", ["-u", Repository.testServer("changing_server.py")])
        port = try server.wait(forPortOf: "the changing server")
        self.server = server
    }

    /// Its profiles: of two the service does not say who is logged in. Of all but the first two, verify itself sets cookies.
    var profiles: String {
        """
        [profiles.shop]
        url = "http://127.0.0.1:\(port)"
        method = "cookie"
        login = { post = "/login", form = { user = "{username}", password = "{password}" } }
        verify = { get = "/me", username = "/name" }

        [profiles.nameless]
        url = "http://127.0.0.1:\(port)"
        method = "cookie"
        login = { post = "/login", form = { user = "{username}", password = "{password}" } }
        verify = { get = "/nameless" }

        [profiles.unnamed]
        url = "http://127.0.0.1:\(port)"
        method = "cookie"
        login = { post = "/login", form = { user = "{username}", password = "{password}" } }
        verify = { get = "/nameless?set=as-mallory" }

        """
            + ["as-mallory", "anew", "rotate"].map {
                """
                [profiles.\($0)]
                url = "http://127.0.0.1:\(port)"
                method = "cookie"
                login = { post = "/login", form = { user = "{username}", password = "{password}" } }
                verify = { get = "/me?set=\($0)", username = "/name" }

                """
            }.joined()
    }

    /// Method, path and user of each request so far.
    var seen: [String] { server.text("stdout").split(separator: "\n").dropFirst().map(String.init) }

    /// Those that asked who is logged in.
    var verified: [String] { seen.filter { $0.contains("/me ") || $0.contains("/nameless ") } }
}
