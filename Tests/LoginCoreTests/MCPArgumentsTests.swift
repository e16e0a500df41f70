import Testing

@testable import LoginKit

/// What a request says besides the name of its subject.
@Suite struct `The parameters of an MCP request` {
    private func call(_ params: String) throws(MCPError) -> MCPMessage {
        try MCPMessage(Array(#"{"id":1,"method":"tools/call","params":{"name":"a","arguments":{},\#(params)}}"#.utf8))
    }

    @Test(arguments: [
        #"{"progressToken":2,"claudecode/toolUseId":"toolu_1"}"#,
        #"{"x-codex-turn-metadata":{"turn_id":"1","client_version":"2","workspaces":{"/src/conversion":{}}},"threadId":"3"}"#,
        #"{"vscode.conversationId":"1","vscode.requestId":"2"}"#,
        #"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"version":"1"}}"#,
        "{}", "null",
    ])
    func `a client's own _meta chooses no version of a tool`(meta: String) throws {
        #expect(try !call(#""_meta":\#(meta)"#).choosesVersion)
    }

    @Test(arguments: [
        #"{"fastmcp":{"version":"2"}}"#, #"{"_fastmcp":{"version":"2"}}"#, #"{"x":[{"y":{"VERSION":"2"}}]}"#,
        #"{"fastmcp":{"vers\u0069on":"2"}}"#, #"{"fastmcp":{"ver\u017fion":"2"}}"#,
        #"{"fastmcp":{"version\u0000":"2"}}"#,
        #"{"version":"2"}"#, #"{"example.org/toolVersion":"2"}"#, #"{"io.modelcontextprotocol":{"version":"2"}}"#,
        #"[{"version":"2"}]"#, #""version""#,
    ])
    func `a version in _meta is found under any name and at any depth`(meta: String) throws {
        #expect(try call(#""_meta":\#(meta)"#).choosesVersion)
    }

    @Test func `more than clients put into _meta is not looked through`() throws {
        let long = String(repeating: "a", count: 65_537)
        #expect(try call(#""_meta":{"a":"\#(long)"}"#).choosesVersion)
    }

    @Test func `only what the protocol itself puts into _meta goes without saying`() throws {
        #expect(try call(#""_meta":{"io.modelcontextprotocol/clientInfo":{}}"#).hasUsualMeta)
        #expect(try !call(#""_meta":{"io.modelcontextprotocol/other":{}}"#).hasUsualMeta)
        for usual in [#"{"progressToken":2}"#, #"{"progressToken":"a","traceparent":"00-1-2-01","tracestate":"a=b"}"#] {
            #expect(try call(#""_meta":\#(usual)"#).hasUsualMeta)
        }
    }

    @Test(arguments: [
        #"{"baggage":"user=root"}"#, #"{"progressToken":{"path":"/etc"}}"#, #"{"progressToken":["a"]}"#,
        #"{"traceparent":{"a":1}}"#,
    ])
    func `a person is shown whatever a service could take for more than a mark`(meta: String) throws {
        let call = try call(#""_meta":\#(meta)"#)
        #expect(!call.hasUsualMeta)
        guard case .text(let text, _) = call.shownArguments else {
            Issue.record("no text")
            return
        }
        #expect(text.filter { $0 != "\n" && $0 != " " }.contains(#""_meta":\#(meta)"#), "\(text)")
    }

    @Test func `a person is shown half a pair of surrogates as it is written`() throws {
        let params = #"{"name":"a","arguments":{"text":"rm \ud83d","b":"\u0063"}}"#
        let call = try MCPMessage(Array(#"{"id":1,"method":"tools/call","params":\#(params)}"#.utf8))
        guard case .text(let text, _) = call.shownArguments else {
            Issue.record("no text")
            return
        }
        #expect(text.contains(#""text": "rm \ud83d""#) && text.contains(#""b": "c""#), "\(text)")
    }

    @Test func `a person is shown the arguments before what services do not read, and _meta last`() throws {
        let params = #"{"_meta":{"b":1},"z":3,"name":"a","arguments":{"c":2}}"#
        let call = try MCPMessage(Array(#"{"id":1,"method":"tools/call","params":\#(params)}"#.utf8))
        guard case .text(let text, _) = call.shownArguments else {
            Issue.record("no text")
            return
        }
        #expect(text.filter { $0 != "\n" && $0 != " " } == #"{"arguments":{"c":2},"z":3,"_meta":{"b":1}}"#)
    }

    private static let long = String(repeating: "a", count: 100)

    @Test(
        arguments: [
            (#""clientInfo":{"version":"1","name":"Claude \u0043ode"}"#, "Claude Code"),
            (#""clientInfo":{"name":7}"#, nil), (#""clientInfo":"x""#, nil),
            (
                #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"codex"}}"#,
                "codex"
            ), (#""_meta":{"io.modelcontextprotocol/clientInfo":{"name":"no revision"}}"#, nil), (#""x":1"#, nil),
            (#""clientInfo":{"name":"\#(long)b"}"#, long),
        ] as [(String, String?)])
    func `a client's name is the one that it gives itself`(params: String, name: String?) throws {
        #expect(try call(params).client == name)
    }
}
