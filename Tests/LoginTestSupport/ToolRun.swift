import Foundation

/// A helper program run to its end, for the fixtures of real servers: what it printed and how it ended.
struct ToolRun {
    let status: Int32
    let output: Data

    /// - Throws: what Foundation throws where the program cannot be started.
    init(_ program: String, _ arguments: [String], input: Data = Data()) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let (stdin, stdout) = (Pipe.closedOnExec(), Pipe.closedOnExec())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = FileHandle.nullDevice
        try process.runUnblocked()
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        status = process.terminationStatus
    }
}
