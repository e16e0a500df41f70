@testable import LoginKit
import Testing

/// What an exec and an approver say to each other, and the keys of an answer.
@Suite struct `A question about a request` {
    private static let question = ServeQuestion(
        id: "1", command: "agent\u{1B}", method: "DELETE", url: "https://blog.example/issues/7?a=\"b\"",
        body: .text("a\\nb", of: 700), rule: "DELETE /issues/*")

    private static let messages: [ApprovalMessage] = [
        .serving(profile: "blog", pid: 7), .approver, .question(question, seconds: 60),
        .question(
            ServeQuestion(
                id: "2", command: "c", method: "PUT", url: "u", body: .other(type: "image/png", of: nil), rule: "r"),
            seconds: 1),
        .question(
            ServeQuestion(id: "3", command: "c", method: "PUT", url: "u", body: .none, rule: "r", isCovered: false),
            seconds: 1),
        .question(
            ServeQuestion(id: "4", command: "c", method: "TOOL", url: "t", body: .none, hasArguments: true, rule: "r"),
            seconds: 1),
        .ended(id: "1", .withdrawn), .ended(id: "1", .timedOut), .ended(id: "1", .yesForRule), .answer(id: "1", .yes),
        .answer(id: "1", .yesForRule), .answer(id: "1", .no),
    ]

    @Test(arguments: messages) func `a message is read as it was written, and is one line`(message: ApprovalMessage) {
        let text = message.text
        #expect(!text.contains("\n"))
        #expect(Array(text.utf8).withUnsafeBytes { ApprovalMessage($0) } == message)
    }

    @Test(arguments: [
        "", "{}", "[]", "yes", #"{"id":"1"}"#, #"{"id":"1","answer":"maybe"}"#, #"{"ended":"1"}"#,
        #"{"question":{"id":"1"}}"#,
    ]) func `anything else is no message`(text: String) {
        #expect(Array(text.utf8).withUnsafeBytes { ApprovalMessage($0) } == nil)
    }

    @Test func `another version is told as such`() {
        #expect(Array(#"{"version":2,"new":1}"#.utf8).withUnsafeBytes { ApprovalMessage($0) } == .otherVersion)
    }

    /// - Returns: what the last key has led to.
    private func outcome(_ keys: String, gap: Int = 200) -> ApprovalKeys.Outcome {
        var state = ApprovalKeys()
        return keys.utf8.map { state.take($0, after: gap) }.last ?? .none
    }

    @Test(
        arguments: [
            ("y\r", .answered(.yes)), ("a\r", .answered(.yesForRule)), ("n\r", .answered(.no)), ("\r", .answered(.no)),
            ("Y\n", .answered(.yes)), ("y", .none), ("n\u{7F}y\r", .answered(.yes)), ("y\u{15}\r", .answered(.no)),
            ("\u{4}", .cancelled), ("y\u{1B}[A\r", .answered(.yes)),
        ] as [(String, ApprovalKeys.Outcome)])
    func `a letter and Return are an answer`(keys: String, expected: ApprovalKeys.Outcome) {
        #expect(outcome(keys) == expected)
    }

    @Test(arguments: ["yes\r", "yy\r", "x\r", "\u{1B}[200~y\u{1B}[201~\r", "\u{1B}[200~y\r\u{1B}[201~\r", "xy\r"])
    func `anything else approves nothing, least of all what is pasted`(keys: String) {
        #expect(outcome(keys) == .unclear)
    }

    @Test func `a letter and Return at once were not typed by a person`() {
        #expect(outcome("y\r", gap: 0) == .unclear)
        #expect(outcome("a\r", gap: 3) == .unclear)
        #expect(outcome("n\r", gap: 0) == .answered(.no))
    }
}
