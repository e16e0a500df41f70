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
        #expect(try client(mode, calls: 50) == ["connected", "lists note read_note", "50 answers: a note", "closed"])
    }

    /// What authctl answers to these lines; its end is closed once each has an answer but for notifications.
    private func answers(_ lines: String...) throws -> [[String: Any]] { try answers(lines: lines) }

    private func answers(lines: [String], options: [String] = []) throws -> [[String: Any]] {
        let input = lines.joined(separator: "\n") + "\n"
        let count = lines.count { !$0.isEmpty && !$0.contains("notifications/") }
        let script = """
            out=$(mktemp)
            { cat; for _ in $(seq 600); do [ "$(wc -l <"$out")" -ge \(count) ] && break; sleep 0.1; done; } | "$0" "$@" >"$out"
            code=$?; cat "$out"; rm "$out"; exit $code
            """
        var spec = authctl.spec([], [:])
        (spec.path, spec.arguments) = ("/bin/sh", ["-c", script, authctl.program, "mcp", mcp.resource] + options)
        let run = try Command.run(spec, input: Array(input.utf8))
        #expect(run.code == 0, "\(run.error)")
        return try run.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `a line that is no message is answered with an error, and later lines still count`() throws {
        try logIn()
        var answers = try answers(
            "nonsense", "[]", #"{"id":1,"id":2,"method":"ping"}"#, "", "{}", Self.beginning[0])
        let last = answers.removeLast()
        #expect(last["id"] as? Int == 0 && last["result"] != nil, "\(last)")
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

    /// The messages that begin a session of 2025.
    private static let beginning = [
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    ]

    /// What came of requests with these methods and parameters, in their order: the texts of results, or codes of errors.
    private func outcomes(
        _ requests: [(method: String, params: String)], options: [String]
    ) throws -> [String] {
        let lines = requests.enumerated().map {
            #"{"jsonrpc":"2.0","id":\#($0 + 1),"method":"\#($1.method)","params":\#($1.params)}"#
        }
        let all = try answers(lines: Self.beginning + lines, options: options)
        return try (1...requests.count).map { id in
            let answer = try #require(all.first { $0["id"] as? Int == id })
            if let error = answer["error"] as? [String: Any] { return "\(error["code"] as? Int ?? 0)" }
            let result = try #require(answer["result"] as? [String: Any])
            let lists = ["tools", "prompts", "resources", "resourceTemplates"].compactMap {
                result[$0] as? [[String: Any]]
            }
            if let list = lists.first {
                return list.compactMap { ($0["name"] as? String) }.joined(separator: " ")
            }
            return ["content", "contents", "messages"].contains { result[$0] != nil } ? "passed" : "other"
        }
    }

    @Test func `a client sees and calls only what the rules allow, and the log has every message`() throws {
        try logIn()
        let log = authctl.folder + "/agent.jsonl"
        let seen = try outcomes(
            [
                ("tools/list", "{}"), ("tools/call", #"{"name":"read_note","arguments":{}}"#),
                ("tools/call", #"{"name":"note","arguments":{"secret":"hunter2"}}"#), ("prompts/list", "{}"),
                ("prompts/get", #"{"name":"greet"}"#), ("resources/templates/list", "{}"),
                ("resources/read", #"{"uri":"data://notes/a"}"#), ("resources/read", #"{"uri":"data://other/a"}"#),
                ("other/method", "{}"), ("tools/call", #"{"name":"read_note","Name":"note"}"#),
            ], options: ["--allow", "TOOL read_*", "--allow", "RESOURCE data://notes/*", "--log", log])
        #expect(
            seen == ["read_note", "passed", "-32011", "", "-32011", "named", "passed", "-32011", "-32601", "-32600"])
        let lines = try String(contentsOfFile: log, encoding: .utf8)
        #expect(lines.contains(#""method":"tools/call","path":"note""#) && !lines.contains("hunter2"), "\(lines)")
        #expect(lines.split(separator: "\n").count { $0.contains(#""decision":"refused""#) } == 5, "\(lines)")
        #expect(lines.split(separator: "\n").count { $0.contains(#""ms":"#) } == 12, "\(lines)")
    }

    @Test func `--read-only allows the tools marked read-only, all prompts and all resources`() throws {
        try logIn()
        let seen = try outcomes(
            [
                ("tools/call", #"{"name":"note","arguments":{}}"#), ("tools/list", "{}"),
                ("tools/call", #"{"name":"read_note","arguments":{}}"#), ("prompts/get", #"{"name":"greet"}"#),
                ("resources/read", #"{"uri":"data://notes/a"}"#),
            ], options: ["--read-only"])
        #expect(seen == ["-32011", "read_note", "passed", "passed", "passed"])
    }

    @Test func `--read-only lets clients call tools with a _meta of their own`() throws {
        try logIn()
        let metas = [
            #""claudecode/toolUseId":"x""#, #""x-codex-turn-metadata":{"turn_id":"x"},"threadId":"x""#,
            #""vscode.conversationId":"x","vscode.requestId":"x""#,
        ]
        let seen = try outcomes(
            metas.map {
                ("tools/call", #"{"name":"read_note","arguments":{},"_meta":{"progressToken":2,\#($0)}}"#)
            }, options: ["--read-only"])
        #expect(seen == ["passed", "passed", "passed"])
    }

    @Test func `a call that needs another scope says which command asks for it`() throws {
        try logIn()
        let answers = try answers(
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
        )
        let error = try #require(answers.first?["error"] as? [String: Any])
        let command = try #require((error["data"] as? [String: Any])?["command"] as? String)
        #expect(error["code"] as? Int == -32010)
        #expect(
            command.hasPrefix("authctl login ") && command.hasSuffix(" --force --scope 'notes write'"), "\(command)")
    }

    @Test func `what nobody approves in time is refused`() throws {
        try logIn()
        let seen = try outcomes(
            [("tools/list", "{}"), ("tools/call", #"{"name":"note","arguments":{}}"#)],
            options: ["--ask", "TOOL note", "--prompt-timeout", "1"])
        #expect(seen == ["note", "-32011"])
    }

    @Test func `with --login one browser serves all processes that wait for a login`() throws {
        try logIn()
        _ = try authctl.run("logout", "--all")
        let opened = authctl.folder + "/opened"
        let browser = try authctl.file(
            "browser", "#!/bin/sh\necho opened >>'\(opened)'\ncurl -sL -o /dev/null \"$1\" &\n", mode: 0o700)
        let call = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note","arguments":{}}}"#
        let lines = (Self.beginning + [call]).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            ends() { for _ in $(seq 600); do grep -q 'a note' "$1" 2>/dev/null && break; sleep 0.1; done; }
            for i in 1 2 3; do { printf '%s\\n' \(lines); ends out$i; } | "$0" mcp "$1" --login >out$i & done
            wait; cat out1 out2 out3
            """
        var spec = authctl.spec([], ["BROWSER": browser])
        (spec.path, spec.arguments) = ("/bin/sh", ["-c", script, authctl.program, mcp.resource])
        let result = try Command.run(spec, within: 120)
        #expect(result.output.components(separatedBy: "a note").count - 1 == 6, "\(result.output)\(result.error)")
        #expect(try String(contentsOfFile: opened, encoding: .utf8) == "opened\n")
    }
}
