@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// The small parts of `request`.
struct RequestPartsTests {
    private func shown(_ pieces: [[UInt8]]) -> String {
        var filter = TerminalFilter()
        var bytes: [UInt8] = []
        for piece in pieces { bytes += piece.withUnsafeBytes { filter.shown($0) } }
        return String(decoding: bytes + filter.rest(), as: UTF8.self)
    }

    @Test(arguments: [
        ("-X POST /x", "-X: the method stands before the URL: authctl request POST URL"),
        ("-m 5 /x", "-m: set 'timeout' in the profile, in seconds"), ("-O /x", "-O: use -o FILE"),
        ("-T file /x", "-T: name the method and the file: authctl request PUT URL --data-binary @FILE"),
        ("--compressed /x", "--compressed: curl itself can use the login: authctl exec --curl-config"),
        ("/x -XPOST", "-X: the method"), ("--request=POST /x", "--request: the method"), ("-I /x", "request HEAD URL"),
        ("-L /x", "-L: redirects are not followed"), ("-qsL /x", "-s: use -q"), ("-x http://p /x", "use --proxy URL"),
        ("--insecure /x", "--insecure: certificates are always checked; use --ca-file FILE"), ("-k /x", "-k: cert"),
        ("--user ann:pw /x", "--user: the stored login is used; log in with 'authctl login -u NAME'"),
    ])
    func `an option of curl that is not there is told with what is used instead`(line: String, words: String) throws {
        let run = try TestWorld().run(["request"] + line.split(separator: " ").map(String.init), server: [])
        #expect(run.code == 2 && run.talk.contains(words), "\(run.talk)")
        #expect(!run.talk.contains("pw") && !run.talk.contains("Usage:"))
    }

    @Test(arguments: [["request", "--frobnicate", "/x"], ["request", "/x", "-Z"], ["token", "-k"]])
    func `any other option is told by the parser`(arguments: [String]) throws {
        let run = try TestWorld().run(arguments, server: [])
        #expect(run.code == 2 && run.talk.contains("unknown option"), "\(run.talk)")
    }

    @Test(arguments: [
        ("wire /posts", "\"wire\" is a profile; here it is named with -P: authctl request -P wire URL"),
        ("wire", "authctl request -P wire URL"), ("post /x", "a method is written in capitals: POST"),
        ("/x PURGE", "the method stands before the URL: authctl request PURGE URL"),
        ("s3cret /x", "the first of two arguments is the method, in capitals, such as POST"),
    ])
    func `what stands in the place of the method and is none is 2`(line: String, words: String) throws {
        let world = try TestWorld(config: Examples.wire)
        let run = world.run(["request"] + line.split(separator: " ").map(String.init), server: [])
        #expect(run.code == 2 && run.talk.contains(words) && !run.talk.contains("s3cret"), "\(run.talk)")
        #expect(world.reached.isEmpty)
    }

    @Test(arguments: ["POST", "M-SEARCH", "GET"])
    func `what is written as a method goes out as one`(method: String) throws {
        let config = Examples.wire + "\n[profiles.GET]\nurl = \"https://get.example\"\nverify = { get = \"/\" }\n"
        let world = try TestWorld(config: config)
        let run = world.run("request", "--anonymous", method, "https://api.wire.example/x", server: [.answer(200)])
        #expect(run.code == 0 && world.requests.first?.hasPrefix("\(method) ") == true, "\(run.talk)")
    }

    @Test func `a character that arrives in pieces is shown whole`() {
        let text = "aä€😀z"
        for size in 1...4 {
            let bytes = Array(text.utf8)
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(shown(pieces) == text)
        }
    }

    @Test func `nothing that a terminal obeys gets through, wherever it is cut`() {
        let hostile = Array("\u{1B}[2J\u{9B}1m\u{202E}x\r\n\ty".utf8) + [0xFF, 0xC3]
        for cut in 0...hostile.count {
            let text = shown([Array(hostile[..<cut]), Array(hostile[cut...])])
            #expect(text == "\\u{1B}[2J\\u{9B}1m\\u{202E}x\n\ty\u{FFFD}\u{FFFD}")
        }
    }

    @Test(arguments: [
        (80, "[########...........................]   25% of 4.0 GB  500 MB/s  6 seconds left"),
        (40, "25% of 4.0 GB  500 MB/s  6 seconds left"), (20, "25% of 4.0 GB  500 "), (1, ""),
    ])
    func `a progress line fits the terminal`(columns: Int, line: String) {
        let text = ProgressLine(done: 1_000_000_000, whole: 4_000_000_000, seconds: 2).text(columns: columns)
        #expect(text == line)
        #expect(text.count < max(columns, 1))
    }

    @Test func `a length beyond all times has no time that is left`() {
        let line = ProgressLine(done: 1, whole: .max, seconds: 1.5).text(columns: 100)
        #expect(line.hasSuffix("0% of 9223372 TB  1 B/s  ? left"))
    }

    @Test(arguments: [
        (36_000, "10 hours"), (35_993, "10 hours"), (34_100, "9 hours"), (3599, "60 minutes"), (7199, "120 minutes"),
        (7200, "2 hours"), (119, "119 seconds"), (1, "1 second"), (0, "0 seconds"), (-5, "0 seconds"),
        (10 * 86_400 - 60, "10 days"),
    ])
    func `a length of time is rounded to the nearest unit`(seconds: Int64, words: String) {
        #expect(Duration.inWords(seconds) == words)
    }

    @Test func `without a length there is what has come, and how fast`() {
        #expect(ProgressLine(done: 1_234_567, whole: nil, seconds: 1).text(columns: 80) == "1.2 MB  1.2 MB/s")
    }

    @Test(arguments: [
        (0.0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (99_949, "99.9 kB"), (99_960, "100 kB"), (1e12, "1.0 TB"),
    ])
    func `sizes have two or three digits`(count: Double, text: String) {
        #expect(ProgressLine.size(count) == text)
    }

    @Test func `headers: given, empty, taken away`() throws {
        let headers = try RequestHeaders(
            ["X-One:  1 ", "X-None;", "accept:"], defaults: [("Accept", "a"), ("Content-Type", "b")], taken: ["cookie"])
        #expect(headers.fields.map(\.name) == ["X-One", "X-None", "Content-Type"] && headers.removed == ["accept"])
        #expect(headers.fields.map(\.value) == [Secret("1 "), Secret(""), Secret("b")])
        #expect(throws: LoginFault.self) { try RequestHeaders(["Cookie: a=b"], defaults: [], taken: ["cookie"]) }
        #expect(throws: LoginFault.self) { try RequestHeaders(["nothing"], defaults: [], taken: []) }
    }
}
