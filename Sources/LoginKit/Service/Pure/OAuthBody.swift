import Secrets

/// The response of an authorization server, opened up: the members of its JSON, whatever the `Content-Type` says.
struct OAuthBody {
    let response: HTTPResponse
    /// `nil` where the body is no JSON object.
    let members: [String: JSONValue]?
    /// The fault of a body that was not read; `nil` if it is JSON.
    private let fault: JSONFault?

    /// In characters: more of a server's words is not worth keeping.
    private static let longestWords = 4096

    init(_ response: HTTPResponse) {
        self.response = response
        do {
            let value = try response.body.withUnsafeBytes { (bytes) throws(JSONFault) in try JSONReader.read(bytes) }
            if case .object(let members) = value { self.members = members } else { members = nil }
            fault = nil
        } catch {
            (members, fault) = (nil, error)
        }
    }

    /// A member that is a text, and not an empty one.
    func text(_ member: String) -> String? {
        guard case .string(let text)? = members?[member], !text.isEmpty else { return nil }
        return text
    }

    /// The elements of an array that are texts; `nil` if the member is no array.
    func texts(_ member: String) -> [String]? { members?[member]?.elements?.compactMap(\.string) }

    func flag(_ member: String) -> Bool { members?[member] == .bool(true) }

    /// A number of seconds, also as a text; `nil` unless it lies within the bounds.
    func seconds(_ member: String, in bounds: ClosedRange<Int>) -> Int? {
        guard let text = members?[member]?.text, let number = Double(text), number.isFinite else { return nil }
        let seconds = number.rounded(.up)
        return seconds >= Double(bounds.lowerBound) && seconds <= Double(bounds.upperBound) ? Int(seconds) : nil
    }

    /// Whether it says no, whatever the status: GitHub's errors come with 200.
    var hasError: Bool {
        switch members?["error"] {
        case .string(let text)?: !text.isEmpty
        case .object?, .array?, .integer?, .number?: true
        case .bool(let flag)?: flag
        case .null?, nil: false
        }
    }

    /// Whether the token endpoint refuses a refresh: in the form of RFC 6749, section 5.2, or of the services that send the same
    /// with 200 and a code that names the token. `invalid_grant` can mean nothing else, whatever the status; others say "not now", even
    /// where nobody polls.
    var refusesRefresh: Bool {
        guard let error = text("error"), !Self.postponing.contains(where: error.contains) else { return false }
        if code == .invalidGrant { return true }
        let isOfToken = code != nil || error.contains("token") || error.contains("grant")
        return [200, 400, 401].contains(response.status) && error.isErrorCode && isOfToken
    }

    /// Parts of the codes that judge no token: of RFC 8628, RFC 9449, and of services that limit how often they are asked.
    private static let postponing = [
        "slow_down", "authorization_pending", "use_dpop_nonce", "rate_limit", "too_many", "throttl",
    ]

    /// Whether the response to a refresh, which refuses nothing, may come from something in between.
    var isDoubtful: Bool {
        (300..<500).contains(response.status) || (200..<300).contains(response.status) && (hasError || isPage)
    }

    /// Whether it is a page for people.
    var isPage: Bool {
        members == nil && response.isPage
    }

    /// The code, where it is one of the RFCs'.
    var code: OAuthErrorCode? { text("error").flatMap { OAuthErrorCode(rawValue: $0) } }

    var words: String? {
        let words = text("error_description") ?? response.errorText
        return words == text("error") ? nil : words.map { String($0.prefix(Self.longestWords)) }
    }

    func refusal(at step: OAuthStep) -> OAuthRefusal {
        OAuthRefusal(code, at: step, status: response.status, words: words)
    }

    /// The fault of a server that cannot judge now, by its status or its error code.
    var busy: BusyFault? {
        let isBusy = response.saysNothing || (hasError && code?.judgesNothing == true)
        return isBusy ? BusyFault(status: response.status, retryAfter: response.retryAfter, words: words) : nil
    }

    /// - Throws: `busy`; `oauth` with the refusal; `failure` for a redirect.
    func checkAccepted(at step: OAuthStep) throws(LoginFault) {
        if let busy { throw .busy(busy) }
        if hasError || (400..<500).contains(response.status) { throw .oauth(.refused(refusal(at: step))) }
        try response.refuseRedirect(at: step)
    }

    /// The fault of a response without a member that it has to have.
    func lacking(_ member: String, at step: OAuthStep) -> LoginFault {
        .oauth(.unusableResponse(step, members == nil ? unreadable : "it has no \(member)"))
    }

    /// The reason that there are no members.
    private var unreadable: String {
        if let fault, fault != .malformed { return fault.rawValue }
        // As GitHub answers without an `Accept`.
        return isFormEncoded ? "it is form-encoded, not JSON" : "it is not JSON"
    }

    /// Whether the body looks like `access_token=…&…`.
    private var isFormEncoded: Bool {
        members == nil
            && response.body.withUnsafeBytes { bytes in
                let isPlain = bytes.prefix(256).allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "<") }
                return isPlain && bytes.prefix(256).contains(UInt8(ascii: "="))
            }
    }
}

extension HTTPResponse {
    /// Refuses redirects: none of these requests follows one (RFC 9700, section 4.11).
    func refuseRedirect(at step: OAuthStep) throws(LoginFault) {
        guard (300..<400).contains(status) else { return }
        throw .failure(.redirected(step: step.rawValue, status: status, target: redirect?.target ?? ""))
    }
}

extension String {
    /// Whether it has the form of all registered error codes, such as `invalid_grant`. Gateways write the words of a status:
    /// "Not Found".
    fileprivate var isErrorCode: Bool {
        contains("_")
            && utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }
}
