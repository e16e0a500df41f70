import Foundation
@testable import LoginTestSupport
import Testing

/// A screen without a monitor (Xvfb), and hands at its keyboard (xdotool), for as long as this object lives.
final class Screen {
    /// As in `:99`, for `DISPLAY`.
    let display: String
    private let server: ServerProcess

    init() throws {
        server = try ServerProcess()
        // It ends with its standard input, as every server of the tests.
        let script = "Xvfb -displayfd 1 -screen 0 1100x800x24 -nolisten tcp -noreset & cat > /dev/null; kill $!"
        try server.start("/bin/sh", ["-c", script])
        display = ":\(try server.wait(forPortOf: "Xvfb"))"
    }

    /// There was none in time.
    struct NoWindow: Error {
        let title: String
    }

    /// Waits for a window with such a title, and has it listen to the keyboard.
    func focus(_ title: String, within seconds: Double = 60) throws {
        var window = ""
        let isThere = eventually(within: seconds) {
            window = (try? xdotool("search", "--onlyvisible", "--name", title)) ?? ""
            return !window.isEmpty
        }
        guard isThere else { throw NoWindow(title: title) }
        _ = try xdotool("windowfocus", "--sync", String(window.split(separator: "\n")[0]))
    }

    func type(_ text: String) throws { _ = try xdotool("type", "--delay", "30", text) }

    func press(_ keys: String...) throws { for key in keys { _ = try xdotool("key", key) } }

    private func xdotool(_ words: String...) throws -> String {
        try Command.run(
            ChildSpec(
                RealServer.path(of: "xdotool") ?? "xdotool", words,
                environment: ProcessInfo.processInfo.environment.merging(["DISPLAY": display]) { $1 })
        ).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
