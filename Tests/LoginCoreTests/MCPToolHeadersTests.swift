import Testing

@testable import LoginKit

/// The arguments of tools that go into headers of their own.
struct MCPToolHeadersTests {
    private func tools(_ schemas: String...) throws -> (headers: [String: MCPToolHeaders], text: String) {
        let all = schemas.enumerated().map { "{\"name\":\"t\($0)\", \"inputSchema\": \($1), \"n\": 1.50}" }
        let list = "{\"id\":1,\"result\":{\"tools\": [ \(all.joined(separator: " , ")) ], \"nextCursor\": \"x\"}}"
        var headers: [String: MCPToolHeaders] = [:]
        let text = try MCPMessage(Array(list.utf8)).text.without("tools") { tool in
            guard let name = tool.member("name")?.string, let known = MCPToolHeaders(schema: tool.member("inputSchema"))
            else { return false }
            headers[name] = known
            return true
        }
        return (headers, String(decoding: text, as: UTF8.self))
    }

    private func headers(_ schema: String, _ arguments: String) throws -> [String] {
        let tool = try #require(try tools(schema).headers["t0"])
        let call = #"{"id":1,"method":"tools/call","params":{"name":"t0","arguments":\#(arguments)}}"#
        return tool.headers(in: try MCPMessage(Array(call.utf8))).map { "\($0.name): \($0.value)" }
    }

    private let marked = #"""
        {"type": "object", "properties": {
          "city": {"type": "string", "x-mcp-header": "City"}, "big": {"type": "integer", "x-mcp-header": "Big"},
          "on": {"type": "boolean", "x-mcp-header": "On"},
          "in": {"type": "object", "properties": {"deep": {"type": "string", "x-mcp-header": "Deep"}}}}}
        """#

    @Test func `arguments stand in headers as they were written`() throws {
        #expect(
            try headers(marked, #"{"city":"Zürich","big":12345678901234567890123,"on":false,"in":{"deep":"a b"}}"#) == [
                "Mcp-Param-Big: 12345678901234567890123", "Mcp-Param-City: =?base64?WsO8cmljaA==?=",
                "Mcp-Param-Deep: a b",
                "Mcp-Param-On: false",
            ])
        #expect(try headers(marked, #"{"city":"a\n\"","in":"deep"}"#) == ["Mcp-Param-City: =?base64?YQoi?="])
        #expect(try headers(marked, #"{"city":null,"big":[1],"on":{}}"#) == [])
        #expect(try headers("{}", #"{"city":"a"}"#) == [])
    }

    @Test(arguments: [
        #"{"x-mcp-header":"A"}"#, #"{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#,
        #"{"properties":{"a":{"x-mcp-header":"A"}}}"#, #"{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}"#,
        #"{"properties":{"a":{"type":"string","x-mcp-header":""}}}"#,
        #"{"properties":{"a":{"type":"string","x-mcp-header":3}}}"#,
        #"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#,
        #"{"items":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}"#,
        #"{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#,
        #"{"$defs":{"x":{"type":"string","x-mcp-header":"A"}}}"#,
    ])
    func `a tool with an invalid mark is left out of the list, which else stays as it was`(schema: String) throws {
        let (headers, text) = try tools("{}", schema, marked)
        #expect(headers.keys.sorted() == ["t0", "t2"])
        #expect(
            text
                == "{\"id\":1,\"result\":{\"tools\": [{\"name\":\"t0\", \"inputSchema\": {}, \"n\": 1.50},{\"name\":\"t2\","
                + " \"inputSchema\": \(marked.filter { $0 != "\n" }), \"n\": 1.50}], \"nextCursor\": \"x\"}}")
        #expect(try tools(schema).text == #"{"id":1,"result":{"tools": [], "nextCursor": "x"}}"#)
        let odd = Array(#"{"id":1,"result":{"tools":{"a":{"name":"b"}}}}"#.utf8)
        #expect(
            String(decoding: odd.without("tools") { _ in true }, as: UTF8.self) == #"{"id":1,"result":{"tools":[]}}"#)
    }

    @Test(arguments: [
        #""default":{"x-mcp-header":"A"}"#, #""enum":[{"x-mcp-header":1}]"#, #""const":{"x-mcp-header":"A"}"#,
        #""examples":[{"x-mcp-header":"A"}]"#,
    ])
    func `a mark inside default, enum, const or examples is ignored`(data: String) throws {
        #expect(try headers(#"{\#(data),"properties":{"a":{\#(data)}},"items":7}"#, #"{"a":"b"}"#) == [])
    }

    @Test func `the list is asked for with what the call says of its client`() throws {
        let call =
            #"{"id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28", "a":1.0}}}"#
        let page = try #require(
            try MCPMessage(Array(call.utf8)).listing(after: Array(#""c\u00e9""#.utf8), id: "authctl-tools"))
        #expect(page.isModern && page.method == "tools/list")
        #expect(
            String(decoding: page.text, as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":"authctl-tools","method":"tools/list","#
                + #""params":{"cursor":"c\u00e9","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28", "a":1.0}}}"#
        )
    }
}
