@testable import LoginKit
import Foundation
import Glibc
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Passwords that are given, not asked for.
struct SuppliedSecretTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    private func read(_ text: String, firstLineOnly: Bool = false) throws -> String {
        let path = try home.write(text, to: "secret")
        return try SecretFile.read(path: path, firstLineOnly: firstLineOnly).unprotectedText
    }

    @Test(arguments: [
        ("p", "p"), ("p\n", "p"), ("p\r\n", "p"), (" p w \n", " p w "), ("p\r", "p\r"), ("", ""), ("\n", ""),
        ("p\t\n", "p\t"),
        ("pä\u{1f600}\n", "pä\u{1f600}"), ("a\rb\n", "a\rb"),
    ])
    func `the line end is taken away, and nothing else`(text: String, expected: String) throws {
        #expect(try read(text) == expected)
    }

    @Test(arguments: ["a\nb", "a\n\n", "a\n\nb\n"]) func `further lines are refused, but of a command`(text: String)
        throws
    {
        #expect(throws: SecretFile.Problem.furtherLines) { try read(text) }
        #expect(try read(text, firstLineOnly: true) == "a")
    }

    @Test func `what is too long is refused, and what is not there too`() throws {
        #expect(try read(String(repeating: "x", count: SecretFile.limit)).utf8.count == SecretFile.limit)
        #expect(throws: SecretFile.Problem.tooLong) { try read(String(repeating: "x", count: SecretFile.limit + 1)) }
        #expect(throws: SecretFile.Problem.cannotRead(errno: ENOENT)) { try SecretFile.read(path: home.path + "/none") }
        #expect(throws: SecretFile.Problem.cannotRead(errno: EISDIR)) { try SecretFile.read(path: home.path) }
    }

    /// A pipe with a name, into which its writer has written and which it holds open.
    private func heldPipe(_ text: String) throws -> (path: String, writer: Int32) {
        let path = home.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let writer = open(path, O_RDWR | O_CLOEXEC)
        try #require(writer >= 0)
        #expect(Array(text.utf8).withUnsafeBytes { $0.writeAll(to: writer) } == nil)
        return (path, writer)
    }

    @Test(arguments: ["", "p", "p\n"])
    func `a pipe that nobody closes is given up in time`(text: String) throws {
        let (path, writer) = try heldPipe(text)
        defer { close(writer) }
        #expect(throws: SecretFile.Problem.tookTooLong) {
            try SecretFile.read(path: path, until: .now + .milliseconds(200))
        }
        let world = try TestWorld()
        let source = SuppliedCredential.Source.file(path)
        let credential = SuppliedCredential(source: source, allowsBlank: false, patience: 0)
        #expect(throws: LoginFault.self) { try world.withWorld { try credential.secret($0) } }
    }

    @Test func `a pipe without a writer is given up in time, too`() throws {
        let path = home.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: SecretFile.Problem.tookTooLong) {
            try SecretFile.read(path: path, until: .now + .milliseconds(200))
        }
    }

    @Test(arguments: [0o600, 0o400, 0o700, 0o640, 0o604, 0o620, 0o644])
    func `the file of a passphrase is for its user alone`(mode: Int) throws {
        let path = try home.write("open sesame\n", to: "pass", mode: mode)
        if mode & 0o077 == 0 {
            #expect(try SecretFile.passphrase(path).unprotectedText == "open sesame")
        } else {
            let fault = StoreFault.unsafeFile(
                path: path, problem: "other users have access to it (fix: chmod 600)")
            #expect(throws: fault) { try SecretFile.passphrase(path) }
        }
        // Without its name it is within reach of nobody else.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        unlink(path)
        #expect(try SecretFile.passphrase("/dev/fd/\(descriptor)").unprotectedText == "open sesame")
    }

    @Test func `a passphrase from a pipe is taken, whatever rights it has`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        #expect(Array("open sesame\n".utf8).withUnsafeBytes { $0.writeAll(to: ends[1]) } == nil)
        close(ends[1])
        defer { close(ends[0]) }
        #expect(try SecretFile.passphrase("/dev/fd/\(ends[0])").unprotectedText == "open sesame")
    }

    /// PowerShell and some editors write one; from a file of PowerShell's the password was wrong.
    @Test(arguments: [("\u{FEFF}pw\r\n", "pw"), ("\u{FEFF}\u{FEFF}pw", "\u{FEFF}pw"), ("p\u{FEFF}w\n", "p\u{FEFF}w")])
    func `a byte order mark is no part of a password, once and at its beginning`(text: String, expected: String) throws
    {
        let path = try home.write(text, to: "secret")
        let command = "printf %s " + text.replacing("\r\n", with: "").replacing("\n", with: "")
        for source in [SuppliedCredential.Source.file(path), .command(command)] {
            let secret = try TestWorld().withWorld { world in
                try SuppliedCredential(source: source, allowsBlank: false).secret(world)
            }
            #expect(secret.unprotectedText == expected, "\(source)")
        }
        #expect(throws: LoginFault.self) {
            let blank = try home.write("\u{FEFF}\n", to: "blank")
            _ = try TestWorld().withWorld { world in
                try SuppliedCredential(source: .file(blank), allowsBlank: false).secret(world)
            }
        }
    }

    @Test(arguments: [(0o600, false), (0o400, false), (0o644, true), (0o440, true), (0o620, true), (0o604, true)])
    func `a password file that others have access to is used with a warning`(mode: Int, isTold: Bool) throws {
        let path = try home.write("pw\n", to: "pass word", mode: mode)
        // What is root's may be for a group.
        let isForGroup = getuid() == 0 && mode == 0o440
        var told: [String] = []
        let source = SuppliedCredential.Source.file(path)
        let secret = try TestWorld().withWorld { world in
            try SuppliedCredential(source: source, allowsBlank: false).secret(world) { told.append($0) }
        }
        #expect(secret.unprotectedText == "pw")
        let expected =
            "warning: --password-file \"\(path)\": other users have access to it (mode \(String(mode, radix: 8))); "
            + "run: chmod 600 '\(path)'"
        #expect(told == (isTold && !isForGroup ? [expected] : []))
    }

    @Test func `a password from a descriptor is used without a warning, whatever rights it has`() throws {
        let world = try TestWorld(config: Examples.wire)
        let path = try home.write("pw\n", to: "pass", mode: 0o644)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let server = [
            HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"r\""]),
            .answer(200, "{\"screen_name\":\"ann\"}"),
        ]
        let login = { (file: String) in
            world.run("login", "wire", "--force", "-u", "ann", "--password-file", file, server: server)
        }
        let named = login(path)
        #expect(named.code == 0 && named.talk.hasPrefix("authctl: warning: --password-file "), "\(named.talk)")
        #expect(named.talk.contains("(mode 644); run: chmod 600 \(path)\n"))
        world.variables.merge(["AUTHCTL_PROFILE": "wire", "AUTHCTL_PASSWORD_FILE": path]) { $1 }
        world.person = ScriptedPerson([ScriptedPerson.types("bob", "pw")])
        let bob = HTTPResponse.answer(200, "{\"screen_name\":\"bob\"}")
        #expect(world.run("login", "wire", "-u", "bob", "--force", server: [server[0], bob]).code == 0)
        world.person = ScriptedPerson()
        let status = world.run("status", "wire", server: [server[0], bob, server[0], server[1]])
        #expect(status.output.split(separator: "\n").count == 3, "\(status.output)")
        #expect(status.talk.components(separatedBy: "have access").count == 2, "\(status.talk)")
        world.variables["AUTHCTL_PASSWORD_FILE"] = nil
        let nameless = login("/dev/fd/\(descriptor)")
        #expect(nameless.code == 0 && !nameless.talk.contains("access"), "\(nameless.talk)")
    }

    private func supplied(_ source: SuppliedCredential.Source, blank: Bool = false, password: Secret? = nil) throws
        -> Secret
    {
        let world = try TestWorld()
        world.password = password
        return try world.withWorld { try SuppliedCredential(source: source, allowsBlank: blank).secret($0) }
    }

    @Test func `a blank password is refused unless it is allowed`() throws {
        let path = try home.write("\n", to: "blank")
        #expect(throws: LoginFault.self) { try supplied(.file(path)) }
        #expect(try supplied(.file(path), blank: true).isEmpty)
    }

    @Test func `bytes that are no UTF-8 are refused`() {
        let secret = Secret(count: 2) { $0.copyBytes(from: [0x61, 0xff] as [UInt8]) }
        #expect(throws: LoginFault.usage(.invalidUTF8(.password))) { try supplied(.variable, password: secret) }
    }

    @Test(arguments: [
        ("pass show blog", ["pass", "show", "blog"]), ("  a\tb  ", ["a", "b"]), ("a 'b c' d", ["a", "b c", "d"]),
        ("a \"b 'c'\" ''", ["a", "b 'c'", ""]), ("a'b'\"c\"d", ["abcd"]), ("", []),
        ("echo $HOME `x` \\n; |", ["echo", "$HOME", "`x`", "\\n;", "|"]),
    ])
    func `a command is split into words, and nothing else means anything`(line: String, words: [String]) throws {
        #expect(CommandWords.split(line) == words)
    }

    @Test(arguments: ["a 'b", "\"", "a \"b'"]) func `a quote that is not closed is refused`(line: String) {
        #expect(CommandWords.split(line) == nil)
        #expect(throws: LoginFault.self) { try PasswordCommand(line: line) }
    }

    @Test func `no shell looks at a command`() throws {
        let mark = home.path + "/pwned"
        let secret = try PasswordCommand(line: "/bin/echo x; touch \(mark) $(touch \(mark))").run()
        #expect(secret.unprotectedText == "x; touch \(mark) $(touch \(mark))")
        #expect(home.files.isEmpty)
    }

    @Test func `the first line of what a command prints is the password`() throws {
        #expect(try PasswordCommand(line: "printf ' p w \\nuser: anna\\n'").run().unprotectedText == " p w ")
    }

    @Test(arguments: [
        ("/bin/sh -c 'exit 7'", 7), ("/bin/sh -c 'echo pw; exit 3'", 3), ("/nonexistent/x", 127),
        ("/bin/sh -c 'kill -9 $$'", 137),
    ])
    func `a command that fails gives nothing: 4 with its status`(line: String, status: Int32) {
        let expected = LoginFault.loginRequired(LoginNeed(why: .passwordCommandFailed(status: status)))
        #expect(throws: expected) { try PasswordCommand(line: line).run() }
    }

    @Test(arguments: ["cat /dev/zero", "yes", "/bin/sh -c 'trap \"\" PIPE; while :; do echo x; done'"])
    func `a command that prints without end is ended`(line: String) {
        let expected = LoginFault.usage(
            .badValue(option: "password-command", problem: SecretFile.Problem.tooLong.words))
        #expect(throws: expected) { try PasswordCommand(line: line).run() }
    }

    /// A test runs on a thread of Swift's pool, which has every signal blocked.
    @Test func `it is asked to end before it is killed, from whatever thread it was started`() throws {
        let home = try TemporaryHome()
        let script = "trap \"\" PIPE; trap \"echo asked >$1; exit\" TERM; while :; do echo x; done 2>/dev/null"
        let command = PasswordCommand(words: ["/bin/sh", "-c", script, "sh", "\(home.path)/word"])
        #expect(throws: LoginFault.self) { try command.run() }
        #expect(try home.read("word") == "asked\n")
    }
}
