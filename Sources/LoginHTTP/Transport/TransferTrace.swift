internal import LoginCore
internal import Secrets

/// Requests and answers as lines for `--verbose`. Values of headers are shown only where they can hold no secret, the
/// query and bodies never.
struct TransferTrace {
    private static let harmless: Set<String> = [
        "accept", "content-type", "content-length", "date", "server", "www-authenticate", "proxy-authenticate",
        "retry-after", "cache-control", "connection", "transfer-encoding", "user-agent",
    ]

    /// Those of our own; another one is a profile's, and could have been filled with anything.
    private static let types = ["application/json", "application/x-www-form-urlencoded"]

    let settings: TransportSettings

    func show(_ request: HTTPRequest, _ url: ParsedURL) {
        guard let trace = settings.trace else { return }
        let query = url.query == nil ? "" : "?…"
        let path = request.shownPath.map { "…\($0.prefix { $0 != "?" })" } ?? url.path
        trace("> \(request.method) \(url.origin)\(path)\(query)")
        for field in request.headers {
            let type = Self.types.first { field.hasName("Content-Type") && field.value == Secret($0) }
            trace("> \(field.name): \(type ?? "…")")
        }
        // The user name may be a token, too.
        if request.basic != nil { trace("> Authorization: Basic …") }
        if request.negotiates { trace("> Authorization: Negotiate …") }
        for cookie in request.cookies { trace("> Cookie: \(cookie.name)=…") }
        if let body = request.body { trace("> \(body.count) bytes") }
    }

    /// - Parameters:
    ///   - hidden: what may not be shown, whatever the header that repeats it.
    ///   - hasPassed: whether the body went somewhere else.
    func show(_ response: HTTPResponse, hiding hidden: RepeatedSecrets, hasPassed: Bool = false) {
        guard let trace = settings.trace else { return }
        trace("< \(response.status)")
        for field in response.headers {
            // A token of Negotiate belongs to one connection, but to nobody else either.
            let isHarmless =
                Self.harmless.contains(field.name.lowercased()) && !field.value.lowercased().hasPrefix("negotiate ")
                && !hidden.stand(in: field.value)
            trace("< \(field.name): \(isHarmless ? field.value : "…")")
        }
        for cookie in response.cookies { trace("< Cookie: \(cookie.name)=…") }
        if !hasPassed { trace("< \(response.body.count) bytes") }
    }
}
