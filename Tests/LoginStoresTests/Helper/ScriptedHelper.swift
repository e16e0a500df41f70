import ChildPrograms
import Foundation
import LoginCore
import LoginStores
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
        try write("#!\(interpreter)\n\(script)\n", to: "bin/docker-credential-\(name)", mode: mode)
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
        return HelperStore(name, environment: ProgramEnvironment(variables), patience: patience)
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
