extension ServeObjection {
    /// A sentence for the program that sent the request.
    var words: String {
        switch self {
        case .ambiguousPath: "services read this path in different ways"
        case .overridingHeader(let name): "the header \(SafeText.quoted(name)) may change the method or the path"
        case .overridingQuery: "a member '_method' of the query may change the method"
        case .foreignDestination: "Destination must be one URL at the served address"
        case .unreadableOverride: "a member '_method' of the body is not a method, or there are too many"
        case .unreadableBody(let fault): fault.words
        case .unreadableGraphQL(let fault): "rules for GraphQL cannot judge this request: \(fault.rawValue)"
        case .notAllowed(let act, nil): "no rule allows \(act.method) \(SafeText.line(act.shownPath))"
        case .notAllowed(let act, let rule?):
            "\(act.method) \(SafeText.line(act.shownPath)) is denied by the rule '\(rule.text)'"
        case .overrideNotAllowed(let act, let rule):
            "a member '_method' of the body changes the method: \(Self.notAllowed(act, by: rule).words)"
        case .declined(let rule): "the rule '\(rule.text)' asks a person, who refused"
        case .needsApproval(let rule): "the rule '\(rule.text)' asks a person, and nobody answered"
        case .withdrawn(let rule?): "the rule '\(rule.text)' asks a person, and the request was cancelled first"
        case .lateBody(let rule):
            "the rule '\(rule.text)' asks a person, and the beginning of the body did not come in time to be shown"
        case .withdrawn(nil): "the request was cancelled"
        case .notLogged: "the log cannot be written"
        }
    }
}

extension ServeRules {
    /// Warns a person of rules that do less than they seem to.
    /// - Parameters:
    ///   - profile: whose rules are among these.
    ///   - forMCP: which of its rules count.
    func warnings(about profile: Profile, forMCP: Bool) -> [String] {
        let others = profile.serve.rules.only(forMCP: !forMCP), command = forMCP ? "exec --serve" : "authctl mcp"
        let texts = (others.allow + others.ask + others.deny).map(\.text)
        let unbound = """
            \(profile.name) has rules for \(command) alone, which restrict nothing here: \(SafeText.list(texts)); those that do are \
            such as '\(forMCP ? "TOOL get_*" : "GET,HEAD /**")'
            """
        let warnings = askedInOneCase.map {
            "'\($0.ask.text)' does not ask about names in another case, and '\($0.allow.text)' lets them through; allow only exact names"
        }
        return ((texts.isEmpty ? [] : [unbound]) + warnings).map { "warning: \($0)" }
    }
}

extension ServedAct {
    /// Its path; of a URI without the query, whose values may be secrets.
    var shownPath: String {
        let scalars = path.text.unicodeScalars, base = scalars.prefix { $0 != "?" }
        guard method == MCPRuleKind.resource.rawValue, base.endIndex < scalars.endIndex else { return path.text }
        return String(base) + "?…"
    }
}

extension ServedBody.Fault {
    fileprivate var words: String {
        switch self {
        case .encoded:
            "a form, multipart, JSON or plain text body, or one without Content-Type, must have no Content-Encoding"
        case .otherCharset: "a form, multipart, JSON or plain text body must be in UTF-8"
        case .ambiguousType: "services read this Content-Type in different ways"
        case .ambiguousParts: "services read the parts of this multipart body in different ways"
        }
    }
}

/// The response to a request that is not sent on, for a program to read.
struct RefusedRequest {
    let objection: ServeObjection
    /// By the head; a rule may refuse something else that the request would do.
    let method: String, path: String
    let allowed: [String]

    static let type = "application/json"

    /// The body.
    var text: String {
        var (method, path) = (method, path)
        if case .notAllowed(let act, _) = objection { (method, path) = (act.method, act.path.text) }
        if case .overrideNotAllowed(let act, _) = objection { (method, path) = (act.method, act.path.text) }
        var error = JSONText()
        error.add("code", objection.code)
        error.add("message", objection.words)
        error.add("method", method)
        error.add("path", path)
        error.add("allowed", allowed)
        var body = JSONText()
        body.add("error", error)
        return body.finished + "\n"
    }
}
