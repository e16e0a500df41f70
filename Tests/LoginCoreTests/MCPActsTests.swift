import Testing

@testable import LoginKit

/// What rules judge in the messages of an MCP client.
@Suite struct `The rules for an MCP message` {
    /// Judges it by rules for `a*`, `p` and `data://a/*`, in a client whose calls were answered by the task `t`.
    private func judge(_ text: String) throws -> String {
        let allow = try ["TOOL a*", "PROMPT p", "RESOURCE data://a/*"].map { try ServeRule($0) }
        guard let acts = try MCPMessage(Array(text.utf8)).acts(withTasks: [Array("t".utf8)]) else { return "unknown" }
        if acts.isEmpty { return "passes" }
        switch ServeRules([ServeRuleSet(allow: allow)], forMCP: true).decision(on: acts) {
        case .allowed: return "allowed"
        case .ask: return "ask"
        case .refused: return "refused"
        }
    }

    @Test(arguments: [
        ("tools/list", "{}", "passes"), ("ping", "{}", "passes"), ("Ping", "{}", "unknown"),
        ("other/method", #"{"name":"a"}"#, "unknown"), ("tools/list/x", "{}", "unknown"),
        ("notifications/x", "{}", "unknown"), ("tools/call", #"{"name":"a1"}"#, "allowed"),
        ("tools/call", #"{"name":"b"}"#, "refused"), ("tools/call", #"{"name":7}"#, "refused"),
        ("tools/call", #"{"name":"a\u0000"}"#, "refused"), ("tools/call", "{}", "refused"),
        ("tools/call", #"{"uri":"data://a/b"}"#, "refused"), ("prompts/get", #"{"name":"p"}"#, "allowed"),
        ("prompts/get", #"{"name":"a"}"#, "refused"), ("resources/read", #"{"uri":"data://a/b"}"#, "allowed"),
        ("resources/read", #"{"uri":"data://a/../b"}"#, "refused"),
        ("resources/subscribe", #"{"uri":"data://b/c"}"#, "refused"),
        ("resources/unsubscribe", #"{"uri":"data://b/c"}"#, "refused"),
        ("tasks/get", #"{"taskId":"t"}"#, "passes"), ("tasks/result", #"{"taskId":"u"}"#, "unknown"),
        ("tasks/cancel", #"{"taskId":7}"#, "unknown"), ("tasks/update", "{}", "unknown"),
        ("tasks/list", "{}", "unknown"),
    ])
    func `a request passes, is judged by its subject, or is unknown`(
        method: String, params: String, expected: String
    ) throws {
        #expect(try judge(#"{"id":1,"method":"\#(method)","params":\#(params)}"#) == expected)
    }

    @Test(arguments: [
        ("notifications/x", "passes"), ("tools/call", "refused"), ("other", "unknown"), ("tools/list", "passes"),
    ])
    func `a notification is judged like a request, and passes if it is called one`(
        method: String, expected: String
    ) throws {
        #expect(try judge(#"{"method":"\#(method)","params":{"name":"b"}}"#) == expected)
    }

    @Test(arguments: [
        (#"{"type":"ref/prompt","name":"p"}"#, "allowed"), (#"{"type":"ref/prompt","name":"q"}"#, "refused"),
        (#"{"type":"ref/resource","uri":"data://a/{id}"}"#, "allowed"),
        (#"{"type":"ref/resource","uri":"data://b/{id}"}"#, "refused"),
        (#"{"name":"p","uri":"data://b/c"}"#, "refused"), (#"{"name":"q","uri":"data://a/c"}"#, "refused"),
        (#"{"name":"p","uri":"data://a/c"}"#, "allowed"), (#"{"name":7,"uri":"data://a/c"}"#, "refused"),
        ("{}", "refused"), ("7", "refused"),
    ])
    func `a completion is judged by all that its reference names`(reference: String, expected: String) throws {
        #expect(try judge(#"{"id":1,"method":"completion/complete","params":{"ref":\#(reference)}}"#) == expected)
    }

    private static func uris(_ count: Int) -> String {
        let uris = (1...count).map { "\"data://a/\($0)\"" }.joined(separator: ",")
        return "{\"resourceSubscriptions\":[\(uris)]}"
    }

    @Test(arguments: [
        (#"{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}"#, "passes"),
        (#"{"resourceSubscriptions":["data://a/b"]}"#, "allowed"),
        (#"{"resourceSubscriptions":["data://a/b","data://b/c"]}"#, "refused"),
        (#"{"resourceSubscriptions":[7]}"#, "refused"), (#"{"resourceSubscriptions":"data://a/b"}"#, "unknown"),
        (uris(100), "allowed"), (uris(101), "unknown"), (#"{"taskIds":["t"]}"#, "passes"),
        (#"{"taskIds":["t","u"]}"#, "unknown"), (#"{"taskIds":["t"],"resourceSubscriptions":["b:"]}"#, "refused"),
        (#"{"toolsListChanged":true,"other":true}"#, "unknown"), ("[]", "unknown"), ("null", "unknown"),
    ])
    func `a subscription is judged by every resource and task that it names`(kinds: String, expected: String) throws {
        #expect(
            try judge(#"{"id":1,"method":"subscriptions/listen","params":{"notifications":\#(kinds)}}"#) == expected)
    }
}
