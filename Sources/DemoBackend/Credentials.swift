import Foundation

/// The places of a request where a credential or a session can stand (RFC 9110 11, RFC 7617, RFC 6750, RFC 6265).
extension Call {
    /// A user name and a password.
    struct Pair {
        let name: String
        let password: String
    }

    /// The pair of HTTP Basic (RFC 7617): base64 of UTF-8, split at the first colon.
    var basic: Pair? {
        guard let (scheme, rest) = authorization, scheme == "basic",
            let bytes = Data(base64Encoded: rest), let text = String(data: bytes, encoding: .utf8),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return Pair(name: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
    }

    /// A bearer token (RFC 6750).
    var bearer: String? {
        guard let (scheme, rest) = authorization, scheme == "bearer" else { return nil }
        return rest
    }

    /// The value of a cookie.
    func cookie(_ name: String) -> String? {
        for pair in (header("Cookie") ?? "").split(separator: ";") {
            let halves = pair.split(separator: "=", maxSplits: 1)
            guard let found = halves.first, found.trimmingCharacters(in: .whitespaces) == name else { continue }
            return halves.count > 1 ? halves[1].trimmingCharacters(in: .whitespaces) : ""
        }
        return nil
    }

    /// What kinds of proof the request carried, without the proofs themselves, for the log.
    var carried: [String] {
        var kinds = authorization.map { [$0.scheme] } ?? []
        for name in ["Cookie", "auth_token", "PRIVATE-TOKEN"] where header(name) != nil {
            kinds.append(name.lowercased())
        }
        return kinds
    }

    private var authorization: (scheme: String, rest: String)? {
        guard let value = header("Authorization") else { return nil }
        let halves = value.split(separator: " ", maxSplits: 1)
        guard let scheme = halves.first else { return nil }
        return (scheme.lowercased(), halves.count > 1 ? halves[1].trimmingCharacters(in: .whitespaces) : "")
    }
}

/// Makes what the services hand out.
enum Token {
    /// 128 random bits, behind a word that tells what it is for.
    static func fresh(_ kind: String) -> String {
        let halves = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
        return "\(kind)-\(halves.joined())"
    }
}
