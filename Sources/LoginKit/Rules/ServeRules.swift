/// The rules of one place: of the profile, or of the command line.
package struct ServeRuleSet: Equatable, Sendable {
    /// The largest number of rules in one place.
    package static let most = 256

    var allow: [ServeRule], ask: [ServeRule], deny: [ServeRule]

    package init(allow: [ServeRule] = [], ask: [ServeRule] = [], deny: [ServeRule] = []) {
        (self.allow, self.ask, self.deny) = (allow, ask, deny)
    }

    package var count: Int { allow.count + ask.count + deny.count }

    /// `deny` comes first, then `ask`, then `allow`. Each reading of a path has to be asked about or allowed; one that is asked about
    /// is enough for a question.
    fileprivate func decision(on act: ServedAct) -> ServeDecision {
        var asking: [ServeRule] = [], allowing: ServeRule?, isNamed = true
        for reading in act.path.readings {
            let spellings = ask.isEmpty && deny.isEmpty ? [] : ServedPath.spellings(reading)
            if let rule = deny.first(where: { $0.concerns(act.method, spellings) }) { return .refused(act, by: rule) }
            if let rule = ask.first(where: { $0.concerns(act.method, spellings) }) {
                if !asking.contains(rule) { asking.append(rule) }
            } else if let rule = allow.first(where: { $0.names(act.method, reading) }) {
                allowing = allowing ?? rule
            } else {
                isNamed = false
            }
        }
        guard isNamed else { return .refused(act, by: nil) }
        return asking.isEmpty ? .allowed(by: allowing) : .ask(asking)
    }
}

/// Something that a request may make the service do.
struct ServedAct: Equatable, Sendable {
    /// `ServeRule.webSocket` for a WebSocket.
    let method: String
    let path: ServedPath
}

/// The judgement of rules on a request.
enum ServeDecision: Equatable, Sendable {
    /// `nil` where there are no rules.
    case allowed(by: ServeRule?)
    /// The rules that ask, none of which is there twice.
    case ask([ServeRule])
    /// `nil` where no rule names it.
    case refused(ServedAct, by: ServeRule?)
}

/// The rules of an `exec --serve`; each place that has any must let a request through.
struct ServeRules: Equatable, Sendable {
    private let sets: [ServeRuleSet]

    init(_ sets: [ServeRuleSet] = []) {
        self.sets = sets.filter { $0.count > 0 }
    }

    /// Whether there are no rules, so that everything passes.
    var isEmpty: Bool { sets.isEmpty }

    /// The texts of the rules that allow, for a program that wants to know what it may do.
    var allowed: [String] {
        var texts: [String] = []
        for rule in sets.flatMap(\.allow) where !texts.contains(rule.text) { texts.append(rule.text) }
        return texts
    }

    /// - Parameter acts: everything that the request may do; all of it must pass.
    func decision(on acts: [ServedAct]) -> ServeDecision {
        var asking: [ServeRule] = [], allowing: ServeRule?
        for act in acts {
            for set in sets {
                switch set.decision(on: act) {
                case .refused(let act, let rule): return .refused(act, by: rule)
                case .ask(let rules): asking += rules.filter { !asking.contains($0) }
                case .allowed(let rule): allowing = allowing ?? rule
                }
            }
        }
        return asking.isEmpty ? .allowed(by: allowing) : .ask(asking)
    }
}

/// A rule of an `exec --serve`: `METHODS PATH`, such as `GET,HEAD /issues/*`.
package struct ServeRule: Equatable, Sendable {
    /// The method of a request that asks for a WebSocket.
    static let webSocket = "WEBSOCKET"
    /// In bytes.
    static let longest = 1000

    /// As it was written.
    let text: String
    /// `nil` for every method.
    private let methods: [String]?
    private let pattern: ServePattern
    /// The pattern for comparisons without case.
    private let folded: ServePattern

    private init(_ text: String, methods: [String]?, _ pattern: ServePattern) {
        (self.text, self.methods, self.pattern) = (text, methods, pattern)
        folded = pattern.mapTexts(\.caseFolded)
    }

    package init(_ text: String) throws(ServeRuleFault) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, !words[0].isEmpty, !words[1].isEmpty else { throw .notTwoWords }
        self.init(text, methods: try Self.methods(words[0]), try ServePattern(String(words[1])))
    }

    /// `--read-only`.
    package static let readOnly = ServeRule("GET,HEAD,OPTIONS /**", methods: ["GET", "HEAD", "OPTIONS"], .everything)

    /// Returns whether the rule names exactly this method and path.
    func names(_ method: String, _ path: [[UInt8]]) -> Bool {
        (methods?.contains(method) ?? true) && pattern.matches(path)
    }

    /// Returns whether a service might take the request for one that the rule names.
    /// - Parameter spellings: from `ServedPath.spellings`, with the case folded.
    func concerns(_ method: String, _ spellings: [[[UInt8]]]) -> Bool {
        // What answers GET answers HEAD, too, and a WebSocket begins as GET (RFC 6455, section 4.1).
        let name = method.uppercased(), isLikeGET = name == "HEAD" || name == Self.webSocket
        guard let methods else { return spellings.contains(where: folded.matches) }
        return (methods.contains(name) || isLikeGET && methods.contains("GET"))
            && spellings.contains(where: folded.matches)
    }

    /// Returns whether the rule names all that it concerns of this. What merely may be taken for that is nothing that a person who reads
    /// the rule agrees to in advance.
    func covers(_ acts: [ServedAct]) -> Bool {
        acts.allSatisfy { act in
            act.path.readings.allSatisfy {
                names(act.method, $0) || !concerns(act.method, ServedPath.spellings($0))
            }
        }
    }

    private static func methods(_ list: Substring) throws(ServeRuleFault) -> [String]? {
        if list == "*" { return nil }
        var methods: [String] = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            guard name.isHeaderName, !name.contains("*") else { throw .badMethod(name) }
            guard name == name.uppercased() else { throw .smallMethod(name) }
            methods.append(name)
        }
        return methods
    }
}

/// The reason why a text is no rule.
package enum ServeRuleFault: Error, Equatable, Sendable {
    /// Longer than `ServeRule.longest`.
    case tooLong
    /// Not methods, one blank and a path.
    case notTwoWords
    case badMethod(String)
    /// A method in small letters, which would never fit: methods are case-sensitive (RFC 9110, section 9.1).
    case smallMethod(String)
    /// The path does not begin with a slash.
    case relativePath
    /// `?` or `#`: only a path is compared.
    case notOnlyPath
    /// `**` beside other text in its segment.
    case partialDoubleStar
    /// A `%` without two hexadecimal digits.
    case badEscape
    /// Requests with such a path are always refused, see `ServedPath`.
    case neverMatches(segment: String)
}

extension ServePattern {
    /// - Parameter text: percent-encoded or not; an encoded `*` is one.
    init(_ text: String) throws(ServeRuleFault) {
        guard text.hasPrefix("/") else { throw .relativePath }
        guard !text.contains(where: { $0 == "?" || $0 == "#" }) else { throw .notOnlyPath }
        let segments = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var groups: [[Segment]] = [[]]
        for (index, segment) in segments.enumerated() {
            if segment.elementsEqual("**".utf8) {
                groups.append([])
                continue
            }
            let isLast = index == segments.count - 1
            groups[groups.count - 1].append(try Self.segment(Array(segment), isLast: isLast))
        }
        self.init(groups: groups)
    }

    private static func segment(_ raw: [UInt8], isLast: Bool) throws(ServeRuleFault) -> Segment {
        let star = UInt8(ascii: "*")
        if raw.contains([star, star]) { throw .partialDoubleStar }
        var texts: [[UInt8]] = []
        for part in raw.split(separator: star, omittingEmptySubsequences: false) {
            guard let text = Hexadecimal.percentDecoded(part, isStrict: true) else { throw .badEscape }
            guard ServedPath.isPlain(text), !text.contains(UInt8(ascii: "/")) else {
                throw .neverMatches(segment: String(decoding: raw, as: UTF8.self))
            }
            texts.append(text)
        }
        guard texts.count > 1 || !ServedPath.isDots(texts[0]) && (isLast || !texts[0].isEmpty) else {
            throw .neverMatches(segment: String(decoding: raw, as: UTF8.self))
        }
        return Segment(texts: texts)
    }
}

/// The path of a rule: literal text, `*` for one segment or a part of one, and `**` for any number of segments.
///
/// Each group between two wildcards is looked for once, from the left, which finds a match wherever there is one (as for `*` in
/// fnmatch(3)): the work is bounded by the lengths of path and pattern, however many wildcards there are.
struct ServePattern: Equatable, Sendable {
    /// One segment of the pattern: the texts around its `*`.
    struct Segment: Equatable, Sendable {
        let texts: [[UInt8]]

        /// Returns whether the segment fits; a lone `*` needs one byte.
        func matches(_ bytes: [UInt8]) -> Bool {
            guard let first = texts.first, let last = texts.last else { return false }
            guard texts.count > 1 else { return bytes == first }
            if texts.count == 2, first.isEmpty, last.isEmpty { return !bytes.isEmpty }
            guard bytes.count >= first.count + last.count, bytes.starts(with: first) else { return false }
            let end = bytes.count - last.count
            guard bytes[end...].elementsEqual(last) else { return false }
            var place = first.count
            for text in texts.dropFirst().dropLast() {
                guard let found = bytes.place(of: text, in: place..<end) else { return false }
                place = found + text.count
            }
            return true
        }
    }

    /// The segments between two `**`; one group where there is none.
    let groups: [[Segment]]

    /// Matches every path.
    static let everything = ServePattern(groups: [[], []])

    func matches(_ path: [[UInt8]]) -> Bool {
        guard let first = groups.first, let last = groups.last, path.count >= first.count else { return false }
        guard groups.count > 1 else { return path.count == first.count && Self.fits(first, path, at: 0) }
        let end = path.count - last.count
        guard end >= first.count, Self.fits(first, path, at: 0), Self.fits(last, path, at: end) else { return false }
        var place = first.count
        for group in groups.dropFirst().dropLast() {
            while place + group.count <= end, !Self.fits(group, path, at: place) { place += 1 }
            guard place + group.count <= end else { return false }
            place += group.count
        }
        return true
    }

    /// The same with each text changed.
    fileprivate func mapTexts(_ change: ([UInt8]) -> [UInt8]) -> ServePattern {
        ServePattern(groups: groups.map { $0.map { Segment(texts: $0.texts.map(change)) } })
    }

    private static func fits(_ group: [Segment], _ path: [[UInt8]], at place: Int) -> Bool {
        group.indices.allSatisfy { group[$0].matches(path[place + $0]) }
    }
}

extension [UInt8] {
    /// The first place of a text within a range.
    fileprivate func place(of text: [UInt8], in range: Range<Int>) -> Int? {
        guard !text.isEmpty else { return range.lowerBound }
        guard range.count >= text.count else { return nil }
        return (range.lowerBound...range.upperBound - text.count).first {
            self[$0..<$0 + text.count].elementsEqual(text)
        }
    }

    /// Text with its case folded; bytes that are no text as they are.
    var caseFolded: [UInt8] {
        if allSatisfy({ $0 < 0x80 }) { return map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
        guard let text = String(validating: self, as: UTF8.self) else { return self }
        // Character by character, so that a part is folded as in the whole; to lower case first, since ẞ has no other upper case.
        return text.unicodeScalars.flatMap { scalar in
            scalar.properties.lowercaseMapping.unicodeScalars.flatMap(\.properties.uppercaseMapping.unicodeScalars)
                .flatMap(\.properties.lowercaseMapping.utf8)
        }
    }
}

/// The path of a request as rules judge it: taken apart once and decoded, in every way in which a service may read it.
struct ServedPath: Equatable, Sendable {
    /// In bytes; most services take no longer one.
    static let longest = 16 << 10

    /// As it is sent, without the query.
    let text: String
    /// The decoded segments; more than one reading where there is a `%2F`, which services take for a character, for a separator,
    /// or for one that is not repeated. Rules have to let all of them through.
    let readings: [[[UInt8]]]

    /// Some service would read the path in another way than the rules.
    struct Ambiguous: Error, Equatable {}

    /// - Parameter target: path and query as they are sent.
    init(_ target: String) throws(Ambiguous) {
        text = String(target.prefix { $0 != "?" })
        let bytes = Array(text.utf8), slash = UInt8(ascii: "/")
        guard bytes.first == slash, bytes.count <= Self.longest else { throw Ambiguous() }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { throw Ambiguous() }
        var segments: [[UInt8]] = []
        for raw in bytes.dropFirst().split(separator: slash, omittingEmptySubsequences: false) {
            guard let segment = Self.decoded(raw), Self.isPlain(segment) else { throw Ambiguous() }
            segments.append(segment)
        }
        let hasEmpty = segments.dropLast().contains(where: \.isEmpty)
        guard !hasEmpty, !segments.contains(where: Self.isDots) else { throw Ambiguous() }
        guard segments.contains(where: { $0.contains(slash) }) else {
            readings = [segments]
            return
        }
        let separated = segments.flatMap {
            $0.split(separator: slash, omittingEmptySubsequences: false).map(Array.init)
        }
        guard !separated.contains(where: Self.isDots) else { throw Ambiguous() }
        let merged = separated.dropLast().filter { !$0.isEmpty } + separated.suffix(1)
        readings = merged == separated ? [segments, separated] : [segments, separated, merged]
    }

    private static func decoded(_ raw: ArraySlice<UInt8>) -> [UInt8]? {
        raw.contains(UInt8(ascii: "%")) ? Hexadecimal.percentDecoded(raw, isStrict: true) : Array(raw)
    }

    /// A segment that every service reads in one way: text without control characters, what some take for a separator or for the
    /// beginning of parameters, and what could be decoded once more.
    static func isPlain(_ segment: [UInt8]) -> Bool {
        guard !segment.contains(where: { $0 < 0x20 || $0 == 0x7F || "\\;%?#".utf8.contains($0) }) else { return false }
        if segment.allSatisfy({ $0 < 0x80 }) { return true }
        guard let text = String(validating: segment, as: UTF8.self) else { return false }
        return !text.unicodeScalars.contains { (0x80...0x9F).contains($0.value) }
    }

    /// Returns whether it is a dot segment; some file systems ignore spaces at its end.
    static func isDots(_ segment: [UInt8]) -> Bool {
        guard segment.first == UInt8(ascii: ".") else { return false }
        let dots = segment.filter { $0 != 0x20 }
        return dots.count <= 2 && dots.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// Returns the paths that services may take for the same one: case-folded, with and without a slash at the end and a
    /// `.suffix` of the last segment.
    static func spellings(_ reading: [[UInt8]]) -> [[[UInt8]]] {
        let whole = reading.map(\.caseFolded)
        var base = whole
        if base.count > 1, base.last?.isEmpty == true { base.removeLast() }
        guard let last = base.last, !last.isEmpty else { return [whole, base] }
        let dots = last.indices.dropFirst().filter { last[$0] == UInt8(ascii: ".") }.suffix(Self.mostSuffixes)
        let names = [last] + dots.map { Array(last[..<$0]) }
        return names.flatMap { name in
            let path = base.dropLast() + [name]
            return [Array(path), path + [[]]]
        }
    }

    /// The most dots of a name that may begin its suffix.
    private static let mostSuffixes = 8
}

/// The settings of a profile for `exec --serve`.
package struct ServeSettings: Equatable, Sendable {
    var rules = ServeRuleSet()
    /// Whether there is a log in the state folder.
    package var hasLog = false
    /// Whether request bodies are searched for a method override.
    var searchesBodies = true
}
