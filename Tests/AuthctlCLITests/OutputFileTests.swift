import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// The file of `-o` and that of `-d @FILE`, whatever else happens to it meanwhile.
struct OutputFileTests {
    private let home: TemporaryHome
    private var path: String { home.path + "/out" }

    init() throws {
        home = try TemporaryHome()
    }

    private func write(_ text: String, to file: OutputFile) throws {
        try Array(text.utf8).lend { (bytes) throws(LoginFault) in try file.write(bytes) }
    }

    private var text: String? { FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } }

    @Test func `nothing is there before an answer comes, and nothing is left where none came`() throws {
        let file = try OutputFile(path, patience: 1)
        #expect(text == nil)
        file.close()
        #expect(text == nil)
        let answered = try OutputFile(path, patience: 1)
        try write("", to: answered)
        #expect(text?.isEmpty == true)
    }

    @Test func `what another process writes there meanwhile is not removed`() throws {
        let file = try OutputFile(path, patience: 1)
        try home.write("theirs", to: "out")
        file.close()
        #expect(text == "theirs")
    }

    @Test func `nor is a link that was put there, nor what it leads to`() throws {
        let file = try OutputFile(path, patience: 1)
        let target = try home.write("theirs", to: "target")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        file.close()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
        #expect(text == "theirs")
    }

    @Test func `a file that is there is as it was until the first byte, and then holds the answer alone`() throws {
        try home.write("a longer one", to: "out")
        let file = try OutputFile(path, patience: 1)
        #expect(text == "a longer one")
        try write("new", to: file)
        #expect(text == "new")
    }

    @Test(arguments: ["", "folder/", "nowhere/out", "."])
    func `a place where no file can be made is known before anything is sent`(name: String) throws {
        try FileManager.default.createDirectory(atPath: home.path + "/folder", withIntermediateDirectories: true)
        let path = name.isEmpty ? "" : "\(home.path)/\(name)"
        #expect(throws: LoginFault.self) { try OutputFile(path, patience: 1) }
    }

    @Test func `a pipe that nobody reads is waited for no longer than the request may take`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let begun = ContinuousClock.now
        #expect(throws: LoginFault.self) { try OutputFile(path, patience: 1) }
        #expect(ContinuousClock.now - begun < .seconds(20))
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let file = try OutputFile(path, patience: 1)
        try write("x", to: file)
        // More than the pipe takes.
        #expect(throws: LoginFault.failure(.other("nobody has read from \"\(path)\" for 1 seconds"))) {
            try write(String(repeating: "x", count: 1 << 20), to: file)
        }
        #expect(ContinuousClock.now - begun < .seconds(40))
    }

    @Test func `a pipe that nobody writes to is waited for no longer than the request may take`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let begun = ContinuousClock.now
        #expect(throws: LoginFault.self) { try BodyInput("@" + path, option: "-d", patience: 1).all(limit: 10) }
        #expect(ContinuousClock.now - begun < .seconds(20))
        // One who opens it and writes nothing more does not hold it either.
        let writer = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(writer) }
        #expect(Glibc.write(writer, "abc", 3) == 3)
        #expect(throws: LoginFault.self) { try BodyInput("@" + path, option: "-d", patience: 1).all(limit: 10) }
        #expect(ContinuousClock.now - begun < .seconds(40))
    }

    @Test func `a pipe that is written to and closed is a body`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", "sleep 0.2; printf abc >\"$0\"", path]
        try shell.run()
        defer { shell.waitUntilExit() }
        #expect(try BodyInput("@" + path, option: "-d", patience: 20).all(limit: 10) == Secret("abc"))
    }

    @Test func `the rest of a long body is waited for no longer either`() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[1]) }
        let source = PipeSource(Secret("begun"), then: ends[0], patience: 1)
        var buffer = [UInt8](repeating: 0, count: 100)
        let first = try buffer.withUnsafeMutableBytes { (bytes) throws(LoginFault) in try source.read(into: bytes) }
        #expect(first == 5)
        let begun = ContinuousClock.now
        #expect(throws: LoginFault.failure(.other("nothing came from the pipe of the body for 1 seconds"))) {
            try buffer.withUnsafeMutableBytes { (bytes) throws(LoginFault) in try source.read(into: bytes) }
        }
        #expect(ContinuousClock.now - begun < .seconds(20))
    }
}
