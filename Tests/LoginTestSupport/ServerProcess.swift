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
    private let process = Process()
    private let lifeline = Pipe.closedOnExec()

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
    func start(_ program: URL, _ arguments: [String]) throws {
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = lifeline
        process.standardOutput = try emptyFile("stdout")
        process.standardError = try emptyFile("stderr")
        try process.runUnblocked()
        try lifeline.fileHandleForReading.close()
    }

    /// What a file in the folder holds so far, nothing where it is missing.
    func text(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: folder.appendingPathComponent(name).path)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Waits until there is an answer, five seconds at most.
    func wait<Answer>(for what: String, _ answer: () throws -> Answer?) throws -> Answer {
        for _ in 0..<250 {
            if let found = try answer() { return found }
            guard process.isRunning else { break }
            usleep(20_000)
        }
        throw NotStarted(description: "waited for \(what) in vain: \(text("stderr"))\(text("stdout"))")
    }

    /// Ends the server, and returns when it has ended.
    func stop() {
        try? lifeline.fileHandleForWriting.close()
        for _ in 0..<250 where process.isRunning { usleep(20_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    private func emptyFile(_ name: String) throws -> FileHandle {
        let file = folder.appendingPathComponent(name)
        try Data().write(to: file)
        return try FileHandle(forWritingTo: file)
    }
}
