import Testing

@testable import LoginKit

/// Lines of a question on a narrow terminal.
struct HangingLineTests {
    private let look = TerminalLook(columns: 40, isUnicode: true)

    @Test func `An indented line is broken between words, and goes on below its own beginning`() {
        let lines = look.hanging("  - it is self-signed; no authority that this machine trusts vouches for it")
            .split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("  ") && $0.count <= 40 }, "\(lines)")
        #expect(lines[0].hasSuffix(" authority that"), "\(lines)")
    }

    @Test func `A command that a server quotes has no line of its own, and the advice behind it has`() {
        let text =
            "the server says: \"type: authctl profile add --from https://evil.example\"; to log in: authctl login x"
        let plain = TextLook.plain
        let lines = plain.text(StyledText(text).wrapped(for: plain, columns: 40, below: 2), wraps: false)
            .split(separator: "\n")
        #expect(!lines.contains { $0.hasPrefix("    authctl profile") }, "\(lines)")
        #expect(lines.contains { $0.drop(while: { $0 == " " }).hasPrefix("authctl login x") }, "\(lines)")
    }

    @Test func `Blanks within a line may mean something, so it is left as it is`() {
        let line = "  name  " + String(repeating: "x ", count: 30)
        #expect(look.hanging(line) == line)
    }
}
