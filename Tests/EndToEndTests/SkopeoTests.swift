import Foundation
@testable import LoginTestSupport
import Testing

/// A client of the protocol that we did not write, skopeo, at a real httpd that answers as a registry does.
@Suite(.onOwnThreads, RealServer.require("apache2"), RealServer.require("skopeo"), RealServer.require("python3"))
struct `skopeo with docker-credential-authctl` {
    private let httpd: HttpdSite
    private let front: TLSFront
    private let authctl: Installation
    private var registry: String { "127.0.0.1:\(front.port)" }

    init() throws {
        httpd = try HttpdSite(
            modules: ["auth_basic", "dir"], pages: ["v2"],
            prepare: { folder in
                try Self.write("{}", "pages/v2/index.json", in: folder)
                try Self.write("{\"name\":\"thing\",\"tags\":[\"one\"]}", "pages/v2/thing/tags/list", in: folder)
                let file = folder.path + "/passwords"
                let made = try Command.tool(
                    "htpasswd", ["-i", "-c", "-B", "-C", "4", file, "ann"], input: Array("correct horse\n".utf8))
                guard made.code == 0 else { throw Unexpected(result: made) }
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            },
            configuration: { folder in
                """
                DirectoryIndex index.json
                <Location "/v2">
                    AuthType Basic
                    AuthName "registry"
                    AuthBasicProvider file
                    AuthUserFile "\(folder)/passwords"
                    Require valid-user
                </Location>

                """
            })
        front = try TLSFront(to: Int(httpd.origin.split(separator: ":").last ?? "") ?? 0)
        authctl = try Installation(
            config: """
                [profiles.registry]
                url     = "https://127.0.0.1:\(front.port)"
                method  = "basic"
                verify  = { get = "/v2/" }
                ca-file = "\(front.certificate)"

                """)
        _ = try authctl.dockerHelper()
        try authctl.home.write("{\"credHelpers\":{\"\(registry)\":\"authctl\"}}", to: "auth.json")
        try authctl.home.write(
            String(contentsOfFile: front.certificate, encoding: .utf8), to: "authorities/ca.crt")
    }

    private static func write(_ text: String, _ name: String, in folder: URL) throws {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        _ = try Command.tool("chmod", ["-R", "a+rX", folder.path])
    }

    private func skopeo(_ words: String..., input: String = "") throws -> CommandResult {
        guard let program = RealServer.path(of: "skopeo") else { throw POSIXError(.ENOENT) }
        let path = ["PATH": authctl.folder + "/bin:/usr/bin:/bin"]
        let shared = ["--authfile", authctl.folder + "/auth.json"]
        let options = words[0] == "logout" ? shared : shared + ["--cert-dir", authctl.folder + "/authorities"]
        let result = try Command.run(
            ChildSpec(
                program, ["--debug", words[0]] + options + words.dropFirst(),
                environment: authctl.environment.merging(path) { $1 }, directory: authctl.folder),
            input: Array(input.utf8))
        try LeakSweep(secrets: ["correct horse"]).expectClean(["what skopeo says": result.output + result.error])
        return result
    }

    @Test func `skopeo with docker-credential-authctl logs in, uses the login and logs out, and authctl sees each`()
        throws
    {
        let login = try skopeo("login", "-u", "ann", "--password-stdin", registry, input: "correct horse")
        #expect(login.code == 0, "\(login.error)")
        #expect(try authctl.run("status").code == 0)
        #expect(try authctl.keptSecrets().count == 1)
        let tags = try skopeo("list-tags", "docker://\(registry)/thing")
        #expect(tags.code == 0 && tags.output.contains("\"one\""), "\(tags.error)")
        #expect(try skopeo("login", "--get-login", registry).output == "ann\n")
        #expect(try skopeo("logout", registry).code == 0)
        #expect(try authctl.run("status").code == 4)
        #expect(try skopeo("list-tags", "docker://\(registry)/thing").code != 0)
    }

    @Test func `skopeo with docker-credential-authctl uses a login of authctl, and keeps none that is wrong`() throws {
        try authctl.logIn("registry")
        #expect(try skopeo("list-tags", "docker://\(registry)/thing").code == 0)
        let wrong = try skopeo("login", "-u", "ann", "--password-stdin", registry, input: "wrong horse")
        #expect(wrong.code != 0)
        #expect(try skopeo("list-tags", "docker://\(registry)/thing").code == 0)
    }

    @Test func `skopeo with docker-credential-authctl is told why, where the service does not confirm a login`() throws
    {
        _ = try authctl.file(
            "config/authctl/config.toml",
            "[profiles.other]\nurl = \"https://registry.invalid\"\nverify = { get = \"/v2/\" }\n")
        let login = try skopeo("login", "-u", "ann", "--password-stdin", registry, input: "correct horse")
        #expect(
            login.code != 0 && login.error.contains("exactly one profile for https://\(registry)"), "\(login.error)")
    }
}
