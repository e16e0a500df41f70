import LoginCore

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
