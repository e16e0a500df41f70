@testable import LoginTestSupport
@testable import LoginKit
import Testing

/// The line on the screen, without a terminal.
@Suite(.onOwnThreads) struct ScreenLineTests {
    private static let pieces = [Cell("a"), Cell("b"), Cell("c"), Cell("\\u{7F}", width: 6)]

    /// A thousand changes from one random line to another: what stands there after the change is what a fresh drawing
    /// would have put there, and the cursor is at the same place.
    @Test(arguments: [9, 12, 40])
    func `a change leads to what a new drawing shows`(columns: Int) {
        var generator = SystemRandomNumberGenerator()
        var line = ScreenLine(), written = ""
        for _ in 0..<1000 {
            let cells = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                Self.pieces.randomElement() ?? Cell("x")
            }
            let cursor = Int.random(in: 0...cells.count, using: &generator)
            written += line.update(to: cells, cursor: cursor, columns: columns)
            var fresh = ScreenLine()
            let expected = RenderedScreen(Array(fresh.update(to: cells, cursor: cursor, columns: columns).utf8))
            let seen = RenderedScreen(Array(written.utf8))
            #expect(seen.lines == expected.lines && seen.cursorColumn == expected.cursorColumn)
            #expect(expected.cursorColumn <= columns)
            if written.utf8.count > 2000 { (line, written) = (ScreenLine(), "") }
        }
    }

    @Test func `one more mark costs one mark, one less is rubbed out`() {
        var line = ScreenLine()
        let mark = Cell("*")
        #expect(line.update(to: [mark], cursor: 1, columns: 40) == "*")
        #expect(line.update(to: [mark, mark], cursor: 2, columns: 40) == "*")
        #expect(line.update(to: [mark], cursor: 1, columns: 40) == "\u{8} \u{8}")
        #expect(line.update(to: [mark], cursor: 1, columns: 40) == "")
    }

    @Test(arguments: [("a", 1), ("東", 2), ("😀", 2), ("❤️", 2), ("é", 1), ("ｗ", 2), ("👩‍💻", 2)])
    func `the width of a character is known`(character: String, width: Int) {
        #expect(TextWidth.of(character) == width)
    }
}
