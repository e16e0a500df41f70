import Foundation
@testable import LoginTestSupport
import Testing

/// What a masked line shows, takes and keeps.
@Suite(.onOwnThreads) struct SecretLineTests {
    private func ask(mask: String = "*", keys: [UInt8]) throws -> Probe {
        let probe = try Probe("--fields", "password", "--mask", mask)
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(bytes: keys)
        try probe.finish()
        return probe
    }

    private func secret(typing keys: String) throws -> String? {
        try ask(keys: Array(keys.utf8) + [13]).answer.last
    }

    @Test func `a secret is shown as one mark for each character and never itself`() throws {
        let probe = try Probe()
        try probe.answer(password: "")
        try probe.finish()
        let long = try Probe()
        try long.pty.wait(for: "User name: ")
        long.pty.type("ann\r")
        try long.pty.wait(for: "Password: ")
        long.pty.typeSlowly(Probe.canary)
        long.pty.type("\r")
        try long.finish()
        #expect(long.pty.text.count { $0 == "*" } == Probe.canary.count)
        #expect(try long.answer == ["username " + Probe.hex("ann"), "secret " + Probe.hex(Probe.canary)])
    }

    @Test(arguments: [("•", 4), ("", 0), ("\u{1B}", 4), ("xyz", 4)])
    func `the mask can be chosen`(mask: String, marks: Int) throws {
        let probe = try ask(mask: mask, keys: Array("pass\r".utf8))
        let shown = mask == "\u{1B}" ? "*" : String(mask.prefix(1))
        #expect(probe.screen().lastLine == ("Password: " + String(repeating: shown, count: marks)).trimmingBlanks)
        #expect(try probe.answer.last == "secret " + Probe.hex("pass"))
    }

    @Test func `killed text never reaches the next prompt`() throws {
        let probe = try Probe("--times", "2")
        try probe.answer(password: Probe.canary + "\u{15}real")
        try probe.pty.wait(for: "User name: ")
        probe.pty.type(keys: ["\u{19}", "\u{1B}y", "\u{1F}", "\r"], pause: 15)
        try probe.finish()
        #expect(try probe.answer == ["username " + Probe.hex("ann"), "secret " + Probe.hex("real"), "blank username"])
    }

    @Test func `nothing is recalled by history, search, undo or last argument`() throws {
        let probe = try Probe("--times", "2", environment: ["HISTFILE": "history"])
        try probe.answer(password: Probe.canary)
        try probe.pty.wait(for: "User name: ")
        let recalls = [
            "\u{1B}[A", "\u{1B}OA", "\u{10}", "\u{12}", "\u{1B}.", "\u{1B}_", "\u{1F}", "\u{18}\u{15}", "\u{0F}",
        ]
        probe.pty.type(keys: recalls, pause: 70)
        probe.pty.type("\r")
        try probe.finish()
        #expect(try probe.answer.last == "blank username")
        #expect(probe.home.files == ["answers"])
    }

    @Test func `no file names are offered`() throws {
        let probe = try Probe("--fields", "username")
        try probe.home.write("", to: "answering-machine")
        try probe.pty.wait(for: "User name: ")
        probe.pty.type(keys: ["ans", "\t", "\t", "\u{1B}?", "\u{1B}*", "\u{1B}~", "\r"], pause: 70)
        try probe.finish()
        #expect(!probe.pty.text.contains("machine"))
        #expect(try probe.answer.first == "username " + Probe.hex("ans"))
    }

    @Test func `control characters cannot be typed into a secret`() throws {
        #expect(try secret(typing: "a\u{16}\u{1B}\u{11}\0b\u{0E}\u{07}c\u{85}\t") == "secret " + Probe.hex("abc"))
    }

    @Test func `quoted insert does not protect Ctrl-C`() throws {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.typeSlowly("ab\u{16}\u{03}")
        try probe.finish(.signalled(SIGINT))
        #expect(try probe.answer.isEmpty)
    }

    @Test(arguments: [
        ("pä€😀", 4), ("e\u{301}x", 2), ("👩\u{200D}💻a", 2), ("🇩🇪🇫🇷", 2), ("👍🏽", 1), ("नि", 1), ("ｗｉｄｅ", 4),
    ])
    func `one mark for each character, the bytes as typed, and each erased whole`(text: String, marks: Int) throws {
        let probe = try ask(keys: Array(text.utf8) + [13])
        #expect(try probe.answer.last == "secret " + Probe.hex(text))
        #expect(probe.pty.text.count { $0 == "*" } == marks)
        let erased = String(repeating: "\u{7F}", count: marks)
        #expect(try secret(typing: "." + text + erased + "z") == "secret " + Probe.hex(".z"))
    }

    @Test(arguments: [[0xFF], [0xC3], [0xE2, 0x82], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0x41, 0x80]] as [[UInt8]])
    func `what is not UTF-8 is refused and said to be so`(bytes: [UInt8]) throws {
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(bytes: bytes + [13])
        try probe.finish(.exited(2))
        #expect(try probe.answer.first?.contains("invalidUTF8") == true)
    }

    @Test func `a flood with the kill character is bounded, and too much is refused`() throws {
        let flood = String(repeating: String(repeating: "A", count: 999) + "\u{15}\0", count: 66)
        #expect(try secret(typing: flood + "left") == "secret " + Probe.hex("left"))
        let most = String(repeating: "B", count: 4096)
        #expect(try secret(typing: most) == "secret " + Probe.hex(most))
        let probe = try Probe("--fields", "password")
        try probe.pty.wait(for: "Password: ")
        probe.pty.type(String(repeating: "A", count: 65536) + "\r")
        try probe.finish(.exited(2))
        #expect(try probe.answer.first?.contains("longer than 4096 bytes") == true)
        #expect(try probe.answer.first?.contains("give it by --password-stdin") == true)
        #expect(!probe.pty.transcript.contains(7))
    }

    @Test func `a hostile inputrc is not read`() throws {
        let probe = try Probe(
            "--fields", "password", "--late", environment: ["INPUTRC": "inputrc"])
        mkfifo(probe.home.path + "/pipe", 0o600)
        let hostile = [
            "set editing-mode vi", "\"a\": \"evil\\C-m\"", "\"\\C-d\": dump-functions", "\"b\": \"\\C-x(\"",
            "$include pipe",
        ]
        try probe.home.write(hostile.joined(separator: "\n") + "\n", to: "inputrc")
        try probe.home.write("\"a\": \"evil\\C-m\"\n", to: ".inputrc")
        try probe.tell("begin")
        try probe.pty.wait(for: "Password: ")
        probe.pty.typeSlowly("ab\u{18}e\r")
        try probe.finish()
        #expect(try probe.answer.last == "secret " + Probe.hex("abe"))
    }

    @Test func `no copy of a typed password stays in memory`() throws {
        // A release has Swift's library inside, and binds everything at its start.
        let probe = try Probe("--forget", "--stay", environment: ["LD_BIND_NOW": "1"])
        try probe.answer(password: "QQ" + Probe.canary + "\u{7F}\u{7F}Z")
        try probe.pty.wait(for: "*\r\n")
        #expect(try eventually { try probe.answer.contains("staying") })
        let found = try ProcessMemory.count(of: Array("Zx9canary".utf8), in: probe.pty.child.pid)
        #expect(found == 0)
        // The scan itself has to be able to find something.
        #expect(try ProcessMemory.count(of: Array(probe.home.path.utf8), in: probe.pty.child.pid) > 0)
        probe.pty.child.send(signal: SIGTERM)
        try probe.finish(.signalled(SIGTERM))
    }
}

extension String {
    fileprivate var trimmingBlanks: String { trimmingCharacters(in: .whitespaces) }
}
