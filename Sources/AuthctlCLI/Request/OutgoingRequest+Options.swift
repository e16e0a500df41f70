import LoginCore
import LoginHTTP
import LoginKit

extension OutgoingRequest {
    /// Reads what has to be read before anything is sent, and opens the output.
    /// - Parameter mayConcern: whether an answer with this head is held back until it was judged.
    init(
        _ invocation: Invocation, _ profile: Profile, _ options: RequestOptions, method: String, url: String,
        mayConcern: @escaping (HTTPResponse) -> Bool
    ) throws(LoginError) {
        let endpoint = try invocation.context.endpoint(profile)
        let body = try RequestBody(options, patience: invocation.patience(profile))
        let headers = try RequestHeaders(
            options.header, defaults: body.defaultHeaders, taken: profile.sessionRule.ownHeaders)
        var message = HTTPRequest(
            method: method, url: try invocation.context.requestURL(url, endpoint), headers: headers.fields)
        message.withoutHeaders = headers.removed
        let writer = try invocation.bodyWriter(path: options.output, profile)
        let output = ResponseOutput(
            writer, includesHead: options.include, progress: invocation.transferProgress(of: writer),
            mayConcern: mayConcern)
        self.init(
            context: invocation.context, profile: profile.name, message: message, body: body.content, output: output)
    }

    /// Says where a redirect leads.
    /// - Returns: 0 for an answer below 400.
    func code(of response: HTTPResponse) throws(LoginError) -> ExitCode {
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
