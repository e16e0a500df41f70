import Foundation

/// A real httpd on loopback that lets in whoever shows a client certificate of one authority, for as long as this object
/// lives. `mallory` is known and forbidden. `/private/both/whoami.json` wants HTTP Basic as well: ann, `correct horse`.
final class CertificateHttpd {
    /// When and how it asks.
    enum Host: Int, CaseIterable, Sendable {
        case tls12, tls13
        /// After the request: by renegotiation, and by post-handshake authentication (RFC 8446, section 4.6.2).
        case tls12Late, tls13Late

        fileprivate var isLate: Bool { self == .tls12Late || self == .tls13Late }
        fileprivate var protocolName: String { self == .tls12 || self == .tls12Late ? "TLSv1.2" : "TLSv1.3" }
    }

    private let server: ServerProcess
    private let ports: [UInt16]

    /// - Parameters:
    ///   - pair: the server's own certificate.
    ///   - authority: of the clients.
    init(_ pair: CertificatePair, authority: String) throws {
        guard let program = RealServer.path(of: "apache2") else {
            throw ServerProcess.NotStarted(description: "apache2 is not installed")
        }
        server = try ServerProcess()
        ports = try FreePort.next(Host.allCases.count)
        let folder = server.folder
        for name in ["server.pem": pair.certificate, "server.key": pair.key, "clients.pem": authority] {
            try FileManager.default.copyItem(
                atPath: name.value, toPath: folder.appendingPathComponent(name.key).path)
        }
        let pages = folder.appendingPathComponent("pages/private")
        let both = pages.appendingPathComponent("both")
        try FileManager.default.createDirectory(at: both, withIntermediateDirectories: true)
        for (name, variable) in [("whoami.json", "SSL_CLIENT_S_DN_CN"), ("both/whoami.json", "REMOTE_USER")] {
            let page = "{\"user\": \"<!--#echo encoding=\"none\" var=\"\(variable)\" -->\"}\n"
            try Data(page.utf8).write(to: pages.appendingPathComponent(name))
        }
        let hash = try Command.tool("openssl", ["passwd", "-apr1", "-stdin"], input: Array("correct horse".utf8)).output
        try Data("ann:\(hash)".utf8).write(to: folder.appendingPathComponent("passwords"))
        try Data(configuration.utf8).write(to: folder.appendingPathComponent("httpd.conf"))
        for path in ["", "pages", "pages/private", "pages/private/both"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder.appendingPathComponent(path).path)
        }
        // httpd does not look at its stdin; a shell does it in its place.
        let guardian = "\"$@\" </dev/null & httpd=$!; cat >/dev/null; kill $httpd; wait $httpd"
        let file = folder.appendingPathComponent("httpd.conf").path
        try server.start("/bin/sh", ["-c", guardian, "sh", program, "-f", file, "-DFOREGROUND"])
        let port = ports[0]
        try server.wait(for: "httpd") {
            try Command.tool("bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"]).ending == .exited(0) ? () : nil
        }
    }

    func origin(_ host: Host) -> String { "https://127.0.0.1:\(ports[host.rawValue])" }

    /// The lines of its access log: the name in the certificate, the path, and the status.
    func accesses(expecting count: Int = 0) -> [String] {
        server.lines(of: "access.log", expecting: count) { String($0) }
    }

    var errors: String { server.text("error.log") }

    private func path(_ name: String) -> String { server.folder.appendingPathComponent(name).path }

    private var configuration: String {
        let modules = [
            "mpm_event", "auth_basic", "authn_core", "authn_file", "authz_core", "authz_user", "include", "ssl",
        ].map {
            "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
        }
        return """
            ServerName 127.0.0.1
            ServerRoot "\(server.folder.path)"
            DefaultRuntimeDir "\(server.folder.path)"
            PidFile "\(path("httpd.pid"))"
            \(modules.joined(separator: "\n"))
            \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
            ServerLimit 1
            StartServers 1
            ThreadsPerChild 8
            MaxRequestWorkers 8
            ErrorLog "\(path("error.log"))"
            LogFormat "%{SSL_CLIENT_S_DN_CN}x %U %>s" short
            CustomLog "\(path("access.log"))" short
            DocumentRoot "\(path("pages"))"
            SSLCertificateFile "\(path("server.pem"))"
            SSLCertificateKeyFile "\(path("server.key"))"
            SSLCACertificateFile "\(path("clients.pem"))"
            <Directory "\(path("pages"))">
                Options +Includes
                SetOutputFilter INCLUDES
                SSLOptions +StdEnvVars
                Require expr %{SSL_CLIENT_S_DN_CN} != "mallory"
            </Directory>
            <Location "/private/both">
                AuthType Basic
                AuthName both
                AuthUserFile "\(path("passwords"))"
                Require user ann
            </Location>
            \(Host.allCases.map(host).joined(separator: "\n"))

            """
    }

    private func host(_ host: Host) -> String {
        let verify = "SSLVerifyClient require"
        return """
            Listen 127.0.0.1:\(ports[host.rawValue])
            <VirtualHost 127.0.0.1:\(ports[host.rawValue])>
                SSLEngine on
                SSLProtocol \(host.protocolName)
                \(host.isLate ? "<Location \"/private\">\n\(verify)\n</Location>" : verify)
            </VirtualHost>
            """
    }
}
