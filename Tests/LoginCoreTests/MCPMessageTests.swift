import Secrets
import Testing

@testable import LoginKit

/// A message of the Model Context Protocol, as far as it is understood to be passed on.
struct MCPMessageTests {
    private func message(_ text: String) throws(MCPError) -> MCPMessage { try MCPMessage(Array(text.utf8)) }

    private func text(_ message: MCPMessage) -> String { String(decoding: message.text, as: UTF8.self) }

    private func headers(_ text: String, session: String? = nil, settled: String? = nil) throws -> [String] {
        try message(text).headers(session: session, settled: settled).map { "\($0.name): \($0.value)" }
    }

    @Test func `a request, a notification and an answer are told apart`() throws {
        #expect(try message(#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).kind == .request(.number(7)))
        #expect(try message(#"{"jsonrpc":"2.0","id":"7","method":"ping"}"#).kind == .request(.text(Array("7".utf8))))
        #expect(try message(#"{"jsonrpc":"2.0","method":"notifications/progress"}"#).kind == .notification)
        #expect(try message(#"{"id":1,"result":{}}"#).kind == .answer(.number(1), isError: false))
        #expect(try message(#"{"id":1.0,"result":{}}"#).kind == .answer(.number(1), isError: false))
        #expect(try message(#"{"id":null,"error":{"code":1}}"#).kind == .answer(nil, isError: true))
        #expect(try message(#"{"error":{"code":1}}"#).kind == .answer(nil, isError: true))
    }

    @Test func `the bytes go on, without the line ends between tokens`() throws {
        let laid = "\u{FEFF}{\r\n  \"id\": 12345678901234567890.50,\n  \"result\": {\"a\": [1e400, \"\\n\\u00e9é\"]}\n}"
        #expect(throws: MCPError.self) { try message(laid) }
        let whole = laid.replacing("12345678901234567890.50", with: "3")
        #expect(text(try message(whole)) == "{  \"id\": 3,  \"result\": {\"a\": [1e400, \"\\n\\u00e9é\"]}}")
    }

    @Test(arguments: [
        "", "{", "[1", "null", "5", "{\"method\":\"\u{1}\"}", #"{"method":"\ud80"}"#, "{}x", #"{"method":"a",}"#,
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(throws: MCPError.unreadable) { try message(text) }
        #expect(MCPError.unreadable.code == -32700)
    }

    @Test func `half a pair of surrogates goes on as it came, and no rule lets a name or a member with one through`()
        throws
    {
        let call = #"{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"text":"\ud83d"}}}"#
        #expect(text(try message(call)) == call)
        #expect(try !message(call).isAmbiguous)
        #expect(try message(#"{"id":1,"method":"tools/call","params":{"na\ud83dme":"b"}}"#).isAmbiguous)
        #expect(MCPRuleKind.tool.act(on: "a\u{FFFD}") == nil)
    }

    @Test(arguments: [
        ("initialize", true), ("ping", true), ("tools/list", true), ("resources/templates/list", true),
        ("resources/read", true), ("server/discover", true), ("tools/call", false), ("tasks/cancel", false),
        ("other/method", false),
    ])
    func `a call, and a request that is not known, may do something`(method: String, isIdempotent: Bool) throws {
        #expect(try message(#"{"id":1,"method":"\#(method)"}"#).isIdempotent == isIdempotent)
        #expect(try message(#"{"method":"\#(method)"}"#).isIdempotent, "nobody waits for an answer")
    }

    @Test func `an error that is null beside a result is none`() throws {
        #expect(try message(#"{"id":1,"result":{},"error":null}"#).kind == .answer(.number(1), isError: false))
        #expect(throws: MCPError.self) { try message(#"{"id":1,"error":null}"#) }
    }

    @Test func `arguments are found in the text alone, whatever they hold`() throws {
        let call = try message(#"{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":"c"}}}"#)
        #expect(call.params == .object(["name": .string("a"), "arguments": .null]) && call.subject == "a")
        #expect(call.member("b", at: ["params", "arguments"]) == Array("\"c\"".utf8))
    }

    @Test func `a list without what is not wanted keeps the bytes of the rest`() throws {
        let list =
            #"{"id":1, "result": {"tools": [ {"name":"a","x":1.50} , {"name":"b"},{"name":"c"} ], "nextCursor": "n"}}"#
        let kept = Array(list.utf8).without("tools") { $0.member("name") != .string("b") }
        #expect(
            String(decoding: kept, as: UTF8.self)
                == list.replacing(
                    #"[ {"name":"a","x":1.50} , {"name":"b"},{"name":"c"} ]"#,
                    with: #"[{"name":"a","x":1.50},{"name":"c"}]"#))
        #expect(
            String(decoding: Array(list.utf8).without("tools") { _ in false }, as: UTF8.self).contains(
                #""tools": [], "nextCursor""#))
        #expect(Array(list.utf8).without("tools") { _ in true } == Array(list.utf8))
    }

    @Test(arguments: [
        #"[{"id":1,"method":"ping"}]"#, #"{"id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
        #"{"id":1,"method":"a","params":{"x":{"y":{"z":[{"a":1,"\u0061":2}]}}}}"#, #"{"id":1}"#,
        #"{"id":null,"method":"ping"}"#, #"{"id":1.5,"method":"ping"}"#, #"{"id":{},"method":"ping"}"#,
        #"{"id":1,"method":3}"#, #"{"id":1,"method":""}"#, #"{"error":"invalid_token"}"#, #"{"id":1,"error":{}}"#,
    ])
    func `a batch, a doubled member and an invalid ID, method or error are refused`(text: String) {
        do throws(MCPError) {
            _ = try message(text)
            Issue.record("it was taken")
        } catch {
            #expect(error.code == -32600)
        }
    }

    @Test(
        arguments: [
            (#"{"id":7,"method":3}"#, .number(7)), (#"{"id":"a","method":""}"#, .text(Array("a".utf8))),
            (
                #"{"id":7,"method":"a b","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1"}}}"#,
                .number(7)
            ),
            (#"{"id":7,"method":"a","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}}"#, .number(7)),
            (#"{"method":3}"#, nil), (#"{"id":7.5,"method":3}"#, nil),
            // The service's own number, not the client's.
            (#"{"id":7,"error":{}}"#, nil), (#"{"id":7}"#, .number(7)),
            // As far as it can be read.
            (#"{"id":7,"method":"a",}"#, .number(7)), (#"{"method":"a","params":{"b":1,"b":2},"id":7}"#, .number(7)),
            (#"{"id":7,"id":8,"method":"a"}"#, nil), (#"{"method":"a" "id":7}"#, nil),
        ] as [(String, MCPMessage.ID?)])
    func `a request that is not valid is answered by its ID`(text: String, id: MCPMessage.ID?) {
        do throws(MCPError) {
            _ = try message(text)
            Issue.record("it was taken")
        } catch {
            #expect(error.id == id)
        }
    }

    @Test func `arrays and objects are 128 deep at most`() throws {
        func nested(_ depth: Int) -> String {
            let inner = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            return "{\"id\":1,\"result\":\(inner)}"
        }
        _ = try message(nested(128))
        #expect(throws: MCPError.self) { try message(nested(129)) }
    }

    @Test func `a message of 2025 has the headers of its session, and initialize has none`() throws {
        let common = ["Content-Type: application/json", "Accept: application/json, text/event-stream"]
        let call = #"{"id":1,"method":"tools/call","params":{"name":"a"}}"#
        #expect(
            try headers(call, session: "s1", settled: "2025-06-18") == common + [
                "Mcp-Session-Id: s1", "MCP-Protocol-Version: 2025-06-18",
            ])
        #expect(try headers(#"{"id":1,"method":"initialize"}"#, session: "s1", settled: "2025-06-18") == common)
        #expect(
            try headers(#"{"id":1,"result":{"protocolVersion":"2030"}}"#, session: "s1") == common + [
                "Mcp-Session-Id: s1"
            ])
    }

    /// A request of the revision of 2026-07-28.
    private func modern(_ method: String, _ params: String = "") -> String {
        #"{"id":1,"method":"\#(method)","params":{\#(params)"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
    }

    @Test(arguments: [
        ("plain", "plain"), ("with blank", "with blank"), (" before", "=?base64?IGJlZm9yZQ==?="),
        ("after ", "=?base64?YWZ0ZXIg?="), ("é", "=?base64?w6k=?="),
        ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
        ("a\\r\\nX: y", "=?base64?YQ0KWDogeQ==?="), ("=?base64?x", "=?base64?x"),
    ])
    func `a name stands in a header, in base64 where that could not carry it`(name: String, value: String) throws {
        let all = try headers(modern("tools/call", "\"name\":\"\(name)\","), session: "s1", settled: "2025-06-18")
        #expect(
            all.dropFirst(2) == [
                "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: \(value)",
            ])
    }

    @Test func `a resource is named by its URI, and other methods name nothing`() throws {
        #expect(try headers(modern("resources/read", #""uri":"a://b","#)).last == "Mcp-Name: a://b")
        #expect(try headers(modern("tools/list", #""name":"a","#)).last == "Mcp-Method: tools/list")
    }

    @Test func `a method or a version that is not visible ASCII is refused`() {
        #expect(throws: MCPError.self) { try message(modern(#"tools/call\r\nX: y"#)) }
        #expect(throws: MCPError.self) { try message(modern("tools call")) }
        #expect(throws: MCPError.self) { try message(modern("ping").replacing("2026-07-28", with: "2026é")) }
        #expect(throws: MCPError.self) { try message(modern("ping").replacing("\"2026-07-28\"", with: "3")) }
    }

    @Test func `a cancelled request is named by its ID`() throws {
        let cancelling = #"{"method":"notifications/cancelled","params":{"requestId":"a"}}"#
        #expect(try message(cancelling).cancelled == .text(Array("a".utf8)))
        #expect(try message(cancelling.replacing("\"a\"", with: "null")).cancelled == nil)
        #expect(try message(#"{"method":"other","params":{"requestId":"a"}}"#).cancelled == nil)
    }

    @Test(arguments: [
        (#"{"id":1,"method":"ping","Method":"tools/call"}"#, true),
        (#"{"id":1,"result":{},"METHOD":"tools/call"}"#, true),
        (#"{"id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}"#, true),
        (#"{"id":1,"method":"tools/call","param\u017f":{"name":"b"},"params":{"name":"a"}}"#, true),
        (#"{"id":1,"method":"completion/complete","params":{"ref":{"uri":"a","URI":"b"}}}"#, true),
        (#"{"id":1,"method":"tools/call","params":{"name":"a","arguments":{},"Arguments":{}}}"#, true),
        (#"{"id":1,"method":"tools/call","params":{"name\u0000":"b","name":"a"}}"#, true),
        (#"{"id":1,"result":{},"method\u0000":"tools/call"}"#, true), (#"{"id":1,"method":"a\u0000"}"#, true),
        (#"{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"Name":"b","METHOD":1}}}"#, false),
        (#"{"id":1,"result":{"Method":1}}"#, false),
    ])
    func `a message is ambiguous if two judged members differ only in case`(text: String, isAmbiguous: Bool) throws {
        #expect(try message(text).isAmbiguous == isAmbiguous)
    }

    @Test func `arguments are shown to a person as the service will read them`() throws {
        let arguments = #"{"p\u0061th":"a\/\u0062\n","n":12345678901234567890123,"l":[1]}"#
        let call = try message(#"{"id":1,"method":"tools/call","params":{"name":"a","arguments":\#(arguments)}}"#)
        let text = #"""
            {
              "path": "a/b\u000a",
              "n": 12345678901234567890123,
              "l": [
                1
              ]
            }
            """#
        #expect(call.shownArguments == .text(text, of: Int64(text.utf8.count)))
        #expect(try message(#"{"id":1,"method":"prompts/get","params":{"name":"a"}}"#).shownArguments == .none)
    }

    @Test(
        arguments: [
            (#""name":"a","_meta":{"progressToken":1,"io.modelcontextprotocol/clientInfo":{}}"#, nil),
            (#""name":"a","uri":"b""#, #"{"uri":"b"}"#),
            (#""name":"a","arguments":{},"_meta":{"b":1}"#, #"{"arguments":{},"_meta":{"b":1}}"#),
            (#""name":"a","arguments":{},"task":{"ttl":1}"#, #"{"arguments":{},"task":{"ttl":1}}"#),
            (
                #""ref":{"name":"a"},"argument":{"name":"b","value":"c"}"#,
                #"{"ref":{"name":"a"},"argument":{"name":"b","value":"c"}}"#
            ),
        ] as [(String, String?)])
    func `a person is shown whatever else a request says`(params: String, shown: String?) throws {
        let call = try message(#"{"id":1,"method":"tools/call","params":{\#(params)}}"#)
        guard case .text(let text, _) = call.shownArguments else {
            #expect(shown == nil)
            return
        }
        #expect(text.filter { $0 != "\n" && $0 != " " } == shown)
    }

    @Test func `a person is shown the beginning of long arguments, and that there are more`() throws {
        let long = String(repeating: "x", count: 100_000)
        let call = try message(#"{"id":1,"method":"tools/call","params":{"arguments":{"a":"\#(long)","b":"c"}}}"#)
        guard case .text(let text, let length) = call.shownArguments else {
            Issue.record("no text")
            return
        }
        #expect(text.utf8.count <= 32 << 10 && text.contains(#""a": "xx"#) && length == nil)
    }

    @Test func `an error without an ID gets the request's ID and is otherwise unchanged`() throws {
        let error = try message(#"{"id": null, "error": {"code": -5, "data": [12345678901234567890123]}}"#)
        #expect(
            String(decoding: error.error(for: .text(Array("q\"".utf8))), as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":"q\"","error":{"code": -5, "data": [12345678901234567890123]}}"#)
    }

    @Test func `an error of our own says what to do`() {
        var error = MCPError(code: MCPError.needsLogin, message: "not logged in")
        #expect(
            String(decoding: error.answer(to: .number(3)), as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":3,"error":{"code":-32010,"message":"not logged in"}}"#)
        (error.exitCode, error.command) = (4, "authctl login a")
        #expect(
            String(decoding: error.answer(to: nil), as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32010,"message":"not logged in","data":{"exitCode":4,"command":"authctl login a"}}}"#
        )
    }
}
