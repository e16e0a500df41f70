import ArgumentParser
@testable import LoginKit
@testable import LoginTestSupport
import Glibc
import Secrets
import Synchronization
import Testing

@testable import AuthctlCLI

/// What a terminal shows while a body is on its way, or a server is waited for.
struct TransferWatchTests {
    /// Writes down what happens, in lines.
    private final class Record: TransferWatcher, ResponseReceiver, Sendable {
        private let text = Mutex<[String]>([])
        var lines: [String] { text.withLock { $0 } }

        func add(_ line: String) { text.withLock { $0.append(line) } }
        func expect(_ count: Int64?) { add("expect \(count.map(String.init) ?? "?")") }
        func advance(by count: Int) { add("advance \(count)") }
        func end() { add("end") }
        func write(_ bytes: UnsafeRawBufferPointer) { add("write \(bytes.count)") }
        func finish() { add("finish") }
        func close() { add("close") }
    }

    /// Ten bytes, four at a time.
    private final class Source: RequestSource {
        private var left = 10
        let count: Int64? = 10

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            let count = min(4, left)
            left -= count
            return count
        }

        func rewind() -> Bool {
            left = 10
            return true
        }
    }

    private func read(_ source: any RequestSource) throws -> Int? {
        try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { try source.read(into: $0) }
    }

    @Test func `a body is counted as it is read, and no more once the response begins`() throws {
        let record = Record()
        let output = ResponseOutput(record, includesHead: false, progress: nil, upload: record) { _ in false }
        let source = output.watched(Source())
        #expect(source.count == 10)
        #expect(try read(source) == 4 && source.rewind())
        while try read(source) != 0 {}
        try output.begin(HTTPResponse(status: 200, headers: []))
        output.close()
        #expect(
            record.lines == [
                "expect 10", "advance 4", "expect 10", "advance 4", "advance 4", "advance 2", "end", "end", "close",
            ])
    }

    @Test func `without a watcher a body is sent as it is`() throws {
        let output = ResponseOutput(Record(), includesHead: false, progress: nil) { _ in false }
        let source = Source()
        #expect(output.watched(source) === source)
    }

    @Test func `a progress line appears after a second, moves five times a second at most, and is taken away`() {
        let written = Record(), clock = Mutex(ContinuousClock.now)
        let streams = Streams { (stream, bytes) throws(LoginFault) in
            written.add("\(stream) \(String(decoding: bytes, as: UTF8.self))")
        }
        let progress = TransferProgress(streams, columns: 40) { clock.withLock { $0 } }
        progress.expect(1000)
        for _ in 1...30 {
            clock.withLock { $0 += .milliseconds(100) }
            progress.advance(by: 10)
        }
        // From 1.1 seconds on, each 300 ms: a pace of 200 is over only then.
        #expect(written.lines.count == 7, "\(written.lines)")
        #expect(written.lines.first == "2 \r11% of 1.0 kB  100 B/s  9 seconds left\u{1B}[K", "\(written.lines)")
        progress.end()
        #expect(written.lines.last == "2 \r\u{1B}[K" && written.lines.count == 8, "\(written.lines)")
        clock.withLock { $0 += .seconds(1) }
        progress.advance(by: 10)
        progress.end()
        #expect(written.lines.count == 8, "what comes after the end is not shown: \(written.lines)")
    }

    @Test(
        arguments: [
            (["request", "--anonymous", "POST", "https://api.wire.example/x"], [STDERR_FILENO], [:], true),
            (["request", "--anonymous", "POST", "https://api.wire.example/x"], [], [:], false),
            (["request", "--anonymous", "-q", "POST", "https://api.wire.example/x"], [STDERR_FILENO], [:], false),
            (
                ["request", "--anonymous", "POST", "https://api.wire.example/x"], [STDERR_FILENO], ["TERM": "dumb"],
                false
            ),
        ] as [([String], Set<Int32>, [String: String], Bool)])
    func `only a terminal that may have a line that moves has a progress line`(
        line: [String], terminals: Set<Int32>, variables: [String: String], isShown: Bool
    ) throws {
        let world = try TestWorld(config: Examples.wire)
        world.terminals = terminals
        world.variables.merge(variables) { $1 }
        try world.withWorld { world in
            let command = try #require(try Authctl.parseAsRoot(line) as? RequestCommand)
            #expect(try (Invocation(world, command.global).transferProgress() != nil) == isShown)
        }
    }

    @Test func `of several servers one is named at a time, and only its notice moves`() throws {
        let world = try TestWorld()
        world.variables["TERM"] = "xterm"
        let record = Record()
        try world.withWorld { world in
            var world = world
            world.hasTerminal = { true }
            (world.width, world.isUnicode) = (2, { false })
            world.noticeLine = Dependencies.NoticeLine(
                show: {
                    record.add("show \($0)")
                    return true
                }, hide: { record.add("hide") }, move: { record.add("move \($0)") })
            let invocation = try Invocation(world, try GlobalOptions.parse([]))
            let notices = invocation.context.concurrently(["one", "two"]) { context, name in
                context.person.waitingNotice(of: Origin(scheme: "https", host: "\(name).example", port: 443))
            }.compactMap(\.self)
            try #require(notices.count == 2)
            notices[0].note(.waiting(seconds: 0.4))
            notices[0].note(.waiting(seconds: 1))
            notices[1].note(.waiting(seconds: 1))
            notices[1].note(.over)
            notices[0].note(.over)
            notices[1].note(.waiting(seconds: 4))
            notices[1].note(.over)
        }
        #expect(
            record.lines == [
                "show Waiting for https://one.example…", "move |", "hide",
                "show Waiting for https://two.example…", "move / 4 s", "hide",
            ])
    }
}
