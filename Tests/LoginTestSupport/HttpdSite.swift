import Foundation

/// A real Apache httpd on loopback with a configuration of the test's own, for as long as this object lives.
///
/// ``HttpdServer`` is the one for HTTP Basic; this is for everything else that httpd has a module for.
final class HttpdSite {
    /// As in `http://localhost:41234`.
    let origin: String
    /// Where its files are; readable by httpd's own user.
    let folder: URL
    private let server: ServerProcess

    /// - Parameters:
    ///   - port: where somebody has to know it first.
    ///   - modules: beside those that every site has, as in `auth_digest`.
    ///   - environment: what httpd runs with, beside this process's own.
    ///   - pages: the folders that have a `whoami.json`, which tells the name that httpd believed.
    ///   - prepare: writes what the configuration names into the folder.
    ///   - configuration: below what every site has, for files in that folder.
    init(
        host: String = "127.0.0.1", port: UInt16? = nil, modules: [String], environment: [String: String] = [:],
        pages: [String],
        prepare: (URL) throws -> Void = { _ in }, configuration: (String) -> String
    ) throws {
        guard let program = RealServer.path(of: "apache2") else {
            throw ServerProcess.NotStarted(description: "apache2 is not installed")
        }
        server = try ServerProcess()
        folder = server.folder
        let port = try port ?? FreePort.next()
        origin = "http://\(host):\(port)"
        try prepare(folder)
        let page = "{\"user\": \"<!--#echo encoding=\"none\" var=\"REMOTE_USER\" -->\"}\n"
        for name in pages { try write(page, "pages/\(name)/whoami.json") }
        try write("up", "pages/up.txt")
        try write(Self.common(folder.path, port, modules) + configuration(folder.path), "httpd.conf")
        let guardian = "\"$@\" </dev/null & httpd=$!; cat >/dev/null; kill $httpd; wait $httpd"
        let variables = environment.map { "\($0.key)=\($0.value)" }
        try server.start(
            "/bin/sh",
            ["-c", guardian, "sh", "/usr/bin/env"] + variables
                + [program, "-f", folder.appendingPathComponent("httpd.conf").path, "-DFOREGROUND"])
        let up = "http://127.0.0.1:\(port)/up.txt"
        try server.wait(for: "httpd") { (try? Curl(up).status == 200) == true ? () : nil }
    }

    func stop() { server.stop() }

    /// The `whoami.json` of a folder.
    func whoami(_ page: String) -> String { "\(origin)/\(page)/whoami.json" }

    /// Every request but those for its coming up, as `user scheme method path status`, once there are so many.
    func requests(expecting count: Int = 0) -> [String] {
        server.lines(of: "access.log", expecting: count) { $0.contains(" /up.txt ") ? nil : String($0) }
    }

    /// Everything that httpd logged.
    var logs: String { server.text("access.log") + server.text("error.log") }

    private func write(_ text: String, _ name: String) throws {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        var path = file
        while path.path.count >= folder.path.count {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.path)
            path.deleteLastPathComponent()
        }
    }

    private static func common(_ folder: String, _ port: UInt16, _ modules: [String]) -> String {
        let all =
            ["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "setenvif", "include"] + modules
        let loading = all.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so\n" }.joined()
        return loading + """
            ServerName localhost
            Listen 127.0.0.1:\(port)
            ServerRoot "\(folder)"
            DefaultRuntimeDir "\(folder)"
            PidFile "\(folder)/httpd.pid"
            \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
            ServerLimit 1
            StartServers 1
            ThreadsPerChild 8
            MaxRequestWorkers 8
            ErrorLog "\(folder)/error.log"
            SetEnvIf Authorization "^([A-Za-z]+)" scheme=$1
            LogFormat "%u %{scheme}e %m %U %>s" short
            CustomLog "\(folder)/access.log" short
            DocumentRoot "\(folder)/pages"
            <Directory "\(folder)/pages">
                Options +Includes
                SetOutputFilter INCLUDES
                Require all granted
            </Directory>

            """
    }
}
