import Foundation
@testable import LoginTestSupport
import Testing

/// `exec --serve` with rules before back ends that each read paths and methods in their own way: whatever a command sends, no
/// handler runs that no `allow` names.
@Suite(.onOwnThreads, PresetServer.required) struct `Rules of exec before real back ends` {
    /// A real back end with handlers for `/open/`, `/open/form` and `/secret`.
    private final class BackEnd {
        let origin: String
        private let process: ServerProcess

        init(_ kind: String) throws {
            let ports = [try FreePort.next(), try FreePort.next()]
            origin = "http://127.0.0.1:\(ports[0])"
            process = try ServerProcess()
            // httpd and Tomcat may read it as somebody else.
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: process.folder.path)
            try process.start(
                "/usr/bin/python3",
                [
                    Repository.testServer("judged_back_end.py"), kind, "\(ports[0])",
                    process.folder.appendingPathComponent("server").path, "\(ports[1])",
                ])
            let me = origin + "/me"
            try process.wait(for: kind) { (try? Curl(me).status) == 401 ? () : nil }
        }

        func stop() { process.stop() }
    }

    private struct Outcome {
        /// The request.
        let label: String
        let status: String
        /// The method and the name of the handler that ran; `-` for none.
        let handler: String
    }

    private static let rules = ["--allow", "GET,HEAD /open/**", "--allow", "POST /open/form"]
    private static let allowed: Set = ["-", "GET open", "HEAD open", "GET form", "HEAD form", "POST form"]
    /// It names its method behind the first 64 KiB, which is not searched.
    private static let unsearched = "POST multipart 64 KiB"

    private func send(_ kind: String, _ options: [String], _ authctl: Installation) throws -> [Outcome] {
        let result = try authctl.run(
            ["exec", "-P", kind, "--serve"] + options + [
                "--", "/usr/bin/python3", Repository.testServer("hostile_requests.py"),
            ], within: 300)
        #expect(result.code == 0, "\(result.error)")
        return result.output.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t").map(String.init)
            return Outcome(label: fields[0], status: fields[1], handler: fields[2])
        }
    }

    @Test(arguments: ["nginx", "httpd", "tomcat", "flask", "django", "php", "rack", "nginx-flask"])
    func `no request that an allow passes runs a handler that no allow names`(kind: String) throws {
        let server = try BackEnd(kind)
        defer { server.stop() }
        let authctl = try Installation(
            config: "[profiles.\(kind)]\nurl = \"\(server.origin)\"\nmethod = \"token\"\nverify = { get = \"/me\" }\n")
        try authctl.run("login", kind, "--password-stdin", input: "t0ken-of-the-back-end\n")
        let free = try send(kind, [], authctl), ruled = try send(kind, Self.rules, authctl)
        #expect(free.count == ruled.count && free.count > 200)
        for outcome in ruled where outcome.label != Self.unsearched {
            #expect(Self.allowed.contains(outcome.handler), "\(outcome)")
        }
        #expect(ruled.contains { $0.label == "GET /open/x" && $0.handler == "GET open" }, "what is allowed passes")
        #expect(ruled.contains { $0.label == "POST /open/form" && $0.handler == "POST form" })
        let reached = free.filter { !Self.allowed.contains($0.handler) }
        #expect(reached.count > 30, "or nothing proves nothing")
        for outcome in ruled where reached.contains(where: { $0.label == outcome.label }) {
            #expect(["400", "403"].contains(outcome.status) || outcome.handler != "-", "\(outcome)")
        }
    }
}
