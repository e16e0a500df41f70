import Foundation
@testable import LoginTestSupport
import Testing

/// Threats F1 and F2 at the binary: every file and folder that it makes or finds.
@Suite(.onOwnThreads) struct `A file of authctl` {
    let demo: DemoBackendProcess

    init() throws {
        demo = try DemoBackendProcess()
    }

    private func login(_ authctl: Installation) throws -> CommandResult {
        try authctl.run("login", "wire", "-u", "ann", "--force", "--password-stdin", input: "correct horse")
    }

    private func shell(_ script: String) throws {
        #expect(try Command.tool("sh", ["-c", script]).code == 0, "\(script)")
    }

    private func mode(_ path: String) throws -> String {
        try Command.tool("stat", ["-c", "%a", path]).output.trimmingCharacters(in: .newlines)
    }

    @Test(arguments: ["000", "777", "022"])
    func `a file of authctl is closed to others whatever the umask, as is the folder it is in`(mask: String) throws {
        let authctl = try Installation(store: "plaintext")
        try FileManager.default.removeItem(atPath: authctl.home.state)
        let words = [
            "-c", "umask \(mask); exec \"$@\"", "sh", authctl.program, "login",
            demo.origin + "/account/verify_credentials.json", "-u", "ann", "--password-stdin",
        ]
        let result = try Command.run(
            ChildSpec("/bin/sh", words, environment: authctl.environment), input: Array("correct horse".utf8))
        #expect(result.code == 0, "\(result.error)")
        let profiles = authctl.home.config + "/authctl/profiles"
        for folder in [authctl.home.state, authctl.state, profiles] { #expect(try mode(folder) == "700", "\(folder)") }
        let made = try [authctl.state, profiles].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }
        }
        #expect(made.count >= 5, "\(made)")
        for file in made { #expect(try mode(file) == "600", "\(file)") }
    }

    /// What stands in the place of a file: `OWN` is the file, `VICTIM` something of the person's.
    private static let traps = [
        "a link": "mv OWN VICTIM; ln -s VICTIM OWN", "a dangling link": "rm OWN; ln -s VICTIM OWN",
        "a hard link": "ln OWN VICTIM", "a pipe": "rm OWN; mkfifo -m 600 OWN",
        "a folder": "rm OWN; mkdir -m 700 OWN", "a device": "rm OWN; mknod -m 600 OWN c 1 3",
        "readable by others": "chmod 644 OWN", "writable by the group": "chgrp 54321 OWN; chmod 660 OWN",
        "another user's": "chown 54321 OWN",
        "a socket":
            "rm OWN; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"OWN\")'; chmod 600 OWN",
    ]
    private static let files = [
        "store.authctl", "state.json", ".store.authctl.lock", ".state.json.lock", ".logins-wire.lock",
    ]

    @Test(
        .enabled(if: getuid() == 0, "some of these only root can make"),
        arguments: Thoroughness.sample(files, 3))
    func `a file of authctl that is not the one it wrote is 8 and left alone, without waiting`(file: String) throws {
        var tried = 0
        for (name, trap) in Self.traps.sorted(by: { $0.key < $1.key }) {
            let authctl = try Installation(demo, store: "file")
            let key = try authctl.file("key", String(repeating: "k", count: 64))
            #expect(try authctl.run("store", "init", "file", "--key-file", key).code == 0)
            #expect(try login(authctl).code == 0)
            let own = authctl.state + "/" + file, victim = authctl.folder + "/victim"
            try shell(trap.replacing("OWN", with: own).replacing("VICTIM", with: victim))
            let seen = FileManager.default.contents(atPath: victim)
            let begun = Date(), result = try login(authctl)
            #expect(result.code == 8, "\(name): \(result.error)")
            #expect(Date().timeIntervalSince(begun) < 20, "\(name)")
            #expect(FileManager.default.contents(atPath: victim) == seen, "\(name)")
            // Locks are for those who write: what was stored is read all the same.
            #expect(try authctl.run("whoami", "wire").code == (file.hasSuffix(".lock") ? 0 : 8), "\(name)")
            let left = try FileManager.default.contentsOfDirectory(atPath: authctl.state)
            #expect(!left.contains { $0.contains(".new-") }, "\(name)")
            tried += 1
        }
        print("F2 \(file): \(tried) traps, all refused, victims unchanged")
    }

    private static let folderTraps = [
        "a link": "mv DIR DIR.real; ln -s DIR.real DIR", "a file": "mv DIR DIR.real; touch DIR",
        "a pipe": "mv DIR DIR.real; mkfifo -m 600 DIR", "open to others": "chmod 755 DIR",
        "writable by all": "chmod 777 DIR", "another user's": "chown 54321 DIR",
        "in a folder writable by the group": "chgrp 54321 DIR/..; chmod 775 DIR/..",
        "in a folder writable by all": "chmod 777 DIR/..",
        "in another user's folder": "chown 54321 DIR/..",
    ]

    @Test(.enabled(if: getuid() == 0, "some of these only root can make"))
    func `a file of authctl in a folder that is not its own is 8`() throws {
        for (name, trap) in Self.folderTraps.sorted(by: { $0.key < $1.key }) {
            let authctl = try Installation(demo)
            #expect(try login(authctl).code == 0)
            try shell(trap.replacing("DIR", with: authctl.state))
            #expect(try login(authctl).code == 8, "\(name)")
            #expect(try authctl.run("whoami", "wire").code == 8, "\(name)")
        }
    }

    @Test(.enabled(if: getuid() == 0, "some of these only root can make"))
    func `a file of authctl that is a profile and not its own is not obeyed, and no victim is written to`() throws {
        let made = [
            "a link", "a hard link", "a pipe", "a folder", "a device", "writable by the group", "another user's",
        ]
        for name in made {
            let authctl = try Installation(store: "plaintext")
            let url = demo.origin + "/account/verify_credentials.json"
            let words = ["login", url, "-u", "ann", "--password-stdin"]
            #expect(try authctl.run(words, input: "correct horse").code == 0)
            let folder = authctl.home.config + "/authctl/profiles"
            let file = try #require(
                try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".toml") })
            let victim = authctl.folder + "/victim"
            let trap = try #require(Self.traps[name])
            try shell(trap.replacing("OWN", with: folder + "/" + file).replacing("VICTIM", with: victim))
            let before = FileManager.default.contents(atPath: victim), begun = Date()
            let again = try authctl.run(words + ["--force"], input: "correct horse")
            // It is not obeyed; the login makes another profile. A further name of the person's own file harms nobody.
            #expect(again.code == 0, "\(name): \(again.error)")
            let profile = String(file.dropLast(".toml".count))
            #expect(try authctl.run("whoami", profile).code == (name.hasSuffix(" link") ? 0 : 2), "\(name)")
            #expect(Date().timeIntervalSince(begun) < 20, "\(name)")
            #expect(FileManager.default.contents(atPath: victim) == before, "\(name)")
        }
    }

    @Test func `a file of authctl that is exchanged for a link all the time never leads to the victim`() throws {
        let authctl = try Installation(demo)
        #expect(try login(authctl).code == 0)
        let victim = try authctl.home.write("untouched", to: "victim")
        let files = ["plaintext.json", ".plaintext.json.lock", "state.json"].map { authctl.state + "/" + $0 }
        let swaps = files.map { "mv -f '\($0)' '\($0).kept'; ln -sf '\(victim)' '\($0)'; mv -f '\($0).kept' '\($0)'" }
        let swapping = try Pty(
            ChildSpec("/bin/sh", ["-c", "while :; do \(swaps.joined(separator: "; ")); done"]))
        var refused = 0
        for _ in 0..<12 {
            let code = try login(authctl).code
            #expect(code == 0 || code == 8)
            if code == 8 { refused += 1 }
        }
        swapping.child.send(signal: SIGKILL)
        _ = try swapping.waitForEnd()
        #expect(try authctl.home.read("victim") == "untouched")
        #expect(try mode(victim) == "600")
        print("F2: 12 logins against the swapping, \(refused) refused")
    }
}
