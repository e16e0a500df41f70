import Foundation
import Testing

/// A folder of its own for one test, gone with it.
final class TemporaryFolder {
    /// What holds the state folder.
    let parent: String
    /// The state folder; not made.
    var path: String { "\(parent)/state" }

    init() {
        var template = Array("/tmp/authctl-stores-XXXXXX".utf8CString)
        parent = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: parent)
    }

    func entries() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func makeKeyFile(_ path: String) throws {
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        #expect(
            FileManager.default.createFile(atPath: path, contents: key, attributes: [.posixPermissions: 0o600]))
    }

    /// In place, as damage does it: not by a rename, and the mode stays.
    func overwrite(_ name: String, with data: Data) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(path)/\(name)"))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: data)
        try handle.close()
    }
}

/// Another program, run to its end.
struct Finished {
    let status: Int32
    /// Whether a signal ended it; `status` is then the signal.
    let killed: Bool
    let output: String
    let errors: String
}

enum Program {
    /// A program that was built beside this test.
    static func built(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: own).deletingLastPathComponent().path + "/" + name
    }

    static var probe: String { built("StoreProbe") }

    static func start(_ words: [String]) throws -> (Process, output: Pipe, errors: Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        return (process, output, errors)
    }

    static func run(_ words: [String]) throws -> Finished {
        let (process, output, errors) = try start(words)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Finished(
            status: process.terminationStatus, killed: process.terminationReason == .uncaughtSignal,
            output: text.trimmingCharacters(in: .newlines), errors: complaint)
    }
}

/// What a test needs of the machine. A skip names its reason; with `AUTHCTL_E2E=required` there are no skips.
enum Need {
    static var isRequired: Bool { ProcessInfo.processInfo.environment["AUTHCTL_E2E"] == "required" }

    static func met(_ words: [String]) -> Bool {
        if isRequired { return true }
        do {
            let result = try Program.run(words)
            return result.status == 0 && !result.killed
        } catch {
            return false
        }
    }

    static let keyring = {
        let folder = TemporaryFolder()
        return met([Program.probe, "test", "keyring", folder.path, "need", "need"])
    }()
    static let secretService = met([
        "sh", "-c",
        "for program in dbus-daemon dbus-send gnome-keyring-daemon secret-tool; do command -v $program; done",
    ])
    static let jq = met(["jq", "--version"])
    static let strace = met(["strace", "-o", "/dev/null", "-e", "inject=getppid:error=EPERM:when=1", "true"])
    /// Whether this user may keep 100 KB of keys; 20 KB are usual for anybody but root (keyrings(7)).
    static let roomyKeyQuota = met([
        "sh", "-c", "[ $(cat /proc/sys/kernel/keys/$([ $(id -u) = 0 ] && echo root_)maxbytes) -ge 100000 ]",
    ])
    static let root = isRequired || geteuid() == 0
}
