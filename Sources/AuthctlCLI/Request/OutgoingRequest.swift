import LoginCore
import LoginHTTP
import Secrets

/// A request of the person's own on its way: sent once or more, and its answer handed on.
struct OutgoingRequest {
    let invocation: Invocation
    /// The profile's name, for what is said.
    let profile: String
    let message: HTTPRequest
    let body: RequestBody
    let output: ResponseOutput

    /// Says something about it, unless the person wants quiet.
    func say(_ text: String) { invocation.say("authctl: \(profile): \(text)") }

    /// - Parameter session: nothing where none goes along.
    func send(over service: Service, with session: Session?, username: String) throws(LoginError) -> Service.Relayed {
        var request = message
        switch body.content {
        case .none: request.streamedBodies = StreamedBodies(sink: output)
        case .kept(let bytes):
            request.body = bytes
            request.streamedBodies = StreamedBodies(sink: output)
        case .streamed(let source, _):
            guard source.rewind() else { throw .failure(.bodyNotRepeatable) }
            request.streamedBodies = StreamedBodies(source: source, sink: output)
        }
        do throws(LoginError) {
            return try service.relay(request, with: session, username: username)
        } catch {
            output.close()
            if output.isShown, case .network = error { say("what there is of the answer is incomplete") }
            throw error
        }
    }

    /// Asks as a stranger for the head alone, so that a long body is not sent only to be refused.
    func probe(over service: Service, space: VerifiedSpace?) throws(LoginError) -> RelayJudgement {
        let headers = message.headers.filter { !$0.name.lowercased().hasPrefix("content-") }
        let head = HTTPRequest(method: "HEAD", url: message.url, headers: headers)
        let relayed = try service.relay(head, with: nil, username: "")
        return try service.judge(relayed, body: nil, space: space)
    }

    /// What the answer says about the session.
    func judge(
        _ relayed: Service.Relayed, by service: Service, space: VerifiedSpace?
    ) throws(LoginError) -> RelayJudgement {
        let held = output.heldBody()
        if held == nil && output.isShown && !relayed.response.status.isRefusal { return .passed }
        return try service.judge(relayed, body: held, space: space)
    }

    /// Hands on what is held of the answer.
    func handOn() throws(LoginError) {
        try output.release()
        try output.finish()
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
        say("the answer is a redirect to \(SafeText.quoted(String(target))), which is not followed")
    }
}

extension OutgoingRequest {
    /// Reads what has to be read before anything is sent, and opens the output.
    /// - Parameter mayConcern: whether an answer with this head is held back until it was judged.
    init(
        _ invocation: Invocation, _ profile: Profile, _ options: RequestOptions, method: String, url: String,
        mayConcern: @escaping (HTTPResponse) -> Bool
    ) throws(LoginError) {
        let endpoint = try invocation.endpoint(profile)
        let body = try RequestBody(options, patience: invocation.patience(profile))
        let headers = try RequestHeaders(
            options.header, defaults: body.defaultHeaders, taken: profile.sessionRule.ownHeaders)
        var message = HTTPRequest(
            method: method, url: try invocation.requestURL(url, endpoint), headers: headers.fields)
        message.withoutHeaders = headers.removed
        let writer = try invocation.bodyWriter(path: options.output, profile)
        let output = ResponseOutput(
            writer, includesHead: options.include, progress: invocation.transferProgress(of: writer),
            mayConcern: mayConcern)
        self.init(invocation: invocation, profile: profile.name, message: message, body: body, output: output)
    }
}

extension RequestBody {
    /// Whether it can be sent once more.
    var isRepeatable: Bool {
        switch content {
        case .none, .kept: true
        case .streamed(_, let isRepeatable): isRepeatable
        }
    }

    /// Whether it is too long to be sent in vain.
    var isLong: Bool {
        switch content {
        case .none, .kept: false
        case .streamed: true
        }
    }
}

extension Int {
    /// 401 or 403.
    fileprivate var isRefusal: Bool { self == 401 || self == 403 }
}
