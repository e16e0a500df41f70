import Foundation
@testable import LoginTestSupport
import Testing

/// The sweep itself: a sweep that finds nothing anywhere would make every other test pass.
@Suite(.onOwnThreads) struct `The leak sweep` {
    static let secret = "Gemüse/\"süß\" 7+~"
    /// Made by other programs, so that the sweep is not held against itself:
    /// python3 -c 'import urllib.parse, base64, hashlib, json; …'.
    static let planted: [(form: String, text: String)] = [
        ("plain", secret),
        ("base64", "R2Vtw7xzZS8ic8O8w58iIDcrfg=="),
        ("base64", "R2Vtw7xzZS8ic8O8w58iIDcrfg"),
        ("percent-encoded", "Gem%C3%BCse%2F%22s%C3%BC%C3%9F%22%207%2B~"),
        ("percent-encoded", "Gem%c3%bcse%2f%22s%c3%bc%c3%9f%22%207%2b~"),
        ("form-encoded", "Gem%C3%BCse%2F%22s%C3%BC%C3%9F%22+7%2B~"),
        ("hex", "47656dc3bc73652f2273c3bcc39f2220372b7e"),
        ("hex", "47656DC3BC73652F2273C3BCC39F2220372B7E"),
        ("JSON", #"{"x":"Gemüse/\"süß\" 7+~"}"#),
        ("JSON", #"{"x":"Gem\u00fcse/\"s\u00fc\u00df\" 7+~"}"#),
        ("JSON", #"Gemüse\/\"süß\" 7+~"#),
        ("octal", #"write(1, "Gem\303\274se/\"s\303\274\303\237\" 7+~", 19)"#),
    ]

    @Test(arguments: planted) func `the leak sweep finds a planted secret in every form`(form: String, text: String)
        throws
    {
        let sweep = try LeakSweep(secrets: [Self.secret])
        let forms = sweep.hits(in: "before \(text) after", place: "here").map(\.form)
        #expect(forms.contains(form))
    }

    @Test func `the leak sweep finds base64 for URLs, and digests`() throws {
        let sweep = try LeakSweep(secrets: ["??>>swordfish"])
        #expect(sweep.hits(in: "Pz8-PnN3b3JkZmlzaA", place: "here").map(\.form).contains("base64url"))
        let digests = [
            "md5sum": "47235a5c515a2d22d5aa4f9961cb3f8e",
            "sha1sum": "e3de21cf2ccadb35422612a828d682a9633781f9",
            "sha256sum": "84ceebf4880ab5dbc26e72efee9257785570957d283cdfb2d2e570cc6dbc1932",
        ]
        for (form, digest) in digests {
            #expect(sweep.hits(in: digest, place: "here").map(\.form) == [form])
            #expect(sweep.hits(in: digest.uppercased(), place: "here").map(\.form) == [form])
        }
    }

    @Test func `the leak sweep finds user and password as Basic sends them, for a known name and for any other`() throws
    {
        let sweep = try LeakSweep(secrets: [], pairs: [("ann", "correct horse")])
        let known = sweep.hits(in: "Authorization: Basic YW5uOmNvcnJlY3QgaG9yc2U=", place: "log")
        #expect(known.map(\.description).contains("user:password of ann in log, as base64"))
        for name in ["a", "an", "bob", "bob@x"] {
            let text = Data("\(name):correct horse and more".utf8).base64EncodedString()
            #expect(sweep.hits(in: text, place: "log").map(\.form) == ["base64 of a longer text"])
        }
    }

    @Test func `the leak sweep finds nothing in clean output`() throws {
        let sweep = try LeakSweep(secrets: [Self.secret], pairs: [("ann", "correct horse"), ("guest", "")])
        let clean = "ann logged in at http://127.0.0.1:1, correct, horse\n{\"user\":\"ann\"}"
        #expect(sweep.hits(in: clean, place: "output").isEmpty)
        try sweep.expectClean(["output": clean], trees: [URL(fileURLWithPath: "/etc/hostname")])
    }

    @Test func `the leak sweep finds secrets in the names, the contents and the links of a tree`() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("sweep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = root.appendingPathComponent(".hidden/deep")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("a\0correct horse\0".utf8).write(to: folder.appendingPathComponent("state"))
        try Data().write(to: folder.appendingPathComponent("correct horse.tmp"))
        let link = folder.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/nowhere/correct%20horse")
        let sweep = try LeakSweep(secrets: ["correct horse"])
        let found = try sweep.hits(inTree: root)
        #expect(found.map(\.form) == ["plain", "percent-encoded", "plain"])
        #expect(found.contains { $0.place == folder.appendingPathComponent("state").path })
        #expect(throws: (any Error).self) { try sweep.hits(inTree: root.appendingPathComponent("missing")) }
    }

    @Test func `the leak sweep finds secrets in the arguments and the environment of a process`() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sleep")
        process.arguments = ["30"]
        process.standardOutput = FileHandle.nullDevice
        process.environment = ["PLANTED": "correct horse"]
        try process.run()
        // Not SIGTERM: a child of a Swift concurrency thread starts with all signals blocked.
        defer { kill(process.processIdentifier, SIGKILL) }
        // A parent may go on before the kernel has laid out the arguments and the environment of its child.
        let place = URL(fileURLWithPath: "/proc/\(process.processIdentifier)/environ")
        try #require(try eventually { try !Data(contentsOf: place).isEmpty })
        let sweep = try LeakSweep(secrets: ["correct horse"])
        let hits = try sweep.hits(ofProcess: process.processIdentifier)
        #expect(hits.map(\.place) == ["/proc/\(process.processIdentifier)/environ"])
    }

    @Test func `the leak sweep runs after every test of the binary, over all that was given, typed and kept`() throws {
        let home = try TemporaryHome()
        let store = try home.write("", to: "plaintext.json")
        let leaks: [(Witness) throws -> Void] = [
            { witness in
                witness.gives(["login", "--password-stdin"], input: "correct horse\n", environment: [:])
                let talk = Array("refused: correct horse".utf8)
                witness.sees(CommandResult(ending: .exited(3), outputBytes: [], errorBytes: talk), of: ["login"])
            },
            { witness in
                witness.types("correct horse\r", at: "Password: ")
                witness.sees(Array("Password: correct horse".utf8), at: "a terminal")
            },
            { witness in
                witness.gives(["login"], input: "", environment: ["AUTHCTL_PASSWORD": "correct horse"])
                try home.write("{\"p\": \"Y29ycmVjdCBob3JzZQ==\"}", to: "state.json")
            },
        ]
        for leak in leaks {
            let witness = Witness()
            try leak(witness)
            withKnownIssue { witness.sweep(home.path, store: store, kept: []) }
            try home.write("", to: "state.json")
        }
        let kept = Data("{\"session\": {\"token\": {\"_0\": {\"value\": \"dG9rZW4tdG9rZW4=\"}}}}".utf8)
        let witness = Witness()
        witness.sees(Array("> token-token".utf8), at: "the talk")
        withKnownIssue { witness.sweep(home.path, store: store, kept: [kept]) }
        // What is where it belongs.
        let clean = Witness()
        clean.gives(["login", "--password-stdin"], input: "correct horse", environment: [:])
        try home.write("correct horse", to: "plaintext.json")
        clean.sees(Array("Logged in as ann.".utf8), at: "the talk")
        clean.sweep(home.path, store: store, kept: [])
    }

    @Test func `the leak sweep fails a test that leaks, and lets secrets be where they belong`() throws {
        let sweep = try LeakSweep(secrets: ["correct horse"])
        withKnownIssue { try sweep.expectClean(["stderr": "password correct horse"]) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("belongs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("correct horse".utf8).write(to: file)
        withKnownIssue { try sweep.expectClean(trees: [file]) }
        try sweep.expectClean(trees: [file], belonging: [file])
    }
}
