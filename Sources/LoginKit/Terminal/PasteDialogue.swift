import CProcess
import Glibc
import Secrets

extension TerminalPrompt {
    /// Asks for a text of several lines that is pasted, and shows nothing of it.
    /// - Parameter note: what is to be pasted.
    /// - Throws: as `ask`; `cancelled` for Ctrl-D, `usage` for a text that is too long.
    func askPasted(_ note: String) throws(LoginFault) -> Secret {
        var conversation = try begin(missing: [])
        conversation.hold = .untilEnd
        conversation.say([note])
        let text = try conversation.readPasted()
        conversation.say(["\(text.count.bytes) received."])
        return text
    }
}

extension Conversation {
    /// Reads to the end of the paste, as the terminal brackets it, or of the first line with text that does not go on; what comes behind is dropped.
    fileprivate func readPasted() throws(LoginFault) -> Secret {
        var text = SecretBuilder(limit: PastedLines.limit), tail: [UInt8] = [], isBracketed = false, hasText = false
        let deadline = ContinuousClock.now + .seconds(timeout)
        defer { drain() }
        while true {
            let left = deadline - .now
            guard left > .zero else { throw .promptExpired(seconds: timeout) }
            if isCancelled?() == true { throw .cancelled }
            guard let byte = try nextByte(within: left) else { continue }
            if byte == 0x04, !isBracketed { throw .cancelled }
            tail = tail.suffix(5) + [byte]
            if tail == Self.pasteBegins {
                isBracketed = true
                text = SecretBuilder(limit: PastedLines.limit)
                continue
            }
            if tail == Self.pasteEnds { return try Self.whole(text.finish()).withoutPasteEnd }
            // Of CR LF, the first has ended the line.
            if byte == 0x0A, tail.dropLast().last == 0x0D { continue }
            let isLineEnd = byte == 0x0A || byte == 0x0D
            if isLineEnd, !isBracketed {
                if hasText, !PastedLines.goesOn(tail.dropLast()) { return try Self.whole(text.finish()) }
            }
            hasText = hasText || byte > 0x20
            // A terminal sends the return key for the end of a line.
            guard text.append(byte == 0x0D ? 0x0A : byte) else { return try Self.whole(nil) }
        }
    }

    private static func whole(_ text: Secret?) throws(LoginFault) -> Secret {
        guard let text else {
            throw .usage(.badValue(option: "--paste", problem: "the text is longer than \(PastedLines.limit) bytes"))
        }
        return text
    }

    private static let pasteBegins = Array("\u{1B}[200~".utf8), pasteEnds = Array("\u{1B}[201~".utf8)

    private func nextByte(within left: Duration) throws(LoginFault) -> UInt8? {
        switch key(within: Int32(min(left.components.seconds * 1000 + 1, 100)), beside: []) {
        case .byte(let byte): return byte
        case .nothing, .resumed, .other: return nil
        case .hungUp: throw .cancelled
        }
    }

    /// No line of what was pasted may reach the shell.
    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while cprocess_terminal_wait(200, nil, 0) & Int32(CPROCESS_READABLE) != 0 {
            guard Glibc.read(terminal.screen.descriptor, &bytes, bytes.count) > 0 else { break }
        }
        for index in bytes.indices { bytes[index] = 0 }
        tcflush(terminal.screen.descriptor, TCIFLUSH)
    }
}

extension Secret {
    /// Without the beginning of the sequence that ends a paste, whose last byte was not taken.
    fileprivate var withoutPasteEnd: Secret {
        withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0.dropLast(min(5, $0.count)))) }
    }
}
