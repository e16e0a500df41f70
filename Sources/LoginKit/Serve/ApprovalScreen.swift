/// Lays a question of `authctl approve` out: it is seen at once on the whole, whatever the request holds, and what of it has no room is
/// counted. Rows are broken here and not by the terminal, whose rows would go on at the left edge, where only lines of ours begin.
struct ApprovalScreen: Equatable, Sendable {
    private let columns: Int, rows: Int
    private let isUnicode: Bool

    /// The columns in which details of the request begin, and in which any line goes on.
    private static let (detail, deeper) = (2, 6)
    /// The smallest screen that has room for a question.
    private static let (leastColumns, leastRows) = (20, 8)
    /// Longer rows are not read better.
    private static let mostColumns = 200

    init(columns: Int, rows: Int, isUnicode: Bool) {
        self.columns = min(max(columns, Self.leastColumns), Self.mostColumns)
        self.rows = max(rows, Self.leastRows)
        self.isUnicode = isUnicode
    }

    private var isSmall: Bool { rows < 16 || columns < 60 }
    private var ellipsis: String { isUnicode ? "…" : "..." }

    /// The rows of a question, with what it is about at the end once more; the answer is typed below them.
    func lines(of question: ServeQuestion, profile: String, pid: Int32) -> [String] {
        let process = isSmall ? "" : "(process \(pid) of authctl) "
        let command = quoted(
            question.command, isASCII: question.hasArguments, most: isSmall ? 16 : min(64, columns / 2))
        let whose = words("\(SafeText.escaped(profile, limit: 40)): ") + command + words(" \(process)asks to send")
        let head = (isSmall ? [] : [""]) + cut(whose, most: 2)
        let rule = cut(
            words(question.isCovered ? "Rule: " : "Like rule: ") + pieces(question.rule), indent: Self.detail,
            most: isSmall ? 1 : 2)
        let more = rule + further(question.further, most: rows < 10 ? 1 : isSmall ? 2 : 6)
        let legend = cut(words(isSmall ? ApprovalWords.shortLegend : ApprovalWords.legend), most: 2)
        let below = request(question, indent: 0, most: 2) + legend
        var most = isSmall ? 2 : min(rows / 6, 8)
        while true {
            let above = head + request(question, indent: Self.detail, most: most) + more
            // The last row is the answer's.
            let left = rows - above.count - below.count - 1
            if left > 0 || most == 0 { return above + body(of: question, most: max(left, 1)) + below }
            most -= 1
        }
    }

    private func request(_ question: ServeQuestion, indent: Int, most: Int) -> [String] {
        if most == 0 { return [] }
        let method = pieces(question.method), length = question.method.utf8.count.bytes
        let end = method.count > 16 ? words("\(ellipsis) (\(length)) ") : [" "]
        let start = method.prefix(method.count > 16 && isSmall ? 6 : 16)
        return shortened(question.url, behind: start + end, indent: indent, most: most)
    }

    /// Returns the lines on what the request may do besides its own method.
    private func further(_ acts: [String], most: Int) -> [String] {
        var lines: [String] = []
        for (index, act) in acts.enumerated() {
            let left = acts.count - index, room = most - lines.count - (left > 1 ? 1 : 0)
            guard room > 0 else {
                let others = words("It may also do \(left) other things, which are not shown.")
                return lines + cut(others, indent: Self.detail, most: 1)
            }
            lines += shortened(act, behind: words("It may also do: "), indent: Self.detail, most: min(room, 2))
        }
        return lines
    }

    private func body(of question: ServeQuestion, most: Int) -> [String] {
        let told: String
        switch question.body {
        case .none where question.hasArguments: told = "No arguments."
        case .text(let text, let length) where question.hasArguments:
            return arguments(text, isWhole: length != nil, most: most)
        case .text(let text, let length): return body(text, of: length, most: most)
        case .none where question.method == ServeRule.webSocket:
            told = "What goes through the WebSocket later is not shown."
        case .none: told = "No body."
        case .other(let type, let length):
            let size = length.map(\.bytes) ?? "of unknown length"
            return cut(words("Body, \(size), not text: ") + quoted(type, most: 60), indent: Self.detail, most: most)
        }
        return cut(words(told), indent: Self.detail, most: most)
    }

    /// The arguments of a call, line by line. Of a line that has no room the beginning and the end are shown, and how long it is; lines
    /// without room are counted.
    private func arguments(_ text: String, isWhole: Bool, most: Int) -> [String] {
        let lines = text.split(separator: "\n"), isCut = lines.count > most || !isWhole
        let shown = min(lines.count, isCut ? most - 1 : most)
        var rows: [String] = [], spare = most - shown - (isCut ? 1 : 0)
        for (index, line) in lines.prefix(shown).enumerated() {
            let blanks = line.prefix { $0 == " " }.count, start = index == 0 ? words("Arguments: ") : []
            let indent = index == 0 ? Self.detail : min(Self.deeper + blanks, columns / 2)
            let text = line.dropFirst(blanks), room = 1 + spare
            // The end of what was cut would be none of the argument's.
            let hasEnd = isWhole || index < lines.count - 1
            let taken =
                hasEnd
                ? shortened(text, isJSON: true, behind: start, indent: indent, most: room)
                : cut(
                    start + json(text.unicodeScalars.prefix(columns * room)) + [ellipsis], indent: indent, most: room,
                    further: Self.further)
            spare -= taken.count - 1
            rows += taken
        }
        guard isCut else { return rows }
        let count = lines.count - shown
        let rest = count == 0 ? "the rest" : "\(isWhole ? "" : "more than ")\(count) lines"
        return rows + cut(words("Not shown: \(rest) of arguments."), indent: Self.detail, most: 1)
    }

    /// The beginning of a row of an argument that goes on: no line of JSON begins so.
    private static let further = "    | "

    /// As much of a text as there is room for, and how much that is.
    private func body(_ text: String, of length: Int64?, most: Int) -> [String] {
        let scalars = Array(text.unicodeScalars), pieces = pieces(text), quote = ["\""]
        var count = min(pieces.count, columns * most)
        var shown = scalars.prefix(count).reduce(0) { $0 + UTF8.width($1) }
        while true {
            let isWhole = count == pieces.count && length == Int64(shown)
            let size =
                isWhole
                ? shown.bytes
                : length.map { "first \(shown) of \($0.bytes)" } ?? "first \(shown.bytes), and more"
            let line = words("Body, \(size): ") + quote + pieces.prefix(count) + quote
            if let lines = broken(line, indent: Self.detail, most: most) { return lines }
            guard count > 0 else { return cut(line, indent: Self.detail, most: most) }
            count -= 1
            shown -= UTF8.width(scalars[count])
        }
    }

    /// A URL, or a line of JSON, with what precedes it: all of it, or its beginning, its end and its length.
    private func shortened(
        _ text: some StringProtocol, isJSON: Bool = false, behind start: [String], indent: Int, most: Int
    ) -> [String] {
        let scalars = text.unicodeScalars, all = columns * most, quote = isJSON ? [] : ["\""]
        func pieces(_ part: some Sequence<Unicode.Scalar>) -> [String] {
            isJSON ? json(part) : SafeText.pieces(part, isASCII: true)
        }
        func rows(_ line: [String]) -> [String]? {
            broken(start + quote + line, indent: indent, most: most, further: isJSON ? Self.further : nil)
        }
        if scalars.count <= all, let rows = rows(pieces(scalars) + quote) { return rows }
        let first = pieces(scalars.prefix(all)), last = pieces(scalars.suffix(all))
        let gap = quote + [" \(ellipsis) "] + quote, length = words(" (\(text.utf8.count.bytes))")
        for count in stride(from: min(all, scalars.count - 1), to: 0, by: -max(all / 100, 1)) {
            let end = count / 3
            if let rows = rows(first.prefix(count - end) + gap + last.suffix(end) + quote + length) { return rows }
        }
        return cut(start + length, indent: indent, most: most)
    }

    // MARK: Rows

    /// Words of ours, each with the blank behind it; one as long as half a row is broken like the text of others.
    private func words(_ text: String) -> [String] {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        return words.enumerated().flatMap { index, word in
            let whole = index < words.count - 1 ? "\(word) " : String(word)
            return whole.isEmpty ? [] : whole.count < columns / 2 ? [whole] : whole.map { String($0) }
        }
    }

    private func pieces(_ text: String) -> [String] {
        SafeText.pieces(text.unicodeScalars, isASCII: !isUnicode)
    }

    private func json(_ text: some Sequence<Unicode.Scalar>) -> [String] {
        SafeText.pieces(text, isASCII: !isUnicode, isJSON: true)
    }

    /// - Parameter isASCII: as for a name that a client gives itself, in which nothing may look like the words around it.
    private func quoted(_ text: String, isASCII: Bool = false, most: Int) -> [String] {
        let pieces = SafeText.pieces(text.unicodeScalars, isASCII: isASCII || !isUnicode)
        var width = 0
        let shown = pieces.prefix {
            width += $0.count
            return width <= most
        }
        return ["\""] + shown + (shown.count < pieces.count ? [ellipsis] : []) + ["\""]
    }

    /// As many pieces as there is room for; a cut is seen.
    private func cut(_ pieces: [String], indent: Int = 0, most: Int, further: String? = nil) -> [String] {
        var count = pieces.count
        while count > 0 {
            let line = count == pieces.count ? pieces : pieces.prefix(count) + [ellipsis]
            if let lines = broken(line, indent: indent, most: most, further: further) { return lines }
            count -= 1
        }
        return []
    }

    /// The pieces in rows that leave the last column free.
    /// - Parameter further: what a row begins with that goes on; blanks if not given.
    /// - Returns: `nil` if there are more than `most`.
    private func broken(_ pieces: [String], indent: Int, most: Int, further: String? = nil) -> [String]? {
        var lines: [String] = [], line = String(repeating: " ", count: indent), width = indent
        for piece in pieces {
            // The blank behind a word is none at the edge.
            let word = piece.count > 1 && piece.hasSuffix(" ") ? String(piece.dropLast()) : piece
            if width + Self.width(word) > columns - 1 {
                lines.append(line)
                guard lines.count < most else { return nil }
                (line, width) = (further ?? String(repeating: " ", count: Self.deeper), Self.deeper)
            }
            let fits = width + Self.width(piece) <= columns - 1
            line += fits ? piece : word
            width += Self.width(piece)
        }
        return lines + [line]
    }

    /// The most columns that any terminal gives a piece: they differ about what is not ASCII.
    private static func width(_ piece: String) -> Int {
        piece.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
    }
}

/// The sentences about questions, on both sides.
enum ApprovalWords {
    static func waiting(_ profile: String) -> String {
        "waiting for approval: \(ShellCommand("authctl", "approve", profile))"
    }

    /// - Parameter problem: a sentence without its end.
    static func cannotAsk(_ problem: String) -> String {
        "warning: nobody can be asked for approval, so those requests are refused: \(problem)"
    }

    /// - Parameter profile: `nil` for all.
    static func ready(_ profile: String?) -> String {
        let whose = profile.map { " of \(SafeText.escaped($0))" } ?? ""
        return
            "Waiting for requests\(whose) to approve. \(CancelKey.working.rawValue) ends this; running commands go on."
    }

    /// Short, so that the answer behind it is seen on a narrow terminal.
    static let label = "Allow? [y/a/N] "
    fileprivate static let shortLegend = "y: once. a: this rule. n: no."
    static let legend = "y: once. a: always for this rule, until the command ends. n or Return: no."
    static let early = "Keys pressed in the first second do not count. Answer now."
    static let unclear = "Type y, a or n, then Return. Pasted text is ignored."

    static func result(_ answer: ServeAnswer) -> String {
        switch answer {
        case .yes: "Allowed once."
        case .yesForRule: "Allowed for this rule until the command ends."
        case .no: "Refused."
        case .withdrawn: "The request was withdrawn."
        case .timedOut: "Too late: the request was refused."
        }
    }

    /// A question that went away without an answer from here.
    static func ended(_ answer: ServeAnswer) -> String {
        switch answer {
        case .yes, .yesForRule, .no: "Answered in another terminal. \(result(answer))"
        case .withdrawn, .timedOut: result(answer)
        }
    }

    static let needsTerminal =
        "'approve' asks a person, so it needs a terminal, and AUTHCTL_NO_PROMPT not to be set"
    static let otherVersion =
        "warning: a running command uses another version of authctl; its requests cannot be approved from here"
}
