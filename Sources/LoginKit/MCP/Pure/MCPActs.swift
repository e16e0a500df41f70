extension MCPMessage {
    /// The most resources and tasks that a client may name at once, so that a person can read the question.
    private static let mostSubscriptions = 100

    /// What rules judge in a message; nothing if it passes without a rule.
    /// - Parameter tasks: those that answered the client's own calls, in UTF-8.
    /// - Returns: `nil` if no rule can allow it.
    func acts(withTasks tasks: Set<[UInt8]>) -> [ServedAct]? {
        switch method {
        case "initialize", "ping", "server/discover", "logging/setLevel", "tools/list", "prompts/list",
            "resources/list", "resources/templates/list":
            []
        case "tools/call": [Self.act(.tool, subject)]
        case "prompts/get": [Self.act(.prompt, subject)]
        case "resources/read", "resources/subscribe", "resources/unsubscribe": [Self.act(.resource, subject)]
        case "subscriptions/listen": subscriptions(tasks)
        case "completion/complete": completion
        case "tasks/get", "tasks/result", "tasks/cancel", "tasks/update": Self.has(tasks, subject) ? [] : nil
        default: kind == .notification && method.hasPrefix("notifications/") ? [] : nil
        }
    }

    /// - Returns: an act without a reading, which every rule refuses, for a name that cannot be judged.
    private static func act(_ kind: MCPRuleKind, _ name: String?) -> ServedAct {
        kind.act(on: name ?? "") ?? ServedAct(method: kind.rawValue, path: ServedPath(name ?? "", readings: []))
    }

    /// Whatever of its reference a service may go by is judged; a template is as it is written, since what fills it in may be anything.
    private var completion: [ServedAct] {
        let reference = params?.member("ref"), name = reference?.member("name"), uri = reference?.member("uri")
        let prompts = name != nil || uri == nil ? [Self.act(.prompt, name?.string)] : []
        return prompts + (uri.map { [Self.act(.resource, $0.string)] } ?? [])
    }

    /// What a client wants to hear of (revision of 2026-07-28): changes of lists pass, resources by their rules.
    private func subscriptions(_ tasks: Set<[UInt8]>) -> [ServedAct]? {
        var acts: [ServedAct] = []
        guard case .object(let kinds)? = params?.member("notifications") else { return nil }
        for kind in kinds.keys.sorted() {
            switch kind {
            case "toolsListChanged", "promptsListChanged", "resourcesListChanged": continue
            case "resourceSubscriptions", "taskIds":
                let list = member(kind, at: ["params", "notifications"]) ?? []
                guard case .array(let elements)? = list.withUnsafeBytes({ try? JSONReader.read($0) }),
                    elements.count <= Self.mostSubscriptions
                else { return nil }
                if kind == "resourceSubscriptions" {
                    acts += elements.map { Self.act(.resource, $0.string) }
                } else if !elements.allSatisfy({ Self.has(tasks, $0.string) }) {
                    return nil
                }
            default: return nil
            }
        }
        return acts
    }

    private static func has(_ tasks: Set<[UInt8]>, _ task: String?) -> Bool {
        task.map { tasks.contains(Array($0.utf8)) } ?? false
    }
}
