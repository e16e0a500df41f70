extension ParsedResponse {
    /// The new address of a login, as its response says: the same path but for the scheme, `www.` or a slash at its end, with the same query
    /// and no new cookie. Such a response has judged nothing, unless a rule names its status.
    /// - Parameters:
    ///   - former: the cookies that were sent with the request.
    ///   - anonymous: the names of cookies that anybody gets.
    func moved(from url: ParsedURL, by rule: ResponseRule, former: [Cookie], anonymous: Set<String>) -> Redirect? {
        let rules = [rule.forbidden, rule.secondFactor, rule.pending, rule.refused].flatMap { $0 ?? [] }
        guard wrote, response.isRedirect, let redirect = response.redirect,
            !matches(any: rules.filter { $0.status == status }), rule.token.flatMap({ text(at: $0) }) == nil,
            redirect.isNewAddress(of: url), !response.hasNewCookie(since: former, anonymous: anonymous)
        else { return nil }
        return redirect
    }
}

extension HTTPResponse {
    /// Whether it has set a cookie that neither the request nor just anybody had.
    func hasNewCookie(since former: [Cookie], anonymous: Set<String>) -> Bool {
        cookies.contains { cookie in
            !anonymous.contains(cookie.name)
                && !former.contains { $0.name == cookie.name && $0.value == cookie.value }
        }
    }
}

extension Redirect {
    fileprivate func isNewAddress(of url: ParsedURL) -> Bool {
        guard let origin, origin != url.origin || target != url.target else { return false }
        let path = target.withoutQuery
        return (origin.scheme != url.origin.scheme || origin.port == url.origin.port)
            && origin.host.withoutWWW == url.origin.host.withoutWWW
            && path.withoutLastSlash == url.path.withoutLastSlash
            && target.dropFirst(path.count) == url.target.dropFirst(url.path.count)
    }
}

extension RequestRule {
    /// Its path with a slash at the end if it has none, else without it, and the line of a profile that names that.
    var pathWithOtherSlash: (path: String, line: String) {
        let source = path.source, old = source.withoutQuery
        let new = old.hasSuffix("/") ? old.withoutLastSlash : old + "/"
        let target = new + source.dropFirst(old.count)
        let line =
            method == "POST" ? "post = \(SafeText.quoted(target))" : "send = \(SafeText.quoted("\(method) \(target)"))"
        return (new, line)
    }
}

extension String {
    fileprivate var withoutWWW: Substring { hasPrefix("www.") ? dropFirst(4) : self[...] }

    fileprivate var withoutLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
