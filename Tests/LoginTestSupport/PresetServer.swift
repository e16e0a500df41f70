import Foundation
import Testing

/// A real server for one preset, started by the script of its name in Tests/PresetServers: on loopback, in a folder of its own, with the
/// user `ada`; gone with the object.
final class PresetServer {
    /// Of `ada`, or the token where the service has no users.
    static let password = "Correct-Horse-7"

    /// In a full run, where `scripts/deps presets` was; with `AUTHCTL_E2E=required` a full run fails without it.
    static var required: ConditionTrait {
        let environment = ProcessInfo.processInfo.environment
        let cache =
            environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? (environment["HOME"] ?? "") + "/.cache"
        let isThere = FileManager.default.fileExists(atPath: cache + "/authctl-tests/presets-venv/installed.txt")
        return .enabled(
            if: Thoroughness.isFull && (RealServer.isRequired || isThere),
            "these servers are part of make test-all, and scripts/deps presets installs them")
    }

    let port: UInt16
    private let name: String
    private let ready: String
    private let arguments: [String]
    private var process: ServerProcess
    private var starts = 0

    /// - Parameters:
    ///   - ready: a path that is answered, with whatever status, once the server can be used.
    ///   - arguments: of its script, after the folder and the port.
    init(_ name: String, _ arguments: String..., scheme: String = "http", ready: String) throws {
        port = try FreePort.next()
        self.arguments = arguments
        (self.name, self.ready) = (name, "\(scheme)://127.0.0.1:\(port)\(ready)")
        process = try ServerProcess()
        try start(Self.password)
    }

    /// Ends it, and starts another at the same port that knows ada, but none of the sessions and tokens that were given out.
    func replace(password: String = PresetServer.password) throws {
        process.stop()
        process = try ServerProcess()
        try start(password)
    }

    private func start(_ password: String) throws {
        starts += 1
        let folder = process.folder.appendingPathComponent("server").path
        // A server may run as somebody else where the tests are root's.
        for path in [process.folder.path, folder] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        }
        let script = Self.scripts.appendingPathComponent(name).path
        try process.start(
            "/usr/bin/python3",
            [Repository.testServer("preset_runner.py"), password, "\(starts)", script, folder, "\(port)"]
                + arguments)
        do {
            _ = try process.wait(for: name) { (try? Curl("-k", ready)) != nil ? true : nil }
        } catch {
            throw ServerProcess.NotStarted(description: "\(error)\n\(logs(in: folder))")
        }
    }

    /// The last lines of each log that the script or its programs wrote.
    private func logs(in folder: String) -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix("log") }.sorted().map { name in
            "\(name): \(process.text("server/\(name)").suffix(2000))"
        }.joined(separator: "\n")
    }

    /// Everything that it printed.
    var log: String { process.text("stdout") + process.text("stderr") }

    /// A file that the script made.
    func file(_ name: String) -> String { process.folder.appendingPathComponent("server/\(name)").path }

    private static let scripts = URL(filePath: Repository.path + "/Tests/PresetServers")
}
