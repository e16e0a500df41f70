import Foundation

/// A real Apache httpd whose pages are behind a login form: mod_auth_form with mod_session_cookie, for as long as this
/// object lives. A login answers 302 whether it worked or not, and sets a cookie of the same name both times.
final class FormHttpdServer {
    /// As in `http://127.0.0.1:41234`.
    let origin: String
    private let server: ServerProcess
    private let port: UInt16
    private let isLatin1: Bool

    /// - Parameters:
    ///   - accounts: who may log in; only the first may see everything.
    ///   - isEncrypted: whether mod_session_crypto hides the name and the password that the cookie holds.
    ///   - isLatin1: whether the page with the form, which says so, and the passwords are in ISO 8859-1.
    /// - Throws: where httpd is missing or does not come up.
    init(
        accounts: [(user: String, password: String)], isEncrypted: Bool, isLatin1: Bool = false
    ) throws {
        self.isLatin1 = isLatin1
        guard let program = RealServer.path(of: "apache2") else {
            throw ServerProcess.NotStarted(description: "apache2 is not installed")
        }
        server = try ServerProcess()
        port = try FreePort.next()
        origin = "http://127.0.0.1:\(port)"
        try write(accounts, isEncrypted)
        let guardian = "\"$@\" </dev/null & httpd=$!; cat >/dev/null; kill $httpd; wait $httpd"
        try server.start(
            "/bin/sh", ["-c", guardian, "sh", program, "-f", server.folder.path + "/httpd.conf", "-DFOREGROUND"])
        let (server, open) = (server, origin + "/login.html")
        try server.wait(for: "httpd") { (try? Curl(open).status) == 200 ? () : nil }
    }

    /// The profile that fits, as a table `[profiles.NAME]`.
    /// - Parameter verify: `/private/whoami.json`, or `/first/whoami.json`, which only the first account may see.
    func profile(_ name: String, verify: String = "/private/whoami.json") -> String {
        """
        [profiles.\(name)]
        url    = "\(origin)"
        method = "cookie"
        login  = { page = "/login.html", post = "/dologin.html", form = { httpd_username = "{username}", httpd_password = "{password}" } }
        verify = { get = "\(verify)", username = "/user", logged-out = [{ status = 302, "header:Location" = "/login.html" }] }
        logout = { get = "/logout" }

        """
    }

    /// Everything that httpd logged.
    var logs: String { server.text("access.log") + server.text("error.log") }

    /// Ends it. Happens by itself when this object goes.
    func stop() { server.stop() }

    private func write(_ accounts: [(user: String, password: String)], _ isEncrypted: Bool) throws {
        let files = [
            "httpd.conf": configuration(first: accounts.first?.user ?? "", isEncrypted), "passwords": "",
            "pages/login.html": """
            <meta charset="\(isLatin1 ? "iso-8859-1" : "utf-8")">
            <form method="POST" action="/dologin.html"><input name="httpd_username"><input type="password" name="httpd_password">
            <input type="hidden" name="httpd_location" value="/private/whoami.json"></form>
            """,
        ]
        let who = "{\"user\": \"<!--#echo encoding=\"none\" var=\"REMOTE_USER\" -->\"}\n"
        for (name, text) in files.merging(
            ["pages/private/whoami.json": who, "pages/first/whoami.json": who], uniquingKeysWith: { $1 })
        {
            let file = server.folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        for account in accounts {
            let run = try Command.tool(
                "htpasswd", ["-i", "-B", "-C", "4", server.folder.path + "/passwords", account.user],
                input: Array((account.password + "\n").data(using: isLatin1 ? .isoLatin1 : .utf8) ?? Data()))
            guard run.ending == .exited(0) else { throw ServerProcess.NotStarted(description: run.error) }
        }
        _ = try Command.tool("chmod", ["-R", "a+rX", server.folder.path])
    }

    private func configuration(first: String, _ isEncrypted: Bool) -> String {
        let names = [
            "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_form", "session",
            "session_cookie",
            "session_crypto", "request", "include", "mime",
        ]
        let folder = server.folder.path
        let session = """
            AuthFormProvider file
            AuthUserFile "\(folder)/passwords"
            AuthType form
            AuthName "forms"
            Session On
            SessionCookieName session path=/;HttpOnly
            \(isEncrypted ? "SessionCryptoPassphrase \"of a test\"" : "")
            """
        return """
            ServerName 127.0.0.1
            Listen 127.0.0.1:\(port)
            ServerRoot "\(folder)"
            DefaultRuntimeDir "\(folder)"
            PidFile "\(folder)/httpd.pid"
            \(names.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
            TypesConfig /etc/mime.types
            \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
            ServerLimit 1
            StartServers 1
            ThreadsPerChild 8
            MaxRequestWorkers 8
            ErrorLog "\(folder)/error.log"
            LogFormat "%u %m %U%q %>s" short
            CustomLog "\(folder)/access.log" short
            DocumentRoot "\(folder)/pages"
            <Directory "\(folder)/pages">
                Options +Includes
                Require all granted
            </Directory>
            <Location "/dologin.html">
                SetHandler form-login-handler
                AuthFormLoginRequiredLocation "/login.html"
                AuthFormLoginSuccessLocation "/private/whoami.json"
                \(session)
            </Location>
            <Location "/logout">
                SetHandler form-logout-handler
                AuthFormLogoutLocation "/login.html"
                \(session)
            </Location>
            <Location "/private">
                SetOutputFilter INCLUDES
                AuthFormLoginRequiredLocation "/login.html"
                \(session)
                Require valid-user
            </Location>
            <Location "/first">
                SetOutputFilter INCLUDES
                AuthFormLoginRequiredLocation "/login.html"
                AuthzSendForbiddenOnFailure On
                \(session)
                Require user "\(first)"
            </Location>

            """
    }
}
