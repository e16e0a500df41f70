import Secrets
import Synchronization

/// What a person has chosen for one `authctl mcp`.
struct MCPOptions: Sendable {
    /// Beside those of the profile.
    var rules = ServeRuleSet()
    /// Whether tools that only read are allowed, with all prompts and resources.
    var readsOnly = false
    /// The file of the log, an absolute path; `nil` for the profile's own, if it has one.
    var log: String?
    /// Seconds for each answer of `authctl approve`.
    var answerTime = 60
    /// Whether a login in the browser is begun where there is none.
    var logsIn = false
}

/// Decides about each message of the client's before it is sent: by the rules, by a person where they ask, and notes it in the log.
final class MCPReview: Sendable {
    private struct State {
        var rules: ServeRules
        /// When the tools are to be listed again, to know which of them only read; `nil`: at the next call.
        var toolsEnd: ContinuousClock.Instant?
        /// The tasks that answered the client's own calls, in UTF-8.
        var tasks: Set<[UInt8]> = []
        /// What the client has called itself in `initialize`.
        var client: String?
    }

    private let options: MCPOptions
    private let profile: Profile
    private let log: ServeLogWriter.Prepared?
    private let desk: ApprovalDesk
    private let approvals: RuleApprovals
    private let state: Mutex<State>
    /// Held while the tools are listed.
    private let listing = Monitor()

    /// How long a list of tools is believed: not every client has the service tell of changes.
    private static let listLifetime = Duration.seconds(60)
    /// The most tasks that are remembered.
    private static let mostTasks = 10_000

    /// - Throws: for a log that cannot be written.
    init(_ options: MCPOptions, _ profile: Profile, _ context: LoginContext) throws(LoginFault) {
        (self.options, self.profile) = (options, profile)
        let folder = RuntimeFolder(context.dependencies.environment, context.paths)
        folder.sweep(["approve"])
        desk = ApprovalDesk(
            folder.newSocket("approve", of: profile.name), profile: profile.name, seconds: options.answerTime
        ) { [messages = context.person.messages] in messages.warn($0) }
        approvals = RuleApprovals(desk)
        let hasLog = options.log != nil || profile.serve.hasLog
        log = hasLog ? try .init(at: options.log, of: profile.name, in: context.paths) : nil
        let rules = Self.rules(options, profile, reading: [])
        state = Mutex(State(rules: rules))
        for warning in rules.warnings(about: profile, forMCP: true) {
            context.person.messages.warn(warning)
            log?.writer(profile: profile.name, account: "").warned(warning)
        }
    }

    private static func rules(_ options: MCPOptions, _ profile: Profile, reading tools: Set<String>) -> ServeRules {
        var chosen = options.rules
        if options.readsOnly { chosen.allow += ServeRule.readOnly(tools: tools) }
        return ServeRules([profile.serve.rules, chosen], forMCP: true)
    }

    /// Withdraws what is asked.
    func stop() { desk.stop() }

    /// The outcome of a review.
    struct Verdict {
        /// The error that answers the message; `nil` if it may be sent.
        var refusal: MCPError?
        /// The log's note on it; `nil` if there is none.
        var note: RequestNote?
    }

    /// - Parameters:
    ///   - account: whose session it would be sent with.
    ///   - hidden: the secrets that the log may not have.
    func review(_ call: MCPCall, account: String, hidden: RepeatedSecrets) -> Verdict {
        let message = call.message
        if message.method == "initialize" { state.withLock { $0.client = message.client } }
        let (rules, tasks) = state.withLock { ($0.rules, $0.tasks) }
        let acts = rules.isEmpty && log == nil ? [] : message.acts(withTasks: tasks)
        let writer = message.method.isEmpty ? nil : log?.writer(profile: profile.name, account: account)
        let note = writer.map { RequestNote(log: $0) }
        var verdict = Verdict(note: note), decision = ServeLogEntry.Decision.allowed, rule: ServeRule?
        do {
            (decision, rule) = try permit(call, acts, by: rules, note)
        } catch {
            switch error {
            case .error(let error): (verdict.refusal, decision) = (error, .refused)
            case .objection(let objection):
                verdict.refusal = self.error(of: objection)
                (decision, rule) = (.init(objection), objection.rule)
            }
        }
        let isNoted = note?.begin(message, acts ?? [], decision, rule, verdict.refusal, hidden: hidden)
        if isNoted == false { verdict = Verdict(refusal: error(of: .notLogged)) }
        return verdict
    }

    private enum Refusal: Error {
        case error(MCPError)
        case objection(ServeObjection)
    }

    private func error(of objection: ServeObjection) -> MCPError {
        let allowed = state.withLock { $0.rules.allowed }
        let words = allowed.isEmpty ? "nothing" : allowed.prefix(Self.mostShown).joined(separator: "; ")
        var what = objection.words
        if case .needsApproval = objection {
            what +=
                "; to approve such calls: run \(ShellCommand("authctl", "approve", profile.name)) in a terminal, then call again"
        }
        return MCPError(code: MCPError.refused, message: "\(what); allowed: \(words)", allowed: allowed)
    }

    /// The rules that a message repeats; its data has all of them.
    private static let mostShown = 20

    private func permit(
        _ call: MCPCall, _ acts: [ServedAct]?, by rules: ServeRules, _ note: RequestNote?
    ) throws(Refusal) -> (decision: ServeLogEntry.Decision, rule: ServeRule?) {
        let message = call.message
        if rules.isEmpty { return (.allowed, nil) }
        if message.isAmbiguous {
            throw .error(
                .invalid(
                    "other programs could read it differently (member names that differ only in case, or have control "
                        + "characters)"))
        }
        if options.readsOnly, message.method == "tools/call", message.choosesVersion {
            let words =
                "--read-only knows one version of each tool, and _meta chooses one in this call; "
                + "leave the version out, or allow the tool with --allow instead of --read-only"
            throw .error(MCPError(code: MCPError.refused, message: words))
        }
        if message.method.isEmpty { return (.allowed, nil) }
        guard let acts else {
            let method = SafeText.quoted(message.method, limit: 100)
            throw .error(MCPError(code: MCPError.unknownMethod, message: "no rule allows the method \(method)"))
        }
        switch acts.isEmpty ? .allowed(by: nil) : rules.decision(on: acts) {
        case .allowed(let rule): return (.allowed, rule)
        case .refused(let act, let rule): throw .objection(.notAllowed(act, by: rule))
        case .ask(let asking):
            let id = note?.id ?? RequestNote.newID()
            for rule in asking {
                do {
                    try approvals.ask(rule, about: acts, unless: { call.isOver }) { isCovered in
                        let client = message.client ?? state.withLock(\.client) ?? "mcp"
                        return message.question(id, of: client, acts, rule, isCovered: isCovered)
                    }
                } catch {
                    throw .objection(error)
                }
            }
            return (.askedYes, asking.first)
        }
    }
}

extension RequestNote {
    /// Notes a message before it is sent, with the names in the query of a URI, but none of its values.
    /// - Returns: whether it was noted.
    func begin(
        _ message: MCPMessage, _ acts: [ServedAct], _ decision: ServeLogEntry.Decision, _ rule: ServeRule?,
        _ refusal: MCPError?, hidden: RepeatedSecrets
    ) -> Bool {
        begin(
            message.method, acts.first?.path.text ?? message.subject ?? "", decision, rule?.text,
            acts.dropFirst().map { "\($0.method) \($0.shownPath)" }, refusal?.message,
            hasQuery: acts.first?.method == MCPRuleKind.resource.rawValue, hidden: hidden)
    }
}

// What the service says, as far as rules need it.
extension MCPReview {
    /// The lists: the member of their results, and what names their elements.
    private static let lists: [(member: String, kind: MCPRuleKind, key: String)] = [
        ("tools", .tool, "name"), ("prompts", .prompt, "name"), ("resources", .resource, "uri"),
        ("resourceTemplates", .resource, "uriTemplate"),
    ]

    /// Learns which tools only read, for a list of them, and for a call if that is not known or has changed.
    /// - Parameter list: reads the names of those tools, by the service's own word.
    func listTools(
        for message: MCPMessage, _ list: () throws(LoginFault) -> Set<String>
    ) throws(LoginFault) {
        guard options.readsOnly, ["tools/call", "tools/list"].contains(message.method) else { return }
        try listing.locked { () throws(LoginFault) in
            let isFirstPage = message.method == "tools/list" && message.params?.member("cursor") == nil
            guard isFirstPage || state.withLock({ ($0.toolsEnd ?? .now) <= .now }) else { return }
            // A change that is told meanwhile counts.
            state.withLock { $0.toolsEnd = .now + Self.listLifetime }
            do throws(LoginFault) {
                let rules = Self.rules(options, profile, reading: try list())
                state.withLock { $0.rules = rules }
            } catch {
                state.withLock { $0.toolsEnd = nil }
                throw error
            }
        }
    }

    /// Takes note of what the service says.
    func hear(_ message: MCPMessage) {
        if options.readsOnly, message.method == "notifications/tools/list_changed" {
            state.withLock { $0.toolsEnd = nil }
        }
    }

    /// The text of an answer, without what the client may not see.
    /// - Parameter isWanted: asked about each tool that it may see.
    func shown(
        _ answer: MCPMessage, to request: MCPMessage, unless isWanted: (JSONValue) -> Bool
    ) -> [UInt8] {
        let rules = state.withLock { state in
            if request.method == "tools/call", let task = answer.task, state.tasks.count < Self.mostTasks {
                state.tasks.insert(Array(task.utf8))
            }
            return state.rules
        }
        let isTools = request.isModern && request.method == "tools/list"
        if rules.isEmpty, !isTools { return answer.text }
        var text = answer.text
        // Filter by what the result has: a service may answer one request with another's result.
        for list in Self.lists where answer.lists.contains(list.member) {
            text = text.without(list.member) { element in
                guard let name = element.member(list.key)?.string else { return rules.isEmpty }
                let isSeen =
                    rules.isEmpty
                    || (list.key == "uriTemplate" ? rules.mayName(template: name) : rules.mayPass(list.kind, name))
                return isSeen && (!isTools || isWanted(element))
            }
        }
        return text
    }
}
