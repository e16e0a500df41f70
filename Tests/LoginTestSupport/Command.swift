import CProcess
import Foundation
@testable import LoginKit

/// What a command left behind.
struct CommandResult: Sendable {
    let ending: Ending
    let outputBytes: [UInt8]
    let errorBytes: [UInt8]

    /// What a program that was not run by ``Command`` left behind.
    init(ending: Ending, outputBytes: [UInt8], errorBytes: [UInt8]) {
        (self.ending, self.outputBytes, self.errorBytes) = (ending, outputBytes, errorBytes)
    }

    var output: String { String(decoding: outputBytes, as: UTF8.self) }
    var error: String { String(decoding: errorBytes, as: UTF8.self) }
}

/// Runs a program without a terminal, in a session of its own.
enum Command {
    /// - Parameter input: what it finds on its stdin, which then ends.
    /// - Throws: `DeadlineExceeded` after so many seconds; the program is killed.
    static func run(
        _ spec: ChildSpec, input: [UInt8] = [], within seconds: Double = 120
    ) throws -> CommandResult {
        let (stdin, stdout, stderr) = (try Channel(), try Channel(), try Channel())
        let child = Child(pid: try start(spec, stdin, stdout, stderr))
        let deadline = Date(timeIntervalSinceNow: seconds)
        stdin.closeReading()
        stdout.closeWriting()
        stderr.closeWriting()
        var rest = input[...]
        while !child.hasEnded() {
            if rest.isEmpty || !stdin.write(&rest) { stdin.closeWriting() }
            Channel.wait(for: stdout, stderr, toWrite: rest.isEmpty ? nil : stdin)
            stdout.collect()
            stderr.collect()
            guard deadline.timeIntervalSinceNow > 0 else {
                let seen = String(decoding: stderr.collected, as: UTF8.self)
                throw DeadlineExceeded(waitingFor: "the end of \(spec.path)", seen: seen)
            }
        }
        stdout.collect()
        stderr.collect()
        guard let ending = child.ending else { throw DeadlineExceeded(waitingFor: "the end of \(spec.path)", seen: "") }
        return CommandResult(ending: ending, outputBytes: stdout.collected, errorBytes: stderr.collected)
    }

    private static func start(
        _ spec: ChildSpec, _ stdin: Channel, _ stdout: Channel, _ stderr: Channel
    ) throws -> Int32 {
        var spec = spec, pid: Int32 = 0
        spec.descriptors = [stdin.reading, stdout.writing, stderr.writing]
        let problem = spec.withC { cprocess_spawn_detached($0, &pid) }
        guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EINVAL) }
        return pid
    }

    /// Runs a program of the system by its name, in this process's environment.
    /// - Throws: `POSIXError` where it is not installed.
    static func tool(
        _ program: String, _ arguments: [String] = [], input: [UInt8] = []
    ) throws -> CommandResult {
        guard let path = RealServer.path(of: program) else { throw POSIXError(.ENOENT) }
        return try run(
            ChildSpec(path, arguments, environment: ProcessInfo.processInfo.environment), input: input)
    }
}

/// A pipe whose ends this process uses without blocking.
private final class Channel {
    private(set) var reading: Int32
    private(set) var writing: Int32
    private(set) var collected: [UInt8] = []

    /// No other child inherits an end: that would keep it open, and what reads its input would wait for the end of it.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard cprocess_pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeReading()
        closeWriting()
    }

    func closeReading() {
        if reading >= 0 { close(reading) }
        reading = -1
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// - Returns: whether the other side still reads.
    func write(_ rest: inout ArraySlice<UInt8>) -> Bool {
        var ready = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, 0) > 0 else { return true }
        let written = withoutBrokenPipes {
            rest.withUnsafeBytes { Foundation.write(writing, $0.baseAddress, min($0.count, 2048)) }
        }
        guard written > 0 else { return false }
        rest = rest.dropFirst(written)
        return true
    }

    /// Waits until there is something to do, but not for long: the end of a child whose own children keep its pipes open
    /// is seen by nothing else.
    static func wait(for outputs: Channel..., toWrite input: Channel?) {
        var waiting = outputs.filter { $0.reading >= 0 }.map {
            pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0)
        }
        if waiting.isEmpty {
            usleep(500)
            return
        }
        if let input, input.writing >= 0 {
            waiting.append(pollfd(fd: input.writing, events: Int16(POLLOUT), revents: 0))
        }
        poll(&waiting, nfds_t(waiting.count), 10)
    }

    /// Takes what is there; at its end the pipe is closed.
    func collect() {
        var ready = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        while reading >= 0, poll(&ready, 1, 0) > 0 {
            var bytes = [UInt8](repeating: 0, count: 65536)
            let got = read(reading, &bytes, bytes.count)
            guard got > 0 else { return closeReading() }
            collected += bytes[..<got]
        }
    }
}
