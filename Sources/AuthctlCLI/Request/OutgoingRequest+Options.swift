import LoginCore
import LoginKit
import Secrets

extension OutgoingRequest {
    /// Reads what has to be read before anything is sent, and opens the output.
    /// - Parameter mayConcern: whether an answer with this head is held back until it was judged.
    init(
        _ invocation: Invocation, _ profile: Profile, _ options: RequestOptions, method: String, url: String,
        mayConcern: @escaping (HTTPResponse) -> Bool
    ) throws(LoginFault) {
        let endpoint = try invocation.context.endpoint(profile)
        let body = try RequestBody(options, patience: invocation.patience(profile))
        let headers = try RequestHeaders(options.header, defaults: body.defaultHeaders, taken: profile.sessionHeaders)
        let target = options.get ? try options.query(appendedTo: url, patience: invocation.patience(profile)) : url
        var message = HTTPRequest(
            method: method, url: try invocation.context.requestURL(target, endpoint), headers: headers.fields)
        message.withoutHeaders = headers.removed
        let writer = try invocation.bodyWriter(path: options.output, profile)
        let output = ResponseOutput(
            writer, includesHead: options.include, progress: invocation.transferProgress(of: writer),
            mayConcern: mayConcern)
        let page = try options.page.map { (page) throws(LoginFault) in try invocation.context.requestURL(page, endpoint)
        }
        self.init(message: message, body: body.content, output: output, page: page) {
            invocation.context.say("\(profile.name): \($0)")
        }
    }

    /// Sends it without a session and without a login, whatever the answer: `request --anonymous`.
    func sendAnonymously(over service: Service) throws(LoginFault) -> ExitCode {
        defer { output.close() }
        let relayed = try send(over: service, with: nil, username: "")
        try handOn()
        return try code(of: relayed.response)
    }

    /// Says where a redirect leads.
    /// - Returns: 0 for an answer below 400.
    func code(of response: HTTPResponse) throws(LoginFault) -> ExitCode {
        sayRedirect(response)
        switch response.status {
        case 429, 503:
            throw .busy(BusyFault(status: response.status, retryAfter: response.retryAfter, words: nil))
        case 400...: throw .http(status: response.status)
        default: return .ok
        }
    }

    private func sayRedirect(_ response: HTTPResponse) {
        guard let redirect = response.redirect, (300..<400).contains(response.status) else { return }
        let target = redirect.url.prefix { $0 != "?" && $0 != "#" }
        say("the response is a redirect to \(SafeText.quoted(String(target))), which was not followed")
    }
}

extension RequestOptions {
    /// The URL with what would be the form in its query, before a fragment, as curl's `--get` has it.
    fileprivate func query(appendedTo url: String, patience: Int) throws(LoginFault) -> String {
        let form = try RequestBody.form(self, patience).unprotectedText
        let start = url.prefix { $0 != "#" }
        let mark = start.contains("?") ? (start.hasSuffix("?") || start.hasSuffix("&") ? "" : "&") : "?"
        return form.isEmpty ? url : "\(start)\(mark)\(form)\(url.dropFirst(start.count))"
    }
}
