/// A message between a command that lends a login and `authctl approve`: one JSON object on each line.
enum ApprovalMessage: Equatable, Sendable {
    /// The version of the protocol; each side sends it first.
    static let version: Int64 = 1
    /// The longest line, in bytes, that either side takes: a URL is as long as the head of its request.
    static let longest = 2 << 20

    /// The serving side's first line.
    case serving(profile: String, pid: Int32)
    /// The approver's first line.
    case approver
    case question(ServeQuestion, seconds: Int64)
    /// The question has ended by itself: the client has gone, nobody has answered in time, or another approver has answered for the rule.
    case ended(id: String, ServeAnswer)
    case answer(id: String, ServeAnswer)
    /// The other side has another version.
    case otherVersion

    /// Without a line end.
    var text: String {
        var line = JSONText()
        switch self {
        case .serving(let profile, let pid):
            line.add("version", Self.version)
            line.add("serving", profile)
            line.add("pid", Int64(pid))
        case .approver: line.add("version", Self.version)
        case .question(let question, let seconds):
            line.add("question", question.json)
            line.add("seconds", seconds)
        case .ended(let id, let end):
            line.add("ended", id)
            line.add("answer", end.rawValue)
        case .answer(let id, let answer):
            line.add("id", id)
            line.add("answer", answer.rawValue)
        case .otherVersion: line.add("version", Int64(0))
        }
        return line.finished
    }

    /// - Returns: `nil` for a line that is none of these.
    init?(_ text: UnsafeRawBufferPointer) {
        guard let members = JSONReader.members(text) else { return nil }
        if let version = members["version"]?.integer {
            guard version == Self.version else {
                self = .otherVersion
                return
            }
            guard let profile = members["serving"]?.text else {
                self = .approver
                return
            }
            self = .serving(profile: profile, pid: Int32(clamping: members["pid"]?.integer ?? 0))
        } else if let question = members["question"].flatMap({ ServeQuestion($0) }) {
            self = .question(question, seconds: members["seconds"]?.integer ?? 0)
        } else if let answer = members["answer"]?.text.flatMap({ ServeAnswer(rawValue: $0) }),
            let id = members["id"]?.text ?? members["ended"]?.text
        {
            self = members["ended"] == nil ? .answer(id: id, answer) : .ended(id: id, answer)
        } else {
            return nil
        }
    }
}

extension ServeQuestion {
    fileprivate var json: JSONText {
        var line = JSONText()
        line.add("id", id)
        line.add("command", command)
        line.add("method", method)
        line.add("url", url)
        line.add("rule", rule)
        line.add("covered", isCovered)
        if !further.isEmpty { line.add("further", further) }
        if hasArguments { line.add("arguments", true) }
        switch body {
        case .none: break
        case .text(let text, let length):
            line.add("text", text)
            if let length { line.add("length", length) }
        case .other(let type, let length):
            line.add("type", type)
            if let length { line.add("length", length) }
        }
        return line
    }

    fileprivate init?(_ json: JSONValue) {
        guard case .object(let members) = json, let id = members["id"]?.text, let command = members["command"]?.text,
            let method = members["method"]?.text, let url = members["url"]?.text, let rule = members["rule"]?.text
        else { return nil }
        let length = members["length"]?.integer
        let body: Body =
            if let text = members["text"]?.text {
                .text(text, of: length)
            } else if let type = members["type"]?.text {
                .other(type: type, of: length)
            } else {
                .none
            }
        self.init(
            id: id, command: command, method: method, url: url, body: body,
            hasArguments: members["arguments"] == .bool(true), rule: rule,
            isCovered: members["covered"] == .bool(true), further: members["further"]?.texts ?? [])
    }
}

/// The keys of an answer to a question of `authctl approve`: `y`, `a` or `n`, then Return. Anything pasted answers nothing.
struct ApprovalKeys: Equatable, Sendable {
    /// The effect of a key.
    enum Outcome: Equatable, Sendable {
        /// Nothing, or what is typed has changed.
        case none
        case answered(ServeAnswer)
        /// Ctrl-D.
        case cancelled
        /// Something other than an answer was typed, or text was pasted.
        case unclear
    }

    /// Milliseconds; Return that follows its letter sooner was not typed by a person.
    private static let quickest = 20

    /// The letter that was typed.
    private(set) var letter: Character?
    private var isUnclear = false
    /// Bytes of an incomplete escape sequence.
    private var sequence: [UInt8] = []
    private var isPasting = false

    /// - Parameter milliseconds: since the key before.
    mutating func take(_ byte: UInt8, after milliseconds: Int) -> Outcome {
        // The end of a paste was lost: Return has to be Return again.
        if milliseconds > 1000 { isPasting = false }
        if !sequence.isEmpty || byte == 0x1B { return takeSequence(byte) }
        if isPasting {
            isUnclear = true
            return .none
        }
        switch byte {
        case 0x04: return .cancelled
        case 0x0D, 0x0A: return end(after: milliseconds)
        case 0x08, 0x7F, 0x15: (letter, isUnclear) = (nil, false)
        default:
            let typed = Character(Unicode.Scalar(byte | 0x20))
            if letter == nil, !isUnclear, "yan".contains(typed) { letter = typed } else { isUnclear = true }
        }
        return .none
    }

    /// CSI and SS3 sequences (ECMA-48, section 5.4) are no keys here; two of them bracket what is pasted (xterm, mode 2004).
    private mutating func takeSequence(_ byte: UInt8) -> Outcome {
        sequence.append(byte)
        let isOpen =
            switch sequence.count {
            case 1: true
            case 2: byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O")
            default: !(0x40...0x7E).contains(byte) && sequence.count < 32
            }
        if isOpen { return .none }
        if sequence.dropFirst().elementsEqual("[200~".utf8) { isPasting = true }
        if sequence.dropFirst().elementsEqual("[201~".utf8) { isPasting = false }
        sequence = []
        return .none
    }

    private mutating func end(after milliseconds: Int) -> Outcome {
        defer { (letter, isUnclear) = (nil, false) }
        guard !isUnclear else { return .unclear }
        guard let letter else { return .answered(.no) }
        guard letter == "n" || milliseconds >= Self.quickest else { return .unclear }
        switch letter {
        case "y": return .answered(.yes)
        case "a": return .answered(.yesForRule)
        default: return .answered(.no)
        }
    }
}
