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

    @Test func `Blanks within a line may mean something, so it is left as it is`() {
        let line = "  name  " + String(repeating: "x ", count: 30)
        #expect(look.hanging(line) == line)
    }
}
