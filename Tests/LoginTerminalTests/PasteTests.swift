import Foundation
@testable import LoginTestSupport
import Testing

/// What is pasted, and what terminals send by themselves.
@Suite struct PasteTests {
    private static let (begin, end) = ("\u{1B}[200~", "\u{1B}[201~")

    private func secret(typing keys: String) throws -> String? {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(keys + "\r")
        try probe.finish()
        return try probe.answer.last
    }

    /// Types no more of a key for many times the longest gap within one.
    private func breakOff(_ keys: String, at probe: Probe) {
        probe.pty.type(keys)
        #expect(eventually { probe.pty.unread == 0 })
        probe.pty.watch(milliseconds: 500)
    }

    @Test(arguments: ["", "\r", "\n", "\r\n"])
    func `one line break at the end of a paste is passed over`(lineBreak: String) throws {
        let pasted = Self.begin + Probe.canary + lineBreak + Self.end
        #expect(try secret(typing: pasted) == "secret " + Probe.hex(Probe.canary))
        #expect(try secret(typing: "a" + pasted + "b") == "secret " + Probe.hex("a" + Probe.canary + "b"))
    }

    @Test(arguments: [
        "sec\rret", "sec\nret", "sec\r\nret\r\n", "secret\r\r", "sec\r\u{4}ret", "sec\u{1B}\rret", "\rsec",
    ])
    func `one within is said, and nothing is sent`(pasted: String) throws {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(Self.begin + pasted + Self.end)
        probe.pty.watch(milliseconds: 100)
        #expect(try probe.answer.isEmpty)
        probe.pty.type("\r")
        try probe.pty.wait(for: "The pasted text has more than one line; nothing was sent.")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type("right\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("right"))
    }

    @Test func `blank lines before a copied request do not end it`() throws {
        let probe = try Probe("--pasted")
        try probe.pty.wait(for: "Paste it.")
        probe.pty.type("\r \r\rcurl 'https://a.example/' \\\r  -b 'a=1'\r")
        try probe.finish()
        let text = "\n \n\ncurl 'https://a.example/' \\\n  -b 'a=1'"
        #expect(try probe.answer.last == "pasted " + Probe.hex(text))
    }

    @Test(arguments: [("", "", ""), (Self.begin, Self.end, "\n")])
    func `CR LF ends one line of a copied request`(before: String, behind: String, lastEnd: String) throws {
        let probe = try Probe("--pasted")
        try probe.pty.wait(for: "Paste it.")
        probe.pty.type(before + "curl 'https://a.example/' \\\r\n  -b 'a=1'\r\n" + behind)
        try probe.finish()
        let text = "curl 'https://a.example/' \\\n  -b 'a=1'" + lastEnd
        #expect(try probe.answer.last == "pasted " + Probe.hex(text))
    }

    @Test(arguments: 1...5) func `the marks of a paste are known where they arrive in two pieces`(count: Int) throws {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type("a\(Self.begin.prefix(count))")
        probe.pty.watch(milliseconds: 100)
        probe.pty.type("\(Self.begin.dropFirst(count))b\r\(Self.end.prefix(count))")
        probe.pty.watch(milliseconds: 100)
        probe.pty.type("\(Self.end.dropFirst(count))c\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("abc"))
    }

    @Test(arguments: ["[x", "[2x", "[200x", "x"])
    func `what is typed after a lone Escape is no mark, and is kept`(typed: String) throws {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        breakOff("ab\u{1B}", at: probe)
        probe.pty.type(typed + "\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("ab" + typed))
    }

    @Test func `a paste that was erased is forgotten, and the fourth is an error`() throws {
        let lines = Self.begin + "a\rb" + Self.end
        #expect(try secret(typing: lines + "\u{15}right") == "secret " + Probe.hex("right"))
        let probe = try Probe("--fields", "password")
        for _ in 1...3 {
            try probe.pty.wait(for: "Password: ")
            probe.pty.type(lines + "\r")
        }
        try probe.finish(.exited(2))
    }

    @Test func `a paste whose end is lost does not take Enter away for good`() throws {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(Self.begin + "abc")
        try probe.pty.wait(for: "***")
        probe.pty.watch(milliseconds: 1200)
        probe.pty.type("\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("abc"))
    }

    @Test func `the terminal is asked to mark what is pasted, and no longer than the question lasts`() throws {
        for (ending, keys) in [(Ending.exited(0), "x\r"), (.signalled(SIGINT), "x\u{3}")] {
            let probe = try Probe("--fields", "password")
            try probe.pty.wait(for: "\u{1B}[?2004h")
            try probe.pty.wait(for: "Password: ")
            probe.pty.type(keys)
            try probe.pty.wait(for: "\u{1B}[?2004l")
            try probe.finish(ending)
        }
        let dumb = try Probe("--fields", "password", environment: ["TERM": "dumb"])
        try dumb.pty.wait(for: "Password: ")
        dumb.pty.type("x\r")
        try dumb.finish()
        #expect(!dumb.pty.transcript.contains(0x1B))
    }

    @Test(arguments: [
        "\u{1B}[M !!", "\u{1B}[M#9:", "\u{1B}[<0;10;20M", "\u{1B}[[A", "\u{1B}]11;rgb:ffff/ffff/ffff\u{7}",
        "\u{1B}]0;title\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\", "\u{1B}_Gi=1;OK\u{1B}\\", "\u{1B}^text\u{1B}\\",
        "\u{1B}Xtext\u{1B}\\", "\u{1B}Nx", "\u{1B}OP", "\u{9B}31m", "\u{9B}1;5C", "\u{9D}0;title\u{9C}",
        "\u{90}1$r0m\u{9C}", "\u{8E}x", "\u{8F}P", "\u{1B}[?64;1;2c", "\u{1B}[24;80R",
    ])
    func `what a terminal sends by itself is no part of a secret`(sequence: String) throws {
        #expect(
            try secret(typing: "ab" + sequence + "cd") == "secret " + Probe.hex("abcd"), "\(sequence.debugDescription)")
    }

    @Test(arguments: ["\u{1B}", "\u{1B}[", "\u{1B}[M", "\u{1B}[M!", "\u{1B}]0;never ended", "\u{1B}N", "\u{1B}[["])
    func `one that breaks off swallows neither Enter nor what comes later`(sequence: String) throws {
        #expect(try secret(typing: "ab" + sequence) == "secret " + Probe.hex("ab"))
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        breakOff("ab" + sequence, at: probe)
        probe.pty.type("cd\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("abcd"))
    }
}
