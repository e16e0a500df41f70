import Foundation
@testable import LoginTestSupport
import Testing

/// Commands on hundreds of accounts: files are read and written as often as for a few, and services are asked side by side.
@Suite(.onOwnThreads) struct `Commands on many accounts` {
    /// Logins that were made elsewhere: `count` profiles with one account each, in the plain file.
    private func installation(_ count: Int, port: Int = 9, logout: Bool = false) throws -> Installation {
        let rule = logout ? "logout = { post = \"/out\" }\n" : ""
        let config = (0..<count).map {
            "[profiles.p\($0)]\nurl = \"http://127.0.0.1:\(port)\"\nmethod = \"basic\"\nverify = { get = \"/me\" }\n\(rule)"
        }
        let authctl = try Installation(config: config.joined())
        let origin = #"{"scheme": "http", "host": "127.0.0.1", "port": \#(port)}"#
        let profiles = (0..<count).map { number in
            """
            {"name": "p\(number)", "url": "http://127.0.0.1:\(port)", "origin": \(origin), "activeUsername": "u\(number)",
             "accounts": [{"username": "u\(number)", "origin": \(origin), "store": "plaintext", "kind": "basic",
                           "savedAt": 1700000000, "passwordRefused": false, "keepsPassword": false}]}
            """
        }
        let entries = (0..<count).map { number in
            let login =
                #"{"version":1,"session":{"basic":{"_0":{"username":"u\#(number)","secret":"c2VjcmV0LWNhbmFyeQ=="}}}}"#
            let secret = Data(login.utf8).base64EncodedString()
            return
                #"{"profile": "p\#(number)", "origin": \#(origin), "username": "u\#(number)", "secret": "\#(secret)"}"#
        }
        let folder = FileManager.default
        try folder.createDirectory(
            atPath: authctl.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for (path, text) in [
            (authctl.registry, "{\"version\": 1, \"profiles\": [\(profiles.joined(separator: ","))]}"),
            (authctl.plaintext, "{\"version\": 1, \"entries\": [\(entries.joined(separator: ","))]}"),
        ] {
            #expect(
                folder.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
        }
        return authctl
    }

    private func setUpFile(_ authctl: Installation) throws {
        let key = try authctl.file("key", String(repeating: "k3y-f1le", count: 8))
        #expect(try authctl.run("store", "init", "file", "--key-file", key).code == 0)
    }

    /// How often a command reads from a file of the state folder, and how often it puts a new one in place.
    private func steps(_ command: [String], _ count: Int) throws -> [String: Int] {
        let authctl = try installation(count)
        try setUpFile(authctl)
        let strace = try #require(RealServer.path(of: "strace")), trace = authctl.folder + "/trace"
        let options = ["-f", "-y", "-o", trace, "-e", "trace=read,renameat", authctl.program]
        let spec = ChildSpec(strace, options + command, environment: authctl.environment)
        let result = try Command.run(spec)
        #expect(result.code == 0, "\(result.error)")
        var steps: [String: Int] = [:]
        for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
            for file in ["state.json", "plaintext.json", "store.authctl"] where line.contains("/" + file) {
                steps[(line.contains("renameat") ? "writes " : "reads ") + file, default: 0] += 1
            }
            if line.contains("renameat"), let name = line.split(separator: "\"").last(where: { $0.contains(".") }) {
                steps["writes \(name)", default: 0] += 1
            }
        }
        return steps
    }

    @Test(
        RealServer.require("strace"),
        arguments: [
            ["status", "--offline"], ["logout", "--all", "--local"], ["store", "move", "plaintext", "file"],
        ])
    func `A hundred accounts take as many readings and writings of each file as five`(command: [String]) throws {
        let few = try steps(command, 5), many = try steps(command, 100)
        #expect(few == many)
        #expect(few["reads state.json"] ?? 0 > 0 && few["reads plaintext.json"] ?? 0 > 0)
        if command[0] == "status" { #expect(few.values.allSatisfy { $0 == 1 }, "\(few)") }
        if command[0] == "logout" {
            #expect(few["writes plaintext.json"] == 1 && few["writes state.json"] == 1, "\(few)")
        }
    }

    /// How many instructions `status` takes for one profile with so many accounts, whose service is away.
    private func instructions(_ count: Int) throws -> Int {
        let authctl = try installation(0)
        let origin = #"{"scheme": "http", "host": "127.0.0.1", "port": 9}"#
        let accounts = (0..<count).map { number in
            """
            {"username": "u\(number)", "origin": \(origin), "store": "plaintext", "kind": "basic", "savedAt": 1700000000,
             "passwordRefused": false, "keepsPassword": false}
            """
        }
        let entries = (0..<count).map { number in
            let login = #"{"version":1,"session":{"basic":{"_0":{"username":"u\#(number)","secret":"c2VjcmV0"}}}}"#
            let secret = Data(login.utf8).base64EncodedString()
            return #"{"profile": "p", "origin": \#(origin), "username": "u\#(number)", "secret": "\#(secret)"}"#
        }
        try authctl.home.write(
            """
            store = "plaintext"
            [profiles.p]
            url = "http://127.0.0.1:9"
            method = "basic"
            verify = { get = "/me" }
            """, to: "config/authctl/config.toml")
        let profile =
            #"{"name": "p", "url": "http://127.0.0.1:9", "origin": \#(origin), "activeUsername": "u0", "accounts": "#
        try authctl.home.write(
            "{\"version\": 1, \"profiles\": [\(profile)[\(accounts.joined(separator: ","))]}]}",
            to: "state/authctl/state.json",
            mode: 0o600)
        try authctl.home.write(
            "{\"version\": 1, \"entries\": [\(entries.joined(separator: ","))]}", to: "state/authctl/plaintext.json",
            mode: 0o600)
        // valgrind does not read the debug information of a debug build.
        let strip = try #require(RealServer.path(of: "strip")), valgrind = try #require(RealServer.path(of: "valgrind"))
        let program = authctl.folder + "/authctl"
        let stripped = try Command.run(
            ChildSpec(strip, ["--strip-debug", "-o", program, authctl.program], environment: authctl.environment))
        #expect(stripped.code == 0, "\(stripped.error)")
        let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", program, "status", "p"]
        let result = try Command.run(
            ChildSpec(valgrind, options, environment: authctl.environment), within: 300)
        let line = result.error.split(separator: "\n").first { $0.contains("I   refs:") }
        return try #require(line.flatMap { Int($0.drop { $0 != ":" }.filter(\.isNumber)) }, "\(result.error)")
    }

    @Test(RealServer.require("valgrind"), RealServer.require("strip"))
    func `the work of a status grows with the number of accounts, and not with its square`() throws {
        let counts = try [100, 200, 400].map(instructions)
        // Twice as many more are twice as much more work, with room for tables that grow.
        #expect(Double(counts[2] - counts[1]) < 2.3 * Double(counts[1] - counts[0]), "\(counts)")
    }

    @Test(arguments: [["status"], ["logout", "--all"]])
    func `Eight services are asked at a time`(command: [String]) throws {
        let server = try WaitingServer(until: 8)
        let authctl = try installation(16, port: server.port, logout: true)
        // A server that is asked by fewer at a time never answers.
        let result = try authctl.run(command)
        #expect(result.code == 0, "\(result.output)\(result.error)")
        #expect(server.most == 8)
        if command[0] == "status" {
            let names = result.output.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").first }
            #expect(names == names.sorted() && names.count == 16)
        }
    }

    /// Killed at each call that changes a file.
    @Test(
        RealServer.require("strace"),
        arguments: [["logout", "--all", "--local"], ["store", "move", "plaintext", "file"]])
    func `A kill while many logins are erased or moved leaves no secret without a record, and a logout finds all`(
        command: [String]
    ) throws {
        for call in ["renameat", "fsync", "openat"] {
            for number in 1...60 {
                let authctl = try installation(3)
                try setUpFile(authctl)
                let strace = try #require(RealServer.path(of: "strace"))
                // The calls of the start of the program come first.
                let skipped = call == "openat" ? 60 : 0
                let options = [
                    "-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
                    "inject=\(call):signal=KILL:when=\(skipped + number)", authctl.program,
                ]
                let killed = try Command.run(
                    ChildSpec(strace, options + command, environment: authctl.environment))
                let left = try authctl.keptSecrets().count
                let registry = String(decoding: try authctl.bytes(authctl.registry), as: UTF8.self)
                let known = registry.components(separatedBy: "\"username\"").count - 1
                #expect(known >= left, "\(call) \(number)")
                let next = try authctl.run("logout", "--all", "--local")
                #expect(next.code == 0, "\(call) \(number): \(next.error)")
                #expect(try authctl.keptSecrets().isEmpty, "\(call) \(number)")
                let file = authctl.state + "/store.authctl"
                #expect(try authctl.bytes(file).range(of: Data("127.0.0.1".utf8)) == nil, "\(call) \(number)")
                if killed.code == 0 { break }
            }
            if Thoroughness.choose(usual: true, full: false) { break }
        }
    }
}
