/// A rule of an `exec --serve`: `METHODS PATH`, such as `GET,HEAD /issues/*`.
package struct ServeRule: Equatable, Sendable {
    /// The method of a request that asks for a WebSocket.
    package static let webSocket = "WEBSOCKET"
    /// In bytes.
    package static let longest = 1000

    /// As it was written.
    package let text: String
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
    package func covers(_ acts: [ServedAct]) -> Bool {
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
