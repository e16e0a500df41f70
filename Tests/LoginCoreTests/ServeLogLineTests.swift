@testable import LoginKit
import Testing

/// The lines of the log, written and read.
@Suite struct `The log of an exec` {
    private static let origin = ServeLogLine.Origin(profile: "blog", account: "ann", pid: 7)

    private func began(_ id: String, time: Int64 = 1000, decision: ServeLogEntry.Decision = .allowed) -> ServeLogLine {
        .began(
            ServeLogEntry(
                id: id, method: "POST", path: "/issues/7", query: ["page", "a\"b\u{1B}"], decision: decision,
                rule: "POST /issues/*"),
            time: time, origin: Self.origin)
    }

    private func ended(_ id: String, status: Int? = 201) -> ServeLogLine {
        .ended(ServeLogEnd(id: id, status: status, sent: 5, received: 70, milliseconds: 12))
    }

    private func read(_ text: String) -> ServeLogLine? {
        Array(text.utf8).withUnsafeBytes { ServeLogLine($0) }
    }

    @Test func `a line of the log has its members in their order, and no terminal obeys it`() {
        #expect(
            began("x").text
                == #"{"id":"x","time":1000,"profile":"blog","account":"ann","pid":7,"method":"POST","path":"/issues/7","query":["page","a\"b\u001b"],"decision":"allowed","rule":"POST /issues/*"}"#
        )
        #expect(ended("x").text == #"{"id":"x","status":201,"sent":5,"received":70,"ms":12}"#)
        #expect(ended("x", status: nil).text == #"{"id":"x","sent":5,"received":70,"ms":12}"#)
    }

    @Test func `a line of the log is read as it was written`() {
        let refused = ServeLogEntry(
            id: "r", method: "GET", path: "/", decision: .refused, further: ["DELETE /"], reason: "it's \"no\"")
        let why = ServeLogLine.began(refused, time: 1, origin: Self.origin)
        #expect(why.text.hasSuffix(#","further":["DELETE /"],"reason":"it's \"no\""}"#))
        let warned = ServeLogLine.warned("blog: a \"session\"", time: 1, origin: Self.origin)
        for line in [began("x"), began("y", decision: .askedNo), ended("x"), ended("z", status: nil), why, warned] {
            #expect(read(line.text) == line)
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"id":"x"}"#, #"{"id":"x","method":"GET","path":"/","decision":"allo"#, "x",
    ])
    func `a line that was cut is none`(text: String) {
        #expect(read(text) == nil)
    }

    @Test func `requests are told in the order in which they began, each with its end`() {
        var rows = ServeLogRows(since: nil)
        #expect(rows.take(began("a")).isEmpty && rows.take(began("b")).isEmpty)
        #expect(rows.take(ended("b")).isEmpty, "the first is still on its way")
        let done = rows.take(ended("a", status: 404))
        #expect(done.map(\.entry.id) == ["a", "b"] && done.map(\.end?.status) == [404, 201])
        #expect(rows.take(began("d")).isEmpty && rows.rest().map(\.entry.id) == ["d"])
    }

    @Test func `requests of a killed run hold the others up for a while only, and old ones do not count`() {
        var rows = ServeLogRows(since: 500)
        #expect(rows.take(began("old", time: 499)).isEmpty && rows.take(ended("old")).isEmpty)
        _ = rows.take(began("killed"))
        var told: [String] = []
        for number in 0..<5000 {
            told += rows.take(began("\(number)")).map(\.entry.id) + rows.take(ended("\(number)")).map(\.entry.id)
        }
        #expect(told.first == "killed" && told.count > 2500)
        #expect(told + rows.rest().map(\.entry.id) == ["killed"] + (0..<5000).map { "\($0)" })
    }
}
