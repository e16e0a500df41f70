import Testing

@testable import LoginKit

/// An event stream, as its bytes come.
struct MCPEventStreamTests {
    private func read(_ text: String, piece: Int = .max, _ stream: inout MCPEventStream) throws(MCPError) -> [String] {
        var messages: [String] = [], rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let now = Array(rest.prefix(piece))
            rest = rest.dropFirst(now.count)
            let found = try now.withUnsafeBufferPointer { (bytes) throws(MCPError) in
                try stream.messages(in: UnsafeRawBufferPointer(bytes))
            }
            messages += found.map { String(decoding: $0, as: UTF8.self) }
        }
        return messages
    }

    @Test(arguments: [1, 2, 3, 7, 1000], ["\n", "\r", "\r\n"])
    func `messages are read however their bytes are cut, with any line end`(piece: Int, end: String) throws {
        let lines = [
            "\u{FEFF}: comment", "data: one", "", "event: message", "id: 5", "data:{", "data: \"a\"}", "",
            "event: other",
            "data: no", "", "", "data", "", "data:  é", "", "data: never",
        ]
        var stream = MCPEventStream()
        #expect(try read(lines.map { $0 + end }.joined(), piece: piece, &stream) == ["one", "{\n\"a\"}", " é"])
        #expect(stream.lastID == "5")
    }

    @Test func `an event without data is no message, and its ID counts`() throws {
        var stream = MCPEventStream()
        #expect(try read("id: 1\nretry: 250\ndata:\n\n", &stream).isEmpty)
        #expect(stream.lastID == "1" && stream.retry == 250)
        #expect(try read("id: 2\ndata: a\n", &stream).isEmpty)
        #expect(stream.lastID == "1")
        #expect(try read("\n", &stream) == ["a"])
        #expect(stream.lastID == "2")
        #expect(try read("id\ndata: b\n\n", &stream) == ["b"])
        #expect(stream.lastID == nil)
    }

    @Test func `a stream goes on where the one before has ended`() throws {
        var stream = MCPEventStream(after: "x", retry: 10)
        #expect(try read("data: a\n\n", &stream) == ["a"])
        #expect(stream.lastID == "x" && stream.retry == 10)
    }

    @Test func `no pause is longer than ten minutes, and no other text is one`() throws {
        var stream = MCPEventStream()
        _ = try read("retry: 99999999999999999999\nretry: -1\nretry: 1s\n\n", &stream)
        #expect(stream.retry == 600_000)
    }

    @Test func `an endless event is refused`() throws {
        var stream = MCPEventStream(limit: 1000)
        for _ in 0..<9 { _ = try read("data: " + String(repeating: "a", count: 100) + "\n", &stream) }
        #expect(throws: MCPError.tooLong) { try read("data: " + String(repeating: "a", count: 100), &stream) }
        var other = MCPEventStream(limit: 1000)
        #expect(throws: MCPError.tooLong) { try read(String(repeating: ":", count: 1001), &other) }
    }
}
