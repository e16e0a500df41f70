@testable import LoginKit
import Secrets

/// A server that answers by its script, or by each request, and notes all of them.
final class ScriptedTransport: Transport {
    private var answers: Script<HTTPResponse>
    /// Happens while the server has the request.
    var meanwhile: (HTTPRequest) -> Void = { _ in }
    /// Happens with each request, before its answer: time passes.
    var pass: () -> Void = {}

    private(set) var requests: [HTTPRequest] = []
    private(set) var trusted: [TrustedCertificate] = []

    init(_ answers: [Result<HTTPResponse, LoginFault>] = []) {
        self.answers = Script("transport.send", answers)
    }

    /// A server that decides what to answer by the request.
    convenience init(answering answer: @escaping (HTTPRequest) -> HTTPResponse) {
        self.init()
        decide = answer
    }

    private var decide: ((HTTPRequest) -> HTTPResponse)?

    var rest: Int { answers.rest }

    private func next(to request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        if let decide { return decide(request) }
        return try answers.next()
    }

    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        pass()
        guard let bodies = request.streamedBodies else {
            requests.append(request)
            return try next(to: request)
        }
        var whole = request
        if let source = bodies.source { whole.body = try Self.drained(source) }
        requests.append(whole)
        meanwhile(whole)
        let answer = try next(to: whole)
        let location = answer.redirect.map { HTTPResponseField(name: "Location", value: $0.url) }
        try bodies.sink.begin(
            HTTPResponse(status: answer.status, headers: answer.headers + [location].compactMap { $0 }))
        try answer.body.withUnsafeBytes { (bytes) throws(LoginFault) in
            if !bytes.isEmpty { try bodies.sink.write(bytes) }
        }
        return HTTPResponse(
            status: answer.status, headers: answer.headers, cookies: answer.cookies, redirect: answer.redirect)
    }

    private static func drained(_ source: any RequestSource) throws(LoginFault) -> Secret {
        var body = SecretBuilder(limit: 16 << 20)
        while try body.append(
            upTo: 1 << 16,
            fill: { (bytes) throws(LoginFault) in
                while true {
                    if let read = try source.read(into: bytes) { return read }
                }
            }) > 0
        {}
        return body.finish() ?? Secret("")
    }

    func trust(_ exception: TrustedCertificate) { trusted.append(exception) }
}

extension HTTPRequest {
    /// The whole request as text, secrets included, to be compared byte for byte.
    var dump: String {
        var lines = ["\(method) \(url)"]
        if let basic {
            lines.append("basic \(basic.username):\(basic.password.unprotectedText)")
        }
        if negotiates { lines.append("negotiate") }
        lines += headers.map { "\($0.name): \($0.value.unprotectedText)" }
        lines += cookies.map { "cookie \($0.name)=\($0.value.unprotectedText)" }
        if let body { lines += ["", body.unprotectedText] }
        return lines.joined(separator: "\n")
    }
}

extension HTTPResponse {
    /// An answer in one line.
    static func answer(
        _ status: Int, _ body: String = "", headers: [String] = [], cookies: [Cookie] = [], redirect: Redirect? = nil
    ) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: headers.map { line in
                let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
                return HTTPResponseField(name: parts.first ?? "", value: value)
            },
            body: Secret(body), cookies: cookies, redirect: redirect)
    }
}

extension Cookie {
    static func named(_ name: String, _ value: String, expires: Int64? = nil) -> Cookie {
        Cookie(name: name, value: Secret(value), record: Secret("record of \(name)=\(value)"), expires: expires)
    }
}
