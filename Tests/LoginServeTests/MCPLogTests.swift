import Synchronization
import Testing

@testable import LoginKit

/// What the log says of an MCP client's messages.
struct MCPLogTests {
    private final class Log: ServeLog {
        let entries = Mutex<[ServeLogEntry]>([])

        func began(_ entry: ServeLogEntry) throws(LoginFault) { entries.withLock { $0.append(entry) } }
        func ended(_ end: ServeLogEnd) throws(LoginFault) {}
        func warned(_ text: String) {}
    }

    private func entry(_ method: String, _ params: String) throws -> ServeLogEntry {
        let message = try MCPMessage(Array(#"{"id":1,"method":"\#(method)","params":\#(params)}"#.utf8))
        let acts = message.acts(withTasks: [Array("t".utf8)]) ?? [], log = Log()
        let objection = acts.last.map { ServeObjection.notAllowed($0, by: nil) }
        let refusal = objection.map { MCPError(code: MCPError.refused, message: $0.words) }
        #expect(RequestNote(log: log).begin(message, acts, .refused, nil, refusal, hidden: RepeatedSecrets()))
        let entries = log.entries.withLock { $0 }
        return try #require(entries.first)
    }

    @Test(
        arguments: [
            ("tools/call", #"{"name":"a?b=c"}"#, "a?b=c", [], []),
            ("resources/read", #"{"uri":"data://x?token=abc"}"#, "data://x", ["token"], []),
            ("completion/complete", #"{"ref":{"uri":"data://x?token=abc"}}"#, "data://x", ["token"], []),
            (
                "completion/complete", #"{"ref":{"name":"p?","uri":"data://x?token=abc"}}"#, "p?", [],
                ["RESOURCE data://x?…"]
            ),
            (
                "subscriptions/listen",
                #"{"notifications":{"resourceSubscriptions":["data://x?token=abc","data://y?abc"]}}"#, "data://x",
                ["token"], ["RESOURCE data://y?…"]
            ), ("tasks/get", #"{"taskId":"t"}"#, "t", [], []), ("tools/list", "{}", "", [], []),
        ] as [(String, String, String, [String], [String])])
    func `a message is logged with its subjects, and no value of a query`(
        method: String, params: String, path: String, query: [String], further: [String]
    ) throws {
        let entry = try entry(method, params)
        #expect(entry.method == method && entry.path == path && entry.query == query && entry.further == further)
        #expect(entry.reason?.contains("abc") != true, "\(entry)")
    }

    @Test func `a call that was cancelled before a person answered is not logged as one that nobody answered`() throws {
        let rule = try ServeRule("TOOL a")
        let words = ServeObjection.withdrawn(rule).words
        #expect(words == "the rule 'TOOL a' asks a person, and the request was cancelled first")
        #expect(ServeObjection.needsApproval(rule).words != words)
    }
}
