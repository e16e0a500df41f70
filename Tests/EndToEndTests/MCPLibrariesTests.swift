import Foundation
@testable import LoginTestSupport
import Testing

/// The clients of both SDKs and of two FastMCPs, each at the servers of all of them, with authctl between.
@Suite(
    .onOwnThreads, Thoroughness.isNeeded, RealServer.requirePackage("fastmcp"),
    .enabled(if: RealServer.packagesPython(in: "presets-venv-mcp") != nil, "scripts/deps presets has not been run"))
final class `The clients of libraries behind authctl` {
    private static let kinds = ["sdk-1", "sdk-2", "fastmcp-3", "fastmcp-4"]

    private static func python(_ kind: String) throws -> String {
        let isOld = kind == "sdk-1" || kind == "fastmcp-3"
        return try #require(RealServer.packagesPython(in: isOld ? "presets-venv-mcp" : "venv"))
    }

    @Test(arguments: kinds)
    func `each library's client sees everything that each library's server does`(kind: String) throws {
        let server = try ServerProcess(), port = try FreePort.next()
        try server.start(
            try Self.python(kind), ["-u", Repository.testServer("mcp_server.py"), server.folder.path, "\(port)", kind])
        try server.wait(for: kind) { (try? Curl("http://127.0.0.1:\(port)/me").status) == 401 ? () : nil }
        let authctl = try Installation(mcpServerAt: port)
        let login = try authctl.run(
            "login", "m", "--password-stdin", input: "tok-\(String(repeating: "a", count: 40))\n")
        #expect(login.code == 0, "\(login.error)")
        let usual = "pages calls progress cancel log resources big number"
        let old = "\(usual) sample root ask changes close"
        let new = kind == "fastmcp-4" ? "\(usual) need\nlisten: MCPError Method not found" : "\(usual) need listen"
        for client in Self.kinds {
            let speaksNew = ["sdk-2", "fastmcp-4"]
            let modes = speaksNew.contains(client) ? ["legacy", "auto"] : ["legacy"]
            for mode in modes {
                var spec = authctl.spec([], ["PYTHONUNBUFFERED": "1"])
                spec.path = try Self.python(client)
                spec.arguments =
                    [Repository.testServer("mcp_features.py"), client, mode, "\(port)", authctl.program, "mcp", "m"]
                let seen = try Command.run(spec, within: 300)
                let isNew = mode == "auto" && speaksNew.contains(kind)
                #expect(seen.output == (isNew ? new : old) + "\n", "\(client) \(mode) at \(kind): \(seen.error)")
            }
        }
    }
}
