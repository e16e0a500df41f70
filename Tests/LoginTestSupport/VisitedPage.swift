import Foundation

/// Where a browser ended.
struct VisitedPage: Decodable, Sendable {
    let address: String
    /// Of the last answer; Chromium does not tell.
    let status: Int?
    /// What a person reads there.
    let text: String

    /// One of its address.
    func parameter(_ name: String) -> String? {
        URLComponents(string: address)?.queryItems?.first { $0.name == name }?.value
    }
}

/// A program for `--browser`, and a folder of its own in which it leaves what it saw.
final class BrowserProgram {
    private let home: TemporaryHome
    let path: String

    /// - Parameter settings: what the script reads from beside it.
    init(_ script: String, settings: [String: String]) throws {
        home = try TemporaryHome()
        let text = String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
        try home.write(text, to: "person.json")
        path = try home.write(script, to: "browser", mode: 0o700)
    }

    /// The path of a file that it leaves.
    func file(_ name: String) -> String { home.path + "/" + name }

    /// Runs it to its end.
    func run(_ arguments: [String]) throws -> VisitedPage {
        forget()
        let spec = ChildSpec(path, arguments, environment: ProcessInfo.processInfo.environment)
        let run = try Command.run(spec, within: 90)
        guard let page = page() else { throw ServerProcess.NotStarted(description: run.error + run.output) }
        return page
    }

    /// What it saw last, no matter who started it.
    func visited() throws -> VisitedPage {
        var found: VisitedPage?
        _ = eventually {
            found = page()
            return found != nil
        }
        guard let found else { throw DeadlineExceeded(waitingFor: "the end of a browser", seen: "") }
        return found
    }

    func forget() { try? FileManager.default.removeItem(atPath: file("visited.json")) }

    private func page() -> VisitedPage? {
        FileManager.default.contents(atPath: file("visited.json"))
            .flatMap { try? JSONDecoder().decode(VisitedPage.self, from: $0) }
    }
}
