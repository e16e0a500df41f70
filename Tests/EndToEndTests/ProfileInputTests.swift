@testable import LoginTestSupport
import Testing

/// `profile add -`.
@Suite(.onOwnThreads) struct `A profile on standard input` {
    private static let text = """
        url = "https://wiki.example"
        verify = { get = "/me" }

        """

    @Test func `a profile on standard input is added like one in a file`() throws {
        let authctl = try Installation(config: "")
        let added = try authctl.run("profile", "add", "--name", "wiki", "-", input: Self.text)
        #expect(added.code == 0 && added.error.contains("Added the profile wiki."), "\(added.error)")
        #expect(try authctl.run("profile", "list").output.contains("https://wiki.example"))
        #expect(try authctl.run("profile", "add", "-", input: "[profiles.other]\n" + Self.text).code == 0)
        #expect(try authctl.run("profile", "add", "--name", "wiki", "-", input: "url = \"x\"\n").code == 2)
    }

    @Test func `a profile on standard input loses what can run programs unless that is accepted`() throws {
        let authctl = try Installation(config: "")
        let risky = Self.text + "password-command = \"touch made\"\n"
        let added = try authctl.run("profile", "add", "--name", "wiki", "-", input: risky)
        #expect(added.code == 0 && added.error.contains("and were left out"), "\(added.error)")
        #expect(try !authctl.run("profile", "show", "wiki").output.contains("password-command"))
    }

    @Test(arguments: [
        ("", "no [profiles.NAME] table"), ("url = ", "standard input"),
        (String(repeating: "# nothing\n", count: 7000), "more than 64 KiB"),
    ])
    func `a profile on standard input is refused where it is none`(text: String, words: String) throws {
        let authctl = try Installation(config: "")
        let result = try authctl.run("profile", "add", "-", input: text)
        #expect(result.code == 2 && result.error.contains(words), "\(result.error)")
    }

    @Test func `a profile on standard input can be pasted at a terminal`() throws {
        let authctl = try Installation(config: "")
        let run = try authctl.onTerminal("profile", "add", "--name", "wiki", "-")
        try run.pty.wait(for: "Paste the profile, and press Enter and Ctrl-D.")
        run.pty.type(Self.text.replacing("\n", with: "\r") + "\u{4}")
        #expect(try run.end() == .exited(0))
        #expect(run.lines.contains { $0.contains("Added the profile wiki.") }, "\(run.lines)")
    }
}
