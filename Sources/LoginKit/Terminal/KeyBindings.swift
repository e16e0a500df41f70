import CReadline
import Glibc

/// The effect of each key: a keymap with nothing else in it.
///
/// None of readline's own commands is reachable, so there is no kill ring, history, completion, macro, undo, search,
/// quoted insert or numeric argument at a prompt (P2, P3, P8, P10, P18).
enum KeyBindings {
    private typealias Command = @convention(c) (Int32, Int32) -> Int32

    /// - Parameter editable: whether the cursor can move; in a line that shows marks alone nobody would see where to.
    static func makeKeymap(editable: Bool) -> Keymap? {
        guard let keymap = creadline_make_keymap() else { return nil }
        bind(0x00..<0x20, to: ignoreKey, in: keymap)
        bind(0x20..<0x7F, to: insertKey, in: keymap)
        bind(0x80..<0x100, to: insertKey, in: keymap)
        var keys: [(Int32, Command)] = [
            (control("J"), acceptLine), (control("M"), acceptLine), (control("D"), cancelLine),
            (control("H"), eraseCharacter), (0x7F, eraseCharacter), (control("U"), eraseToStart),
            (control("W"), eraseWord), (control("L"), drawLineAgain), (control("["), readEscape),
        ]
        if editable {
            keys += [
                (control("A"), moveToStart), (control("E"), moveToEnd), (control("B"), moveLeft),
                (control("F"), moveRight), (control("K"), eraseToEnd),
            ]
        }
        for (key, command) in keys { creadline_bind(keymap, key, command) }
        return keymap
    }

    private static func bind(_ keys: Range<Int32>, to command: Command, in keymap: Keymap) {
        for key in keys { creadline_bind(keymap, key, command) }
    }

    private static func control(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) & 0x1F }
}

// Functions that C calls. They get the number of repetitions, which is always 1 here, and the key.

private func ignoreKey(_: Int32, _: Int32) -> Int32 { 0 }

private func insertKey(_: Int32, _ key: Int32) -> Int32 {
    let line = LineBuffer(), byte = UInt8(truncatingIfNeeded: key)
    if line.completesControlCharacter(byte) {
        line.erase(line.cursor - 1..<line.cursor)
        if let screen = CurrentLine.with(\.screen) {
            EscapeSequence(descriptor: screen.descriptor).swallow(after: byte)
        }
    } else if !line.insert(byte, limit: CurrentLine.with(\.question.limit) ?? LineBuffer.limit) {
        CurrentLine.with { $0.isOverfull = true }
    }
    return 0
}

private func endLine(_ how: LineEnding) -> Int32 {
    CurrentLine.with { $0.end(how) }
    creadline_accept()
    return 0
}

private func acceptLine(_: Int32, _: Int32) -> Int32 {
    LineDisplay.finish()
    return endLine(.accepted)
}

private func cancelLine(_: Int32, _: Int32) -> Int32 { endLine(.cancelled) }

private func erase(_ range: (LineBuffer) -> Range<Int>) -> Int32 {
    let line = LineBuffer()
    line.erase(range(line))
    return 0
}

private func deleteCharacter(_: Int32, _: Int32) -> Int32 { erase { $0.cursor..<$0.nextCharacter } }

private func eraseCharacter(_: Int32, _: Int32) -> Int32 { erase { $0.previousCharacter..<$0.cursor } }

private func eraseToEnd(_: Int32, _: Int32) -> Int32 { erase { $0.cursor..<$0.count } }

/// The second time in a row it leads back to the question before, where there is one.
private func eraseToStart(_: Int32, _ key: Int32) -> Int32 {
    let line = LineBuffer()
    line.erase(0..<line.cursor)
    if line.count == 0 { CurrentLine.with { ($0.isOverfull, $0.paste.hasSeveralLines) = (false, false) } }
    return CurrentLine.with { $0.leadsBack(key) } == true ? endLine(.wentBack) : 0
}

/// Erases all marks: nobody sees where a word begins among them.
private func eraseWord(_ count: Int32, _ key: Int32) -> Int32 {
    guard CurrentLine.with(\.question.isShown) == true else { return eraseToStart(count, key) }
    return erase { $0.previousWord..<$0.cursor }
}

private func move(to place: (LineBuffer) -> Int) -> Int32 {
    let line = LineBuffer()
    line.move(to: place(line))
    return 0
}

private func moveToStart(_: Int32, _: Int32) -> Int32 { move { _ in 0 } }

private func moveToEnd(_: Int32, _: Int32) -> Int32 { move { $0.count } }

private func moveLeft(_: Int32, _: Int32) -> Int32 { move { $0.previousCharacter } }

private func moveRight(_: Int32, _: Int32) -> Int32 { move { $0.nextCharacter } }

private func drawLineAgain(_: Int32, _: Int32) -> Int32 {
    LineDisplay.drawAgain()
    return 0
}

/// The sequences that xterm, the Linux console and screen send for these keys.
private func readEscape(_: Int32, _: Int32) -> Int32 {
    guard let session = CurrentLine.with({ ($0.screen.descriptor, $0.question.isShown) }) else { return 0 }
    let sequence = String(decoding: EscapeSequence(descriptor: session.0).read(), as: UTF8.self)
    if Paste.marks.contains(sequence) { CurrentLine.with { $0.paste.isOpen = sequence == Paste.marks[0] } }
    guard session.1 else { return 0 }
    switch sequence {
    case "[D", "OD": return moveLeft(1, 0)
    case "[C", "OC": return moveRight(1, 0)
    case "[H", "OH", "[1~", "[7~": return moveToStart(1, 0)
    case "[F", "OF", "[4~", "[8~": return moveToEnd(1, 0)
    case "[3~": return deleteCharacter(1, 0)
    default: return 0
    }
}
