import Foundation
@testable import LoginKit
import Secrets
@testable import LoginTestSupport
import Testing

/// Several processes at once.
@Suite(.onOwnThreads) struct ConcurrencyTests {
    @Test(arguments: ["file", "plaintext", "registry"])
    func `saves by many processes at once are all there afterwards`(store: String) throws {
        let folder = TemporaryFolder()
        if store == "file" {
            #expect(try Program.run([Program.probe, "init", "file", folder.path, "p", "u"]).status == 0)
        }
        let count = 50
        let started = try (0..<count).map {
            try Program.start([Program.probe, "save", store, folder.path, "work", "user\($0)", "secret\($0)"])
        }
        for (process, _, _) in started {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        let file = EncryptedFileStore(folder: folder.path) { () throws(StoreFault) in Secret("correct horse") }
        let plaintext = PlaintextStore(folder: folder.path)
        let registry = try AccountRegistry(folder: folder.path).read()
        for number in 0..<count {
            let id = AccountID.some("work", "user\(number)")
            switch store {
            case "file": #expect(try file.find(id) == Secret("secret\(number)"))
            case "plaintext": #expect(try plaintext.find(id) == Secret("secret\(number)"))
            default: #expect(registry.account(id) != nil)
            }
        }
    }

    @Test func `readers never see a file that is half written`() throws {
        let folder = TemporaryFolder()
        let store = PlaintextStore(folder: folder.path)
        try store.save(Secret("0"), for: .some(), expires: nil)
        let save = "\(Program.probe) save plaintext \(folder.path) work alice v$i"
        let script = "i=0; while [ $i -lt 40 ]; do \(save) || exit 1; i=$((i+1)); done"
        let writers = try (0..<2).map { _ in try Program.start(["sh", "-c", script]) }
        var reads = 0
        while writers.contains(where: { $0.0.isRunning }) {
            #expect(try store.find(.some()) != nil)
            reads += 1
        }
        for (process, _, _) in writers { #expect(process.terminationStatus == 0) }
        #expect(reads > 100)
    }

    @Test func `a lock that is held is waited for no longer than said`() throws {
        let folder = TemporaryFolder()
        try PlaintextStore(folder: folder.path).save(Secret("old"), for: .some(), expires: nil)
        let path = "\(folder.path)/.plaintext.json.lock"
        let holder = try Program.start(["bash", "-c", "exec 9>>\(path); flock 9; exec sleep 30"])
        defer { holder.0.terminate() }
        while try Program.run(["flock", "-n", path, "true"]).status == 0 { usleep(10_000) }
        let begun = Date()
        #expect(throws: StoreFault.locked(path: path, seconds: 1)) {
            try PlaintextStore(folder: folder.path, wait: 1).save(Secret("new"), for: .some(), expires: nil)
        }
        #expect((0.9..<10).contains(Date().timeIntervalSince(begun)))
        #expect(try PlaintextStore(folder: folder.path).find(.some()) == Secret("old"))
    }

    @Test func `a lock at which others take their turns is waited for longer`() throws {
        let folder = TemporaryFolder()
        try PlaintextStore(folder: folder.path).save(Secret("old"), for: .some(), expires: nil)
        let path = "\(folder.path)/.plaintext.json.lock"
        let held = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // For a moment programs that other tests start have the descriptor of the save, too: it is waited for.
        #expect(flock(held, LOCK_EX) == 0)
        let begun = Date(), wait = 5
        // One turn has many times its length on a busy machine.
        Thread.detachNewThread {
            for _ in 0..<25 {
                usleep(250_000)
                futimens(held, nil)
            }
            close(held)
        }
        try PlaintextStore(folder: folder.path, wait: wait).save(Secret("new"), for: .some(), expires: nil)
        #expect(Date().timeIntervalSince(begun) > Double(wait))
    }

    @Test func `the lock of a killed process is free`() throws {
        let folder = TemporaryFolder()
        try PlaintextStore(folder: folder.path).save(Secret("old"), for: .some(), expires: nil)
        let path = "\(folder.path)/.plaintext.json.lock"
        let holder = try Program.start(["bash", "-c", "exec 9>>\(path); flock 9; exec sleep 30"])
        while try Program.run(["flock", "-n", path, "true"]).status == 0 { usleep(10_000) }
        kill(holder.0.processIdentifier, SIGKILL)
        holder.0.waitUntilExit()
        try PlaintextStore(folder: folder.path, wait: 1).save(Secret("new"), for: .some(), expires: nil)
    }
}
