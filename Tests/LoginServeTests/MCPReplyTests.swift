import Testing

@testable import LoginKit

/// What the status and the body of a service's response say of an MCP session.
struct MCPReplyTests {
    private static func error(_ code: Int, _ message: String, id: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"\#(message)"}}"#
    }

    private func losesSession(_ status: Int, _ body: String) throws -> Bool {
        let reply = MCPReply { _, _ in }
        try reply.begin(HTTPResponse(status: status))
        try Array(body.utf8).withUnsafeBytes { try reply.write($0) }
        return reply.losesSession(of: .number(1))
    }

    @Test(arguments: [
        (404, ""), (404, "Not Found: Invalid or expired session ID"),
        (404, error(-32001, "Session not found", id: "null")),
        (404, error(-32001, "Session not found", id: "1")), (404, error(-32600, "Session terminated", id: "1")),
        (404, error(-32601, "bad", id: "null")), (400, "Bad Request: No valid session ID provided"),
        (400, error(-32000, "Bad Request: No valid session ID provided", id: "null")),
        (400, error(-32600, "Bad Request: No valid session ID provided", id: #""server-error""#)),
        (400, error(-32000, "Bad Request: Server not initialized", id: "null")),
        (400, error(-32000, "Invalid Session", id: "1")),
    ])
    func `a session that the service does not know any more is told by 404, or by 400 and its words`(
        status: Int, body: String
    ) throws {
        #expect(try losesSession(status, body))
    }

    @Test(arguments: [
        (404, error(-32601, "Method not found", id: "1")), (404, error(-32002, "Resource not found", id: "1")),
        (400, error(-32602, "session_name is missing", id: "1")),
        (400, error(-32602, "session_name is missing", id: "null")),
        (400, error(-32600, "Parse error", id: "null")), (400, ""), (401, "no session"), (500, "no session"), (200, ""),
    ])
    func `an error that is about the request is its answer`(status: Int, body: String) throws {
        #expect(try !losesSession(status, body))
    }
}
