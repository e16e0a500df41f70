import CReadline
import Glibc
import LoginCore

/// Draws the line in the place of readline, which would keep a copy of what it draws.
enum LineDisplay {
    /// Fewer columns for the text than this, and the label gets a line of its own.
    private static let leastRoom = 6

    /// Writes the label at the left edge.
    static func begin(_ question: LineRequest, on screen: Screen) {
        let room = screen.columns - 1 - question.label.count
        screen.write(room < leastRoom ? question.label + "\n" : question.label)
    }

    /// Brings the screen up to date with the line. While more is waiting to be read, that is left for later.
    static func draw() {
        CurrentLine.with { session in
            guard !KeyReader.isMoreWaiting(on: session.screen.descriptor) else { return }
            session.draw()
        }
    }

    /// Brings the screen up to date for the last time, also if what follows the line is there already.
    static func finish() {
        CurrentLine.with { $0.draw() }
    }

    /// Writes label and line again, because something else stands there now.
    static func drawAgain() {
        CurrentLine.with { session in
            session.drawn.forget()
            session.screen.clearLine()
            begin(session.question, on: session.screen)
            session.draw()
        }
    }

    fileprivate static func room(for label: String, columns: Int) -> Int {
        let room = columns - 1 - label.count
        return room < leastRoom ? max(1, columns - 1) : room
    }
}

extension LineSession {
    fileprivate mutating func draw() {
        let line = LineBuffer()
        let starts = Characters.boundaries(of: line.bytes)
        let cells = cells(of: line.bytes, starts: starts)
        let cursor = min(starts.count { $0 < line.cursor }, cells.count)
        let room = LineDisplay.room(for: question.label, columns: screen.columns)
        screen.write(drawn.update(to: cells, cursor: cursor, columns: room))
    }

    private func cells(of bytes: UnsafeBufferPointer<UInt8>, starts: [Int]) -> [Cell] {
        switch question.style {
        case .masked(let mark):
            guard let mark else { return [] }
            return Array(repeating: mark, count: starts.count - 1)
        case .shown:
            return zip(starts, starts.dropFirst()).map { Self.cell(bytes[$0..<$1]) }
        }
    }

    private static func cell(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Cell {
        let text = String(decoding: bytes, as: UTF8.self)
        let isHarmless = text.unicodeScalars.allSatisfy { SafeText.escape(for: $0) == nil }
        if isHarmless { return Cell(text) }
        let escaped = SafeText.escaped(text)
        return Cell(escaped, width: escaped.count)
    }
}
