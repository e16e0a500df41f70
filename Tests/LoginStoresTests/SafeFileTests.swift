import Foundation
@testable import LoginKit
import Secrets
@testable import LoginTestSupport
import Testing

/// Threats F1 and F2, on every file in the state folder.
@Suite(.onOwnThreads) struct SafeFileTests {
    private func expectUnsafe(_ body: () throws -> Void) {
        #expect {
            try body()
        } throws: { error in
            if case StoreFault.unsafeFile = error { true } else { false }
        }
    }

    @Test(arguments: File.allCases, [0o000, 0o777, 0o022])
    func `whatever the umask the folder is 0700 and every file 0600`(file: File, mask: Int) throws {
        let folder = TemporaryFolder()
        let result = try Program.run(["sh", "-c", "umask \(String(mask, radix: 8)); \(commands(file, folder.path))"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try Program.run(["stat", "-c", "%a", folder.path]).output == "700")
        for name in folder.entries() {
            #expect(try Program.run(["stat", "-c", "%a", "\(folder.path)/\(name)"]).output == "600", "\(name)")
        }
        #expect(folder.entries().contains(file.rawValue))
    }

    private func commands(_ file: File, _ path: String) -> String {
        switch file {
        case .encrypted: "\(Program.probe) init file \(path) p u && \(Program.probe) save file \(path) p u x"
        case .plaintext: "\(Program.probe) save plaintext \(path) p u x"
        case .registry: "\(Program.probe) save registry \(path) p u"
        }
    }

    @Test(arguments: File.allCases, ["777", "755", "750", "701"])
    func `a folder on which others have rights is refused`(file: File, mode: String) throws {
        let folder = TemporaryFolder()
        try file.write(in: folder)
        #expect(try Program.run(["chmod", mode, folder.path]).status == 0)
        expectUnsafe { try file.read(in: folder) }
        expectUnsafe { try file.write(in: folder, "two") }
    }

    @Test(arguments: ["775", "777"])
    func `a parent folder in which others may rename is refused`(mode: String) throws {
        let folder = TemporaryFolder()
        try File.plaintext.write(in: folder)
        // The user's own group is no other, and only root can give the folder to one that is.
        guard getuid() == 0 || mode == "777" else { return }
        if getuid() == 0 { #expect(try Program.run(["chgrp", "54321", folder.parent]).status == 0) }
        #expect(try Program.run(["chmod", mode, folder.parent]).status == 0)
        expectUnsafe { try File.plaintext.read(in: folder) }
        #expect(try Program.run(["chmod", "1777", folder.parent]).status == 0)
        try File.plaintext.read(in: folder)
    }

    @Test(arguments: File.allCases, Trap.allCases.filter(\.isPossible))
    func `a file that is not the one we wrote is refused and left alone`(file: File, trap: Trap) throws {
        let folder = TemporaryFolder()
        try file.write(in: folder)
        let before = try folder.bytes(file.rawValue)
        let victim = "\(folder.parent)/victim"
        try trap.set(at: "\(folder.path)/\(file.rawValue)", victim: victim)
        expectUnsafe { try file.read(in: folder) }
        expectUnsafe { try file.write(in: folder, "two") }
        if [.symlink, .hardLink].contains(trap) {
            #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == before)
        }
        #expect(!folder.entries().contains { $0.contains(".new-") })
    }

    @Test(arguments: [Trap.symlink, .hardLink, .fifo, .folder, .loose])
    func `a lock file that is not ours is refused`(trap: Trap) throws {
        let folder = TemporaryFolder()
        try File.plaintext.write(in: folder)
        let before = try folder.bytes("plaintext.json")
        try trap.set(at: "\(folder.path)/.plaintext.json.lock", victim: "\(folder.parent)/victim")
        expectUnsafe { try File.plaintext.write(in: folder, "two") }
        #expect(try folder.bytes("plaintext.json") == before)
    }

    @Test func `a state folder that is a link is refused`() throws {
        let folder = TemporaryFolder()
        #expect(try Program.run(["mkdir", "-m", "700", "\(folder.parent)/elsewhere"]).status == 0)
        #expect(try Program.run(["ln", "-s", "elsewhere", folder.path]).status == 0)
        expectUnsafe { try File.registry.read(in: folder) }
        expectUnsafe { try File.registry.write(in: folder) }
        #expect(folder.entries().isEmpty)
    }

    @Test(.enabled(if: Need.root, "another's home can only be tried by root"))
    func `root does not make folders in the home of another`() throws {
        let folder = TemporaryFolder()
        #expect(try Program.run(["chown", "54321", folder.parent]).status == 0)
        #expect {
            try File.registry.write(in: folder)
        } throws: { error in
            if case StoreFault.unsafeFile(_, let problem) = error { problem.contains("sudo -H") } else { false }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test(.enabled(if: Need.strace, "strace cannot trace here"), arguments: File.allCases)
    func `every file is opened under the checked folder, new and without following`(file: File) throws {
        let folder = TemporaryFolder()
        try file.write(in: folder)
        let trace = "\(folder.parent)/trace"
        let saved = try Program.run([
            "strace", "-f", "-y", "-o", trace, "-e", "trace=/open,creat,/rename,fsync,write,flock", Program.probe,
            "save", file == .encrypted ? "file" : file == .registry ? "registry" : "plaintext", folder.path, "p", "u",
            "x",
        ])
        #expect(saved.status == 0)
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").filter {
            $0.contains(folder.path)
        }
        let temporary = try #require(lines.first { $0.contains(".new-") && $0.contains("openat") })
        for flag in ["O_CREAT", "O_EXCL", "O_NOFOLLOW", "O_CLOEXEC", "0600"] { #expect(temporary.contains(flag)) }
        #expect(temporary.contains("openat(") && !temporary.contains("AT_FDCWD"))
        for line in lines where line.contains("openat(") {
            #expect(line.contains("O_CLOEXEC") && (line.contains("O_NOFOLLOW") || line.contains("\".\"")), "\(line)")
        }
        let calls = lines.compactMap { line in
            ["flock", "write", "fsync", "rename"].first { line.contains(" \($0)") }
        }
        #expect(calls == ["flock", "write", "fsync", "rename", "fsync"])
    }

    @Test func `an erasing finds what a killed save left beside the file, also where there is no file`() throws {
        let folder = TemporaryFolder()
        let store = PlaintextStore(folder: folder.path)
        #expect(try !store.erase(.some()))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        #expect(try Program.run(["mkdir", "-m", "700", folder.path]).status == 0)
        let left = "\(folder.path)/.plaintext.json.new-1f"
        for begin in [{}, { try File.plaintext.write(in: folder) }] as [() throws -> Void] {
            try begin()
            #expect(FileManager.default.createFile(atPath: left, contents: Data("secret".utf8)))
            #expect(try !store.erase(.some("other")))
            #expect(!FileManager.default.fileExists(atPath: left))
        }
        #expect(try store.find(.some()) == Secret("one"))
        // What cannot be removed is told: the secret is still there.
        #expect(try Program.run(["mkdir", left]).status == 0)
        #expect(throws: StoreFault.self) { try store.erase(.some()) }
    }

    @Test func `links that come and go during saves never lead to the victim`() throws {
        let folder = TemporaryFolder()
        try File.plaintext.write(in: folder)
        let victim = "\(folder.parent)/victim"
        try Data("untouched".utf8).write(to: URL(fileURLWithPath: victim))
        let path = "\(folder.path)/plaintext.json"
        let swap = "ln -sf \(victim) \(path); rm -f \(path)"
        let swapping = try Program.start(["sh", "-c", "i=0; while [ $i -lt 300 ]; do \(swap); i=$((i+1)); done"])
        var (tried, refused) = (0, 0)
        while swapping.0.isRunning {
            tried += 1
            do { try File.plaintext.write(in: folder) } catch { refused += 1 }
        }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "untouched")
        print("F2: \(tried) saves against the swapping, \(refused) refused")
    }
}
