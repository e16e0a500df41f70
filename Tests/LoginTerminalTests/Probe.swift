import Foundation
@testable import LoginTestSupport
import Testing

/// The probe on a terminal of its own, its answers going to a file.
final class Probe {
    static let canary = "Zx9canaryQ7"

    let home: TemporaryHome
    let pty: Pty
    private let answers: String

    convenience init(
        _ arguments: String..., columns: UInt16 = 80, environment: [String: String] = [:], ignoring: [Int32] = []
    ) throws {
        try self.init(arguments: arguments, columns: columns, environment: environment, ignoring: ignoring)
    }

    init(
        arguments: [String], columns: UInt16 = 80, environment: [String: String] = [:], ignoring: [Int32] = []
    ) throws {
        home = try TemporaryHome()
        answers = home.path + "/answers"
        let file = open(answers, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        var spec = ChildSpec(
            try BuiltProducts.path(of: "PromptProbe"), arguments,
            environment: home.environment.merging(environment) { $1 }, directory: home.path)
        spec.descriptors = [-1, file, -1]
        spec.ignoredSignals = ignoring
        pty = try Pty(spec, columns: columns)
    }

    /// What the probe printed, line by line.
    var answer: [String] {
        get throws { try home.read("answers").split(separator: "\n").map(String.init) }
    }

    /// Makes the file for which the probe waits.
    func tell(_ name: String) throws { try home.write("", to: name) }

    /// Types lines, and waits until the terminal has them for whoever reads it next.
    func typeAhead(_ lines: String) {
        let before = pty.unread
        pty.type(lines)
        #expect(eventually { pty.unread == before + lines.utf8.count })
    }

    func screen(columns: Int = 80) -> RenderedScreen { RenderedScreen(pty.transcript, columns: columns) }

    /// Waits until the last line is this one.
    func shows(_ line: String, columns: Int) -> Bool {
        eventually {
            pty.watch(milliseconds: 10)
            return screen(columns: columns).lastLine == line
        }
    }

    /// Waits for the end, and for the terminal as it was.
    @discardableResult
    func finish(_ expected: Ending = .exited(0), sourceLocation: SourceLocation = #_sourceLocation) throws -> Self {
        let ending = try pty.waitForEnd()
        #expect(ending == expected, sourceLocation: sourceLocation)
        #expect(pty.settings == Pty.usualSettings, "the settings differ", sourceLocation: sourceLocation)
        #expect(screen().cursorColumn == 0, "the cursor is not at the left edge", sourceLocation: sourceLocation)
        #expect(!pty.text.contains(Self.canary), sourceLocation: sourceLocation)
        return self
    }

    /// Answers user name and password, each when it is asked for.
    func answer(username: String = "ann", password: String) throws {
        try pty.wait(for: "User name: ")
        pty.type(username + "\r")
        try pty.wait(for: "Password: ")
        pty.type(password + "\r")
    }

    static func hex(_ text: String) -> String { hex(Array(text.utf8)) }
    static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
}
