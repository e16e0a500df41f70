import Glibc
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Synchronization
import Testing

@testable import AuthctlCLI

/// What is written to the two streams, whatever stands in it.
struct ReportTests {
    /// Streams that keep what they get, or that are gone.
    private final class Paper: Sendable {
        let written = Mutex<[Int32: String]>([:])
        let isGone: Bool

        init(isGone: Bool = false) {
            self.isGone = isGone
        }

        var streams: Streams {
            Streams { [self] (stream, bytes) throws(LoginFault) in
                if isGone { throw .failure(.system(call: "write", errno: EPIPE)) }
                written.withLock { $0[stream, default: ""] += String(decoding: bytes, as: UTF8.self) }
            }
        }

        var output: String { written.withLock { $0[STDOUT_FILENO] ?? "" } }
        var talk: String { written.withLock { $0[STDERR_FILENO] ?? "" } }
    }

    private struct Row: Encodable {
        let b: String
        let a: [Int]
        let c: String?
    }

    @Test func `JSON has its members in order, one value, and slashes as they are`() throws {
        let paper = Paper()
        try paper.streams.result(json: Row(b: "https://x/", a: [1], c: nil))
        #expect(paper.output == "{\n  \"a\" : [\n    1\n  ],\n  \"b\" : \"https://x/\"\n}\n")
    }

    @Test(arguments: [
        ("\u{7F}", "\\u007f"), ("\u{9B}2J", "\\u009b2J"), ("\u{202E}", "\\u202e"), ("ä€😀", "ä€😀"),
        ("\u{1B}[m", "\\u001b[m"),
        ("\u{E0001}", "\\udb40\\udc01"), ("a\u{200B}b", "a\\u200bb"), ("\u{2028}", "\\u2028"),
    ]) func `what a terminal could obey stands in JSON as its own escape`(text: String, written: String) throws {
        let paper = Paper()
        try paper.streams.result(json: [text])
        #expect(paper.output.lowercased() == "[\n  \"\(written.lowercased())\"\n]\n")
        let read = try Array(paper.output.utf8).withUnsafeBytes { try JSONReader.read($0) }
        #expect(read == .array([.string(text)]))
    }

    @Test func `a failure is told in words and as JSON, with its facts`() throws {
        let paper = Paper()
        let error = LoginFault.network(.timedOut(seconds: 7))
        paper.streams.tell(error, about: ErrorContext(profile: "wire"), printsJSON: true)
        #expect(paper.talk.hasPrefix("authctl: wire: no response within 7 seconds\n  "), "\(paper.talk)")
        guard case .object(let top)? = try? Array(paper.output.utf8).withUnsafeBytes({ try JSONReader.read($0) }),
            case .object(let facts)? = top["error"]
        else {
            Issue.record("no JSON: \(paper.output)")
            return
        }
        #expect(facts["exit"] == .integer(Int64(error.exitCode.rawValue)) && facts["code"] == .string("network"))
        #expect(
            facts["profile"] == .string("wire") && facts["message"] == .string("wire: no response within 7 seconds"))
        #expect(facts["next"] != nil && top.count == 1)
        let quiet = Paper()
        quiet.streams.tell(.cancelled, about: ErrorContext(), printsJSON: true)
        #expect(!quiet.output.contains("\"next\"") && !quiet.output.contains("\"profile\""), "\(quiet.output)")
    }

    @Test func `talk that nobody can hear is no failure, and a result is`() throws {
        let streams = Paper(isGone: true).streams
        streams.say("anything")
        streams.tell(.cancelled, about: ErrorContext(), printsJSON: true)
        #expect(throws: LoginFault.failure(.system(call: "write", errno: EPIPE))) { try streams.result("x") }
    }

    @Test func `a secret is exact for a program, and nothing that a terminal obeys`() throws {
        let secret = Secret("t\u{1B}[2Jok"), paper = Paper(), screen = Paper()
        try paper.streams.result(secret)
        try screen.streams.result(secret, isTerminal: true)
        #expect(paper.output == "t\u{1B}[2Jok\n")
        #expect(!screen.output.contains("\u{1B}") && screen.output.hasSuffix("ok\n"), "\(screen.output)")
    }

    @Test(arguments: [
        (0, "0 seconds"), (1, "1 second"), (-5, "0 seconds"), (119, "119 seconds"), (120, "2 minutes"),
        (149, "2 minutes"),
        (150, "3 minutes"), (7199, "120 minutes"), (7200, "2 hours"), (8999, "2 hours"), (9000, "3 hours"),
        (172_799, "48 hours"), (172_800, "2 days"), (31_536_000, "365 days"),
    ]) func `a length of time is told to the nearest unit of which there are two`(seconds: Int64, words: String) {
        #expect(Duration.inWords(seconds) == words)
    }

    @Test(
        arguments: [
            ([], .auto), (["--color", "always"], .always), (["--color=never"], .never), (["--color"], .auto),
            (["--color=blue"], .auto), (["--color", "never", "--color=always"], .always),
            (["--color=always", "--color", "blue"], .auto), (["--", "--color=always"], .auto),
            (["--colors=always"], .auto),
            (["exec", "--color=never", "--", "ls", "--color=always"], .never),
        ] as [([String], ColorChoice)])
    func `the choice of colours is known before anything is parsed`(arguments: [String], choice: ColorChoice) {
        #expect(ColorChoice(arguments) == choice)
    }
}
