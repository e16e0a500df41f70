import Glibc
import LoginCore
import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// Passwords that are given, not asked for.
struct GivenSecretTests {
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

    private func given(_ source: GivenCredential.Source, blank: Bool = false, password: Secret? = nil) throws -> Secret
    {
        let world = try TestWorld()
        world.password = password
        return try world.withWorld { try GivenCredential(source: source, allowsBlank: blank).secret($0) }
    }

    @Test func `a blank password is refused unless it is allowed`() throws {
        let path = try home.write("\n", to: "blank")
        #expect(throws: LoginError.self) { try given(.file(path)) }
        #expect(try given(.file(path), blank: true).isEmpty)
    }

    @Test func `bytes that are no UTF-8 are refused`() {
        let secret = Secret(count: 2) { $0.copyBytes(from: [0x61, 0xff] as [UInt8]) }
        #expect(throws: LoginError.usage(.invalidUTF8(.password))) { try given(.variable, password: secret) }
    }

    @Test(arguments: [
        ("pass show blog", ["pass", "show", "blog"]), ("  a\tb  ", ["a", "b"]), ("a 'b c' d", ["a", "b c", "d"]),
        ("a \"b 'c'\" ''", ["a", "b 'c'", ""]), ("a'b'\"c\"d", ["abcd"]), ("", []),
        ("echo $HOME `x` \\n; |", ["echo", "$HOME", "`x`", "\\n;", "|"]),
    ])
    func `C10 a command is split into words, and nothing else means anything`(line: String, words: [String]) throws {
        #expect(try PasswordCommand.words(line) == words)
    }

    @Test(arguments: ["a 'b", "\"", "a \"b'"]) func `a quote that is not closed is refused`(line: String) {
        #expect(throws: LoginError.self) { try PasswordCommand.words(line) }
    }

    @Test func `C10 no shell looks at a command`() throws {
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
    func `P21 a command that fails gives nothing: 4 with its status`(line: String, status: Int32) {
        let expected = LoginError.loginRequired(LoginNeed(why: .passwordCommandFailed(status: status)))
        #expect(throws: expected) { try PasswordCommand(line: line).run() }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["cat /dev/zero", "yes", "/bin/sh -c 'trap \"\" PIPE; while :; do echo x; done'"])
    func `P21 a command that prints without end is ended`(line: String) {
        let expected = LoginError.usage(
            .badValue(option: "password-command", problem: SecretFile.Problem.tooLong.words))
        #expect(throws: expected) { try PasswordCommand(line: line).run() }
    }
}
