import Foundation
@testable import LoginTestSupport
import Synchronization

extension Installation {
    /// Runs a login without a terminal, and does something with a URL that it shows. It runs on a thread of its own: those of
    /// the tests may all be waiting for such a login.
    func login(
        _ arguments: [String], opening pattern: String, _ open: (String) throws -> Void
    ) throws -> CommandResult {
        let told = folder + "/told"
        try? FileManager.default.removeItem(atPath: told)
        let shell = ["-c", "out=$1; shift; exec \"$0\" \"$@\" 2>\"$out\"", program, told] + arguments
        let spec = ChildSpec("/bin/sh", shell, environment: environment, directory: folder)
        let ended = Ended()
        Thread.detachNewThread { ended.set(Result { try Command.run(spec) }) }
        var url: String?
        _ = eventually {
            let text = FileManager.default.contents(atPath: told).map { String(decoding: $0, as: UTF8.self) } ?? ""
            url = text.split { $0 == "\n" || $0 == " " }.first { $0.hasPrefix("http") && $0.contains(pattern) }
                .map(String.init)
            return url != nil || ended.result != nil
        }
        if let url { try open(url) }
        _ = eventually(within: 120) { ended.result != nil }
        guard let result = try ended.result?.get() else {
            throw DeadlineExceeded(waitingFor: "the end of a login", seen: try home.read("told"))
        }
        let talk = FileManager.default.contents(atPath: told) ?? Data()
        return CommandResult(ending: result.ending, outputBytes: result.outputBytes, errorBytes: Array(talk))
    }

    /// Ends every access token that is stored, as far as this machine knows.
    func letTokensExpire() throws {
        let text = try String(contentsOfFile: registry, encoding: .utf8)
        try text.replacing(/"expires" ?: ?\d+/, with: "\"expires\":1000").write(
            toFile: registry, atomically: false, encoding: .utf8)
        var content = try JSONSerialization.jsonObject(with: bytes(plaintext)) as? [String: Any] ?? [:]
        var entries = content["entries"] as? [[String: Any]] ?? []
        for index in entries.indices {
            guard let secret = (entries[index]["secret"] as? String).flatMap({ Data(base64Encoded: $0) }) else {
                continue
            }
            let login = String(decoding: secret, as: UTF8.self).replacing(/"expires" ?: ?\d+/, with: "\"expires\":1000")
            entries[index]["secret"] = Data(login.utf8).base64EncodedString()
            if entries[index]["expires"] != nil { entries[index]["expires"] = 1000 }
        }
        content["entries"] = entries
        try JSONSerialization.data(withJSONObject: content).write(to: URL(fileURLWithPath: plaintext))
    }
}

/// What came of a command on another thread.
private final class Ended: Sendable {
    private let outcome = Mutex<Result<CommandResult, any Error>?>(nil)

    var result: Result<CommandResult, any Error>? { outcome.withLock { $0 } }

    func set(_ result: Result<CommandResult, any Error>) { outcome.withLock { $0 = result } }
}
