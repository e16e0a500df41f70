@testable import LoginKit
import Foundation
import Secrets

/// A helper that a test writes, alone in a folder of `PATH`.
final class ScriptedHelper {
    let folder = TemporaryFolder()
    var bin: String { "\(folder.parent)/bin" }

    /// - Parameters:
    ///   - script: for the shell; `$1` is the verb.
    ///   - mode: of the program.
    init(_ script: String = "", named name: String = "odd", interpreter: String = "/bin/sh", mode: Int = 0o755) throws {
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        try install("#!\(interpreter)\n\(script)\n", named: name, mode: mode)
    }

    /// By another process: a program that is open for writing cannot be run, and what other tests start at this moment
    /// would hold a descriptor of ours.
    func install(_ text: String, named name: String, mode: Int = 0o755) throws {
        try write(text, to: "script")
        let octal = String(mode, radix: 8)
        let words = ["install", "-m", octal, "\(folder.parent)/script", "\(bin)/docker-credential-\(name)"]
        let installed = try Program.run(words)
        guard installed.status == 0 else { throw ProgramFailed(words: words, result: installed) }
    }

    func write(_ text: String, to name: String, mode: Int = 0o644) throws {
        let path = "\(folder.parent)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder.parent)/\(name)")), as: UTF8.self)
    }

    func store(
        _ name: String = "odd", path: String? = nil, more: [String: String] = [:], patience: Int = 20
    ) -> HelperStore {
        let variables = ["PATH": path ?? "\(bin):/usr/bin:/bin", "HERE": folder.parent].merging(more) { $1 }
        return HelperStore(helper: name, environment: ProgramEnvironment(variables), patience: patience)
    }

    /// What becomes of one step.
    static func fault(_ body: () throws -> Void) -> StoreFault? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreFault
        }
    }
}

extension Secret {
    /// So many bytes that differ.
    static func anything(_ count: Int) -> Secret {
        Secret(count: count) { for index in 0..<count { $0[index] = UInt8.random(in: 0...255) } }
    }
}
