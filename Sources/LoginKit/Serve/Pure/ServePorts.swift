/// Logs what is sent with a login that is lent. Called by many threads at once.
package protocol ServeLog: AnyObject, Sendable {
    /// Notes a request before it is sent, or that it is refused. If it throws, the request is refused with 503.
    func began(_ entry: ServeLogEntry) throws(LoginFault)
    /// Notes the end of a request that was noted by `began`.
    func ended(_ end: ServeLogEnd) throws(LoginFault)
    /// Notes a warning that the person was given.
    func warned(_ text: String)
}

/// A request, before it is sent.
package struct ServeLogEntry: Equatable, Sendable {
    /// The reason why it was sent, or not.
    package enum Decision: String, Equatable, Sendable, CaseIterable {
        case allowed
        case askedYes = "asked-yes"
        case askedNo = "asked-no"
        case refused

        init(_ objection: ServeObjection) {
            self = if case .declined = objection { .askedNo } else { .refused }
        }
    }

    /// Matches it to its `ServeLogEnd`.
    let id: String
    package let method: String
    /// As it was sent, without the query; free of the run's secrets.
    package let path: String
    /// The names of the query's members; never their values.
    package var query: [String] = []
    package let decision: Decision
    /// The rule that decided; `nil` where none did.
    package var rule: String?
    /// The other acts that the request may perform, by its body or its `Destination`; they were judged, too.
    var further: [String] = []
    /// The operations that it has the service execute at an endpoint of GraphQL, with their root fields.
    package var operations: [String] = []
    /// A sentence that says why it was not sent; `nil` if it was.
    var reason: String?
}

/// The end of a request.
package struct ServeLogEnd: Equatable, Sendable {
    let id: String
    /// `nil` where no response was sent.
    package let status: Int?
    /// The bytes of the request's body, and of the response's; of a WebSocket, of what went each way.
    let sent: Int64, received: Int64
    package let milliseconds: Int64
}

/// Asks a person in another terminal about a request of `exec --serve` or `authctl mcp`. Called by many threads at once.
package protocol ServeApprover: AnyObject, Sendable {
    /// Blocks until there is an answer, the time is over or the client has gone.
    /// - Parameter isWithdrawn: whether the client has gone; asked a few times a second.
    func answer(to question: ServeQuestion, unless isWithdrawn: () -> Bool) -> ServeAnswer
}

/// A request of `exec --serve` or `authctl mcp` that a person decides about.
package struct ServeQuestion: Equatable, Sendable {
    /// The part of the body that is shown.
    enum Body: Equatable, Sendable {
        case none
        /// The beginning, and the length of all in bytes, `nil` where only the end will tell it.
        case text(String, of: Int64?)
        /// A body that is not text: its media type.
        case other(type: String, of: Int64?)
    }

    let id: String
    /// The name of the command that sends it, or of the MCP client.
    let command: String
    let method: String
    let url: String
    let body: Body
    /// Whether `body` is the arguments of an MCP call or of a GraphQL request, laid out in lines.
    var hasArguments = false
    /// The rule that asks, as it was written.
    let rule: String
    /// Whether the rule names the request, which otherwise merely may be taken for such a one: see `ServeRule.covers`.
    var isCovered = true
    /// The other acts that the request may perform, by its body or its `Destination`.
    var further: [String] = []
}

/// The end of a question.
package enum ServeAnswer: String, Sendable, CaseIterable {
    case yes
    /// The same, and for whatever the rule names until the command ends.
    case yesForRule = "yes-for-rule"
    case no
    /// The client has gone.
    case withdrawn
    /// Nobody has answered in time.
    case timedOut = "timed-out"
}
