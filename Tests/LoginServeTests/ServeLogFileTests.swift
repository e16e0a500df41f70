import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// The file of the log.
@Suite(.onOwnThreads) struct ServeLogFileTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home.path)
    }

    private var path: String { home.path + "/serve.jsonl" }

    private func fault(_ path: String) -> String? {
        do throws(StoreFault) {
            try ServeLogFile(path, isOwnFolder: false).append("{}")
            return nil
        } catch {
            return error.asLogFault.message().what
        }
    }

    @Test func `the log is closed to others, and appended to`() throws {
        try ServeLogFile(path, isOwnFolder: false).append("{\"a\":1}")
        try ServeLogFile(path, isOwnFolder: false).append("{\"a\":2}")
        #expect(try home.read("serve.jsonl") == "{\"a\":1}\n{\"a\":2}\n")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `the log is no link, no pipe, no device, and no file that others can read`() throws {
        let target = try home.write("", to: "target")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(fault(path)?.contains("symbolic link") == true)
        #expect(mkfifo(home.path + "/pipe", 0o600) == 0)
        #expect(fault(home.path + "/pipe")?.contains("not a regular file") == true)
        #expect(fault("/dev/null")?.contains("not a regular file") == true)
        _ = try home.write("", to: "shared", mode: 0o644)
        #expect(fault(home.path + "/shared")?.contains("other users have access") == true)
        #expect(fault(home.path + "/missing/log") != nil)
        #expect(try home.read("target").isEmpty)
    }

    @Test func `a log to which others get access while it is written is written no more, until they have none`() throws
    {
        let log = ServeLogFile(path, isOwnFolder: false)
        func fault() -> String? {
            do throws(StoreFault) {
                try log.append("x")
                return nil
            } catch {
                return error.asLogFault.message().what
            }
        }
        #expect(fault() == nil)
        for mode in [0o644, 0o620] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(fault()?.contains("other users have access") == true)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(link(path, path + ".2") == 0)
        #expect(fault()?.contains("more than one name") == true)
        #expect(unlink(path + ".2") == 0 && fault() == nil)
        #expect(try home.read("serve.jsonl") == "x\nx\n")
    }

    @Test func `a log that was moved away or removed is begun anew`() throws {
        let log = ServeLogFile(path, isOwnFolder: false)
        try log.append("1")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try log.append("2")
        try FileManager.default.removeItem(atPath: path)
        try log.append("3")
        #expect(try home.read("serve.jsonl") == "3\n" && home.read("serve.jsonl.1") == "1\n")
    }

    @Test func `a line stands alone behind one that a killed run has left unfinished`() throws {
        _ = try home.write("{\"id\":", to: "serve.jsonl")
        try ServeLogFile(path, isOwnFolder: false).append("{}")
        #expect(try home.read("serve.jsonl") == "{\"id\":\n{}\n")
    }

    @Test func `many writers at once cut no line, while the file is moved away again and again`() throws {
        let writers = (0..<4).map { _ in ServeLogFile(path, isOwnFolder: false) }
        let text = String(repeating: "x", count: 5000), each = Thoroughness.choose(usual: 200, full: 2000)
        var moves = 0, rounds = 0
        // On a busy machine a round may be over before this thread runs.
        repeat {
            let group = DispatchGroup(), round = rounds
            for (number, writer) in writers.enumerated() {
                for half in 0..<2 {
                    Thread { [group] in
                        for index in 0..<each {
                            do throws(StoreFault) {
                                try writer.append("{\"n\":\"\(round)-\(number)-\(half)-\(index)\",\"t\":\"\(text)\"}")
                            } catch {
                                Issue.record("\(error)")
                            }
                        }
                        group.leave()
                    }.startEntering(group)
                }
            }
            while group.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
                if rename(path, "\(path).\(moves)") == 0 { moves += 1 }
            }
            rounds += 1
        } while moves == 0 && rounds < 50
        let names = try FileManager.default.contentsOfDirectory(atPath: home.path).filter {
            $0.hasPrefix("serve.jsonl")
        }
        var seen: Set<String> = []
        for name in names {
            let all = try home.read(name)
            #expect(all.isEmpty || all.hasSuffix("\n"))
            for line in all.split(separator: "\n") {
                #expect(line.hasSuffix(text + "\"}") && seen.insert(String(line.prefix(24))).inserted)
            }
        }
        #expect(seen.count == writers.count * 2 * each * rounds && moves > 0)
    }

    @Test func `a log whose lock another process keeps is given up`() throws {
        let log = ServeLogFile(path, isOwnFolder: false)
        try log.append("1")
        // A program that another test starts must not inherit the lock.
        let other = open(path, O_RDWR | O_CLOEXEC)
        #expect(flock(other, LOCK_EX) == 0)
        #expect(throws: StoreFault.locked(path: path, seconds: 2)) { try log.append("2") }
        close(other)
        try log.append("3")
        #expect(try home.read("serve.jsonl") == "1\n3\n")
    }

    @Test(.enabled(if: getuid() == 0, "only root mounts"))
    func `a line that a full disk cuts is taken back`() throws {
        let folder = home.path + "/disk"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let mount = try Command.tool("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "none", folder])
        try #require(mount.ending == .exited(0), "\(mount.error)")
        defer { _ = try? Command.tool("umount", ["-l", folder]) }
        let log = ServeLogFile(folder + "/log", isOwnFolder: false)
        let line = String(repeating: "x", count: 3000)
        var count = 0
        while count < 100 {
            do throws(StoreFault) { try log.append(line) } catch {
                #expect(error == .noSpace(path: folder + "/log", errno: ENOSPC))
                break
            }
            count += 1
        }
        let text = try String(contentsOfFile: folder + "/log", encoding: .utf8)
        #expect(count > 5 && text == String(repeating: line + "\n", count: count))
        #expect(truncate(folder + "/log", 0) == 0)
        try log.append(line)
    }
}

extension Thread {
    /// Starts it as a part of the group, which it leaves by itself.
    fileprivate func startEntering(_ group: DispatchGroup) {
        group.enter()
        start()
    }
}
