import Synchronization

/// The limits within which an `exec --serve` lends its login; none by default.
package struct ServeLimits: Sendable {
    var rules = ServeRules()
    /// The endpoint whose requests rules for GraphQL judge; `nil` without such rules.
    var graphQL: GraphQLEndpoint?
    /// Whether bodies are searched for another method.
    var searchesBodies = true
    /// The name of the command, for the person who is asked.
    package var command = ""
    package var log: (any ServeLog)?
    /// Without one, what is to be asked about is refused.
    package var approver: (any ServeApprover)?
    /// The time in which the part of a body must come that a person is shown.
    var bodyPatience = Duration.seconds(30)

    package init() {}

    /// - Parameter options: the rules of the command line.
    /// - Throws: `usage` for rules for GraphQL without an endpoint.
    package init(_ profile: Profile, _ options: ServeRuleSet, command: String) throws(LoginFault) {
        var options = options
        if options.isReadOnly, profile.graphql != nil { options.allow.append(.readOnlyGraphQL) }
        rules = ServeRules([profile.serve.rules, options])
        (searchesBodies, self.command) = (profile.serve.searchesBodies, command)
        guard rules.haveGraphQL else { return }
        guard let path = profile.graphql else {
            throw .usage(
                "rules for GraphQL need an endpoint, and the profile \(SafeText.quoted(profile.name)) names none",
                next: "add it to the profile, such as graphql = \"/graphql\"; see authctl-config(5)")
        }
        let base = try URLParser.parsed(profile.url).path
        graphQL = GraphQLEndpoint((base.hasSuffix("/") ? String(base.dropLast()) : base) + path)
        guard graphQL != nil else {
            throw .usage(
                "services read the path of the profile's url in different ways, so rules for GraphQL cannot judge it")
        }
    }
}

/// Decides about each request before anything is sent: by the rules, by a person where they ask, and notes it in the log.
final class RequestReview: Sendable {
    let limits: ServeLimits
    private let headers: ServedHeaders
    private let origin: Origin
    private let approvals: RuleApprovals

    init(_ limits: ServeLimits, _ headers: ServedHeaders, _ origin: Origin) {
        (self.limits, self.headers, self.origin, approvals) = (limits, headers, origin, RuleApprovals(limits.approver))
    }

    /// The outcome of a review.
    struct Result {
        /// The reason for refusing the request; `nil` if it may be sent.
        var objection: ServeObjection?
        var decision = ServeLogEntry.Decision.allowed
        var rule: ServeRule?
        var further: [String] = []
        /// The operations of GraphQL documents, as the log has them.
        var operations: [String] = []
        /// Whether its head may be sent ahead, to ask about the session.
        var mayProbe = true
        /// Whether what the service answers to GET may be shown to whoever asked for a WebSocket.
        var mayShowPlain = true
        /// The log's note on it; `nil` if there is no log.
        var note: RequestNote?
    }

    /// - Parameter hidden: the secrets that the log may not have.
    func review(_ call: ServerCall, hidden: () -> RepeatedSecrets) -> Result {
        if limits.rules.isEmpty, limits.log == nil { return Result() }
        let note = limits.log.map { RequestNote(log: $0) }
        var result = Result()
        do {
            try permit(call, id: note?.id ?? RequestNote.newID(), &result)
        } catch {
            (result.objection, result.decision, result.rule) = (error, .init(error), error.rule)
        }
        result.note = note
        let isNoted =
            note?.begin(
                call.head.judgedMethod, call.target, result.decision, result.rule?.text, result.further,
                result.objection?.words, operations: result.operations, hidden: hidden())
        if isNoted == false { (result.objection, result.note) = (.notLogged, nil) }
        return result
    }

    /// The response to a request that is refused.
    /// - Parameter target: path and query.
    func refusal(_ objection: ServeObjection, _ method: String, _ target: String) -> RefusedRequest {
        RefusedRequest(
            objection: objection, method: method, path: String(target.prefix { $0 != "?" }),
            allowed: limits.rules.allowed)
    }

    /// Notes a request whose target was refused before there was a call.
    /// - Returns: the body of the response; `nil` if there are no rules.
    func refuseTarget(of head: ServedHead, _ target: String, _ hidden: RepeatedSecrets) -> String? {
        if let note = limits.log.map({ RequestNote(log: $0) }),
            note.begin(
                head.judgedMethod, target, .refused, nil, [], ServeObjection.ambiguousPath.words, hidden: hidden)
        {
            note.end(ServeObjection.ambiguousPath.status, sent: 0, received: 0)
        }
        return limits.rules.isEmpty ? nil : refusal(.ambiguousPath, head.judgedMethod, target).text
    }

    private func permit(_ call: ServerCall, id: String, _ result: inout Result) throws(ServeObjection) {
        guard !limits.rules.isEmpty else { return }
        let acts = try ServedActs(call.head, target: call.target, headers)
        if limits.graphQL?.concerns(acts.own.path) == true { return try permit(graphQL: call, acts, id: id, &result) }
        var all = acts.acts, decision = limits.rules.decision(on: acts.acts)
        if case .refused = decision {
            // No byte of the body changes that.
        } else if limits.searchesBodies, let body = try acts.body() {
            let asking: ServeRule? = if case .ask(let rules) = decision { rules.first } else { nil }
            let (bytes, isWhole) = try beginning(of: call, ServedBody.searched, for: asking)
            all = try acts.with(methods: try body.methods(in: bytes, isWhole: isWhole))
            decision = limits.rules.decision(on: all)
            if case .refused(let act, let rule) = decision { throw .overrideNotAllowed(act, by: rule) }
        }
        try obey(decision, &result) { (rule) throws(ServeObjection) in try ask(about: call, all, rule, id: id) }
        result.further = ServedActs.further(all)
        // Only a body makes anybody look ahead.
        result.mayProbe = call.head.contentLength != 0 && isAllowed(acts.head)
        result.mayShowPlain = !call.head.wantsWebSocket || isAllowed(acts.plain)
    }

    /// The same at an endpoint of GraphQL, where the root fields are judged.
    private func permit(
        graphQL call: ServerCall, _ acts: ServedActs, id: String, _ result: inout Result
    ) throws(ServeObjection) {
        result.mayProbe = false
        // No byte of the body changes that.
        if case .refused(let act, let rule) = limits.rules.decision(on: acts.withFields([])) {
            throw .notAllowed(act, by: rule)
        }
        let request = try graphQL(of: call, acts)
        result.operations = request.operations.map(\.text)
        let all = acts.withFields(request.acts)
        try obey(limits.rules.decision(on: all), &result) { (rule) throws(ServeObjection) in
            try approvals.ask(rule, about: all, unless: { call.isAbandoned() }) { isCovered in
                request.question(id, of: limits.command, all, rule, isCovered: isCovered)
            }
            return rule
        }
    }

    /// - Parameter ask: asks a person about a rule; returns the one that the log names.
    private func obey(
        _ decision: ServeDecision, _ result: inout Result,
        ask: (ServeRule) throws(ServeObjection) -> ServeRule
    ) throws(ServeObjection) {
        switch decision {
        case .refused(let act, let rule): throw .notAllowed(act, by: rule)
        case .allowed(let rule): result.rule = rule
        case .ask(let rules):
            result.decision = .askedYes
            for rule in rules { result.rule = try ask(rule) }
        }
    }

    /// Waits for the whole body, unless the URL has the request.
    private func graphQL(of call: ServerCall, _ acts: ServedActs) throws(ServeObjection) -> GraphQLRequest {
        do throws(GraphQLFault) {
            if let request = try call.head.graphQL(call.target, acts.fields) { return request }
        } catch {
            throw .unreadableGraphQL(error)
        }
        let (bytes, isWhole) = try beginning(of: call, GraphQLRequest.longest, for: nil)
        do throws(GraphQLFault) {
            guard isWhole else { throw .tooLong }
            return try GraphQLRequest(body: bytes)
        } catch {
            throw .unreadableGraphQL(error)
        }
    }

    private func isAllowed(_ act: ServedAct) -> Bool {
        if case .allowed = limits.rules.decision(on: [act]) { true } else { false }
    }

    /// - Parameter acts: all that the request may do.
    /// - Returns: the rule.
    private func ask(
        about call: ServerCall, _ acts: [ServedAct], _ rule: ServeRule, id: String
    ) throws(ServeObjection) -> ServeRule {
        try approvals.ask(rule, about: acts, unless: { call.isAbandoned() }) { (isCovered) throws(ServeObjection) in
            ServeQuestion(
                id: id, command: limits.command, method: call.head.judgedMethod, url: origin.description + call.target,
                body: try shownBody(of: call, rule), rule: rule.text, isCovered: isCovered,
                further: ServedActs.further(acts))
        }
        return rule
    }

    /// The length of the beginning that a person sees, in bytes.
    private static let shown = 512

    /// Waits for what is shown: what comes after the answer was approved unseen, and the question says how much that is.
    private func shownBody(of call: ServerCall, _ rule: ServeRule) throws(ServeObjection) -> ServeQuestion.Body {
        guard call.head.contentLength != 0 else { return .none }
        // One byte more tells whether that is all.
        let (bytes, isWhole) = try beginning(of: call, Self.shown + 1, for: rule)
        let length = isWhole ? Int64(bytes.count) : call.head.contentLength
        if length == 0 { return .none }
        guard let text = Array(bytes.prefix(Self.shown)).wholeText, !text.contains("\0") else {
            let type = call.head.values(of: "Content-Type").first ?? ""
            return .other(type: SafeText.line(type, limit: 100), of: length)
        }
        return .text(text, of: length)
    }

    /// The beginning of a body, which goes on being there to be sent.
    /// - Parameter rule: one that asks a person, who does not wait for it without end.
    private func beginning(
        of call: ServerCall, _ most: Int, for rule: ServeRule?
    ) throws(ServeObjection) -> (bytes: [UInt8], isWhole: Bool) {
        let limit = rule.map { _ in limits.bodyPatience }
        guard let found = call.body.beginning(most, within: limit, unless: { call.isAbandoned() }) else {
            throw .withdrawn(nil)
        }
        if let rule, !found.isWhole, found.bytes.count < most { throw .lateBody(rule) }
        return found
    }
}

/// Asks a person where a rule wants it, and remembers the rules that need no further answers.
final class RuleApprovals: Sendable {
    private let approver: (any ServeApprover)?
    private let approved = Mutex<[ServeRule]>([])

    /// - Parameter approver: `nil` if nobody can be asked.
    init(_ approver: (any ServeApprover)?) {
        self.approver = approver
    }

    /// - Parameters:
    ///   - isWithdrawn: whether nobody wants it any more.
    ///   - question: told whether the rule covers the acts.
    /// - Throws: unless the person has said yes.
    func ask(
        _ rule: ServeRule, about acts: [ServedAct], unless isWithdrawn: () -> Bool,
        _ question: (Bool) throws(ServeObjection) -> ServeQuestion
    ) throws(ServeObjection) {
        let isCovered = rule.covers(acts)
        if isCovered, approved.withLock({ $0.contains(rule) }) { return }
        guard let approver else { throw .needsApproval(rule) }
        switch approver.answer(to: try question(isCovered), unless: isWithdrawn) {
        case .yes: return
        case .yesForRule: approved.withLock { $0.append(rule) }
        case .no: throw .declined(rule)
        case .withdrawn: throw .withdrawn(rule)
        case .timedOut: throw .needsApproval(rule)
        }
    }
}

extension ServedHead {
    /// The method by which rules judge it.
    var judgedMethod: String { wantsWebSocket ? ServeRule.webSocket : method }
}

extension [UInt8] {
    /// As text, without a character that the end has cut; `nil` for what is no UTF-8.
    fileprivate var wholeText: String? {
        for cut in 0...3 where cut <= count {
            if let text = String(validating: dropLast(cut), as: UTF8.self) { return text }
        }
        return nil
    }
}

/// The log's note on one request: a line before it is sent, and one when it has ended.
struct RequestNote: Sendable {
    let id = RequestNote.newID()
    let log: any ServeLog
    private let start = ContinuousClock.now

    /// The largest number of a query's names, and of what a request may do beside its own method.
    private static let (mostNames, mostFurther) = (100, 16)
    /// In bytes: of a path, and of any other text that the command chooses. What is cut ends with an ellipsis.
    private static let (longestPath, longest) = (4096, 200)
    /// Replaces text that would repeat a secret.
    private static let placeholder = "***"

    /// Returns an ID that no other request has, in this run or another.
    static func newID() -> String {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// - Parameters:
    ///   - target: path and query.
    ///   - hasQuery: whether it may have a query, which the name of a tool does not.
    ///   - operations: of GraphQL documents, not too long.
    ///   - reason: why it is not sent.
    /// - Returns: whether it was noted.
    func begin(
        _ method: String, _ target: String, _ decision: ServeLogEntry.Decision, _ rule: String?, _ further: [String],
        _ reason: String? = nil, hasQuery: Bool = true, operations: [String] = [], hidden: RepeatedSecrets
    ) -> Bool {
        func free(_ text: String) -> String {
            hidden.stand(in: text) ? Self.placeholder : Self.cut(text, Self.longest)
        }
        let whole = target.unicodeScalars, base = hasQuery ? whole.prefix { $0 != "?" } : whole[...]
        let query = String(whole[base.endIndex...]).dropFirst().split(separator: "&").prefix(Self.mostNames)
        // Without a value it may be one.
        let names = query.map { part in
            let name = part.prefix { $0 != "=" }
            let isShown = name.endIndex < part.endIndex && !hidden.stand(in: String(name))
            return isShown ? Self.cut(String(name.prefix { $0 != "%" }), Self.longest) : Self.placeholder
        }
        let path = Self.path(String(base), without: hidden)
        let more = further.prefix(Self.mostFurther).map(free) + (further.count > Self.mostFurther ? ["…"] : [])
        let entry = ServeLogEntry(
            id: id, method: free(method), path: Self.cut(path, Self.longestPath),
            query: names, decision: decision, rule: rule, further: more,
            operations: operations.map { hidden.stand(in: $0) ? Self.placeholder : $0 }, reason: reason.map(free))
        return (try? log.began(entry)) != nil
    }

    /// - Parameters:
    ///   - status: of the response; `nil` if there is none.
    ///   - sent: the bytes of its body; and of the response's, `received`.
    func end(_ status: Int?, sent: Int64, received: Int64) {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        let end = ServeLogEnd(
            id: id, status: status, sent: sent, received: received,
            milliseconds: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        // The request is over; the next one is refused if there still is no log.
        try? log.ended(end)
    }

    func end(_ answer: ServedResponse, of call: ServerCall) {
        end(answer.status, sent: call.body.readCount, received: answer.received)
    }

    private static func cut(_ text: String, _ most: Int) -> String {
        text.utf8.count <= most ? text : String(decoding: text.utf8.prefix(most), as: UTF8.self) + "…"
    }

    /// A path without the segments that repeat a secret.
    private static func path(_ path: String, without hidden: RepeatedSecrets) -> String {
        guard hidden.stand(in: path) else { return path }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map {
            hidden.stand(in: String($0)) ? placeholder : String($0)
        }
        let rest = segments.joined(separator: "/")
        return hidden.stand(in: rest) ? "/\(placeholder)" : rest
    }
}
