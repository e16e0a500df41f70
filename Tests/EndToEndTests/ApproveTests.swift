import Foundation
@testable import LoginTestSupport
import Testing

/// `authctl approve` on a terminal, with a script in the place of the running command.
@Suite(.onOwnThreads) struct `A terminal that approves` {
    let authctl: Installation
    let runtime: TemporaryHome

    init() throws {
        authctl = try Installation(
            config: ["blog", "other"].map {
                "[profiles.\($0)]\nurl = \"https://\($0).example\"\nverify = { get = \"/me\" }\n"
            }.joined())
        runtime = try TemporaryHome()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: runtime.path)
    }

    /// A running command: asks what it gets on standard input, line by line, and prints what it is answered.
    private static let desk = """
        import json, os, socket, sys
        profile, folder = sys.argv[1:3]
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = f"{folder}/approve-{profile}-{os.getpid()}.sock"
        s = socket.socket(socket.AF_UNIX)
        s.bind(path)
        os.chmod(path, 0o600)
        s.listen()
        print("there", flush=True)
        c, _ = s.accept()
        c.sendall((json.dumps({"version": 1, "serving": profile, "pid": 4711}) + "\\n").encode())
        lines = c.makefile()
        print(lines.readline().strip(), flush=True)
        for line in sys.stdin:
            if line.strip() == "answer": print(lines.readline().strip(), flush=True)
            elif line.strip() == "end": break
            else: c.sendall(line.encode())
        os.unlink(path)
        """

    private func desk(_ profile: String) throws -> Pty {
        let file = try authctl.file("desk.py", Self.desk)
        let pty = try Pty(
            ChildSpec(
                "/usr/bin/python3",
                [
                    "-c", "import subprocess,sys; subprocess.run(['stty','raw','-echo']); exec(open('\(file)').read())",
                    profile, runtime.path + "/authctl",
                ],
                environment: ["PATH": "/usr/bin:/bin"]), columns: 200)
        try pty.wait(for: "there")
        return pty
    }

    private func approve(_ arguments: String...) throws -> TerminalRun {
        try authctl.onTerminal(["approve"] + arguments, environment: ["XDG_RUNTIME_DIR": runtime.path])
    }

    private static func question(_ id: String, _ more: String = "") -> String {
        #"{"question":{"id":"\#(id)","command":"agent","method":"DELETE","url":"https://blog.example/issues/\#(id)","rule":"DELETE /issues/*","covered":true\#(more)},"seconds":60}"#
            + "\n"
    }

    @Test func `one question at a time is shown with a bell, and answered by a letter and Return`() throws {
        let run = try approve("blog")
        try run.pty.wait(for: "Waiting for requests of blog")
        // It starts later, and is found.
        let desk = try desk("blog")
        try desk.wait(for: #"{"version":1}"#)
        let answers = [
            ("y", "yes", "Allowed once"), ("a", "yes-for-rule", "until the command ends"), ("n", "no", "Refused"),
            ("", "no", "Refused"),
        ]
        for (index, (key, word, told)) in answers.enumerated() {
            desk.type(Self.question("\(index)"))
            try run.pty.wait(for: "blog.example/issues/\(index)")
            try run.pty.wait(for: "\u{07}")
            try run.pty.wait(for: "Allow?")
            try run.typeAnswer(key + "\r")
            try run.pty.wait(for: told)
            desk.type("answer\n")
            try desk.wait(for: #"{"id":"\#(index)","answer":"\#(word)"}"#)
        }
        try run.typeAnswer("\u{4}")
        #expect(try run.end() == .exited(5))
        #expect(run.pty.settings == Pty.usualSettings)
        #expect(run.said.contains("blog: \"agent\" (process 4711 of authctl) asks to send"), "\(run.said)")
    }

    @Test func `what was typed ahead or is pasted approves nothing`() throws {
        let run = try approve(), desk = try desk("blog")
        try desk.wait(for: #"{"version":1}"#)
        run.pty.type("y\ry\ry")
        desk.type(Self.question("1"))
        try run.pty.wait(for: "issues/1")
        run.pty.type("y\r")
        try run.pty.wait(for: "Keys pressed in the first second do not count. Answer now.")
        try run.pty.wait(for: "Allow?")
        run.pty.type("y\r")
        try run.pty.wait(for: "Type y, a or n")
        run.pty.type("\u{1B}[200~y\r\u{1B}[201~")
        run.pty.watch(milliseconds: 100)
        run.pty.type("\r")
        try run.pty.wait(for: "Type y, a or n")
        #expect(!run.pty.text.contains("Allowed"))
        try run.typeAnswer("y\r")
        try run.pty.wait(for: "Allowed once")
        desk.type("answer\n")
        try desk.wait(for: #"{"id":"1","answer":"yes"}"#)
    }

    @Test func `an answer that was begun for one question is none for the question in its place`() throws {
        let run = try approve(), desk = try desk("blog")
        try desk.wait(for: #"{"version":1}"#)
        desk.type(Self.question("1"))
        try run.pty.wait(for: "Allow?")
        try run.typeAnswer("y")
        desk.type("{\"ended\":\"1\",\"answer\":\"withdrawn\"}\n" + Self.question("2"))
        try run.pty.wait(for: "issues/2\"")
        run.pty.type("\ry\r")
        try run.pty.wait(for: "Allow?")
        run.pty.watch(milliseconds: 100)
        #expect(!run.pty.text.contains("Allowed") && !run.pty.text.contains("Refused"), "\(run.said)")
        try run.typeAnswer("n\r")
        try run.pty.wait(for: "Refused")
        desk.type("answer\n")
        try desk.wait(for: #"{"id":"2","answer":"no"}"#)
    }

    @Test func `a question is shown again where the window has another size`() throws {
        let run = try approve(), desk = try desk("blog")
        try desk.wait(for: #"{"version":1}"#)
        desk.type(Self.question("1"))
        try run.pty.wait(for: "Allow?")
        try run.typeAnswer("y")
        run.pty.resize(rows: 10, columns: 40)
        try run.pty.wait(for: "blog: \"agent\" asks to send\r\n")
        try run.pty.wait(for: "Allow? [y/a/N] ")
        try run.typeAnswer("\r")
        try run.pty.wait(for: "Refused")
    }

    @Test func `a body is shown in part and escaped, and a hostile question never controls the terminal`() throws {
        let run = try approve(), desk = try desk("blog")
        desk.type(Self.question("1", #","text":"a\u001b[2J\u202eb","length":700"#))
        try run.pty.wait(for: "Allow?")
        #expect(run.said.contains(#"first 9 of 700 bytes: "a\u{1B}[2J\u{202E}b""#), "\(run.said)")
        #expect(!run.pty.text.contains("\u{1B}[2J"))
        try run.typeAnswer("\r")
        desk.type(Self.question("2", #","type":"image/png","length":9"#))
        try run.pty.wait(for: "issues/2")
        try run.pty.wait(for: "Allow?")
        #expect(run.said.contains(#"Body, 9 bytes, not text: "image/png""#), "\(run.said)")
    }

    @Test func `a question that is withdrawn, late, answered elsewhere, or whose command ends goes away`() throws {
        let run = try approve(), desk = try desk("blog"), other = try self.desk("other")
        try other.wait(for: #"{"version":1}"#)
        desk.type(Self.question("1"))
        try run.pty.wait(for: "Allow?")
        desk.type("{\"ended\":\"1\",\"answer\":\"withdrawn\"}\n")
        try run.pty.wait(for: "The request was withdrawn")
        desk.type(Self.question("2"))
        try run.pty.wait(for: "Allow?")
        desk.type("{\"ended\":\"2\",\"answer\":\"timed-out\"}\n")
        try run.pty.wait(for: "Too late")
        desk.type(Self.question("5"))
        try run.pty.wait(for: "Allow?")
        desk.type("{\"ended\":\"5\",\"answer\":\"yes-for-rule\"}\n" + Self.question("3"))
        try run.pty.wait(for: "Answered in another terminal. Allowed for this rule")
        try run.pty.wait(for: "Allow?")
        desk.type("end\n")
        try run.pty.wait(for: "The request was withdrawn")
        other.type(Self.question("4"))
        try run.pty.wait(for: "other: \"agent\"")
        run.pty.watch(milliseconds: 600)
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(run.pty.settings == Pty.usualSettings)
    }

    @Test func `one profile's questions are asked where only those are wanted`() throws {
        let other = try desk("other"), run = try approve("blog"), desk = try desk("blog")
        try other.wait(for: #"{"version":1}"#)
        other.type(Self.question("1"))
        try desk.wait(for: #"{"version":1}"#)
        desk.type(Self.question("2"))
        try run.pty.wait(for: "issues/2")
        run.pty.watch(milliseconds: 500)
        #expect(!run.pty.text.contains("issues/1"))
    }

    @Test func `without a terminal, or where asking is forbidden, it is a usage error`() throws {
        #expect(try authctl.run("approve").code == 2)
        let run = try authctl.onTerminal("approve", environment: ["AUTHCTL_NO_PROMPT": "1"])
        #expect(try run.end() == .exited(2))
        #expect(try authctl.run("approve", "nobody").code == 2)
    }
}
