import Foundation
@testable import LoginTestSupport
import Testing

/// A grant by a code that is typed elsewhere, and the question about a foreign server, as a person at a terminal sees them.
@Suite(.onOwnThreads) struct DeviceDialogueTests {
    private static let lines = [
        "Log in to notes (https://notes.example) at https://id.example, with a code.",
        "Open  https://id.example/device",
        "enter FZX5-ASHU", "or open  https://id.example/device?code=FZX5-ASHU  and compare the code.",
        "Never share this code, and never enter a code someone sent you.",
    ]

    @Test func `the line counts down, and is gone at the end`() throws {
        let visit = try AuthorizationVisit("--device", "2500")
        for _ in 1...2 { try visit.pty.wait(for: " left…") }
        try visit.finish()
        // A machine that stands still leaves seconds out.
        let shown = visit.pty.text.matches(of: /Waiting for your approval, 14:(\d\d) left…/).compactMap { Int($0.1) }
        #expect(
            shown.count > 1 && shown.allSatisfy { $0 <= 58 } && zip(shown, shown.dropFirst()).allSatisfy { $0 > $1 })
        #expect(try visit.answer == ["waited"])
        #expect(try visit.screen == Self.lines + [""])
    }

    @Test func `Ctrl-C ends it by its signal, and the line is gone`() throws {
        let visit = try AuthorizationVisit("--device", "600000")
        try visit.pty.wait(for: " left…")
        #expect(!visit.pty.echoes)
        visit.pty.type("\u{3}")
        try visit.finish(.signalled(SIGINT))
        #expect(!(try visit.screen.contains { $0.contains("Waiting") }))
    }

    @Test func `Ctrl-D and other keys change nothing`() throws {
        let visit = try AuthorizationVisit("--device", "3000")
        try visit.pty.wait(for: " left…")
        visit.pty.type("x\u{4}")
        try visit.finish()
        #expect(try visit.answer == ["waited"])
        #expect(try visit.screen == Self.lines + [""])
    }

    @Test func `without a person lines are said, and nothing counts`() throws {
        let visit = try AuthorizationVisit("--device", "1200", "--no-person")
        try visit.finish()
        #expect(visit.pty.transcript.isEmpty)
        #expect(try visit.answer == Self.lines.map { "said \($0)" } + ["waited"])
    }

    @Test func `a code that is no text is not shown`() throws {
        let visit = try AuthorizationVisit("--device", "1", "--user-code", "A\\u001b[31m\\nB")
        try visit.finish(.exited(1))
        #expect(visit.pty.transcript.isEmpty)
    }

    @Test(arguments: ["\u{A0}", "\u{2003}", "\u{3000}", "\u{2800}", " "])
    func `a padded scope takes one line, and begins none of its own`(blank: String) throws {
        let scope =
            "openid" + String(repeating: blank, count: 68) + "Password for ann:" + String(repeating: "x", count: 200)
        let visit = try AuthorizationVisit("--device", "1", "--scope", scope)
        try visit.finish()
        let screen = try visit.screen
        #expect(screen[1].hasPrefix("It asks for: openid\(blank)\\u{") && screen[1].hasSuffix("…"), "\(screen)")
        #expect(screen[2] == Self.lines[1])
    }

    @Test func `a QR code stands before the waiting line, dark on white`() throws {
        let visit = try AuthorizationVisit("--device", "1", "--qr")
        try visit.finish()
        let picture = try visit.screen.dropFirst(Self.lines.count).dropLast()
        #expect(picture.count == 19)
        #expect(visit.pty.text.contains("\u{1B}[30;107m    █▀▀▀▀▀█ "))
    }

    @Test(arguments: [UInt16(80), 40, 20]) func `no word is broken at the edge, and a URL stays whole`(columns: UInt16)
        throws
    {
        let visit = try AuthorizationVisit("--device", "1", columns: columns)
        try visit.finish()
        let lines = visit.pty.text.split(separator: "\r\n").map(String.init).filter { !$0.contains("Waiting") }
        let words = { (lines: [String]) in lines.flatMap { $0.split(separator: " ") } }
        #expect(words(lines).starts(with: words(Self.lines)))
        #expect(lines.allSatisfy { $0.count <= Int(columns) || !$0.contains(" ") }, "\(lines)")
    }

    @Test func `a QR code that does not fit is not drawn`() throws {
        let visit = try AuthorizationVisit("--device", "1", "--qr", columns: 30)
        try visit.finish()
        #expect(!visit.pty.text.contains("█"))
        #expect(visit.pty.text.contains("The QR code needs 38 columns;\r\nthere are 30.\r\n"))
        let ascii = try AuthorizationVisit("--device", "1", "--qr", columns: 40, environment: ["LC_ALL": "C"])
        try ascii.finish()
        #expect(ascii.pty.text.contains("The QR code needs 75 columns; there are\r\n40.\r\n"))
        #expect(ascii.pty.transcript.allSatisfy { $0 < 0x80 })
    }

    @Test func `A dumb terminal without UTF-8 is told that it cannot show a QR code`() throws {
        let visit = try AuthorizationVisit("--device", "1", "--qr", environment: ["LC_ALL": "C", "TERM": "dumb"])
        try visit.finish()
        #expect(visit.pty.transcript.allSatisfy { $0 < 0x80 && $0 != 0x1B })
        #expect(visit.pty.text.contains("This terminal cannot show a QR code"))
    }

    private static let question = [
        "https://notes.example/mcp has its logins made at https://id.example",
        "  (WWW-Authenticate of the 401, https://notes.example/.well-known/oauth-protected-resource/mcp).",
        "authctl registers itself there for this login. What id.example hands out for you will be sent to https://notes.example.",
    ]

    @Test(arguments: [
        ("yes\r", "agreed true", 0), ("no\r", "agreed false", 0), ("\r", "agreed false", 0), ("\u{4}", "error", 5),
    ])
    func `a server on another origin is asked about, and only yes is one`(
        keys: String, answer: String, code: Int32
    ) throws {
        let visit = try AuthorizationVisit("--agree", columns: 140)
        try visit.pty.wait(for: "Type yes to log in there: ")
        visit.pty.type(keys)
        try visit.finish(.exited(code))
        #expect(try visit.answer.last?.hasPrefix(answer) == true)
        #expect(try visit.screen.prefix(3).elementsEqual(Self.question))
    }
}
