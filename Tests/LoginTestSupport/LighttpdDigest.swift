import Foundation

/// A real lighttpd on loopback with Digest by every algorithm of RFC 7616, UTF-8 names and `userhash`, none of which
/// httpd knows.
final class LighttpdDigest {
    static let realm = "the real lighttpd"
    /// As openssl(1) names the algorithms, and as a challenge does.
    static let algorithms = ["md5": "MD5", "sha256": "SHA-256", "sha512-256": "SHA-512-256"]

    private let origin: String
    private let server: ServerProcess

    init(accounts: [(user: String, password: String)]) throws {
        guard let program = RealServer.path(of: "lighttpd") else {
            throw ServerProcess.NotStarted(description: "lighttpd is not installed")
        }
        server = try ServerProcess()
        let port = try FreePort.next(), folder = server.folder
        origin = "http://127.0.0.1:\(port)"
        var configuration = Self.common(folder.path, port)
        for (function, name) in Self.algorithms {
            let page = folder.appendingPathComponent("pages/\(function)")
            try FileManager.default.createDirectory(at: page, withIntermediateDirectories: true)
            try Data("{\"user\": \"somebody\"}\n".utf8).write(to: page.appendingPathComponent("whoami.json"))
            let lines = try accounts.map { user, password in
                let key = try Self.hash(function, "\(user):\(Self.realm):\(password)")
                return "\(user):\(Self.realm):\(key):\(try Self.hash(function, "\(user):\(Self.realm)"))\n"
            }
            try Data(lines.joined().utf8).write(to: folder.appendingPathComponent("\(function).htdigest"))
            configuration += Self.location(folder.path, function, name)
        }
        let file = folder.appendingPathComponent("lighttpd.conf")
        try Data(configuration.utf8).write(to: file)
        let guardian = "\"$@\" </dev/null & server=$!; cat >/dev/null; kill $server; wait $server"
        try server.start("/bin/sh", ["-c", guardian, "sh", program, "-D", "-f", file.path])
        let page = whoami("md5")
        try server.wait(for: "lighttpd") { (try? Curl(page).status == 401) == true ? () : nil }
    }

    func stop() { server.stop() }

    func whoami(_ function: String) -> String { "\(origin)/\(function)/whoami.json" }

    private static func hash(_ function: String, _ text: String) throws -> String {
        let run = try Command.tool("openssl", ["dgst", "-\(function)", "-r"], input: Array(text.utf8))
        return String(run.output.prefix { $0 != " " })
    }

    private static func common(_ folder: String, _ port: UInt16) -> String {
        """
        server.modules = ("mod_auth", "mod_authn_file")
        server.port = \(port)
        server.bind = "127.0.0.1"
        server.document-root = "\(folder)/pages"
        server.errorlog = "\(folder)/error.log"

        """
    }

    private static func location(_ folder: String, _ function: String, _ name: String) -> String {
        """
        $HTTP["url"] =~ "^/\(function)/" {
            auth.backend = "htdigest"
            auth.backend.htdigest.userfile = "\(folder)/\(function).htdigest"
            auth.require = ("/\(function)/" => (
                "method" => "digest", "algorithm" => "\(name)", "realm" => "\(realm)", "require" => "valid-user",
                "userhash" => "enable"))
        }

        """
    }
}
