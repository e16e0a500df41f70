// What the text of a URL says, as pages and redirects have it.
extension String {
    /// The path.
    var withoutQuery: String { String(prefix { $0 != "?" }) }

    /// Path and query without what is one session's alone, and means nothing to the next: members of the query, and an id behind the path.
    var withoutSession: String {
        let halves = split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path = halves.first.map(String.init) ?? ""
        if let id = path.lastIndex(of: ";"), path[id...].lowercased().contains("sess") { path = String(path[..<id]) }
        guard halves.count == 2 else { return path }
        let members = halves[1].split(separator: "&").filter { !Self.isOfSession($0) }
        return members.isEmpty ? path : "\(path)?\(members.joined(separator: "&"))"
    }

    /// Whether its query has a member that is one session's alone.
    var namesSession: Bool {
        dropFirst(withoutQuery.count + 1).split(separator: "&").contains(where: Self.isOfSession)
    }

    private static func isOfSession(_ member: Substring) -> Bool {
        let name = member.prefix { $0 != "=" }.lowercased()
        return wordsOfSessions.contains { name.contains($0) } || !Array(member.utf8)[...].isSteady
    }

    private static let wordsOfSessions = ["token", "csrf", "nonce", "sess", "ticket"]

    /// The text with `***` for the user information of its URLs (RFC 3986, section 3.2.1), and for members of a query that are named like a
    /// secret and that no template fills in.
    var withoutURLSecrets: String {
        let urls = split(separator: "//", omittingEmptySubsequences: false).enumerated().map { index, text in
            let authority = text.prefix { !"/?#\"' \n".contains($0) }
            guard index > 0, let at = authority.lastIndex(of: "@") else { return String(text) }
            return "***\(text[at...])"
        }
        let text = urls.joined(separator: "//")
        let members = text.split(omittingEmptySubsequences: false) { "?&#".contains($0) }
        return members.map { member in
            guard member.startIndex > text.startIndex else { return String(member) }
            let mark = text[text.index(before: member.startIndex)], name = member.prefix { $0 != "=" }
            let value = member.dropFirst(name.count + 1).prefix { !"\"' \n".contains($0) }
            let isFilledIn = value.hasPrefix("{") && value.hasSuffix("}")
            guard !value.isEmpty, !isFilledIn, value != "***", Self.isNamedLikeSecret(name) else {
                return "\(mark)\(member)"
            }
            return "\(mark)\(name)=***\(member[value.endIndex...])"
        }.joined()
    }

    private static func isNamedLikeSecret(_ name: Substring) -> Bool {
        let letters = name.lowercased().filter(\.isLetter)
        return ["key", "sig", "pwd", "pass", "auth"].contains(letters)
            || ["token", "secret", "password", "passwd", "apikey", "accesskey", "signature"].contains {
                letters.hasSuffix($0)
            }
    }

    /// Whether it names a logout, in one of the languages that pages are written in.
    var namesLogout: Bool {
        let lower = lowercased()
        return Self.wordsOfLogout.contains { lower.contains($0) }
    }

    static let wordsOfLogout = [
        "logout", "log-out", "log_out", "log out", "logoff", "log off", "signout", "sign-out", "sign_out", "sign out",
        "signoff", "abmeld", "ausloggen", "d\u{e9}connexion", "deconnexion", "cerrar ses", "esci", "sair", "uitlog",
        "afmeld", "wylog", "odhl\u{e1}s", "logga ut", "log ud", "\u{432}\u{44b}\u{439}\u{442}\u{438}",
        "\u{432}\u{44b}\u{445}\u{43e}\u{434}", "\u{9000}\u{51fa}", "\u{6ce8}\u{9500}",
        "\u{30ed}\u{30b0}\u{30a2}\u{30a6}\u{30c8}",
    ]
}

extension ArraySlice<UInt8> {
    /// Whether it will be the same the next time: no script, no star, which separates the two texts, no long number as nonces are.
    var isSteady: Bool {
        var digits = 0
        for byte in self {
            let isDigit =
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
            digits = isDigit ? digits + 1 : 0
            if digits >= 8 || byte == UInt8(ascii: "*") { return false }
        }
        return !starts(with: "<script".utf8) && String(validating: self, as: UTF8.self) != nil
    }
}
