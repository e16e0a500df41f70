import Foundation
@testable import LoginTestSupport
import Testing

@Suite(.onOwnThreads, RealServer.requirePackage("fastmcp"))
final class `An MCP client behind authctl` {
    private let mcp: FastMCPServer
    private let authctl: Installation

    init() throws {
        mcp = try FastMCPServer()
        authctl = try Installation()
    }

    private func logIn() throws {
        let person = try ScriptedPerson()
        let run = try authctl.login(["login", mcp.resource, "--no-browser"], opening: "/authorize?") {
            _ = try person.consent(at: $0)
        }
        #expect(run.code == 0, "\(run.error)")
    }

    /// Runs the SDK's client, and returns what it has seen.
    private func client(_ mode: String, calls: Int = 1) throws -> [String] {
        let python = try #require(RealServer.packagesPython)
        var spec = authctl.spec([], ["PYTHONUNBUFFERED": "1"])
        spec.path = python
        spec.arguments =
            [Repository.testServer("mcp_client.py"), mode, "note", "\(calls)", authctl.program, "mcp", mcp.resource]
        let result = try Command.run(spec, within: 60)
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: ["legacy", "auto", "2026-07-28"])
    func `the client of the SDK calls tools with the login, in every generation`(mode: String) throws {
        try logIn()
        #expect(try client(mode, calls: 50) == ["connected", "lists note", "50 answers: a note", "closed"])
    }

    /// What authctl answers to these lines; then its end is closed.
    private func answers(_ lines: String...) throws -> [[String: Any]] {
        let run = try authctl.run("mcp", mcp.resource, input: lines.joined(separator: "\n") + "\n")
        #expect(run.code == 0, "\(run.error)")
        return try run.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `what is no message is refused, and no more`() throws {
        try logIn()
        let answers = try answers("nonsense", "[]", #"{"id":1,"id":2,"method":"ping"}"#, "", "{}")
        let errors = answers.compactMap { $0["error"] as? [String: Any] }
        #expect(errors.compactMap { $0["code"] as? Int } == [-32700, -32600, -32600, -32600])
        #expect(answers.allSatisfy { $0["id"] is NSNull })
    }

    @Test func `without a login a call says which command logs in`() throws {
        try logIn()
        let logout = try authctl.run("logout", "--all")
        #expect([0, 15].contains(logout.code), "\(logout.error)")
        let answers = try answers(#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#)
        let error = try #require(answers.first?["error"] as? [String: Any]),
            text = try #require(error["message"] as? String)
        #expect(answers.count == 1 && answers.first?["id"] as? String == "a" && error["code"] as? Int == -32010)
        #expect(text.contains("authctl login") && text.hasSuffix("then reconnect this server"), "\(text)")
        let data = try #require(error["data"] as? [String: Any])
        #expect(data["exitCode"] as? Int == 4)
        #expect((data["command"] as? String)?.hasPrefix("authctl login ") == true)
    }
}
