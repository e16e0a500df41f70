/// The operations and fragments of a GraphQL document (October 2021, section 2), as far as rules judge them: by their root fields.
///
/// A document is read as every edition of the specification reads it. What is below the root fields has to be a selection, and arguments
/// have to be tokens in matching brackets; whether they mean something is the service's affair. Nothing but operations and fragments can
/// be executed, and a document with anything else is none.
struct GraphQLDocument: Equatable {
    struct Operation: Equatable {
        let kind: GraphQLKind
        /// `nil` for an anonymous one.
        let name: String?
        fileprivate let root: Root
    }

    /// The outermost selection of an operation or of a fragment, with what its inline fragments select.
    fileprivate struct Root: Equatable {
        /// The names of the fields, without aliases.
        var fields: [String] = []
        /// The fragments whose fields are added.
        var spreads: [String] = []
    }

    /// The largest depth of selections, and that of brackets in an argument.
    static let deepest = 200
    /// The longest name of an operation or of a root field, in bytes: a person has to be able to read it.
    static let longestName = 128

    private(set) var operations: [Operation] = []
    private var fragments: [String: Root] = [:]

    init(_ text: String) throws(GraphQLFault) {
        var reader = try GraphQLReader(text)
        while reader.token != .end {
            if let (name, root) = try reader.fragment() {
                guard fragments.updateValue(root, forKey: name) == nil else { throw .document }
            } else {
                operations.append(try reader.operation())
            }
        }
    }

    /// The operation that a service executes.
    /// - Parameter name: `operationName`; `nil` if the request has none.
    func operation(named name: String?) throws(GraphQLFault) -> Operation {
        let found = operations.filter { operation in
            name.map { operation.name?.utf8.elementsEqual($0.utf8) ?? false } ?? true
        }
        guard found.count == 1 else { throw .operation }
        return found[0]
    }

    /// The root fields of an operation with those of its fragments, each once, in their order.
    func fields(of operation: Operation) throws(GraphQLFault) -> [String] {
        var fields: [String] = [], known: Set<String> = [], spread: Set<String> = [], roots = [operation.root]
        while let root = roots.popLast() {
            fields += root.fields.filter { known.insert($0).inserted }
            for name in root.spreads where spread.insert(name).inserted {
                guard let fragment = fragments[name] else { throw .document }
                roots.append(fragment)
            }
        }
        // Fragments that only name each other.
        if fields.isEmpty { throw .document }
        return fields
    }
}

/// Reads a document token by token, in one pass and without recursion.
private struct GraphQLReader {
    enum Token: Equatable {
        /// By its place: most names are passed over.
        case name(Range<Int>)
        /// One of `! $ ( ) : = @ [ ] { }`.
        case mark(UInt8)
        /// `...`
        case spread
        /// A number or a string.
        case value
        case end
    }

    private let text: [UInt8]
    private var place = 0
    /// The next one.
    private(set) var token = Token.end

    init(_ text: String) throws(GraphQLFault) {
        self.text = Array(text.utf8)
        guard !self.text.contains(where: { $0 < 0x20 && !"\t\n\r".utf8.contains($0) || $0 == 0x7F }) else {
            throw .document
        }
        try advance()
    }

    /// - Returns: `nil` if something else comes next.
    mutating func fragment() throws(GraphQLFault) -> (name: String, root: GraphQLDocument.Root)? {
        guard try take(word: "fragment") else { return nil }
        let name = try name()
        guard name != "on", try take(word: "on") else { throw .document }
        _ = try skipName()
        try skipDirectives()
        return (name, try root())
    }

    mutating func operation() throws(GraphQLFault) -> GraphQLDocument.Operation {
        // `{ a }` is an anonymous query.
        if token == .mark(UInt8(ascii: "{")) { return .init(kind: .query, name: nil, root: try root()) }
        guard let kind = GraphQLKind(rawValue: try name()) else { throw .document }
        let name: String? = if case .name = token { try self.name() } else { nil }
        guard name?.utf8.count ?? 0 <= GraphQLDocument.longestName else { throw .tooMuch }
        try skipArguments()
        try skipDirectives()
        return .init(kind: kind, name: name, root: try root())
    }

    private mutating func root() throws(GraphQLFault) -> GraphQLDocument.Root {
        var root = GraphQLDocument.Root()
        guard try take("{") else { throw .document }
        // For each selection that is open, whether it is the outermost one or that of an inline fragment in it.
        var open = [true], isEmpty = true
        while let isRoot = open.last {
            if try take("}") {
                if isEmpty { throw .document }
                open.removeLast()
                continue
            }
            isEmpty = false
            var opens = isRoot
            if token == .spread {
                try advance()
                if try take(word: "on") {
                    _ = try skipName()
                } else if case .name = token {
                    let fragment = try name()
                    if isRoot { root.spreads.append(fragment) }
                    try skipDirectives()
                    continue
                }
                try skipDirectives()
                guard token == .mark(UInt8(ascii: "{")) else { throw .document }
            } else {
                var field = try skipName()
                if try take(":") { field = try skipName() }
                if isRoot {
                    guard field.count <= GraphQLDocument.longestName else { throw .tooMuch }
                    root.fields.append(String(decoding: text[field], as: UTF8.self))
                }
                try skipArguments()
                try skipDirectives()
                opens = false
            }
            guard try take("{") else { continue }
            open.append(opens)
            isEmpty = true
            guard open.count <= GraphQLDocument.deepest else { throw .tooMuch }
        }
        return root
    }

    private mutating func skipDirectives() throws(GraphQLFault) {
        while try take("@") {
            _ = try skipName()
            try skipArguments()
        }
    }

    private static let closing: [UInt8: UInt8] = [
        UInt8(ascii: "("): UInt8(ascii: ")"), UInt8(ascii: "["): UInt8(ascii: "]"),
        UInt8(ascii: "{"): UInt8(ascii: "}"),
    ]

    /// Passes over arguments, or what defines variables, if there are any.
    private mutating func skipArguments() throws(GraphQLFault) {
        guard try take("(") else { return }
        guard token != .mark(UInt8(ascii: ")")) else { throw .document }
        var open = [UInt8(ascii: ")")]
        while let end = open.last {
            switch token {
            case .mark(end): open.removeLast()
            case .mark(let mark):
                if let closing = Self.closing[mark] {
                    open.append(closing)
                } else if Self.closing.values.contains(mark) {
                    throw .document
                }
            case .end, .spread: throw .document
            case .name, .value: break
            }
            guard open.count <= GraphQLDocument.deepest else { throw .tooMuch }
            try advance()
        }
    }

    private mutating func take(_ mark: Unicode.Scalar) throws(GraphQLFault) -> Bool {
        guard token == .mark(UInt8(ascii: mark)) else { return false }
        try advance()
        return true
    }

    private mutating func take(word: String) throws(GraphQLFault) -> Bool {
        guard case .name(let range) = token, text[range].elementsEqual(word.utf8) else { return false }
        try advance()
        return true
    }

    private mutating func name() throws(GraphQLFault) -> String {
        String(decoding: text[try skipName()], as: UTF8.self)
    }

    private mutating func skipName() throws(GraphQLFault) -> Range<Int> {
        guard case .name(let range) = token else { throw .document }
        try advance()
        return range
    }
}

// The tokens (section 2.1).
extension GraphQLReader {
    private func byte(_ offset: Int = 0) -> UInt8? { place + offset < text.count ? text[place + offset] : nil }

    private func begins(_ word: String) -> Bool { text[place...].starts(with: word.utf8) }

    private mutating func advance() throws(GraphQLFault) {
        try skipIgnored()
        guard let byte = byte() else {
            token = .end
            return
        }
        switch byte {
        case _ where byte.isNameStart:
            let start = place
            while self.byte()?.isNamePart == true { place += 1 }
            token = .name(start..<place)
        case UInt8(ascii: "\""):
            try skipString()
            token = .value
        case UInt8(ascii: "-"), 0x30...0x39:
            // Whatever comes of it is no bracket.
            while let byte = self.byte(), byte.isNamePart || "+-.".utf8.contains(byte) { place += 1 }
            token = .value
        case UInt8(ascii: "."):
            guard begins("...") else { throw .document }
            place += 3
            token = .spread
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ":"),
            UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
            UInt8(ascii: "}"):
            place += 1
            token = .mark(byte)
        default: throw .document
        }
    }

    /// Blanks, line ends, commas, byte order marks and comments.
    private mutating func skipIgnored() throws(GraphQLFault) {
        while let byte = byte() {
            if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == UInt8(ascii: ",") {
                place += 1
            } else if byte == 0xEF, begins("\u{FEFF}") {
                place += 3
            } else if byte == UInt8(ascii: "#") {
                // The first edition has U+2028 and U+2029 end a line, some readers U+0085, and not all readers have a lone carriage return do so.
                while let next = self.byte(), next != 0x0A {
                    let isEnd = next == 0x0D && self.byte(1).map { $0 != 0x0A } ?? false
                    let isOldEnd = ["\u{85}", "\u{2028}", "\u{2029}"].contains { begins($0) }
                    if isEnd || isOldEnd { throw .document }
                    place += 1
                }
            } else {
                return
            }
        }
    }

    private mutating func skipString() throws(GraphQLFault) {
        if begins("\"\"\"") {
            place += 3
            // Readers of the edition of 2016 know no block strings, and find other strings where there are quotes in them.
            while !begins("\"\"\"") {
                guard let byte = byte(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { throw .document }
                place += 1
            }
            place += 3
            return
        }
        place += 1
        while let byte = byte(), byte != UInt8(ascii: "\"") {
            guard byte != 0x0A, byte != 0x0D else { throw .document }
            place += byte == UInt8(ascii: "\\") ? try escapeLength() : 1
        }
        guard place < text.count else { throw .document }
        place += 1
    }

    /// The bytes of the escape that begins here.
    private func escapeLength() throws(GraphQLFault) -> Int {
        guard let letter = byte(1) else { throw .document }
        if "\"\\/bfnrt".utf8.contains(letter) { return 2 }
        let digits = text[(place + 2)...].prefix(4)
        guard letter == UInt8(ascii: "u"), digits.count == 4,
            digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) })
        else { throw .document }
        return 6
    }
}
