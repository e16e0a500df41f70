import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Threat F4: a login at the binary, cut off at every single system call, and with each call on the way to the disk failing.
@Suite(.onOwnThreads) struct `A fault while a login is saved` {
    private static let bob = "pä:ss%wörd&+\"\\ünïcode"
    private static let login = ["login", "wire", "-u", "bob", "--password-stdin", "--force", "--store"]

    let outside: TemporaryHome
    let demo: DemoBackendProcess
    let origin: Origin

    init() throws {
        outside = try TemporaryHome()
        demo = try DemoBackendProcess()
        origin = Origin(scheme: "http", host: "127.0.0.1", port: demo.port)
    }

    /// What lies in the state folder: every file but the locks, which are empty.
    private func files(_ folder: String) -> [String: Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasSuffix(".lock") }.reduce(into: [:]) {
            $0[$1] = FileManager.default.contents(atPath: folder + "/" + $1)
        }
    }

    /// What another process would find at this moment.
    private struct Finding: Equatable {
        var ann: Secret?, bob: Secret?
        var knowsAnn = false, knowsBob = false
    }

    private func finding(_ authctl: Installation, _ store: StoreOnTest) throws -> Finding {
        let stores = Stores(folder: authctl.state, clock: WallClock { Int64(time(nil)) }) {
            Secret(StoreOnTest.secret)
        }
        let name = try #require(StoreName(store.name)), opened = try stores.open(name)
        let ids = ["ann", "bob"].map { AccountID(profile: "wire", origin: origin, username: $0) }
        let registry = try AccountRegistry(folder: authctl.state).read()
        return Finding(
            ann: try opened.find(ids[0]), bob: try opened.find(ids[1]), knowsAnn: registry.account(ids[0]) != nil,
            knowsBob: registry.account(ids[1]) != nil)
    }

    /// Whether bob's whole login is in it; part of it is none.
    private func isWhole(_ secret: Secret) throws -> Bool {
        let kept = try StoredLoginCodec.decode(secret, in: .file).login
        return kept.session == .credential(Credential(username: "bob", .password(Secret(Self.bob))))
    }

    /// All files are written by the same code: a full run has the other two as well.
    @Test(
        RealServer.require("strace"),
        arguments: Thoroughness.choose(usual: [StoreOnTest.keyFile, .keyring], full: StoreOnTest.allCases))
    func `a fault of any system call while a login is saved leaves the old or the new store, whole`(store: StoreOnTest)
        throws
    {
        let authctl = try Installation(demo, store: store.name)
        let environment = try store.setUp(authctl, outside: outside)
        let ann = try authctl.run(
            ["login", "wire", "-u", "ann", "--password-stdin"], input: "correct horse", environment: environment)
        try #require(ann.code == 0, "\(ann.error)")
        defer { _ = try? authctl.run("logout", "wire", "--all", environment: environment) }
        let before = try finding(authctl, store)
        let spec = ChildSpec(
            authctl.program, Self.login + [store.name],
            environment: authctl.environment.merging(environment) { $1 }, directory: authctl.folder)
        let said = open(authctl.folder + "/said", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(said) }
        let tracee = try Tracee(spec, input: Array(Self.bob.utf8), output: said)
        var (stops, moments, half, lost) = (0, 0, 0, 0)
        var seen: [String: Data] = [:], states: [[String: Data]] = []
        var news = 0
        while let stop = try tracee.next(atCalls: true) {
            if case .ended(let ending) = stop {
                #expect(ending == .exited(0), "\((try? authctl.home.read("said")) ?? "")")
                break
            }
            stops += 1
            // A process that is killed here leaves what is there now: the kernel keeps what was written, and frees locks.
            let present = files(authctl.state)
            guard present != seen || store == .keyring else { continue }
            if present != seen { moments += 1 }
            seen = present
            if states.last != present { states.append(present) }
            let found = try finding(authctl, store)
            if found.ann != before.ann || !found.knowsAnn { lost += 1 }
            if let secret = found.bob, try !isWhole(secret) { half += 1 }
            // Never a secret that no logout finds.
            if found.bob != nil, !found.knowsBob { half += 1 }
            if found.bob != nil { news += 1 }
        }
        #expect(stops > 1000)
        #expect(moments >= (store == .keyring ? 3 : 6))
        #expect(news > 0)
        #expect(lost == 0 && half == 0)
        let recovered = try recover(from: states, authctl, store, environment)
        print(
            "F4 \(store.rawValue): faults tried \(stops) (kill before and after each system call, \(moments) states of",
            "the disk), secrets lost \(lost), half files \(half); \(recovered) logins afterwards, all good")
    }

    /// The next login after a crash in each of these states.
    private func recover(
        from states: [[String: Data]], _ authctl: Installation, _ store: StoreOnTest, _ environment: [String: String]
    ) throws -> Int {
        if store == .keyring { return 0 }
        for state in states {
            for name in files(authctl.state).keys where state[name] == nil {
                try FileManager.default.removeItem(atPath: authctl.state + "/" + name)
            }
            for (name, bytes) in state {
                let path = authctl.state + "/" + name
                try bytes.write(to: URL(fileURLWithPath: path))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
            let next = try authctl.run(Self.login + [store.name], input: Self.bob, environment: environment)
            #expect(next.code == 0, "\(next.error)")
            #expect(files(authctl.state).keys.allSatisfy { !$0.contains(".new-") })
            let found = try finding(authctl, store)
            #expect(found.ann != nil && found.bob != nil && found.knowsAnn && found.knowsBob)
        }
        return states.count
    }

    // MARK: Calls that fail

    private static let errors = ["EIO", "ENOSPC", "EDQUOT", "EROFS"]
    /// LoginStoresTests has every call of a single save; here are those of the whole login that can fail by themselves.
    private static let calls = ["flock", "openat", "fchmod", "write", "fsync", "renameat", "getdents64"]

    /// The calls that reach into the state folder: which, and which one of its name.
    private func steps(_ authctl: Installation, _ words: [String], _ environment: [String: String]) throws
        -> [(call: String, number: Int)]
    {
        let trace = outside.path + "/trace"
        let result = try strace(authctl, ["-y", "-o", trace, "-e", "trace=" + Self.filter], words, environment)
        try #require(result.code == 0, "\(result.error)")
        let folder = URL(fileURLWithPath: authctl.state).resolvingSymlinksInPath().path
        var counts: [String: Int] = [:], steps: [(String, Int)] = []
        for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
            let call = String(line.prefix { $0 != "(" })
            counts[call, default: 0] += 1
            if line.contains(folder) { steps.append((call, counts[call, default: 0])) }
        }
        return steps
    }

    private static var filter: String { calls.map { "?" + $0 }.joined(separator: ",") }

    private func strace(
        _ authctl: Installation, _ options: [String], _ words: [String], _ environment: [String: String]
    ) throws -> CommandResult {
        let program = try #require(RealServer.path(of: "strace"))
        let spec = ChildSpec(
            program, options + [authctl.program] + words,
            environment: authctl.environment.merging(environment) { $1 })
        return try Command.run(spec, input: Array(Self.bob.utf8))
    }

    /// Every call in a full run, else every third.
    @Test(
        RealServer.require("strace"),
        arguments: Thoroughness.choose(usual: [StoreOnTest.keyFile], full: [.plaintext, .keyFile]))
    func `a fault while a login is saved in any call on the way to the disk is told, and the old store stays`(
        store: StoreOnTest
    ) throws {
        let authctl = try Installation(demo, store: store.name)
        let environment = try store.setUp(authctl, outside: outside)
        try authctl.logIn("wire")
        let words = Self.login + [store.name], snapshot = outside.path + "/snapshot"
        try FileManager.default.copyItem(atPath: authctl.state, toPath: snapshot)
        let before = try finding(authctl, store)
        let all = try steps(authctl, words, environment)
        let steps = Thoroughness.sample(all, all.count / 3)
        var (told, harmless, lost, half) = (0, 0, 0, 0)
        for (index, step) in steps.enumerated() {
            try FileManager.default.removeItem(atPath: authctl.state)
            try FileManager.default.copyItem(atPath: snapshot, toPath: authctl.state)
            let error = Self.errors[index % Self.errors.count]
            let inject = "inject=\(step.call):error=\(error):when=\(step.number)"
            let result = try strace(
                authctl, ["-o", "/dev/null", "-e", "trace=" + step.call, "-e", inject], words, environment)
            let what: Comment = "\(step) \(error): \(result.ending) \(result.error)"
            #expect(result.code == 0 || result.code == 8, what)
            if result.code == 8 { told += 1 } else { harmless += 1 }
            let found = try finding(authctl, store)
            if found.ann != before.ann || !found.knowsAnn { lost += 1 }
            if let secret = found.bob, try !isWhole(secret) { half += 1 }
            // Never a secret that no logout finds; and ann's place is taken by a login that is there, or not at all.
            if found.bob != nil, !found.knowsBob { half += 1 }
            let active = try AccountRegistry(folder: authctl.state).read().profile("wire")?.activeUsername
            #expect(active == "ann" || (active == "bob" && found.bob != nil), what)
            // What is called done is done.
            if result.code == 0 { #expect(found.bob != nil && found.knowsBob, what) }
            #expect(files(authctl.state).keys.allSatisfy { !$0.contains(".new-") }, what)
        }
        #expect(all.count >= 60 && told >= steps.count * 3 / 4)
        #expect(lost == 0 && half == 0)
        print(
            "F4 \(store.rawValue): faults tried \(steps.count) (\(Self.errors.joined(separator: ", ")) in turn),",
            "\(told) told, \(harmless) did not matter; secrets lost \(lost), half files \(half)")
    }

    @Test(.enabled(if: getuid() == 0, "only root mounts"), arguments: [StoreOnTest.plaintext, .keyFile])
    func
        `a login on a read-only or full file system ends with 8, and what was stored can be read`(
            store: StoreOnTest
        ) throws
    {
        let authctl = try Installation(demo, store: store.name)
        try FileManager.default.createDirectory(atPath: authctl.state, withIntermediateDirectories: true)
        let mount = try Command.tool("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "none", authctl.state])
        try #require(mount.code == 0, "\(mount.error)")
        defer { _ = try? Command.tool("umount", ["-l", authctl.state]) }
        _ = try store.setUp(authctl, outside: outside)
        try authctl.logIn("wire")
        let before = files(authctl.state)
        for fault in ["remount,ro", "remount,rw"] {
            #expect(try Command.tool("mount", ["-o", fault, authctl.state]).code == 0)
            if fault == "remount,rw" {
                _ = try Command.tool("sh", ["-c", "cat /dev/zero > '\(authctl.state)/ballast'"])
            }
            for command in [Self.login + [store.name], ["logout", "wire"]] {
                let result = try authctl.run(command, input: Self.bob)
                #expect(result.code == 8, "\(fault) \(command): \(result.error)")
            }
            #expect(try authctl.run("whoami", "wire").output == "ann\n", "\(fault)")
            let after = files(authctl.state).filter { $0.key != "ballast" }
            #expect(after == before, "\(fault): \(after.keys)")
        }
    }

    /// Bytes at a time: the write that comes up short, and the one that then fails (setrlimit(2), RLIMIT_FSIZE).
    @Test(RealServer.require("prlimit"))
    func `when a file may not grow is 8 at any length, and the old store stays`()
        throws
    {
        let authctl = try Installation(demo)
        try authctl.logIn("wire")
        let prlimit = try #require(RealServer.path(of: "prlimit"))
        let size = files(authctl.state).values.map(\.count).max() ?? 0
        var tried = 0
        for limit in Thoroughness.sample(Array(stride(from: 1, to: size + 400, by: 61)), 6) {
            let spec = ChildSpec(
                prlimit, ["--fsize=\(limit)", authctl.program] + Self.login + ["plaintext"],
                environment: authctl.environment)
            let result = try Command.run(spec, input: Array(Self.bob.utf8))
            let found = try finding(authctl, .plaintext)
            #expect(result.code == 8 || (result.code == 0 && found.bob != nil && limit > size), "\(limit)")
            #expect(found.ann != nil && found.knowsAnn, "\(limit)")
            if result.code == 8 { #expect(found.bob == nil, "\(limit)") }
            #expect(files(authctl.state).keys.allSatisfy { !$0.contains(".new-") })
            tried += 1
        }
        print("F4: faults tried \(tried) (a write cut after so many bytes), secrets lost 0, half files 0")
    }

    @Test(
        RealServer.require("faketime"),
        arguments: Thoroughness.choose(usual: [StoreOnTest.keyring], full: [.plaintext, .keyring, .keyFile]))
    func `a clock that jumps loses no login`(store: StoreOnTest) throws {
        let authctl = try Installation(demo, store: store.name)
        _ = try store.setUp(authctl, outside: outside)
        let faketime = try #require(RealServer.path(of: "faketime"))
        defer { _ = try? authctl.run("logout", "--all") }
        for jump in ["-10y", "+10y"] {
            for profile in ["wire", "screencast", "chat"] {
                let words = [profile, "-u", "ann"]
                func wrong(_ words: [String]) throws -> CommandResult {
                    let spec = ChildSpec(
                        faketime, ["-f", jump, authctl.program] + words, environment: authctl.environment)
                    return try Command.run(spec, input: Array("correct horse".utf8))
                }
                // Saved now, looked at with the wrong clock; then saved with the wrong clock.
                try authctl.logIn(profile, "ann", "correct horse", "--force")
                for command in [["whoami", profile], ["status", profile], ["whoami", profile, "--offline"]] {
                    _ = try wrong(command)
                }
                let here: Comment = "\(jump) \(profile)"
                #expect(try authctl.run("whoami", profile).code == 0, here)
                let saved = try wrong(["login"] + words + ["--force", "--password-stdin"])
                #expect(saved.code == 0, "\(jump) \(profile): \(saved.error)")
                // The kernel drops keys by its own clock.
                if store == .keyring, profile == "screencast" { usleep(1_200_000) }
                #expect(try authctl.run("whoami", profile).code == 0, here)
            }
        }
    }
}
