package import Secrets

extension SecretBuilder {
    /// The value of `Authorization` with a user name and a password (RFC 7617, section 2).
    package mutating func appendBasic(_ username: Secret, _ password: Secret) throws(LimitExceeded) {
        var pair = SecretBuilder(limit: limit)
        try pair.append(username)
        try pair.append(":")
        try pair.append(password)
        try append("Basic ")
        try append(pair.finish().base64)
    }

    /// The value of `Cookie` (RFC 6265, section 5.4).
    package mutating func append(_ cookies: [Cookie]) throws(LimitExceeded) {
        for (index, cookie) in cookies.enumerated() {
            try append(index == 0 ? "\(cookie.name)=" : "; \(cookie.name)=")
            try append(cookie.value)
        }
    }
}

extension String {
    /// Whether a list of tokens (RFC 9110, section 5.6.1) has this one, in any case.
    func namesToken(_ token: String) -> Bool { tokens.contains(token) }

    /// The members of such a list, in lower case.
    package var tokens: [String] {
        split(separator: ",").map { part in
            String(part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }).lowercased()
        }
    }
}
