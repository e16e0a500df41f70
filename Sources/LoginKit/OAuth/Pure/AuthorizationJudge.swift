import Secrets

/// Tells the response to this login from everything else that comes by the loopback port, or is pasted (RFC 6749, section 4.1.2;
/// RFC 9207, section 2.4). Both are held against the same rules.
struct AuthorizationJudge: Equatable, Sendable {
    let redirect: LoopbackRedirect
    /// The one that is listened on.
    let port: Int
    /// Of this try.
    let state: Secret
    /// As the server's metadata writes it; `nil` if there is none, so that none can be compared.
    let issuer: String?
    /// Whether every response names it.
    let promisesIssuer: Bool

    /// In bytes: more than any server sends.
    static let limit = 16 << 10

    /// Judges what came to the port.
    func judge(_ request: LoopbackRequest) -> AuthorizationResponse {
        guard request.method == "GET" else { return .refused(.method) }
        guard isHere(request) else { return .refused(.host) }
        let (path, query) = Self.split(request.target)
        guard path == redirect.requestPath else { return .refused(.path) }
        return judge(query: query ?? "")
    }

    /// Whether it asks for the page after the answer, to which the response to this login leads.
    func isForDone(_ request: LoopbackRequest) -> Bool {
        request.method == "GET" && isHere(request) && request.target == Secret(LoopbackRedirect.donePath)
    }

    private func isHere(_ request: LoopbackRequest) -> Bool {
        request.hosts.count == 1 && redirect.authorities(port: port).contains(request.hosts[0].lowercased())
    }

    /// Judges what was pasted. Blanks around it and line breaks inside are not its own; a fragment was added by the server and says nothing.
    func judge(pasted: Secret) -> AuthorizationResponse {
        guard pasted.count <= Self.limit else { return .notAnAddress(.otherAddress) }
        let text = String(pasted.unprotectedText.filter { !$0.isNewline }.trimming(\.isWhitespace))
        if text.isEmpty { return .notAnAddress(.empty) }
        guard let target = target(of: text) else {
            return .notAnAddress(isRequest(text) ? .requestAddress : .otherAddress)
        }
        let (path, query) = Self.split(Secret(target.prefix { $0 != "#" }))
        guard path == redirect.requestPath || path == redirect.path else { return .notAnAddress(.otherAddress) }
        let answer = judge(query: query ?? "")
        if case .refused(let forgery) = answer { return .notAnAddress(forgery.pasted) }
        return answer
    }

    /// Judges a query. Unrecognized parameters are ignored, whatever their values (RFC 6749, section 4.1.2).
    private func judge(query: String) -> AuthorizationResponse {
        let parameters = QueryParameters(query)
        let states = parameters.all("state")
        guard !states.isEmpty else { return .refused(.parameters) }
        guard states.contains(where: { $0.map { Secret($0) } == state }) else { return .refused(.state) }
        do throws(AnswerFault) {
            return try judge(parameters)
        } catch {
            return .refused(.answer(error))
        }
    }

    /// Judges the parameters of a response that has the state of this login.
    private func judge(_ parameters: QueryParameters) throws(AnswerFault) -> AuthorizationResponse {
        _ = try parameters.one("state")
        let named = try parameters.one("iss"), code = try parameters.one("code"), error = try parameters.one("error")
        if let named, let issuer, named != issuer { return .refused(.issuer) }
        let keepsPromise = named != nil || !promisesIssuer
        switch (code, error) {
        case (let code?, nil):
            guard keepsPromise else { return .refused(.issuer) }
            guard !code.isEmpty, code.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else { throw .unreadable("code") }
            return .right(code: Secret(code))
        case (nil, let error?):
            let words = keepsPromise ? parameters.words("error_description").map { String($0.prefix(4096)) } : nil
            return .denied(OAuthRefusal(OAuthErrorCode(rawValue: error), at: .authorization, words: words))
        case (nil, nil): throw .empty
        case (_?, _?): throw .both
        }
    }

    /// Path and query.
    private static func split(_ target: Secret) -> (path: String, query: String?) {
        let text = target.unprotectedText
        guard let mark = text.firstIndex(of: "?") else { return (text, nil) }
        return (String(text[..<mark]), String(text[text.index(after: mark)...]))
    }

    /// Path and query of an address whose authority is the redirect's; `nil` for any other.
    private func target(of text: String) -> Substring? {
        for authority in redirect.authorities(port: port) {
            let start = "http://\(authority)"
            guard text.lowercased().hasPrefix(start), text.utf8.count >= start.utf8.count else { continue }
            let rest = text.utf8.dropFirst(start.utf8.count)
            guard let first = rest.first else { return "" }
            if [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(first) { return Substring(rest) }
        }
        return nil
    }

    /// Whether it is what the browser was to open: it carries the same state.
    private func isRequest(_ text: String) -> Bool {
        guard text.hasPrefix("http"), let mark = text.firstIndex(of: "?") else { return false }
        return !QueryParameters(String(text[text.index(after: mark)...])).all("response_type").isEmpty
    }
}

extension Forgery {
    /// The same of a pasted address.
    fileprivate var pasted: PasteFault {
        switch self {
        case .state: .otherState
        case .issuer: .otherIssuer
        case .answer(let fault): .answer(fault)
        case .parameters, .malformed, .method, .host, .path: .incomplete
        }
    }
}

/// A query as forms write it (WHATWG URL, `application/x-www-form-urlencoded`); each parameter is read by itself.
private struct QueryParameters {
    /// The values of each name, as they stand there.
    private var values: [String: [Substring.UTF8View]] = [:]

    init(_ query: String) {
        for piece in query.utf8.split(separator: UInt8(ascii: "&")) {
            let left = piece.prefix { $0 != UInt8(ascii: "=") }
            guard let name = Self.decoded(left) else { continue }
            values[name, default: []].append(piece.dropFirst(left.count + 1))
        }
    }

    /// All values of a parameter; `nil` for one that is not readable.
    func all(_ name: String) -> [String?] { values[name, default: []].map(Self.decoded) }

    /// The value of a parameter, which may be there once; `nil` if it is not there.
    func one(_ name: String) throws(AnswerFault) -> String? {
        let all = all(name)
        if all.count > 1 { throw .repeated(name) }
        if all.contains(nil) { throw .unreadable(name) }
        return all.first ?? nil
    }

    /// A text for a person: the first of its name, as far as it is readable.
    func words(_ name: String) -> String? {
        values[name]?.first.flatMap { FormText.decoded($0, isStrict: false) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private static func decoded(_ text: Substring.UTF8View) -> String? {
        FormText.decoded(text, isStrict: true).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
