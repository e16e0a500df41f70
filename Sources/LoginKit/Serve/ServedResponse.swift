/// Hands the service's answer on to the command.
final class ServedResponse: ResponseReceiver {
    private let call: ServerCall
    private let headers: ServedHeaders
    /// The secrets that no header may repeat.
    var hidden = RepeatedSecrets()
    private(set) var isWhole = false
    /// Of the response that was begun; and the bytes of its body, as far as the service has sent it.
    private(set) var status: Int?
    private(set) var received: Int64 = 0

    init(_ call: ServerCall, _ headers: ServedHeaders) {
        (self.call, self.headers) = (call, headers)
    }

    func begin(_ head: HTTPResponse) throws(LoginFault) {
        let fields = headers.returned(head.headers) { hidden.stand(in: $0) }
        status = head.status
        call.begin(ServerResponse(status: head.status, fields: fields, size: size(of: head)))
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(LoginFault) {
        received += Int64(bytes.count)
        guard call.write(bytes) else { throw .cancelled }
    }

    func finish() throws(LoginFault) { isWhole = true }

    func close() {}

    /// RFC 9110, section 8.6: what has no body may tell how long it would be.
    private func size(of head: HTTPResponse) -> Int64? {
        switch head.status {
        case 204: 0
        case 304: head.contentLength ?? 0
        default: head.contentLength
        }
    }

    /// Answers in the place of the service, unless its own answer has begun.
    func explain(_ error: LoginFault, _ topic: ErrorContext) {
        if call.hasBegun { return }
        if case .cancelled = error { return }
        let message = error.message(about: topic)
        let text = "authctl: \(message.what)\n\(message.next.isEmpty ? "" : "\(message.next)\n")"
        say(text, as: "text/plain; charset=utf-8", status: error.servedStatus)
    }

    /// Answers a request that is not sent on.
    func refuse(_ refused: RefusedRequest) {
        if case .withdrawn = refused.objection { return }
        say(refused.text, as: RefusedRequest.type, status: refused.objection.status)
    }

    private func say(_ text: String, as type: String, status: Int) {
        let fields = [
            HTTPResponseField(name: "Content-Type", value: type),
            HTTPResponseField(name: "Cache-Control", value: "no-store"),
        ]
        self.status = status
        call.begin(ServerResponse(status: status, fields: fields, size: Int64(text.utf8.count)))
        isWhole = call.head.method == "HEAD" || Array(text.utf8).withUnsafeBytes { call.write($0) }
    }
}

extension LoginFault {
    /// RFC 9110, section 15: what the command is told where there is no answer of the service.
    fileprivate var servedStatus: Int {
        switch self {
        case .usage(.sessionChanged): 502
        case .usage: 400
        case .network(.timedOut), .network(.unanswered(.timedOut)): 504
        case .busy: 503
        default: 502
        }
    }
}
