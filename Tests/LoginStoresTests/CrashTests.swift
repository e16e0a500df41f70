import Foundation
@testable import LoginKit
import Secrets
@testable import LoginTestSupport
import Testing

/// Threat F4: saves that are killed, or whose system calls fail, one call at a time (strace's injection).
@Suite(.onOwnThreads, .serialized, .enabled(if: Need.strace, "strace cannot trace here"))
struct CrashTests {
    enum Saved: String, CaseIterable {
        case file, plaintext, registry

        var fileName: String {
            switch self {
            case .file: EncryptedFileStore.fileName
            case .plaintext: PlaintextStore.fileName
            case .registry: AccountRegistry.fileName
            }
        }

        func command(_ folder: TemporaryFolder, _ value: String) -> [String] {
            [Program.probe, "save", rawValue, folder.path, "work", self == .registry ? value : "alice", value]
        }

        /// What is there now; a fault is a lost or a half file.
        func value(_ folder: TemporaryFolder) throws -> String? {
            switch self {
            case .registry:
                return try AccountRegistry(folder: folder.path).read().profile("work")?.accounts.last?.username
            case .plaintext: return try PlaintextStore(folder: folder.path).find(.some())?.text
            case .file:
                let store = EncryptedFileStore(folder: folder.path) { () throws(StoreFault) in
                    Secret("correct horse")
                }
                return try store.find(.some())?.text
            }
        }

        func begin(_ folder: TemporaryFolder) throws -> Data {
            if self == .file {
                #expect(try Program.run([Program.probe, "init", "file", folder.path, "work", "alice"]).status == 0)
            }
            #expect(try Program.run(command(folder, "old")).status == 0)
            return try folder.bytes(fileName)
        }
    }

    /// One system call of a save: and which one of its name.
    private struct Step {
        let call: String
        let number: Int
    }

    /// How often a process reads /proc/self/maps depends on where its memory lies, and so does the number of each later read: the
    /// memory of every run lies in the same way here, where the system allows it (setarch(8)).
    private static let strace =
        ((try? Program.run(["setarch", "-R", "true"]).status) == 0 ? ["setarch", "-R"] : []) + ["strace", "-f"]

    /// The calls of a save that reach into the state folder, in their order.
    private func steps(of command: [String], in folder: TemporaryFolder) throws -> [Step] {
        let trace = "\(folder.parent)/trace"
        #expect(try Program.run(Self.strace + ["-y", "-o", trace] + command).status == 0)
        var counts: [Substring: Int] = [:]
        var steps: [Step] = []
        for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
            guard let words = line.firstMatch(of: #/^\d+ +(\w+)\(/#) else { continue }
            counts[words.1, default: 0] += 1
            if words.1 != "execve", line.contains(folder.path) {
                steps.append(Step(call: String(words.1), number: counts[words.1, default: 0]))
            }
        }
        return steps
    }

    private func run(_ command: [String], _ fault: String, at step: Step) throws -> Finished {
        let inject = "inject=\(step.call):\(fault):when=\(step.number)"
        return try Program.run(Self.strace + ["-o", "/dev/null", "-e", "trace=\(step.call)", "-e", inject] + command)
    }

    /// The three are written by the same code.
    @Test(arguments: Thoroughness.choose(usual: [Saved.file], full: Saved.allCases))
    func `a save killed at any system call leaves the old or the new file, whole`(saved: Saved) throws {
        let folder = TemporaryFolder()
        let old = try saved.begin(folder)
        var (kills, news) = (0, 0)
        for step in try steps(of: saved.command(folder, "new"), in: folder) {
            var isReached = false
            // Where setarch is not allowed, the memory of one run in a few lies in another way.
            for _ in 1...60 where !isReached {
                try folder.overwrite(saved.fileName, with: old)
                let result = try run(saved.command(folder, "new"), "signal=KILL", at: step)
                isReached = result.killed || result.status != 0
            }
            #expect(isReached, "\(step)")
            let value = try saved.value(folder)
            #expect(value == "old" || value == "new", "\(step)")
            kills += 1
            if value == "new" { news += 1 }
        }
        #expect(kills > 20)
        #expect(news > 0)
        // What the killed ones left goes away with the next save.
        #expect(try Program.run(saved.command(folder, "last")).status == 0)
        #expect(folder.entries() == [".\(saved.fileName).lock", saved.fileName])
        print("F4 \(saved): \(kills) kills, \(news) of them after the rename, 0 lost, 0 half")
    }

    @Test(arguments: Thoroughness.choose(usual: [Saved.plaintext], full: [.plaintext, .registry]))
    func `a first save killed at any system call leaves nothing or the file, whole`(saved: Saved) throws {
        // The names of the folders differ, the calls do not.
        let rehearsal = TemporaryFolder()
        for step in try steps(of: saved.command(rehearsal, "new"), in: rehearsal) {
            let folder = TemporaryFolder()
            _ = try run(saved.command(folder, "new"), "signal=KILL", at: step)
            let value = try saved.value(folder)
            #expect(value == nil || value == "new", "\(step)")
            if saved == .plaintext {
                let erased = try Program.run([Program.probe, "erase", "plaintext", folder.path, "work", "alice"])
                #expect(erased.status == (value == nil ? 3 : 0), "\(step)")
                #expect(!folder.entries().contains { $0.contains(".new-") }, "\(step)")
            }
            #expect(try Program.run(saved.command(folder, "last")).status == 0)
        }
    }

    private static let errors = ["EIO", "ENOSPC", "EDQUOT", "EROFS"]

    /// A full run lets each call fail with each error; a usual one with one error each, in turn.
    @Test(
        arguments: Thoroughness.choose(usual: [Saved.file], full: Saved.allCases),
        Thoroughness.choose(usual: [0], full: Array(errors.indices)))
    func `a failing system call is an error and the old file stays`(saved: Saved, turn: Int) throws {
        let folder = TemporaryFolder()
        let old = try saved.begin(folder)
        var (failures, unharmed) = (0, 0)
        var syncs = 0
        for (number, step) in try steps(of: saved.command(folder, "new"), in: folder).enumerated() {
            try folder.overwrite(saved.fileName, with: old)
            if step.call == "fsync" { syncs += 1 }
            let error = Self.errors[(number + turn) % Self.errors.count]
            let result = try run(saved.command(folder, "new"), "error=\(error)", at: step)
            let value = try saved.value(folder)
            guard result.status != 0 else {
                // A call that does not matter, such as looking for the leftovers of others.
                #expect(value == "new", "\(step)")
                unharmed += 1
                continue
            }
            failures += 1
            // The second fsync is that of the folder, after the rename.
            #expect(value == (step.call == "fsync" && syncs == 2 ? "new" : "old"), "\(step) \(error)")
        }
        #expect(failures >= 10)
        #expect(!folder.entries().contains { $0.contains(".new-") })
        print("F4 \(saved): \(failures) failures, old file whole each time; \(unharmed) did not matter")
    }

    /// A real limit, which lets a part of a write through (setrlimit(2), RLIMIT_FSIZE).
    @Test func `a write that comes up short is an error and the old file stays`() throws {
        let folder = TemporaryFolder()
        _ = try Saved.plaintext.begin(folder)
        let long = String(repeating: "x", count: 5000)
        let command = Saved.plaintext.command(folder, long).joined(separator: " ")
        let result = try Program.run(["bash", "-c", "trap '' XFSZ; ulimit -f 2; \(command)"])
        #expect(result.status == 8)
        #expect(result.errors.contains("write"))
        #expect(try Saved.plaintext.value(folder) == "old")
        #expect(folder.entries() == [".plaintext.json.lock", "plaintext.json"])
    }

    /// A real full disk: a file system of 64 KiB.
    @Test(.enabled(if: Need.root, "only root mounts a small file system"), arguments: Saved.allCases)
    func `a full disk is an error and the old file stays`(saved: Saved) throws {
        let folder = TemporaryFolder()
        let mount = "mkdir -m 700 \(folder.path) && mount -t tmpfs -o size=64k,mode=700 none \(folder.path)"
        try #require(try Program.run(["sh", "-c", mount]).status == 0)
        defer { _ = try? Program.run(["umount", folder.path]) }
        _ = try saved.begin(folder)
        _ = try Program.run(["sh", "-c", "cat /dev/zero > \(folder.path)/ballast"])
        let result = try Program.run(saved.command(folder, "new"))
        #expect(result.status == 8)
        #expect(result.errors.contains("28"))
        #expect(try saved.value(folder) == "old")
        #expect(!folder.entries().contains { $0.contains(".new-") })
    }
}
