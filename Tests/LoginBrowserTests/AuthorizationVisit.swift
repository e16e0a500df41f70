import Foundation
@testable import LoginTestSupport
import Testing

/// `AuthorizationProbe` on a terminal of its own, what came of it going to a file.
final class AuthorizationVisit {
    static let url = "https://id.example/authorize?response_type=code&client_id=authctl&state=\(LoopbackScene.state)"

    let home: TemporaryHome
    let pty: Pty
    private let columns: Int
    private let settingsBefore: [UInt8]
    private static let answers = "answers"

    init(
        _ arguments: String..., home: TemporaryHome? = nil, columns: UInt16 = 80, environment: [String: String] = [:]
    ) throws {
        let home = try home ?? TemporaryHome()
        self.home = home
        self.columns = Int(columns)
        let file = open("\(home.path)/\(Self.answers)", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(file) }
        var spec = ChildSpec(
            try BuiltProducts.path(of: "AuthorizationProbe"), arguments,
            environment: home.environment.merging(environment) { $1 }, directory: home.path)
        spec.descriptors = [-1, file, -1]
        pty = try Pty(spec, columns: columns)
        settingsBefore = Self.usualSettings
    }

    /// What a new pseudo-terminal is set to; that of the probe may be quiet already.
    private static let usualSettings: [UInt8] = {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(master) }
        var settings = termios()
        tcgetattr(master, &settings)
        return withUnsafeBytes(of: &settings) { Array($0) }
    }()

    /// What the probe has printed by now, line by line.
    var answer: [String] {
        get throws { try home.read(Self.answers).split(separator: "\n").map(String.init) }
    }

    /// Where it listens.
    var port: Int {
        get throws {
            _ = try eventually { try answer.contains { $0.hasPrefix("port ") } }
            let line = try #require(try answer.first { $0.hasPrefix("port ") })
            return try #require(Int(line.split(separator: " ")[1]))
        }
    }

    var redirect: String { get throws { "http://127.0.0.1:\(try port)/callback" } }
    var right: String { get throws { "\(try redirect)?code=c0de&state=\(LoopbackScene.state)" } }

    /// Somebody goes to the port, and on to where they are led.
    /// - Returns: what they get.
    func get(_ target: String) throws -> String {
        let port = try port
        let client = try #require(LoopbackClient(port: port))
        client.get(target, host: "127.0.0.1:\(port)")
        let page = client.readAll()
        return page.hasPrefix("HTTP/1.1 303 ") ? try get("/done") : page
    }

    /// What stands on the screen, without the port that was drawn.
    var screen: [String] {
        get throws {
            let lines = RenderedScreen(pty.transcript, columns: columns).lines
            guard try answer.contains(where: { $0.hasPrefix("port ") }) else { return lines }
            let number = String(try port)
            return lines.map { $0.replacing(number, with: "PORT") }
        }
    }

    /// Waits for the end, and for the terminal as it was.
    @discardableResult
    func finish(_ expected: Ending = .exited(0), sourceLocation: SourceLocation = #_sourceLocation) throws -> Self {
        let ending = try pty.waitForEnd()
        #expect(ending == expected, sourceLocation: sourceLocation)
        #expect(pty.settings == settingsBefore, "the settings differ", sourceLocation: sourceLocation)
        let rendered = RenderedScreen(pty.transcript, columns: columns)
        #expect(rendered.cursorColumn == 0, "the cursor is not at the left edge", sourceLocation: sourceLocation)
        #expect(!pty.text.contains("c0de"), sourceLocation: sourceLocation)
        return self
    }
}
