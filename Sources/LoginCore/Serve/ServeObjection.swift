/// The reason for not sending a request on, where there are rules or a log.
package enum ServeObjection: Error, Equatable, Sendable {
    /// Services read such a path in different ways.
    case ambiguousPath
    /// A header that changes the method or the path for some services.
    case overridingHeader(String)
    /// `_method` in the query.
    case overridingQuery
    /// A `Destination` that is not at the served address, or several.
    case foreignDestination
    /// A member `_method` of the body whose value is no method, or cannot be read.
    case unreadableOverride
    /// A body that cannot be searched for `_method`.
    case unreadableBody(ServedBody.Fault)
    /// `rule` is `nil` where none names the request.
    case notAllowed(ServedAct, by: ServeRule?)
    /// The same of a method that the body names.
    case overrideNotAllowed(ServedAct, by: ServeRule?)
    /// The person said no.
    case declined(ServeRule)
    /// Nobody has answered in time, or can.
    case needsApproval(ServeRule)
    /// What a person would have been shown of the body has not come in time.
    case lateBody(ServeRule)
    /// The client has gone before there was an answer; `rule` is the one that asked for it.
    case withdrawn(ServeRule?)
    /// The log cannot be written.
    case notLogged

    /// The `code` of the response.
    package var code: String {
        switch self {
        case .ambiguousPath: "ambiguous-path"
        case .overridingHeader, .overridingQuery, .foreignDestination, .unreadableOverride: "override"
        case .unreadableBody: "unreadable-body"
        case .notAllowed, .overrideNotAllowed, .declined: "not-allowed"
        case .needsApproval, .lateBody, .withdrawn: "needs-approval"
        case .notLogged: "not-logged"
        }
    }

    /// RFC 9110, section 15.
    package var status: Int {
        switch self {
        case .ambiguousPath, .overridingHeader, .overridingQuery, .foreignDestination, .unreadableOverride: 400
        case .unreadableBody: 400
        case .notAllowed, .overrideNotAllowed, .declined, .needsApproval, .lateBody, .withdrawn: 403
        case .notLogged: 503
        }
    }

    /// The rule that decided, as it was written.
    package var rule: ServeRule? {
        switch self {
        case .notAllowed(_, let rule), .overrideNotAllowed(_, let rule), .withdrawn(let rule): rule
        case .declined(let rule), .needsApproval(let rule), .lateBody(let rule): rule
        case .ambiguousPath, .overridingHeader, .overridingQuery, .foreignDestination, .unreadableOverride: nil
        case .unreadableBody, .notLogged: nil
        }
    }
}
