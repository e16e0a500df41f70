import CProcess
import Foundation

/// A server as a child of the test. It ends when the pipe to its stdin is closed, so not even a killed test leaves one
/// behind; what it prints goes to files in a folder of its own.
final class ServerProcess {
    /// The server did not come up, or is not there.
    struct NotStarted: Error, CustomStringConvertible {
        let description: String
    }

    /// Belongs to this server alone, and goes with it.
    let folder: URL
    private var child: Child?
    private var lifeline: Int32 = -1

    /// An empty folder, to be filled before ``start(_:_:)``.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("authctl-server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts a program that ends by itself when its stdin ends.
    func start(_ path: String, _ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        // Other children, started at the same time by other tests, must not hold it open.
        guard cprocess_pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        let outputs = ["stdout", "stderr"].map { emptyFile($0) }
        defer { for descriptor in [ends[0]] + outputs { close(descriptor) } }
        lifeline = ends[1]
        var spec = ChildSpec(path, arguments, environment: ProcessInfo.processInfo.environment)
        spec.descriptors = [ends[0]] + outputs
        var pid: Int32 = 0
        let problem = spec.withC { cprocess_spawn_detached($0, &pid) }
        guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EINVAL) }
        child = Child(pid: pid)
    }

    /// What a file in the folder holds so far, nothing where it is missing.
    func text(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: folder.appendingPathComponent(name).path)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// What `line` makes of each line of a file. Servers write one after the answer, so this waits until there are as many
    /// as expected.
    func lines<Line>(of name: String, expecting count: Int, _ line: (Substring) -> Line?) -> [Line] {
        var found: [Line] = []
        _ = eventually(within: 20) {
            found = text(name).split(separator: "\n").compactMap(line)
            return found.count >= count
        }
        return found
    }

    /// The port that the server prints as its first line, once that line is whole: Python writes its end apart.
    func wait(forPortOf what: String) throws -> Int {
        try wait(for: what) {
            text("stdout").split(separator: "\n", omittingEmptySubsequences: false).dropLast().first.flatMap { Int($0) }
        }
    }

    /// Waits until there is an answer, three minutes at most: the machine may be busy.
    func wait<Answer>(for what: String, _ answer: () throws -> Answer?) throws -> Answer {
        let deadline = Date(timeIntervalSinceNow: 180)
        while deadline.timeIntervalSinceNow > 0 {
            if let found = try answer() { return found }
            guard child?.hasEnded() == false else { break }
            usleep(3000)
        }
        throw NotStarted(description: "waited for \(what) in vain: \(text("stderr"))\(text("stdout"))")
    }

    /// Ends the server, and returns when it has ended.
    func stop() {
        if lifeline >= 0 { close(lifeline) }
        lifeline = -1
        _ = eventually(within: 5) { child?.hasEnded() != false }
        // Kills it if it did not end by itself.
        child = nil
    }

    private func emptyFile(_ name: String) -> Int32 {
        open(folder.appendingPathComponent(name).path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
    }
}
