@testable import LoginKit
import Secrets
import Testing

/// The head of a request, byte by byte.
struct LoopbackRequestReaderTests {
    /// - Parameter step: bytes that come at once.
    private func read(_ text: String, step: Int = .max) -> LoopbackRequestReader.Progress {
        let reader = LoopbackRequestReader()
        var rest = Array(text.utf8)[...], progress = LoopbackRequestReader.Progress.unfinished
        while !rest.isEmpty, progress == .unfinished {
            let count = min(step, rest.count, reader.room.count)
            reader.room.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            progress = reader.advance(by: count)
        }
        return progress
    }

    private static let request = LoopbackRequest(
        method: "GET", hosts: ["127.0.0.1:41873"], target: Secret("/callback?code=c&state=s"))

    @Test(arguments: [1, 2, 7, .max], ["\r\n", "\n"])
    func `a request is the same however it comes`(step: Int, end: String) {
        let lines = [
            "GET /callback?code=c&state=s HTTP/1.1", "hOsT: \t127.0.0.1:41873 ", "Cookie: a=b", "X:", "Latin: \u{E9}",
            "", "",
        ]
        #expect(read(lines.joined(separator: end), step: step) == .request(Self.request))
        #expect(read(lines.joined(separator: end) + "a body", step: step) == .request(Self.request))
    }

    @Test func `every Host is told, and none of them too`() {
        #expect(
            read("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n")
                == .request(LoopbackRequest(method: "GET", hosts: ["a", "b"], target: Secret("/"))))
        #expect(
            read("GET / HTTP/1.1\r\n\r\n") == .request(LoopbackRequest(method: "GET", hosts: [], target: Secret("/"))))
    }

    @Test(arguments: [
        "\r\n", "GET / HTTP/1.1 \r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", " GET / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n",
        "GET / HTTP/2.0\r\n\r\n", "GET / http/1.1\r\n\r\n", "G(T / HTTP/1.1\r\n\r\n", "GET /\u{E9} HTTP/1.1\r\n\r\n",
        "ABCDEFGHIJKLMNOPQRSTU / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\n: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
        "GET / HTTP/1.1\r\nA: \u{0}", "GET /\u{7F}", "GET /\u{1B}[31m", "\u{16}",
    ]) func `everything else is malformed, and as soon as it is seen`(text: String) {
        #expect(read(text) == .malformed)
        #expect(read(text, step: 1) == .malformed)
    }

    @Test func `the head has a limit`() {
        let start = "GET / HTTP/1.1\r\nA: "
        let fits =
            start + String(repeating: "x", count: LoopbackRequestReader.limit - start.utf8.count - 4) + "\r\n\r\n"
        #expect(read(fits) == .request(LoopbackRequest(method: "GET", hosts: [], target: Secret("/"))))
        #expect(read(fits.replacing("\r\n\r\n", with: "xxxx")) == .malformed)
        #expect(read("GET /") == .unfinished)
    }
}
