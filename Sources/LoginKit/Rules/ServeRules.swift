/// The rules of one place: of the profile, or of the command line.
package struct ServeRuleSet: Equatable, Sendable {
    /// The largest number of rules in one place.
    package static let most = 256

    var allow: [ServeRule], ask: [ServeRule], deny: [ServeRule]
    /// Whether `--read-only` is given, which also means the queries at an endpoint of GraphQL.
    package var isReadOnly = false
    /// Whether rules for GraphQL judge what is sent to its endpoint, in the place of the others; known of a part.
    fileprivate var judgesFields = false

    package init(allow: [ServeRule] = [], ask: [ServeRule] = [], deny: [ServeRule] = []) {
        (self.allow, self.ask, self.deny) = (allow, ask, deny)
    }

    package var count: Int { allow.count + ask.count + deny.count }

    /// The rules of `authctl mcp` alone, or the others.
    func only(forMCP: Bool) -> ServeRuleSet {
        func part(_ rules: [ServeRule]) -> [ServeRule] { rules.filter { $0.isForMCP == forMCP } }
        var set = ServeRuleSet(allow: part(allow), ask: part(ask), deny: part(deny))
        set.judgesFields = set.hasGraphQL
        return set
    }

    /// Whether any rule is about GraphQL.
    var hasGraphQL: Bool { (allow + ask + deny).contains(where: \.isForGraphQL) }

    /// `deny` comes first, then `ask`, then `allow`. Each reading of a path has to be asked about or allowed; one that is asked about
    /// is enough for a question. A path without a reading is refused.
    fileprivate func decision(on act: ServedAct) -> ServeDecision {
        if !judgesFields, GraphQLKind.isMethod(act.method) { return .allowed(by: nil) }
        var asking: [ServeRule] = [], allowing: ServeRule?, isNamed = !act.path.readings.isEmpty
        for reading in act.path.readings {
            let spellings = ask.isEmpty && deny.isEmpty ? [] : act.path.spellings(reading)
            if let rule = deny.first(where: { $0.concerns(act.method, spellings) }) { return .refused(act, by: rule) }
            // What else the rules say of it, they say of its fields.
            if judgesFields, act.hasFields { continue }
            if let rule = ask.first(where: {
                $0.isForMCP ? $0.names(act.method, reading) : $0.concerns(act.method, spellings)
            }) {
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
    /// Whether it is a request to an endpoint of GraphQL, whose root fields are acts of their own.
    var hasFields = false
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

/// The rules of an `exec --serve`, or of an `authctl mcp`; each place that has any must let a request through.
struct ServeRules: Equatable, Sendable {
    private let sets: [ServeRuleSet]

    /// - Parameter forMCP: which of the rules count.
    init(_ sets: [ServeRuleSet] = [], forMCP: Bool = false) {
        self.sets = sets.map { $0.only(forMCP: forMCP) }.filter { $0.count > 0 }
    }

    /// Whether there are no rules, so that everything passes.
    var isEmpty: Bool { sets.isEmpty }

    /// Whether any rule is about GraphQL.
    var haveGraphQL: Bool { sets.contains(where: \.judgesFields) }

    /// The texts of the rules that allow, for a program that wants to know what it may do.
    var allowed: [String] {
        var texts: [String] = []
        for rule in sets.flatMap(\.allow) where !texts.contains(rule.text) { texts.append(rule.text) }
        return texts
    }

    /// The rules of `authctl mcp` that ask about names in one case, with one that lets them through in another.
    var askedInOneCase: [(ask: ServeRule, allow: ServeRule)] {
        sets.flatMap(\.ask).compactMap { (asking) -> (ask: ServeRule, allow: ServeRule)? in
            for act in asking.actsInOtherCases {
                if case .allowed(let rule?) = decision(on: [act]) { return (asking, rule) }
            }
            return nil
        }
    }

    /// Returns whether each place asks about, or allows, something that begins like this.
    func mayName(_ method: String, beginningWith path: [[UInt8]]) -> Bool {
        sets.allSatisfy { set in (set.allow + set.ask).contains { $0.mayName(method, beginningWith: path) } }
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

/// A rule of an `exec --serve`: `METHODS PATH`, such as `GET,HEAD /issues/*`, or see `GraphQLKind`; or of an `authctl mcp`: see
/// `MCPRuleKind`.
package struct ServeRule: Equatable, Sendable {
    /// The method of a request that asks for a WebSocket.
    static let webSocket = "WEBSOCKET"
    /// In bytes.
    static let longest = 1000

    /// As it was written.
    package let text: String
    /// `nil` for every method.
    private let methods: [String]?
    /// One for a path, and one for each name.
    private let patterns: [ServePattern]
    /// The patterns for comparisons without case.
    private let folded: [ServePattern]

    /// Whether it is about the messages of the Model Context Protocol.
    let isForMCP: Bool

    private init(_ text: String, methods: [String]?, _ patterns: [ServePattern], isForMCP: Bool = false) {
        (self.text, self.methods, self.patterns, self.isForMCP) = (text, methods, patterns, isForMCP)
        folded = patterns.map { $0.mapTexts(\.caseFolded) }
    }

    /// - Parameter forMCP: which of the commands it has to be for; `nil` for either.
    package init(_ text: String, forMCP: Bool? = nil) throws(ServeRuleFault) {
        guard text.utf8.count <= Self.longest else { throw ServeRuleFault("a rule has at most \(Self.longest) bytes") }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let kind = words.first.flatMap { MCPRuleKind(rawValue: String($0)) }
        if let forMCP, forMCP != (kind != nil) {
            throw forMCP
                ? .notNames
                : ServeRuleFault("a rule for 'exec --serve' is METHODS PATH, such as 'GET,HEAD /issues/*'")
        }
        if words.first.map(String.init) == GraphQLKind.word {
            let (kind, patterns) = try GraphQLKind.rule(words)
            self.init(text, methods: [kind.method], patterns)
            return
        }
        guard words.count == 2, !words[0].isEmpty, !words[1].isEmpty else {
            throw kind == nil
                ? ServeRuleFault(
                    "a rule is METHODS PATH with one blank between them, such as 'GET,HEAD /issues/*'") : .notNames
        }
        if let kind {
            self.init(text, methods: [kind.rawValue], try kind.patterns(words[1]), isForMCP: true)
        } else {
            self.init(text, methods: try Self.methods(words[0]), [try ServePattern(String(words[1]))])
        }
    }

    /// Examples of what it would name if the case did not matter.
    fileprivate var actsInOtherCases: [ServedAct] {
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 2, let kind = MCPRuleKind(rawValue: words[0]) else { return [] }
        return words[1].split(separator: ",").flatMap { name in
            let example = String(name.map { $0 == "*" ? "x" : $0 }), first = example.prefix(1).uppercased()
            return [first + example.dropFirst(), example.uppercased(), example.lowercased()].compactMap(kind.act)
        }
    }

    /// `--read-only`.
    package static let readOnly = ServeRule("GET,HEAD,OPTIONS /**", methods: ["GET", "HEAD", "OPTIONS"], [.everything])

    /// `--read-only`, where there is an endpoint of GraphQL.
    static let readOnlyGraphQL = ServeRule(
        "\(GraphQLKind.query.method) *", methods: [GraphQLKind.query.method], [ServePattern(name: "*")])

    /// Whether it is about the root fields of GraphQL documents.
    var isForGraphQL: Bool { methods?.first.map(GraphQLKind.isMethod) ?? false }

    /// `mcp --read-only`.
    /// - Parameter names: of the tools that only read.
    static func readOnly(tools names: Set<String>) -> [ServeRule] {
        let tools = names.map { ServePattern(groups: [[.init(texts: [Array($0.utf8)])]]) }
        return [
            (MCPRuleKind.tool, "(--read-only)", tools), (.prompt, "*", [.everything]), (.resource, "**", [.everything]),
        ].map {
            ServeRule("\($0.rawValue) \($1)", methods: [$0.rawValue], $2, isForMCP: true)
        }
    }

    /// Returns whether the rule names exactly this method and path.
    func names(_ method: String, _ path: [[UInt8]]) -> Bool {
        (methods?.contains(method) ?? !GraphQLKind.isMethod(method)) && patterns.contains { $0.matches(path) }
    }

    /// Returns whether the rule may name a path that begins like this one, whose last segment is not whole.
    func mayName(_ method: String, beginningWith path: [[UInt8]]) -> Bool {
        (methods?.contains(method) ?? true) && patterns.contains { $0.mayMatch(beginningWith: path) }
    }

    /// Returns whether a service might take the request for one that the rule names.
    /// - Parameter spellings: from `ServedPath.spellings`, with the case folded.
    func concerns(_ method: String, _ spellings: [[[UInt8]]]) -> Bool {
        // What answers GET answers HEAD, too, and a WebSocket begins as GET (RFC 6455, section 4.1).
        let name = method.uppercased(), isLikeGET = name == "HEAD" || name == Self.webSocket
        let isNamed = methods.map { $0.contains(name) || $0.contains(method) || isLikeGET && $0.contains("GET") }
        guard isNamed ?? !GraphQLKind.isMethod(method) else { return false }
        return spellings.contains { path in folded.contains { $0.matches(path) } }
    }

    /// Returns whether the rule names all that it concerns of this. What merely may be taken for that is nothing that a person who reads
    /// the rule agrees to in advance.
    func covers(_ acts: [ServedAct]) -> Bool {
        acts.allSatisfy { act in
            act.path.readings.allSatisfy {
                names(act.method, $0) || !concerns(act.method, act.path.spellings($0))
            }
        }
    }

    private static func methods(_ list: Substring) throws(ServeRuleFault) -> [String]? {
        if list == "*" { return nil }
        var methods: [String] = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            let shown = SafeText.quoted(name)
            guard name.isHeaderName, !name.contains("*") else { throw ServeRuleFault("\(shown) is not a method") }
            // They are case-sensitive (RFC 9110, section 9.1), so that it would never fit.
            guard name == name.uppercased() else {
                throw ServeRuleFault("methods are written in capitals, not \(shown)")
            }
            methods.append(name)
        }
        return methods
    }
}

/// The reason why a text is no rule.
package struct ServeRuleFault: Error, Equatable, Sendable {
    /// As the end of a sentence that names its place.
    package let words: String

    init(_ words: String) { self.words = words }

    /// A rule for `authctl mcp` without names, or with a blank in one.
    static let notNames = ServeRuleFault(
        "a rule for 'authctl mcp' is TOOL NAMES, PROMPT NAMES or RESOURCE URI, such as 'TOOL get_*,list_*'")

    /// A rule for GraphQL without a kind that rules judge, or with what is no name of a field.
    static let notFields = ServeRuleFault(
        "a rule for GraphQL is GRAPHQL query NAMES or GRAPHQL mutation NAMES, such as 'GRAPHQL mutation delete*'")

    /// Requests with such a path are always refused, see `ServedPath`.
    static func neverMatches(_ segment: String) -> ServeRuleFault {
        ServeRuleFault(
            "no request with the segment \(SafeText.quoted(segment)) is ever sent on, so this rule would never apply")
    }
}

/// The settings of a profile for `exec --serve` and `authctl mcp`.
package struct ServeSettings: Equatable, Sendable {
    var rules = ServeRuleSet()
    /// Whether there is a log in the state folder.
    package var hasLog = false
    /// Whether request bodies are searched for a method override.
    var searchesBodies = true
    /// The variables that a command of `exec --unchanged` finds set, since it sends nothing without a token.
    package var placeholders: [String] = []

    /// The value of such a variable, which the session replaces.
    package static let placeholder = "placeholder"
}
