import Secrets

/// Requests and answers as lines for `--verbose`. Values of headers are shown only where they can hold no secret, the
/// query and bodies never.
struct TransferTrace {
    private static let harmless: Set<String> = [
        "accept", "content-type", "content-length", "date", "server", "www-authenticate", "proxy-authenticate",
        "retry-after", "cache-control", "connection", "transfer-encoding", "user-agent",
    ]

    /// Those of our own; another one is a profile's, and could have been filled with anything.
    private static let types = ["application/json", "application/x-www-form-urlencoded"]

    /// The schemes that may stand before a credential (RFC 9110, section 11.4), so that its kind can be shown.
    private static let schemes = ["Bearer", "Basic", "Digest", "Negotiate", "Token"]

    let settings: TransportSettings

    private static func shown(_ field: HTTPRequestField) -> String {
        let isType = field.hasName("Content-Type"), isLogin = field.hasName("Authorization")
        if let type = types.first(where: { isType && field.value == Secret($0) }) { return type }
        let scheme = schemes.first { scheme in
            isLogin && field.value.withUnsafeBytes { $0.starts(with: Array("\(scheme) ".utf8)) }
        }
        return scheme.map { "\($0) …" } ?? "…"
    }

    /// A name that a server chose.
    private static func shown(_ name: String, _ hidden: RepeatedSecrets) -> String {
        if hidden.stand(in: name) { return "…" }
        return name.utf8.count > longestName ? "\(name.prefix(longestName))…" : name
    }

    /// In characters.
    private static let longestName = 60

    func show(_ request: HTTPRequest, _ url: ParsedURL) {
        guard let trace = settings.trace else { return }
        let query = url.query == nil ? "" : "?…"
        let shown = request.shownURL.map { String($0.prefix { $0 != "?" }) } ?? "\(url.origin)\(url.path)"
        trace("> \(request.method) \(shown)\(query)")
        for field in request.headers {
            trace("> \(field.name): \(Self.shown(field))")
        }
        // The user name may be a token, too.
        if request.basic != nil { trace("> Authorization: Basic …") }
        if request.negotiates { trace("> Authorization: Negotiate …") }
        for cookie in request.cookies.sent(to: url) { trace("> Cookie: \(Self.shown(cookie.name, request.hidden))=…") }
        if let body = request.body { trace("> \(body.count.bytes)") }
    }

    /// - Parameters:
    ///   - cookies: the names of those that it has set.
    ///   - tooLarge: of those that are ignored.
    ///   - request: what is hidden there may not be shown, whatever the header that repeats it; whether the body went
    ///     somewhere else.
    func show(
        _ response: HTTPResponse, cookies: Set<String>, tooLarge: Set<String> = [], to request: HTTPRequest
    ) {
        let hidden = request.hidden
        guard let trace = settings.trace else { return }
        trace("< \(response.status)")
        for field in response.headers {
            // A token of Negotiate belongs to one connection, but to nobody else either.
            let isHarmless =
                Self.harmless.contains(field.name.lowercased()) && !field.value.lowercased().hasPrefix("negotiate ")
                && !hidden.stand(in: field.value)
            trace("< \(Self.shown(field.name, hidden)): \(isHarmless ? field.value : "…")")
        }
        for name in cookies.sorted() { trace("< Cookie: \(Self.shown(name, hidden))=…") }
        for name in tooLarge.sorted() {
            trace("< Cookie: \(Self.shown(name, hidden))=… is ignored: more than \(CookieJar.longest) bytes")
        }
        let rest = response.unread == nil ? "" : ", the rest was not read"
        if request.streamedBodies == nil { trace("< \(response.body.count.bytes)\(rest)") }
    }
}
