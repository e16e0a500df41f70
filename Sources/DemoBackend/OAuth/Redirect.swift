import Foundation

/// Where the answer to an authorization request goes (RFC 6749, 4.1.2).
struct Redirect: Sendable {
    let uri: String
    let state: String?
    let issuer: String

    /// The way back to the client, with a code.
    func answer(code: String, who: String) -> Reply {
        var reply = answer([(name: "code", value: code)])
        reply.who = who
        return reply
    }

    /// The way back to the client, with the reason why there is no code.
    func answer(_ error: OAuthError) -> Reply {
        answer([
            (name: "error", value: error.error.rawValue), (name: "error_description", value: error.errorDescription),
        ])
    }

    /// The issuer goes along (RFC 9207). 303 makes a GET of what was a POST, so that no password does (RFC 9700, 4.12).
    private func answer(_ result: [(name: String, value: String)]) -> Reply {
        var pairs = result + [(name: "iss", value: issuer)]
        if let state { pairs.append((name: "state", value: state)) }
        let separator = uri.contains("?") ? "&" : "?"
        return Reply(status: 303, headers: ["Location": uri + separator + Parameters.encoded(pairs)])
    }

    /// Where a form may lead, as a Content-Security-Policy says it. It has no words for an IPv6 address.
    var formTarget: String {
        guard let parts = URLComponents(string: uri), let scheme = parts.scheme, let host = parts.host,
            !host.contains(":")
        else { return "http:" }
        return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
    }
}
