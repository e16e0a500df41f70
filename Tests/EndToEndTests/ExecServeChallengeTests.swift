import Foundation
@testable import LoginTestSupport
import Testing

/// `exec --serve` where the session is a credential that answers a challenge: httpd asks for it, and Starlette, which asks for
/// nothing, has the WebSocket behind.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette"), RealServer.require("apache2"))
struct `An exec that serves a WebSocket` {
    private let stream: StreamServer
    private static let modules = ["proxy", "proxy_http", "proxy_wstunnel"]

    init() throws {
        stream = try StreamServer()
    }

    /// A folder that asks for a credential.
    private func location(_ name: String, _ rules: String) -> String {
        """
        <Location "/\(name)">
            AuthName "Intranet"
            \(rules)
            Require valid-user
        </Location>
        ProxyPass "/\(name)/socket" "\(stream.origin.replacing("http:", with: "ws:"))/open/socket"

        """
    }

    /// Says something through a WebSocket, twice and so many seconds apart, and then asks who it is.
    private func talk(
        _ authctl: Installation, pause: Int, first: String = "", environment: [String: String] = [:]
    ) throws -> CommandResult {
        let python = try #require(RealServer.packagesPython)
        let file = try authctl.file(
            "client.py",
            """
            import os
            from websockets.sync.client import connect
            with connect(os.environ["AUTHCTL_SERVE_URL"].replace("http:", "ws:") + "socket") as socket:
                socket.send("hello")
                print(socket.recv())
            """)
        return try authctl.run(
            [
                "exec", "-P", "site", "--serve", "--", "bash", "-c",
                "\(first)\n\(python) \(file); sleep \(pause); \(python) \(file); curl -q -sS \"$AUTHCTL_SERVE_URL\"whoami.json",
            ], environment: environment, within: 60)
    }

    private func profile(_ httpd: HttpdSite, _ page: String, _ method: String) -> String {
        """
        [profiles.site]
        url = "\(httpd.origin)/\(page)"
        method = "\(method)"
        verify = { get = "/whoami.json", username = "/user" }

        """
    }

    @Test(RealServer.require("openssl")) func `behind Digest, also where the nonce has ended`() throws {
        let hash = try Command.tool("openssl", ["dgst", "-md5", "-r"], input: Array("ann:Intranet:secret pw".utf8))
        let httpd = try HttpdSite(
            modules: Self.modules + ["auth_digest"], pages: ["short"],
            prepare: { folder in
                let file = folder.appendingPathComponent("digests")
                try Data("ann:Intranet:\(hash.output.prefix(32))\n".utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            },
            configuration: { folder in
                location(
                    "short",
                    """
                    AuthType Digest
                    AuthDigestProvider file
                    AuthUserFile "\(folder)/digests"
                    AuthDigestNonceLifetime 2
                    """)
            })
        let authctl = try Installation(config: profile(httpd, "short", "digest"))
        try authctl.logIn("site", "ann", "secret pw")
        let result = try talk(authctl, pause: 3)
        #expect(result.output == "echo hello\necho hello\n{\"user\": \"ann\"}\n", "\(result.error)")
        let sockets = httpd.requests(expecting: 5).filter { $0.contains("/short/socket") }
        let (opened, stale) = ("ann Digest GET /short/socket 101", "ann Digest GET /short/socket 401")
        #expect(sockets.sorted() == [opened, opened, stale], "\(sockets)")
    }

    @Test(RealServer.require("krb5kdc"), RealServer.require("kinit"), RealServer.require("kadmin.local"))
    func `behind Kerberos, and is refused without a ticket`() throws {
        let realm = try KerberosRealm()
        let httpd = try HttpdSite(
            host: "localhost", modules: Self.modules + ["auth_gssapi"], environment: realm.environment,
            pages: ["private"],
            configuration: { _ in
                location("private", "AuthType GSSAPI\nGssapiCredStore keytab:\(realm.keytab)")
            })
        let authctl = try Installation(config: profile(httpd, "private", "negotiate"))
        let ann = try realm.ticket(for: "ann")
        #expect(try authctl.run("login", "site", environment: ann).code == 0)
        let result = try talk(authctl, pause: 0, environment: ann)
        #expect(result.output == "echo hello\necho hello\n{\"user\": \"ann@AUTHCTL.TEST\"}\n", "\(result.error)")
        let sent = httpd.requests(expecting: 1)
        #expect(sent.contains("ann@AUTHCTL.TEST Negotiate GET /private/socket 101"), "\(sent)")
        #expect(!sent.contains { $0.contains("/private/socket 401") }, "\(sent)")
        let gone = try talk(authctl, pause: 0, first: "rm ${KRB5CCNAME#FILE:}", environment: ann)
        #expect(!gone.output.contains("echo hello") && gone.output.contains("kinit"), "\(gone.output)\(gone.error)")
    }
}
