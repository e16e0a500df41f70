import Secrets

extension Cookie {
    /// Whether no script of the service's pages can read it (RFC 6265, section 4.1.2.6), which a record in the Netscape
    /// format begins with.
    package var isHTTPOnly: Bool {
        record.withUnsafeBytes { $0.starts(with: "#HttpOnly_".utf8) }
    }
}

extension [Cookie] {
    /// Those that carry the session. Where some are HttpOnly it is one of them: the others are for scripts, such as a token
    /// against forged requests, and often outlive the session by months.
    var carryingSession: [Cookie] {
        let hidden = filter(\.isHTTPOnly)
        return hidden.isEmpty ? self : hidden
    }

    /// They end one by one: known only where all say when, and then the last end counts.
    var end: Int64? {
        let ends = carryingSession.compactMap(\.expires)
        return ends.count == carryingSession.count ? ends.max() : nil
    }
}

extension Session {
    /// The cookies that it consists of, or that go with its token.
    package var cookies: [Cookie] {
        get {
            switch self {
            case .cookies(let cookies): cookies
            case .token(let token): token.cookies
            case .credential: []
            }
        }
        set {
            switch self {
            case .cookies: self = .cookies(newValue)
            case .token(let token): self = .token(token.with(newValue))
            case .credential: break
            }
        }
    }

    /// Whether it is carried by cookies that were there before the login: then whoever knew those is logged in now
    /// (session fixation).
    package func isCarried(by earlier: [Cookie]) -> Bool {
        guard case .cookies(let cookies) = self else { return false }
        let carrying = cookies.carryingSession
        return !carrying.isEmpty
            && carrying.allSatisfy { cookie in
                earlier.contains { $0.name == cookie.name && $0.value == cookie.value }
            }
    }
}
