import Foundation

/// The files of an ``HttpdServer``: configuration, passwords, pages.
struct HttpdFiles {
    let folder: URL
    let port: UInt16
    let realm: String

    /// Writes them all, readable by httpd's own user.
    func write(accounts: [(user: String, password: String)]) throws {
        for name in ["pages/private", "raw"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        try write("httpd.conf", configuration)
        try write("pages/open.json", "{\"server\": \"\(folder.lastPathComponent)\"}\n")
        try write("pages/private/whoami.json", "{\"user\": \"<!--#echo encoding=\"none\" var=\"REMOTE_USER\" -->\"}\n")
        try write("raw/nph-realm", script)
        try write("passwords", "")
        for account in accounts {
            let run = try Command.tool(
                "htpasswd", ["-i", "-B", "-C", "4", path("passwords"), account.user],
                input: Array((account.password + "\n").utf8))
            guard run.ending == .exited(0) else {
                throw ServerProcess.NotStarted(description: "htpasswd refused \(account.user): \(run.ending)")
            }
        }
        try allow(0o755, ["", "pages", "pages/private", "raw", "raw/nph-realm"])
        try allow(0o644, ["passwords", "pages/open.json", "pages/private/whoami.json", "httpd.conf"])
    }

    private var configuration: String {
        """
        ServerName 127.0.0.1
        Listen 127.0.0.1:\(port)
        ServerRoot "\(folder.path)"
        DefaultRuntimeDir "\(folder.path)"
        PidFile "\(path("httpd.pid"))"
        \(modules)
        \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
        ServerLimit 1
        StartServers 1
        ThreadsPerChild 8
        MaxRequestWorkers 8
        ErrorLog "\(path("error.log"))"
        SetEnvIf Authorization "^([A-Za-z]+)" scheme=$1
        LogFormat "%u\\t%{scheme}e\\t%m\\t%U\\t%>s" short
        CustomLog "\(path("access.log"))" short
        DocumentRoot "\(path("pages"))"
        <Directory "\(path("pages"))">
            Options +Includes
            Require all granted
        </Directory>
        <Location "/private">
            SetOutputFilter INCLUDES
            AuthType Basic
            AuthName "\(realm.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))"
            AuthBasicProvider file
            AuthUserFile "\(path("passwords"))"
            Require valid-user
        </Location>
        ScriptAlias "/raw/" "\(path("raw"))/"
        <Directory "\(path("raw"))">
            Require all granted
        </Directory>

        """
    }

    private var modules: String {
        let names = [
            "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "setenvif", "include",
            "alias", "cgid",
        ]
        let lines = names.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        return (lines + ["ScriptSock \"\(path("cgi.sock"))\""]).joined(separator: "\n")
    }

    /// The realm in octal escapes, so that any byte passes through the shell.
    private var script: String {
        let octal = realm.utf8.map { "\\0" + String($0, radix: 8) }.joined()
        return """
            #!/bin/sh
            printf 'HTTP/1.1 401 Unauthorized\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n'
            printf 'WWW-Authenticate: Basic realm="%b"\\r\\n\\r\\n' '\(octal)'

            """
    }

    private func path(_ name: String) -> String {
        folder.appendingPathComponent(name).path
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    private func allow(_ permissions: Int, _ names: [String]) throws {
        for name in names {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path(name))
        }
    }
}
