import Foundation
import LoginCore
import LoginStores
import Secrets
import Testing

/// Threat F4: saves that are killed, or whose system calls fail, one call at a time (strace's injection).
@Suite(.serialized, .enabled(if: Need.strace, "strace cannot trace here"))
struct CrashTests {
    /// Every call of a save that reaches a file, by the name that the kernel knows it by.
    static let calls = [
        "openat", "newfstatat", "fstat", "flock", "read", "getdents64", "fchmod", "write", "fsync", "renameat", "renameat2",
        "close", "unlinkat", "mkdir", "lstat", "stat", "umask",
    ]

    enum Saved: String, CaseIterable {
        case file, plaintext, book

        var fileName: String {
            switch self {
            case .file: EncryptedFileStore.fileName
            case .plaintext: PlaintextStore.fileName
            case .book: AccountBook.fileName
            }
        }

        func command(_ folder: TemporaryFolder, _ value: String) -> [String] {
            [Program.probe, "save", rawValue, folder.path, "work", self == .book ? value : "alice", value]
        }

        /// What is there now; a fault is a lost or a half file.
        func value(_ folder: TemporaryFolder) throws -> String? {
            switch self {
            case .book:
                return try AccountBook(folder: folder.path).read().profile("work")?.accounts.last?.username
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

    private func injected(_ call: String, _ what: String, _ number: Int, _ command: [String]) throws -> Finished {
        try Program.run(
            ["strace", "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):\(what):when=\(number)"] + command)
    }

    /// The calls that a save makes at all, so that the others need no run.
    private func calls(of command: [String], in folder: TemporaryFolder) throws -> [String] {
        let trace = "\(folder.parent)/trace"
        let names = Self.calls.map { "?\($0)" }.joined(separator: ",")
        #expect(try Program.run(["strace", "-f", "-o", trace, "-e", "trace=\(names)"] + command).status == 0)
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        return Self.calls.filter { text.contains(" \($0)(") }
    }

    @Test(arguments: Saved.allCases)
    func `F4 a save killed at any system call leaves the old or the new file, whole`(saved: Saved) throws {
        let folder = TemporaryFolder()
        let old = try saved.begin(folder)
        var (killed, news) = (0, 0)
        for call in try calls(of: saved.command(folder, "new"), in: folder) {
            for number in 1... {
                try folder.overwrite(saved.fileName, with: old)
                let result = try injected(call, "signal=KILL", number, saved.command(folder, "new"))
                let value = try saved.value(folder)
                #expect(value == "old" || value == "new", "\(call) \(number)")
                if value == "new" { news += 1 }
                guard result.killed || result.status != 0 else { break }
                killed += 1
            }
        }
        #expect(killed > 20)
        #expect(news > 0)
        // What the killed ones left goes away with the next save.
        #expect(try Program.run(saved.command(folder, "last")).status == 0)
        #expect(folder.entries() == [".\(saved.fileName).lock", saved.fileName])
        print("F4 \(saved): \(killed) kills, \(news) of them after the rename, 0 lost, 0 half")
    }

    @Test(arguments: Saved.allCases, ["EIO", "ENOSPC", "EDQUOT", "EROFS"])
    func `F4 a failing system call is an error and the old file stays`(saved: Saved, error: String) throws {
        let folder = TemporaryFolder()
        let old = try saved.begin(folder)
        var failed = 0
        let made = try calls(of: saved.command(folder, "new"), in: folder)
        for call in made where ["flock", "write", "fchmod", "fsync", "renameat", "renameat2", "openat"].contains(call) {
            for number in 1... {
                try folder.overwrite(saved.fileName, with: old)
                let result = try injected(call, "error=\(error)", number, saved.command(folder, "new"))
                let value = try saved.value(folder)
                if result.status == 0 {
                    #expect(value == "new", "\(call) \(number)")
                    if value == "new", number > 60 || call != "openat" { break }
                    if number > 200 { break }
                    continue
                }
                failed += 1
                // The second fsync is that of the folder, after the rename.
                #expect(value == (call == "fsync" && number == 2 ? "new" : "old"), "\(call) \(number)")
            }
        }
        #expect(failed >= 5)
        #expect(!folder.entries().contains { $0.contains(".new-") })
        print("F4 \(saved): \(failed) failures with \(error), old file whole each time")
    }

    /// A real limit, which lets a part of a write through (setrlimit(2), RLIMIT_FSIZE).
    @Test func `F4 a write that comes up short is an error and the old file stays`() throws {
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
    func `F4 a full disk is an error and the old file stays`(saved: Saved) throws {
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
