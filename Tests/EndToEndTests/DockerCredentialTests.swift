import Foundation
@testable import LoginTestSupport
import Testing

/// The binary under its other name, asked by hand.
@Suite(.onOwnThreads) struct `Asked as docker asks` {
    static let notFound = "credentials not found in native keychain\n"

    let demo: DemoBackendProcess
    let authctl: Installation
    private let helper: String

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
        helper = try authctl.dockerHelper()
    }

    private func ask(_ action: String, _ input: String, profile: String? = "wire") throws -> CommandResult {
        let environment = authctl.environment.merging(profile.map { ["AUTHCTL_PROFILE": $0] } ?? [:]) { $1 }
        let result = try Command.run(
            ChildSpec(helper, [action], environment: environment), input: Array(input.utf8))
        #expect(!result.error.contains("correct horse"))
        return result
    }

    private func pair(_ user: String, _ secret: String, at server: String? = nil) -> String {
        "{\"ServerURL\":\"\(server ?? demo.origin)\",\"Username\":\"\(user)\",\"Secret\":\"\(secret)\"}\n"
    }

    @Test func `get has the pair of exactly this origin, as one JSON object`() throws {
        try authctl.logIn("wire")
        try authctl.logIn("index")
        for server in [demo.origin, demo.origin + "/v1/", "  \(demo.origin)\n"] {
            let found = try ask("get", server)
            #expect(found.code == 0 && found.error.isEmpty, "\(found.output)")
            #expect(found.member("Username") == "ann" && found.member("Secret") == "correct horse")
            #expect(found.member("ServerURL") == server.filter { !$0.isWhitespace })
        }
        #expect(try ask("get", demo.origin, profile: "index").member("Secret")?.hasPrefix("index-") == true)
    }

    @Test(arguments: [
        "127.0.0.1:PORT", "https://127.0.0.1:PORT", "http://127.0.0.1", "http://127.0.0.1:PORT0",
        "http://localhost:PORT",
        "http://127.0.0.1.:PORT", "http://ann@127.0.0.1:PORT", "http://evil.example/127.0.0.1:PORT",
        "http://127.0.0.1:PORT\nhttp://evil", "http://127.0.0.1:PORT\rx", "ftp://127.0.0.1:PORT", "http://", "%00",
    ])
    func `what is not exactly the origin is not found, in the protocol's words`(server: String) throws {
        try authctl.logIn("wire")
        let before = try demo.requests().count
        for action in ["get", "erase"] {
            let result = try ask(action, server.replacing("PORT", with: "\(demo.port)"))
            #expect(result.code == 1 && result.output == Self.notFound, "\(result.output)")
            // Without a scheme it is https, and the profile for http is named.
            #expect(
                result.error.contains("is for http://127.0.0.1:") == (server == "127.0.0.1:PORT"), "\(result.error)")
            #expect(result.error.isEmpty == (server != "127.0.0.1:PORT"), "\(result.error)")
        }
        #expect(try demo.requests().count == before)
        #expect(try ask("get", demo.origin).code == 0)
    }

    @Test func `what is no pair, or is over, is not found`() throws {
        for profile in ["chat", "blog"] {
            try authctl.logIn(profile)
            #expect(try ask("get", demo.origin, profile: profile).output == Self.notFound)
        }
        #expect(try ask("get", demo.origin).output == Self.notFound)
        try authctl.logIn("wire")
        try demo.order(.refusesWire)
        #expect(try authctl.run("whoami", "wire").code == 3)
        #expect(try ask("get", demo.origin).output == Self.notFound)
    }

    @Test func `the protocol's other refusals are in its words, too`() throws {
        for action in ["get", "erase"] {
            #expect(try ask(action, "\n").output == "no credentials server URL\n")
        }
        let user = "{\"Username\":\"ann\",\"Secret\":\"correct horse\"}"
        let server = "{\"ServerURL\":\"http://x\",\"Secret\":\"correct horse\"}"
        for (input, words) in [(user, "no credentials server URL\n"), (server, "no credentials username\n")] {
            let result = try ask("store", input)
            #expect(result.code == 1 && result.output == words && result.error.isEmpty)
        }
        let version = try ask("version", "")
        #expect(version.code == 0 && version.output.hasPrefix("docker-credential-authctl (authctl) "))
        let unknown = try ask("frob", "")
        #expect(unknown.code == 1 && unknown.output.contains("Unknown credential action"))
    }

    @Test(arguments: ["", "{", "[]", "{\"ServerURL\":{\"a\":1}}", "{\"ServerURL\":1}", "\"correct horse\""])
    func `a request to store that is damaged is 2, and is not repeated`(input: String) throws {
        let result = try ask("store", input)
        #expect(result.code == 2 && result.output.contains("malformed") && !result.output.contains("horse"))
        #expect(try ask("store", pair("ann", String(repeating: "x", count: 70_000))).code == 2)
        #expect(try demo.requests().isEmpty)
    }

    @Test func `store ignores members that it does not know, whatever they are`() throws {
        let more = "\"Scopes\":[\"pull\",[1]],\"Extra\":{\"a\":null},"
        let input = pair("ann", "correct horse").replacing("{\"ServerURL", with: "{\(more)\"ServerURL")
        let stored = try ask("store", input)
        #expect(stored.code == 0, "\(stored.output) \(stored.error)")
        #expect(try ask("get", demo.origin).member("Username") == "ann")
    }

    @Test func `store keeps what the service confirms, and nothing else`() throws {
        let refused = try ask("store", pair("ann", "wrong horse"))
        #expect(refused.code == 3 && refused.output.contains("refused") && !refused.output.contains("wrong horse"))
        #expect(try authctl.keptSecrets().isEmpty)
        let stored = try ask("store", pair("ann", "correct horse"))
        #expect(stored.code == 0 && stored.output.isEmpty, "\(stored.output)")
        #expect(try authctl.run("whoami", "wire").output == "ann\n")
        for bad in [pair("ann", "wrong horse"), pair("bob", "wrong horse"), pair("a:b", "wrong horse")] {
            #expect(try ask("store", bad).code != 0)
            #expect(try ask("get", demo.origin).member("Secret") == "correct horse")
        }
        let token = try ask("store", pair("ann", "correct horse"), profile: "index")
        #expect(token.code == 0, "\(token.output)")
        #expect(try ask("get", demo.origin, profile: "index").member("Secret")?.hasPrefix("index-") == true)
    }

    @Test func `store is an error where nothing could verify it, and nothing is sent`() throws {
        for (server, profile) in [("https://registry.example", "wire"), (demo.origin, "chat"), (demo.origin, "forge")] {
            let result = try ask("store", pair("ann", "correct horse", at: server), profile: profile)
            #expect(result.code == 2 && result.output.contains("profile"), "\(result.output)")
        }
        #expect(try demo.requests().isEmpty)
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test func `erase logs out, and the second time there is nothing`() throws {
        try authctl.logIn("wire")
        try authctl.logIn("index")
        let erased = try ask("erase", demo.origin)
        #expect(erased.code == 0 && erased.output.isEmpty && erased.error.isEmpty)
        #expect(try authctl.run("whoami", "wire").code == 4)
        #expect(try authctl.run("whoami", "index").code == 0)
        #expect(try ask("erase", demo.origin).output == Self.notFound)
    }

    @Test func `list has the pairs alone, by origin`() throws {
        #expect(try ask("list", "").json as? [String: String] == [:])
        try authctl.logIn("chat")
        #expect(try ask("list", "", profile: "chat").json as? [String: String] == [:])
        try authctl.logIn("wire")
        #expect(try ask("list", "").json as? [String: String] == [demo.origin: "ann"])
    }

    @Test func `authctl never takes itself for a store`() throws {
        let path = URL(fileURLWithPath: helper).deletingLastPathComponent().path
        let list = try authctl.run("store", "list", environment: ["PATH": path + ":/usr/bin:/bin"])
        #expect(list.code == 0 && !list.output.contains("helper:authctl"))
        let login = try authctl.run(
            "login", "wire", "-u", "ann", "--password-stdin", "--store", "helper:authctl", input: "correct horse",
            environment: ["PATH": path + ":/usr/bin:/bin"])
        #expect(login.code == 2)
    }
}

extension Installation {
    /// The program as `make install` puts it beside authctl.
    func dockerHelper() throws -> String {
        let folder = folder + "/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/docker-credential-authctl"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: program)
        return path
    }
}
